"""Rules of the house that no linter checks."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "graphassay"


def test_native_has_one_importer() -> None:
    importers = [
        path.name
        for path in SRC.rglob("*.py")
        if re.search(r"^\s*(from|import)\s.*\b_native\b", path.read_text(), re.MULTILINE)
    ]
    assert importers == ["native.py"]


def test_stub_matches_the_core(tmp_path: Path) -> None:
    stub = tmp_path / "_native.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "graphassay._native", "-o", stub],
        check=True,
    )
    assert stub.read_text() == (SRC / "_native.pyi").read_text(), "run `make stub`"


def test_core_import_is_light() -> None:
    code = "import graphassay, sys; print(sorted(set(sys.modules) & set(HEAVY)))".replace(
        "HEAVY", "{'torch', 'transformers', 'rdkit', 'matplotlib', 'plotly', 'pyarrow', 'networkx'}"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"


def test_every_public_name_loads() -> None:
    import graphassay

    assert sorted(graphassay._HOME) == graphassay.__all__
    for name in graphassay.__all__:
        assert getattr(graphassay, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = graphassay.nonsense


def test_docstring_examples_hold() -> None:
    """Runs every example of the package; the slow ones say ``+SKIP`` themselves."""
    n_tried = 0
    for path in sorted(SRC.rglob("*.py")):
        name = ".".join(("graphassay", *path.relative_to(SRC).with_suffix("").parts))
        if ">>>" in path.read_text() and not name.endswith("__main__"):
            module = importlib.import_module(name.removesuffix(".__init__"))
            failed, tried = doctest.testmod(module)
            assert failed == 0, name
            n_tried += tried
    assert n_tried > 10

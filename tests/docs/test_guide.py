"""Every command and snippet of docs/guide.md runs, in order, and prints what the guide shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _run(line: str, folder: Path) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env={**os.environ, "PATH": path, "COLUMNS": "200"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed, kinds = "", []
    for match in BLOCK.finditer(GUIDE.read_text(encoding="utf-8")):
        kind, text = match.groups()
        kinds.append(kind)
        if kind == "python":
            place = GUIDE.read_text(encoding="utf-8")[: match.start(2)].count("\n")
            exec(compile("\n" * place + text, str(GUIDE), "exec"), names)  # the guide's own line
        elif kind == "console":
            printed = "".join(_run(line, tmp_path) for line in text.splitlines())
        else:
            assert kind == "text", f"a block that no test runs: {kind!r}"
            for line in text.splitlines():
                assert line in printed
    assert kinds.count("python") > 10
    assert kinds.count("console") > 7


def test_a_failure_is_one_line_and_an_exit_code(tmp_path: Path) -> None:
    (tmp_path / "train.smi").write_text("CCO\nCCN\n")
    for arguments, code in ((["nothing.smi"], 2), (["train.smi", "--max-patterns", "1"], 1)):
        done = subprocess.run(
            [sys.executable, "-m", "graphassay", "mine", *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code
        assert "Traceback" not in done.stderr


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", GUIDE.read_text(encoding="utf-8")):
        assert (GUIDE.parent / target).is_file(), target

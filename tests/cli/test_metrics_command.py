"""graphassay metrics: table, files, and one line for what is wrong."""

import csv
import json
import sys
from pathlib import Path

import pytest

from graphassay.cli import main
from graphassay.metric_cards import CARDS
from graphassay.results import AuditResult, loads

ONLY = "validity,uniqueness,vun,snn,weight,molecule_stability"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {
        "train": "CCO\nCCN\nc1ccccc1\nCCCC\n",
        "generated": "OCC\nCCCN\nNone\nC(C)(C)(C)(C)C\nCCCN\n",
        "holdout": "CCCO\nCCCN\nCC\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.smi").write_text(text)
    return {name: str(tmp_path / f"{name}.smi") for name in texts}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["graphassay", *arguments])
    with pytest.raises(SystemExit) as exit_:
        main()
    return int(exit_.value.code or 0)


def options(files: dict[str, str], *more: str) -> list[str]:
    return [
        "metrics",
        *(part for name, path in files.items() for part in (f"--{name}", path)),
        *more,
    ]


def test_table_and_files(files, tmp_path, monkeypatch, capsys) -> None:
    for name in ("q.json", "q.csv"):
        out = tmp_path / name
        assert run(monkeypatch, *options(files, "--only", ONLY, "--out", str(out))) == 0
    shown = capsys.readouterr().out
    assert "Validity" in shown
    assert "0.6000" in shown
    assert any(
        line.split()[:5] == ["Validity", "0.6000", "0.2307", "to", "0.8824"]
        for line in shown.splitlines()
    )
    assert "undefined: molecule_stability: stability: expected hydrogens" in shown
    found = json.loads((tmp_path / "q.json").read_text())
    assert {m["key"]: m["value"]["value"] for m in found["metrics"]}["vun"] == 0.2
    rows = list(csv.DictReader((tmp_path / "q.csv").read_text().splitlines()))
    assert {row["key"] for row in rows} == set(ONLY.split(","))
    by_key = {row["key"]: row for row in rows}
    assert by_key["validity"]["value"] == "0.6"
    assert by_key["validity"]["n"] == "5"
    assert by_key["vun"]["real"] == "1.0"
    assert by_key["vun"]["n_reference"] == "4"
    assert by_key["molecule_stability"]["value"] == ""
    assert "--hydrogens explicit-h" in by_key["molecule_stability"]["undefined"]
    assert all(row["better"] == CARDS[row["key"]].better for row in rows)
    assert all(None not in row and None not in row.values() for row in rows)


def test_every_number_comes_with_its_direction_range_and_detail(
    files, tmp_path, monkeypatch, capsys
) -> None:
    arguments = options(files, "--only", "validity,degree_mmd,wl_mmd,weight,molecule_stability")
    assert run(monkeypatch, *arguments, "--out", str(tmp_path / "q.csv")) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    (row,) = (line.split() for line in lines if line.startswith("Degree MMD"))
    assert row[-6:] == ["down", "\N{MINUS SIGN}2", "to", "2", "train", "(4)"]
    (row,) = (line.split() for line in lines if line.startswith("Validity"))
    assert row[-4:] == ["up", "0", "to", "1"]  # of the number as it stands there, a share
    (detail,) = (line for line in lines if line.startswith("detail: degree_mmd: "))
    assert "Gaussian of total variation, sigma 1; V-statistic (biased)" in detail
    assert any(line.startswith("detail: wl_mmd: WL subtree kernel, 5 iter") for line in lines)
    rows = list(csv.DictReader((tmp_path / "q.csv").read_text().splitlines()))
    assert run(monkeypatch, *arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    told = {m["key"]: m for m in (*found["metrics"], *found["properties"])}
    for row in rows:
        if row["key"] in told:
            for key in ("better", "range"):
                assert told[row["key"]][key] == row[key]
    assert set(told) == {row["key"] for row in rows} - {"molecule_stability"}
    assert (told["weight"]["better"], told["weight"]["range"]) == ("lower", "0 or more")


def test_options_of_the_whole_graph_metrics(files, monkeypatch, capsys) -> None:
    only = ("--only", "degree_mmd,wl_mmd", "--json")
    shown = {}
    for name, more in {
        "plain": (),
        "emd": ("--kernel", "gaussian_emd"),
        "unbiased": ("--unbiased",),
        "rounds": ("--wl-iterations", "0"),
    }.items():
        assert run(monkeypatch, *options(files, *only, *more)) == 0
        metrics = json.loads(capsys.readouterr().out)["metrics"]
        shown[name] = {m["key"]: (m["value"]["value"], m["detail"]) for m in metrics}
    assert shown["emd"]["degree_mmd"] != shown["plain"]["degree_mmd"]
    assert "earth mover's distance" in shown["emd"]["degree_mmd"][1]
    assert shown["unbiased"]["degree_mmd"][0] < shown["plain"]["degree_mmd"][0]
    assert "U-statistic (unbiased)" in shown["unbiased"]["degree_mmd"][1]
    assert shown["rounds"]["degree_mmd"] == shown["plain"]["degree_mmd"]
    assert shown["rounds"]["wl_mmd"][0] != shown["plain"]["wl_mmd"][0]
    assert "0 iterations" in shown["rounds"]["wl_mmd"][1]


def test_a_missing_package_names_its_extra(files, monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "fcd", None)  # as if it were not installed
    assert run(monkeypatch, *options(files, "--only", "fcd,validity")) == 0
    lines = capsys.readouterr().out.splitlines()
    (told,) = (line for line in lines if line.startswith("undefined: fcd: "))
    assert "graphassay[quality]" in told
    assert not any(line.strip().startswith("Fréchet") for line in lines)


def test_explicit_hydrogens_give_stability(files, monkeypatch, capsys) -> None:
    arguments = options(files, "--only", "molecule_stability", "--hydrogens", "explicit-h")
    assert run(monkeypatch, *arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["metrics"][0]["value"]["value"] == 0.6  # the two failed records are not stable
    assert found["metrics"][0]["real"]["value"] == 1.0
    assert any("where RDKit puts the hydrogens" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--only", "snm"], "got 'snm'"),
        (["--only", ","], "at least one"),
        (["--out", "q.txt"], ".json or .csv"),
        (["--out", "nodir/q.csv"], "nodir/q.csv: cannot write (No such file or directory)"),
        (["--out", "folder.csv"], "folder.csv: a folder is in the way"),
        (["--max-molecules", "0"], "max-molecules"),
        (["--kernel", "tv"], "'gaussian_tv', 'gaussian_emd', 'rbf'"),
        (["--wl-iterations", "-1"], "wl-iterations"),
    ],
)
def test_bad_options_are_one_line_before_any_reading(
    files, more, message, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    assert run(monkeypatch, *options(files, *more)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_the_table_is_printed_even_when_the_file_cannot_be_written(
    files, tmp_path, monkeypatch, capsys
) -> None:
    full = tmp_path / "full.csv"
    full.symlink_to("/dev/full")
    assert run(monkeypatch, *options(files, "--only", "validity", "--out", str(full))) == 2
    said = capsys.readouterr()
    assert "0.6000" in said.out
    assert "full.csv: cannot write (No space left" in said.err
    assert full.is_symlink()


def test_reference_holdout_needs_one(files, monkeypatch, capsys) -> None:
    del files["holdout"]
    assert run(monkeypatch, *options(files, "--only", "snn", "--reference", "holdout")) == 2
    assert "expected a holdout" in capsys.readouterr().err


def test_nothing_is_left_when_it_fails(files, tmp_path, monkeypatch, capsys) -> None:
    Path(files["generated"]).write_text("None\nNone\n")
    Path(files["train"]).write_text("None\n")
    out = tmp_path / "q.json"
    assert run(monkeypatch, *options(files, "--out", str(out))) == 2
    assert not out.exists()
    assert len(capsys.readouterr().err.strip().splitlines()[-1]) > 0


def test_an_audit_with_quality(files, tmp_path, monkeypatch, capsys) -> None:
    from graphassay import datasets
    from graphassay.assay.quality import QUALITY_METRICS

    monkeypatch.setattr("graphassay.metrics.chemnet.find_fcd", lambda: None)
    sample = datasets.load("qm9-sample").sources.to_pylist()
    Path(files["train"]).write_text("\n".join(sample[:60]))
    Path(files["generated"]).write_text("\n".join(sample[60:100]))
    del files["holdout"]
    out = tmp_path / "report"
    arguments = ["audit", *options(files)[1:], "--out", str(out), "--bootstraps", "10"]
    assert run(monkeypatch, *arguments, "--quality") == 0
    capsys.readouterr()
    result = loads((out / "results.json").read_text())
    assert isinstance(result, AuditResult)
    assert result.quality is not None
    keys = {m.key for m in result.quality.metrics} | {p.key for p in result.quality.properties}
    assert keys | {key for key, _ in result.quality.skipped} == set(QUALITY_METRICS)

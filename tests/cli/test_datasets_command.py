import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphassay import io
from graphassay.cli import app


def test_the_list_names_every_set() -> None:
    text = CliRunner().invoke(app, ["datasets"], env={"COLUMNS": "200"}).stdout
    for name in ("qm9-sample", "mutag", "nci1", "moses", "planar", "CC0"):
        assert name in text
    listed = json.loads(CliRunner().invoke(app, ["datasets", "--json"]).stdout)
    assert listed[0]["name"] == "qm9-sample"


def test_one_set_is_described_and_written(shared: Path, tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["datasets", "mutag", "--from", str(shared / "tu"), "--json"])
    assert json.loads(told.stdout)["graphs"] == 188
    plain = CliRunner().invoke(app, ["datasets", "planar", "--split", "test"])
    assert "graphs: 40" in plain.stdout
    out = tmp_path / "mutag.gspan"
    done = CliRunner().invoke(
        app, ["datasets", "mutag", "--from", str(shared / "tu"), "--out", str(out)]
    )
    assert done.exit_code == 0
    assert len(io.read(out)) == 188
    arguments = ["datasets", "random", "--out", str(tmp_path / "r.g6"), "--json"]
    assert json.loads(CliRunner().invoke(app, arguments).stdout)["out"] == str(tmp_path / "r.g6")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cora"], "no data set is called 'cora'"),
        (["mutag", "--from", "/nowhere"], "expected MUTAG.zip or the folder MUTAG in it"),
        (["planar", "--split", "dev"], "expected a split among train, valid, test"),
        (["planar", "--out", "/dev/full/x.gspan"], "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, message, capfd, monkeypatch) -> None:
    monkeypatch.setattr("sys.argv", ["graphassay", "datasets", *arguments])
    from graphassay.cli import main

    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    lines = capfd.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert message in lines[0]

"""``graphassay train``, ``sample`` and ``score`` from end to end, in this process."""

import csv
import json
import sys
from pathlib import Path

import pytest

from graphassay.cli import main

SMALL = ("size=custom", "layers=1", "hidden=32", "heads=2", "ffn=32", "batch_size=4")


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["graphassay", *map(str, arguments)])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture(scope="module")
def molecules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "molecules.smi"
    path.write_text("\n".join(["CCO", "CC=O", "c1ccccc1", "CC(N)O", "CNC", "C#N", "OCCO"] * 3))
    return path


@pytest.fixture(scope="module")
def run(molecules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    recipe = out.with_name("recipe.toml")
    recipe.write_text('[model]\nsize = "huge"\n[budget]\ntokens = 10\n[record]\nlog_steps = 2\n')
    options = [o for text in (*SMALL, "checkpoints=2") for o in ("--set", text)]
    with pytest.MonkeyPatch.context() as patch:
        code = call(
            patch, "train", "--data", molecules, "--out", out, "--config", recipe,
            "--steps", 6, "--device", "cpu", "--serialization", "sent:random", *options,
        )  # fmt: skip
    assert code == 0
    return out


def test_train_says_what_it_did(
    run: Path, molecules: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads((run / "run.json").read_text())
    assert record["config"]["steps"] == 6  # the command line wins over the recipe
    assert record["config"]["log_steps"] == 2
    assert record["data"]["source"] == str(molecules)
    options = [o for text in (*SMALL, "checkpoints=2", "log_steps=2") for o in ("--set", text)]
    code = call(
        monkeypatch, "train", "--data", molecules, "--out", run, "--steps", 6,
        "--device", "cpu", "--json", *options,
    )  # fmt: skip
    assert code == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 6


def test_sample_and_score(
    run: Path,
    molecules: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import pyarrow.parquet as pq

    from graphassay.io import read

    out = tmp_path / "gen.smi"
    settings = ("--decoding", "tp_low", "--valences", "C=4,N=3,O=2", "--top-k", 0, "--seed", 3)
    command = ("sample", run, "-n", 20, "--out", out, "--json", "--device", "cpu", *settings)
    assert call(monkeypatch, *command) == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["n"] == 20
    assert counts["n_written"] + counts["n_failed_records"] == 20
    assert read(out).intake.n_records == 20
    sequences = pq.read_table(tmp_path / "gen.smi.samples.parquet")
    assert len(sequences) == 20
    job = json.loads(sequences.schema.metadata[b"job"])
    assert job["decoding"] == {"temperature": 0.8, "top_p": 0.95, "top_k": None}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gen.smi", "gen.smi.samples.parquet"]

    table = tmp_path / "scores.csv"
    command = ("score", run, molecules, "--permutations", 3, "--out", table, "--device", "cpu")
    assert call(monkeypatch, *command) == 0
    assert "21 of 21 graphs scored" in capsys.readouterr().out
    header, *rows = table.read_text().splitlines()
    assert header == (
        "graph,record,source,nll_nats,n_tokens,sd_nats,lu,bound_nats,n_distinct,nlls_nats,refused"
    )
    assert len(rows) == 21
    assert rows[0].split(",")[2] == "CCO"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "--size", "huge"), "size: expected one of tiny"),
        (("train", "--device", "cuda:1"), "choose with CUDA_VISIBLE_DEVICES"),
        (("train", "--device", "tpu"), "device 'tpu': expected auto or one of cpu"),
        (("train", "--set", "lr=3"), "unknown option 'lr'"),
        (("train", "--set", "lr"), "--set: expected NAME=VALUE"),
        (("train", "--steps", 3, "--tokens", 5), "one budget"),
        (("train", "--config", "absent.toml"), "cannot read the recipe"),
        (("sample", "absent", "--out", "g.smi"), "absent: no such run folder"),
        (("sample", "RUN", "--out", "g.xyz"), "cannot tell the format"),
        (("sample", "RUN", "--out", "g.smi", "--decoding", "beam"), "decoding: expected one of"),
        (("sample", "RUN", "--out", "g.smi", "--top-p", 2), "top_p: expected"),
        (("sample", "RUN", "--out", "g.smi", "--valences", "C4"), "--valences: expected"),
        (("score", "RUN", "absent.smi", "--out", "s.csv"), "absent.smi"),
        (("score", "RUN", "DATA", "--out", "s.csv", "--permutations", 1), "expected at least 2"),
        (("score", "RUN", "DATA", "--out", "s.csv", "--strategy", "x"), "unknown linearization"),
        (("score", "RUN", "DATA", "--out", "s.txt"), "ends in .parquet or .csv"),
        (("score", "RUN", "DATA", "--out", "s.csv", "--filter", "lu"), "give permutations"),
        (
            ("score", "RUN", "DATA", "--out", "s.csv", "--filter", "nll", "--keep", 1.5),
            "keep: expected a share between 0 and 1, got 1.5",
        ),
        (
            (
                "score",
                "RUN",
                "DATA",
                "--out",
                "s.csv",
                "--filter",
                "bound",
                "--permutations",
                4,
                "--serialization",
                "smiles",
            ),
            "how likely RDKit is to write a SMILES is not known",
        ),
        (("score", "RUN", "DATA", "--out", "s.csv", "--keep", 5), "--keep: belongs to --filter"),
        (
            ("score", "RUN", "DATA", "--out", "s.csv", "--filter", "nll", "--permutations", 2),
            "nll is of one linearization",
        ),
        (
            ("score", "DATA", "DATA", "--out", "s.csv", "--serialization", "smiles"),
            "expected a local folder of a Hugging Face model",
        ),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[object, ...],
    message: str,
    run: Path,
    molecules: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    command, *rest = [{"RUN": run, "DATA": molecules}.get(a, a) for a in arguments]
    if command == "train":
        rest += ["--data", molecules, "--out", tmp_path / "r"]
    elif command == "sample":
        rest += ["-n", 2]
    assert call(monkeypatch, command, *rest) == 2
    lines = [x for x in capsys.readouterr().err.splitlines() if x.startswith("graphassay: ")]
    assert len(lines) == 1
    assert message in lines[0]


def test_help_is_light() -> None:
    import subprocess

    code = (
        "import sys; sys.argv = ['graphassay', 'train', '--help']\n"
        "from graphassay.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert not {'torch', 'transformers', 'numpy'} & set(sys.modules), 'heavy'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_filter_writes_both_halves(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import pyarrow.parquet as pq

    source = tmp_path / "found.smi"
    names = ["CCO a", "CC=O b", "c1ccccc1 c", "CC(N)O d", "C e", "CBr f", "OCCO g"]
    source.write_text("\n".join(names) + "\n")
    out = tmp_path / "scores.parquet"
    command = (
        "score", run, source, "--permutations", 8, "--out", out, "--device", "cpu",
        "--filter", "lu", "--keep", 0.6,
    )  # fmt: skip
    assert call(monkeypatch, *command) == 0
    printed = capsys.readouterr().out
    lu = dict(zip("abcdefg", pq.read_table(out)["lu"].to_pylist(), strict=True))
    assert lu["e"] is None  # methane is one vertex: a single linearization
    assert lu["c"] is None  # benzene looks the same from every atom
    assert lu["f"] is None  # bromine is not in the vocabulary
    ranked = sorted((name for name in lu if lu[name] is not None), key=lambda name: lu[name])
    kept = [line for line in names if line[-1] in ranked[:2]]
    assert (tmp_path / "scores.kept.smi").read_text().splitlines() == kept
    rejected = [line for line in names if line not in kept]
    assert (tmp_path / "scores.rejected.smi").read_text().splitlines() == rejected
    assert f"2 kept (lu at most {lu[ranked[1]]:.4g})" in printed
    assert "5 rejected, 3 of them for want of a value" in printed
    command = ("score", run, source, "--out", out, "--filter", "nll", "--json", "--device", "cpu")
    assert call(monkeypatch, *command) == 0
    account = json.loads(capsys.readouterr().out)["filter"]
    assert (account["kept"]["n"], account["rejected"]["n"]) == (5, 2)  # 0.8 of the 6 with a value
    assert account["rejected"]["n_without_value"] == 1


@pytest.mark.parametrize("name", ["g.smi", "t.kept.smi", "t.rejected.smi"])
def test_no_output_replaces_the_graphs(
    name: str,
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / name
    source.write_text("CCO\nCC=O\n")
    out = tmp_path / "t.csv"
    if name == "g.smi":
        out.symlink_to(source)
    command = ("score", run, source, "--out", out, "--device", "cpu", "--filter", "nll")
    assert call(monkeypatch, *command) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "would replace the graphs; give another --out" in line
    assert source.read_text() == "CCO\nCC=O\n"


def test_refused_graphs_are_counted_by_reason(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / "g.smi"
    source.write_text("CCO\nCBr\nCCBr\nCCCBr\n")
    command = ("score", run, source, "--out", tmp_path / "t.csv", "--device", "cpu")
    assert call(monkeypatch, *command) == 0
    captured = capsys.readouterr()
    assert "1 of 4 graphs scored" in captured.out
    (line,) = [line for line in captured.err.splitlines() if "refused" in line and "Br" in line]
    assert "3 refused" in line


def test_a_format_without_labels_is_refused_before_any_sample(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "g.g6"
    assert call(monkeypatch, "sample", run, "-n", 5, "--out", out, "--device", "cpu") == 2
    assert "g.g6: graph6 holds no labels" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_filter_by_the_bound_keeps_the_likeliest_graphs(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source, out = tmp_path / "found.smi", tmp_path / "scores.csv"
    names = ["CCO a", "CC=O b", "c1ccccc1 c", "CC(N)O d", "C e", "CBr f"]
    source.write_text("\n".join(names) + "\n")
    command = ("score", run, source, "--permutations", 2, "--out", out, "--device", "cpu")
    assert call(monkeypatch, *command, "--filter", "bound", "--keep", 0.4) == 0
    printed = capsys.readouterr().out
    with out.open() as file:
        cells = [row["bound_nats"] for row in csv.DictReader(file)]
    bounds = {line: float(cell) for line, cell in zip(names, cells, strict=True) if cell}
    assert len(bounds) == 5  # what has a single linearization has a bound too; bromine has none
    best = sorted(bounds, key=lambda line: -bounds[line])[:2]
    kept = (tmp_path / "scores.kept.smi").read_text().splitlines()
    assert kept == [line for line in names if line in best]
    assert f"2 kept (bound at least {bounds[best[1]]:.4g})" in printed


def test_an_empty_half_is_an_empty_file(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Not the half of an earlier run; what gave no graph is in neither, and is counted."""
    source, out = tmp_path / "found.smi", tmp_path / "scores.csv"
    source.write_text("CCO a\nnot((( b\nNone\nCC=O c\n")
    halves = [tmp_path / f"scores.{name}.smi" for name in ("kept", "rejected")]
    for keep, sizes in ((0.5, (1, 1)), (0.1, (0, 2)), (0.9, (2, 0))):
        command = ("score", run, source, "--out", out, "--device", "cpu", "--filter", "nll")
        assert call(monkeypatch, *command, "--keep", keep) == 0
        printed = capsys.readouterr().out
        assert "2 of 2 graphs scored" in printed
        assert "2 of 4 records gave no graph and are in neither file" in printed
        assert tuple(len(half.read_text().splitlines()) for half in halves) == sizes
        assert f"{halves[0]}: {sizes[0]} kept" in printed
        assert f"{halves[1]}: {sizes[1]} rejected" in printed
    assert call(monkeypatch, *command, "--json") == 0
    account = json.loads(capsys.readouterr().out)
    assert (account["n_records"], account["n"], account["n_not_read"]) == (4, 2, 2)
    assert account["filter"]["rejected"]["n"] == 0
    assert account["filter"]["rejected"]["out"] == str(halves[1])


def test_score_with_a_smiles_model(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import pyarrow.parquet as pq

    from lm.test_smiles import _tokenizer, _train

    model = _train(tmp_path / "model", _tokenizer(bos_token="<s>", eos_token="</s>"), steps=2)
    source, out = tmp_path / "m.smi", tmp_path / "s.parquet"
    source.write_text("CCO\nc1ccccc1O\nC\nCC(=O)N\n")
    command = ("score", model, source, "--serialization", "smiles", "--out", out)
    capsys.readouterr()
    assert call(monkeypatch, *command, "--permutations", 5, "--filter", "lu", "--keep", 0.7) == 0
    captured = capsys.readouterr()
    assert "framed by <s> before (given), </s> after (predicted)" in captured.err
    table = pq.read_table(out).to_pydict()
    assert table["source"] == ["CCO", "c1ccccc1O", "C", "CC(=O)N"]
    assert [lu is None for lu in table["lu"]] == [False, False, True, False]
    assert table["n_distinct"][2] == 1
    assert "2 kept" in captured.out
    assert "2 rejected, 1 of them for want of a value" in captured.out
    assert call(monkeypatch, *command, "--strategy", "random") == 2

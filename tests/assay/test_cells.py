"""Finished cells are kept, whole, and never mistaken for others."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graphassay.assay.cells import CellStore
from graphassay.errors import UnwritableOutput
from graphassay.results import Estimate, Undefined
from graphassay.results.model import SampleScores

KEY = {"weights": "ab12", "decoding": "both_default", "seed": 3, "n": 100}


def record(value: float = 0.25) -> SampleScores:
    rate = Estimate(value, 0.2, 0.3, 100, "Wilson")
    return SampleScores(100, rate, rate, rate, {"rho": 0.5, "jsd": Undefined("no pattern")})


class Counter:
    """Makes records, and counts them."""

    def __init__(self, value: float = 0.25) -> None:
        self.value, self.n = value, 0

    def __call__(self) -> SampleScores:
        self.n += 1
        return record(self.value)


def test_a_cell_is_made_once_and_read_afterwards(tmp_path: Path) -> None:
    make = Counter()
    first = CellStore(tmp_path / "cells").cell(KEY, SampleScores, make)
    again = CellStore(tmp_path / "cells").cell(dict(reversed(KEY.items())), SampleScores, make)
    assert make.n == 1
    assert first == again == record()
    assert len(list((tmp_path / "cells").iterdir())) == 1


@pytest.mark.parametrize(
    "change", [{"seed": 4}, {"n": 101}, {"weights": "cd34"}, {"decoding": None}, {"more": 1}]
)
def test_other_settings_are_another_cell(tmp_path: Path, change: dict) -> None:
    store, make = CellStore(tmp_path), Counter(0.75)
    store.cell(KEY, SampleScores, Counter())
    assert store.cell(KEY | change, SampleScores, make).exact_match.value == 0.75
    assert make.n == 1
    assert store.cell(KEY, SampleScores, make) == record()


def test_another_version_of_ours_makes_it_anew(tmp_path: Path, monkeypatch) -> None:
    store = CellStore(tmp_path)
    store.cell(KEY, SampleScores, Counter())
    monkeypatch.setattr("graphassay.assay.cells.VERSION", 1_000)
    make = Counter()
    store.cell(KEY, SampleScores, make)
    assert make.n == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 3}', "null", "\x00"])
def test_a_damaged_cell_is_made_again(tmp_path: Path, text: str) -> None:
    store, make = CellStore(tmp_path), Counter()
    store.cell(KEY, SampleScores, make)
    (path,) = tmp_path.iterdir()
    whole = path.read_text()
    path.write_text(text)
    assert store.cell(KEY, SampleScores, make) == record()
    assert make.n == 2
    assert path.read_text() == whole


def test_a_cell_under_a_wrong_name_is_not_believed(tmp_path: Path) -> None:
    store = CellStore(tmp_path)
    store.cell(KEY, SampleScores, Counter())
    (path,) = tmp_path.iterdir()
    content = json.loads(path.read_text())
    content["key"]["seed"] = 99
    path.write_text(json.dumps(content))
    assert store.get(KEY, SampleScores) is None
    content["key"]["seed"] = 3
    del content["record"]["n_records"]
    path.write_text(json.dumps(content))
    assert store.get(KEY, SampleScores) is None


def test_kinds_do_not_mix(tmp_path: Path) -> None:
    store = CellStore(tmp_path)
    store.cell(KEY, SampleScores, Counter())
    assert store.get(KEY, Estimate) is None


def test_without_a_folder_nothing_is_kept() -> None:
    store, make = CellStore(None), Counter()
    store.cell(KEY, SampleScores, make)
    store.cell(KEY, SampleScores, make)
    assert make.n == 2
    assert store.file(KEY, ".log") is None


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "cells").write_text("a file")
    with pytest.raises(UnwritableOutput, match="cannot write"):
        CellStore(tmp_path / "cells").cell(KEY, SampleScores, Counter())


def test_kill_9_loses_the_cell_in_hand_and_no_other(tmp_path: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
from graphassay.assay.cells import CellStore
from graphassay.results import Estimate
store = CellStore(Path({str(tmp_path)!r}) / "cells")
for i in range(1000):
    def make():
        print("made", i, flush=True)
        if i == 9 and sys.argv[1] == "999":
            time.sleep(600)
        return Estimate(float(i), 0.0, 1.0, i, "by hand")
    store.cell({{"i": i}}, Estimate, make)
    if i == int(sys.argv[1]):
        break
"""
    command = [sys.executable, "-c", script]
    with subprocess.Popen([*command, "999"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "made 9\n":
                os.kill(process.pid, signal.SIGKILL)
                break
    done = subprocess.run([*command, "12"], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1::2] == ["9", "10", "11", "12"]

"""The audits shown in docs/results/audits.md: python benchmarks/real_runs.py [CASE …].

``tu`` audits the five TU sets against a resample of themselves (a photocopier) and against their
rewiring. The DiGress cases audit samples of DiGress on QM9 (heavy atoms; explicit hydrogens) and on
MOSES, each with the test molecules of its data set as holdout. Prints Markdown; every number comes
from this run, on the data in GRAPHASSAY_SHARED (default ../shared/data).
"""

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from graphassay import GraphSet, MoleculeOptions, audit, datasets, read
from graphassay.baselines.rewiring import rewire
from graphassay.results import AuditResult, Estimate, Undefined, Value

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))
N_GENERATED = 1024
TU = ("mutag", "ptc_mr", "enzymes", "proteins", "nci1")
BOOTSTRAPS = {"enzymes": 20, "proteins": 20}  # 200 elsewhere
EXPLICIT_H = MoleculeOptions(hydrogens="explicit-h")

Case = tuple[str, GraphSet, GraphSet, GraphSet | None, int]


def tu() -> Iterator[Case]:
    """Each TU set against copies of itself and against its rewiring."""
    for name in TU:
        train = datasets.load(name, source=SHARED / "tu" / f"{name.upper()}.zip")
        drawn = train.take(np.random.default_rng(0).integers(len(train), size=N_GENERATED))
        n_draws = BOOTSTRAPS.get(name, 200)
        yield f"{name.upper()}, resampled", train, drawn, None, n_draws
        yield f"{name.upper()}, rewired", train, rewire(drawn, seed=0), None, n_draws


def digress_qm9_noh() -> Iterator[Case]:
    """DiGress on QM9, heavy atoms."""
    generated = read(SHARED / "generated" / "digress_qm9_noh.smi.gz")
    yield "DiGress, QM9 heavy atoms", *_qm9(MoleculeOptions(), generated)


def digress_qm9_withh() -> Iterator[Case]:
    """DiGress on QM9, explicit hydrogens."""
    generated = read(SHARED / "generated" / "digress_qm9_withh.smi.gz", molecules=EXPLICIT_H)
    yield "DiGress, QM9 explicit H", *_qm9(EXPLICIT_H, generated)


def digress_moses() -> Iterator[Case]:
    """DiGress on MOSES."""
    train, test = (read(SHARED / f"moses_{split}.csv.gz") for split in ("train", "test"))
    generated = read(SHARED / "generated" / "digress_moses.smi.gz")
    yield "DiGress, MOSES", train, generated, test, 200


CASES = {
    "tu": tu,
    "digress-qm9-noh": digress_qm9_noh,
    "digress-qm9-withh": digress_qm9_withh,
    "digress-moses": digress_moses,
}


def _qm9(
    molecules: MoleculeOptions, generated: GraphSet
) -> tuple[GraphSet, GraphSet, GraphSet, int]:
    train, test = (datasets.load("qm9", split=s, molecules=molecules) for s in ("train", "test"))
    return train, generated, test, 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES), help=", ".join(CASES))
    print(
        "| generated set | EM % | unique % | failed % | rho | JSD | JSD of photocopies | ", end=""
    )
    print("JSD of the holdout | JSD of rewired graphs | verdict | s |")
    print("| --- " * 11 + "|")
    results: list[tuple[str, AuditResult]] = []
    for case in parser.parse_args().cases:
        for title, train, generated, holdout, bootstraps in CASES[case]():
            start = time.perf_counter()
            result = audit(train, generated, holdout=holdout, bootstraps=bootstraps, name=title)
            results.append((title, result))
            print(row(title, result, time.perf_counter() - start), flush=True)
    for title, result in results:
        print(f"\n**{title}.** {result.verdict.headline} {result.verdict.reason}")
        for note in result.notes:
            print(f"Note: {note}.")


def row(title: str, result: AuditResult, seconds: float) -> str:
    """One line of the table."""
    copying = result.copying["generated"]
    metrics = result.alignment.metrics
    ranges = (metrics["jsd"].references.get(key) for key in ("bootstrap", "holdout", "rewired"))
    cells = [
        title,
        *(_percent(e) for e in (copying.exact_match, copying.unique, copying.failed)),
        _number(metrics["rho"].model.value),
        _number(metrics["jsd"].model.value),
        *("–" if d is None else f"{_number(d.low)} to {_number(d.high)}" for d in ranges),
        result.verdict.kind,
        f"{seconds:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def _percent(estimate: Estimate) -> str:
    return "undefined" if isinstance(estimate.value, Undefined) else f"{100 * estimate.value:.1f}"


def _number(value: Value) -> str:
    return "undefined" if isinstance(value, Undefined) else f"{value:.3f}"


if __name__ == "__main__":
    main()

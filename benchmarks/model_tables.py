"""The tables of docs/results/models.md, as Markdown, from the folder that model_runs.sh made:
python benchmarks/model_tables.py FOLDER [mutag|qm9|corpus|orders|planar …].
"""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from graphassay.metric_cards import CARDS
from graphassay.results import AuditResult, Estimate, Undefined, Value, load

STRATEGIES = ("random", "min-degree", "max-degree", "anchor")
CORPORA = (128, 1000, 10_000, 97_734)


def number(value: Value, digits: int = 3) -> str:
    return "undefined" if isinstance(value, Undefined) else f"{value:.{digits}f}"


def interval(estimate: Estimate, digits: int = 3) -> str:
    bounds = f"{number(estimate.low, digits)} to {number(estimate.high, digits)}"
    return f"{number(estimate.value, digits)} ({bounds})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(row) + " |")
    print()


def mutag(folder: Path) -> None:
    """M's table 20: a row per checkpoint."""
    for run in ("mutag-dfs", "mutag-dgmg"):
        result = load(folder / f"audit-{run}")
        model = result.model
        assert model is not None
        assert model.hit_miss is not None
        print(f"{run}: {result.verdict.headline}\n")
        table(
            ("step", "EM", "novelty", "unique", "failed", "rho", "JSD", "MM"),
            (
                (
                    f"{at.step:,}",
                    number(at.scores.exact_match.value),
                    number(1 - float(at.scores.exact_match.value)),  # type: ignore[arg-type]
                    number(at.scores.unique.value),
                    number(at.scores.failed.value),
                    *(number(at.scores.metrics[k]) for k in ("rho", "jsd", "missing_mass")),
                )
                for at in model.trajectory
            ),
        )
        hits = model.hit_miss
        if not isinstance(hits, Undefined):
            print(
                f"{hits.n_hits} training graphs reproduced, {hits.n_misses} not: "
                f"{number(hits.hit_mean.value)} and {number(hits.miss_mean.value)} nats per token, "
                f"AUC {interval(hits.auc)}, p {hits.p if isinstance(hits.p, float) else '-':.2g}\n"
            )


def headline(result: AuditResult, name: str) -> list[str]:
    copies = result.copying
    held = copies["holdout"].exact_match if "holdout" in copies else None
    numbers = result.alignment.metrics
    return [
        name,
        interval(copies["generated"].exact_match),
        "" if held is None else number(held.value),
        number(copies["generated"].unique.value),
        *(interval(numbers[k].model) for k in ("rho", "jsd")),
        *(number(numbers["jsd"].references[r].median) for r in ("bootstrap", "holdout", "rewired")),
        result.verdict.kind,
    ]


HEADLINE = (
    *("", "EM", "EM of held-out", "unique", "rho", "JSD"),
    *("photocopier's", "fresh real's", "chance's", "verdict"),
)


def qm9(folder: Path) -> None:
    """The audit and the quality metrics of the run on all of QM9's training molecules."""
    result = load(folder / "audit-qm9")
    table(HEADLINE, [headline(result, "QM9, SENT random")])
    print(f"{result.verdict.headline} {result.verdict.reason}\n")
    assert result.quality is not None
    table(
        ("metric", "generated", "held-out real", "against"),
        (
            (
                CARDS[metric.key].name,
                interval(metric.value),
                "" if metric.real is None else number(metric.real),
                f"{metric.n_reference:,} of {metric.reference}" if metric.reference else "",
            )
            for metric in result.quality.metrics
        ),
    )


def corpus(folder: Path) -> None:
    """One row per size of corpus."""
    rows = [headline(load(folder / f"audit-corpus-{n}"), f"{n:,} molecules") for n in CORPORA]
    table(HEADLINE, rows)


def orders(folder: Path) -> None:
    """L's tables 1 and 2, the prediction of stability, the K sweep, saturation and bounds."""
    audits = {s: load(folder / f"audit-orders-{s}").linearization for s in STRATEGIES}
    cells = {(c.trained_on, c.evaluated_on): c for a in audits.values() if a for c in a.matrix}
    names = [f"sent:{s}" for s in STRATEGIES]
    table(
        (
            "trained on",
            "tokens",
            "NLL/token native",
            "random",
            "LU native",
            "random",
            "ECE native",
            "random",
            "bound, native",
        ),
        (
            (
                name,
                number(cells[name, name].tokens_per_graph.value, 1),
                *(interval(cells[name, on].nll_per_token) for on in (name, names[0])),
                *(interval(cells[name, on].lu) for on in (name, names[0])),
                *(interval(cells[name, on].reliability["all"].ece) for on in (name, names[0])),
                "undefined"
                if isinstance(bound := cells[name, name].bound, Undefined)
                else interval(bound.importance, 2),
            )
            for name in names
        ),
    )
    matrix = load(folder / "audit-orders-matrix").linearization
    assert matrix is not None
    cells = {(c.trained_on, c.evaluated_on): c for c in matrix.matrix}
    for what, of in (
        ("NLL/token", lambda c: c.nll_per_token.value),
        ("LU", lambda c: c.lu.value),
        ("ECE", lambda c: c.reliability["all"].ece.value),
        ("ECE of revisits", lambda c: c.reliability["revisit"].ece.value),
        ("ECE of new vertices", lambda c: c.reliability["new_node"].ece.value),
    ):
        print(f"{what}, trained on (rows) and evaluated on (columns):\n")
        table(("", *names), ((row, *(number(of(cells[row, c])) for c in names)) for row in names))
    rows = []
    for name, audit in zip(names, audits.values(), strict=True):
        assert audit is not None
        own = audit.self_assessment
        if own is None or isinstance(own, Undefined):
            continue
        pairs = ("tokens", "nll", "back_references")
        rows.append(
            (
                name,
                f"{own.n:,}",
                *(
                    number(getattr(own, f"{pair}_{side}").value, 2)
                    for pair in pairs
                    for side in ("generated", "resampled")
                ),
                number(own.lu.value),
            )
        )
    table(
        (
            "",
            "graphs",
            "tokens gen.",
            "resamp.",
            "NLL gen.",
            "resamp.",
            "back-references gen.",
            "resamp.",
            "LU",
        ),
        rows,
    )
    for name, audit in zip(names, audits.values(), strict=True):
        assert audit is not None
        for target in audit.predictions:
            if isinstance(target, Undefined):
                print(f"{name}: {target.reason}\n")
                continue
            print(f"{name}, {target.target} ({target.n_good} of {target.n}), AUC:\n")
            keys = [p.key for p in target.predictors]
            table(
                ("K", *keys),
                (
                    (
                        str(point.n_permutations),
                        *(interval(p.auc) for p in point.predictors),
                    )
                    for point in target.sweep
                ),
            )
    for audit in audits.values():
        assert audit is not None
        for at in audit.saturation:
            print(f"{at.strategy}: {at.distinct[-1]:.1f} distinct of {at.drawn[-1]} draws")


def planar(folder: Path) -> None:
    """Validity, uniqueness and novelty over the steps."""
    for strategy in ("random", "anchor"):
        rows = []
        found = folder.glob(f"planar-{strategy}-*.json")
        for path in sorted(found, key=lambda p: int(p.stem.rpartition("-")[2])):
            metrics = json.loads(path.read_text(encoding="utf-8"))["metrics"]
            values = {m["key"]: m["value"]["value"] for m in metrics}
            shown = (f"{v:.3f}" if isinstance(v, float) else "undefined" for v in values.values())
            rows.append((path.stem.rpartition("-")[2], *shown))
        print(f"sent:{strategy}\n")
        table(("step", *(CARDS[key].name for key in values)), rows)


PARTS = {f.__name__: f for f in (mutag, qm9, corpus, orders, planar)}

if __name__ == "__main__":
    for part in sys.argv[2:] or PARTS:
        print(f"## {part}\n")
        PARTS[part](Path(sys.argv[1]))

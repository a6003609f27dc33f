"""The tables of docs/results/models.md, as Markdown, from the folder that model_runs.sh made:
python benchmarks/model_tables.py FOLDER [mutag|qm9|corpus|orders|seeds|planar …].
"""

import json
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from graphassay.metric_cards import CARDS
from graphassay.results import AuditResult, Estimate, Undefined, Value, load
from graphassay.results.linearization import LinearizationAudit, Prediction, SelfAssessment

STRATEGIES = ("random", "min-degree", "max-degree", "anchor")
SEEDS = (0, 1, 2)
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
    table(HEADLINE, [headline(result, "QM9, an hour of SENT random")])
    print(f"{result.verdict.headline} {result.verdict.reason}\n")
    assert result.quality is not None
    table(
        ("metric", "generated", "held-out real", "against"),
        (
            (
                CARDS[metric.key].name,
                interval(metric.value),
                "" if metric.real is None else interval(metric.real),
                f"{metric.n_reference:,} of {metric.reference}" if metric.reference else "",
            )
            for metric in result.quality.metrics
        ),
    )


def corpus(folder: Path) -> None:
    """One row per size of corpus."""
    rows = [headline(load(folder / f"audit-corpus-{n}"), f"{n:,} molecules") for n in CORPORA]
    table(HEADLINE, rows)


def audit_of(strategy: str, seed: int) -> str:
    """The folder of one audit; seed 0 has the plain name."""
    return f"audit-orders-{strategy}" + (f"-seed-{seed}" if seed else "")


def spread(values: Sequence[Value], digits: int = 3) -> str:
    """Mean and standard deviation (ddof 1) over the training seeds."""
    known = [v for v in values if not isinstance(v, Undefined)]
    if len(known) < len(values):
        return "undefined"
    mean = statistics.fmean(known)
    if len(known) == 1:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ± {statistics.stdev(known):.{digits}f}"


def orders(folder: Path) -> None:
    """L's tables 1 and 2, the prediction of stability and the K sweep: mean ± sd over seeds; then
    every strategy under every other, saturation: seed 0."""
    audits = {s: [_orders_audit(folder / audit_of(s, seed)) for seed in SEEDS] for s in STRATEGIES}
    _own_and_random(audits)
    _own_samples(audits)
    _predictions(audits)
    _matrix(_orders_audit(folder / "audit-orders-matrix"))
    for at in audits["random"][0].saturation:
        print(f"{at.strategy}: {at.distinct[-1]:.1f} distinct of {at.drawn[-1]} draws")


def _orders_audit(folder: Path) -> LinearizationAudit:
    audit = load(folder).linearization
    assert audit is not None, folder
    return audit


def _own_and_random(audits: Mapping[str, Sequence[LinearizationAudit]]) -> None:
    def numbers(strategy: str) -> list[str]:
        name = f"sent:{strategy}"
        cells = [{c.evaluated_on: c for c in a.matrix} for a in audits[strategy]]
        pairs = [[by_order[on] for by_order in cells] for on in (name, "sent:random")]
        bounds = [c.bound for c in pairs[0]]
        return [
            name,
            *(spread([c.nll_per_token.value for c in on]) for on in pairs),
            *(spread([c.lu.value for c in on]) for on in pairs),
            *(spread([c.reliability["all"].ece.value for c in on]) for on in pairs),
            spread([b if isinstance(b, Undefined) else b.importance.value for b in bounds], 2),
        ]

    head = ["trained on"]
    for what in ("NLL/token", "LU", "ECE"):
        head += [f"{what} native", "random"]
    table((*head, "bound, native"), (numbers(s) for s in STRATEGIES))


def _own_samples(audits: Mapping[str, Sequence[LinearizationAudit]]) -> None:
    def numbers(strategy: str) -> list[str]:
        own = [a.self_assessment for a in audits[strategy]]
        assert all(isinstance(one, SelfAssessment) for one in own)
        return [
            f"sent:{strategy}",
            *(
                spread([getattr(one, f"{pair}_{side}").value for one in own], 2)
                for pair in ("tokens", "nll", "back_references")
                for side in ("generated", "resampled")
            ),
            spread([one.lu.value for one in own]),  # type: ignore[union-attr]
        ]

    head = ["trained on"]
    for what in ("tokens", "NLL", "back-references"):
        head += [f"{what} gen.", "resamp."]
    table((*head, "LU"), (numbers(s) for s in STRATEGIES))


def _predictions(audits: Mapping[str, Sequence[LinearizationAudit]]) -> None:
    for strategy in STRATEGIES:
        of_seeds = [t for a in audits[strategy] for t in a.predictions]
        for reason in {t.reason: None for t in of_seeds if isinstance(t, Undefined)}:
            print(f"sent:{strategy}: {reason}\n")
        targets = [t for t in of_seeds if isinstance(t, Prediction)]
        for name in dict.fromkeys(t.target for t in targets):
            _prediction(f"sent:{strategy}", [t for t in targets if t.target == name])


def _prediction(strategy: str, seeds: Sequence[Prediction]) -> None:
    good = ", ".join(f"{t.n_good} of {t.n}" for t in seeds)
    print(f"{strategy}, {seeds[0].target} ({good}), AUC:\n")
    table(
        ("K", *(p.key for p in seeds[0].predictors)),
        (
            (
                str(points[0].n_permutations),
                *(
                    spread([p.auc.value for p in same], 2)
                    for same in zip(*(at.predictors for at in points), strict=True)
                ),
            )
            for points in zip(*(t.sweep for t in seeds), strict=True)
        ),
    )


def _matrix(audit: LinearizationAudit) -> None:
    names = [f"sent:{s}" for s in STRATEGIES]
    cells = {(c.trained_on, c.evaluated_on): c for c in audit.matrix}
    for what, of in (
        ("NLL/token", lambda c: c.nll_per_token.value),
        ("LU", lambda c: c.lu.value),
        ("ECE", lambda c: c.reliability["all"].ece.value),
        ("ECE of revisits", lambda c: c.reliability["revisit"].ece.value),
        ("ECE of new vertices", lambda c: c.reliability["new_node"].ece.value),
    ):
        print(f"{what}, trained on (rows) and evaluated on (columns):\n")
        table(("", *names), ((row, *(number(of(cells[row, c])) for c in names)) for row in names))


def seeds(folder: Path) -> None:
    """Three training seeds of one model: each number, mean, sd and interval."""
    model = load(folder / "audit-seeds").model
    assert model is not None
    assert model.training_seeds is not None
    assert len(model.sweep) == 1
    decoding = model.sweep[0].spread
    table(
        ("", "each training seed", "mean", "sd", "sd of decoding seeds"),
        (
            (
                key,
                ", ".join(number(v) for v in spread.values),
                interval(spread.mean),
                number(spread.sd, 4),
                number(decoding[key].sd, 4) if key in decoding else "",
            )
            for key, spread in model.training_seeds.spread.items()
        ),
    )


def planar(folder: Path) -> None:
    """Validity, uniqueness and novelty over the steps."""
    for strategy in STRATEGIES:
        rows = []
        found = folder.glob(f"planar-{strategy}-*.json")
        for path in sorted(found, key=lambda p: int(p.stem.rpartition("-")[2])):
            metrics = json.loads(path.read_text(encoding="utf-8"))["metrics"]
            values = {m["key"]: m["value"]["value"] for m in metrics}
            shown = (f"{v:.3f}" if isinstance(v, float) else "undefined" for v in values.values())
            rows.append((path.stem.rpartition("-")[2], *shown))
        print(f"sent:{strategy}\n")
        table(("step", *(CARDS[key].name for key in values)), rows)


PARTS = {f.__name__: f for f in (mutag, qm9, corpus, orders, seeds, planar)}


def reads(folder: Path, part: str) -> list[Path]:
    """The audits that a part's tables are made of."""
    orders_of = [audit_of(s, seed) for s in STRATEGIES for seed in SEEDS]
    names = {
        "mutag": ["audit-mutag-dfs", "audit-mutag-dgmg"],
        "qm9": ["audit-qm9"],
        "corpus": [f"audit-corpus-{n}" for n in CORPORA],
        "orders": [*orders_of, "audit-orders-matrix"],
        "seeds": ["audit-seeds"],
    }
    return [folder / name for name in names.get(part, [])]


if __name__ == "__main__":
    for part in sys.argv[2:] or PARTS:
        print(f"## {part}\n")
        PARTS[part](Path(sys.argv[1]))

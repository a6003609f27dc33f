"""Synthetic records of the parts that not every audit has: model, linearization, quality.

``degenerate`` makes every number undefined and every list as short as it may be; ``hostile`` puts
markup and very long words wherever a record holds text.
"""

import numpy as np

from graphassay.results import DrawnGraph, Estimate, Undefined, Value
from graphassay.results.linearization import (
    Bound,
    LinearizationAudit,
    Prediction,
    Predictor,
    Reliability,
    Saturation,
    ScoredGraph,
    SelfAssessment,
    StrategyScores,
    SweepPoint,
)
from graphassay.results.model import (
    CheckpointScores,
    DecodingScores,
    HitMiss,
    ModelDiagnostics,
    ModelSummary,
    SampleScores,
    SeedSpread,
    TrainingSeeds,
    VarianceShare,
)
from graphassay.results.quality import PropertyDistribution, Quality, QualityMetric

HOSTILE_NAME = '<script>alert(1)</script>{{ 7 * 7 }}"><img src=x onerror=alert(2)>' + "long-" * 20
GONE = Undefined("fewer than 2 shared patterns")
KINDS = ("all", "new_node", "revisit", "node_index", "node_label", "edge_label", "special")
STRATEGIES = ("random", "min-degree", "max-degree", "anchor")
# NLL per token, LU, ECE of L's Table 1: (native, random order).
TABLE_1 = {
    "random": ((0.336, 0.336), (0.083, 0.083), (0.0004, 0.0004)),
    "min-degree": ((0.250, 1.564), (0.049, 0.383), (0.001, 0.171)),
    "max-degree": ((0.244, 2.240), (0.039, 0.277), (0.002, 0.205)),
    "anchor": ((0.222, 2.246), (0.027, 0.217), (0.001, 0.245)),
}
TOKENS = {"random": 88.9, "min-degree": 79.0, "max-degree": 98.7, "anchor": 95.6}


def around(value: float, half: float, n: int = 1000, method: str = "bootstrap") -> Estimate:
    """An estimate with a symmetric interval."""
    return Estimate(value, value - half, value + half, n, method)


def gone(n: int = 0) -> Estimate:
    """An estimate without a value."""
    return Estimate(GONE, GONE, GONE, n, "none")


def share(p: float, n: int) -> Estimate:
    half = 1.96 * (p * (1 - p) / n) ** 0.5
    return Estimate(p, max(0.0, p - half), min(1.0, p + half), n, "Wilson score interval")


def summary(run: str, *, serialization: str = "sent:random", seed: int = 0) -> ModelSummary:
    return ModelSummary(
        run=run,
        fingerprint="0f1e2d3c4b5a69788796",
        serialization=serialization,
        n_parameters=10_512_384,
        n_steps=12_000,
        n_tokens=80_000_000,
        n_train=97_734,
        seed=seed,
        valid_nats_per_token=0.336,
    )


def sample_model(*, degenerate: bool = False, hostile: bool = False) -> ModelDiagnostics:
    """Model diagnostics in the shape of M's appendices."""
    name = HOSTILE_NAME if hostile else "runs/mutag-dfs"
    if degenerate:
        scores = SampleScores(0, gone(), gone(), gone(), {"rho": GONE, "jsd": GONE})
        return ModelDiagnostics(
            summary=ModelSummary(name, "", "dfs", 0, 0, 0, 0, 0, GONE),
            hit_miss=HitMiss(0, 0, gone(), gone(), GONE, GONE, gone(), (), ()),
            trajectory=(CheckpointScores(0, 0, GONE, scores),),
            sweep=(DecodingScores(name, name, (), {}), DecodingScores("b", "", (scores,), {})),
            variance={"rho": VarianceShare(GONE, GONE, GONE, 1, 1)},
            training_seeds=TrainingSeeds((), {}),
            notes=(name,),
        )
    rng = np.random.default_rng(3)
    trajectory = []
    for step, em, unique, rho, jsd in (
        (600, 0.001, 0.994, 0.179, 0.613),
        (1200, 0.031, 0.859, 0.550, 0.214),
        (2400, 0.180, 0.591, 0.890, 0.055),
        (6000, 0.645, 0.302, 0.980, 0.021),
        (9600, 0.768, 0.231, 0.993, 0.021),
        (12000, 0.798, 0.208, 0.994, 0.021),
    ):
        metrics: dict[str, Value] = {"rho": rho, "jsd": jsd, "missing_mass": jsd / 2}
        scores = SampleScores(
            1024, share(em, 1024), share(unique, 1024), share(0.3 / (1 + step / 600), 1024), metrics
        )
        nll = 1.1 + 600 / step - 0.4 * (step < 6000)
        trajectory.append(CheckpointScores(step, step * 6667, nll, scores))
    hits = tuple(float(v) for v in rng.normal(0.42, 0.09, 400).clip(0.05))
    misses = tuple(float(v) for v in rng.normal(0.61, 0.13, 250).clip(0.05))
    return ModelDiagnostics(
        summary=summary(name, serialization="dfs"),
        hit_miss=HitMiss(
            n_hits=1400,
            n_misses=250,
            hit_mean=around(0.42, 0.01),
            miss_mean=around(0.61, 0.02),
            u=18234.0,
            p=2.1e-31,
            auc=around(0.88, 0.02),
            hit_nll=hits,
            miss_nll=misses,
        ),
        trajectory=tuple(trajectory),
        sweep=tuple(_decoding(i, rng, hostile) for i in range(6)),
        variance={
            "rho": VarianceShare(0.0031, 0.0005, 0.87, 6, 6),
            "missing_mass": VarianceShare(0.012, 0.0001, 0.99, 6, 6),
            "novel_mass": VarianceShare(0.0012, 0.0008, 0.60, 6, 6),
            "jsd": VarianceShare(GONE, GONE, GONE, 6, 6),
        },
        training_seeds=TrainingSeeds(
            tuple(summary(f"runs/mutag-dfs-{seed}", seed=seed) for seed in (42, 1337, 7)),
            {
                "exact_match": _spread((0.79, 0.82, 0.77), 0.06),
                "rho": _spread((0.99, 0.985, 0.991), 0.008),
                "jsd": SeedSpread((0.02, GONE, 0.03), around(0.025, 0.06, 2, "Student t"), 0.007),
            },
        ),
        notes=(name, "Samples of 1,024 at each checkpoint.") if hostile else (),
    )


def _spread(values: tuple[float, ...], half: float) -> SeedSpread:
    return SeedSpread(
        values,
        around(float(np.mean(values)), half, len(values), "Student t"),
        float(np.std(values, ddof=1)),
    )


def _decoding(i: int, rng: np.random.Generator, hostile: bool) -> DecodingScores:
    name, settings, em, rho = (
        ("both_default", "T 1.0, top-p 0.95, top-k 50", 0.81, 0.98),
        ("nucleus_only", "T 1.0, top-p 0.95", 0.80, 0.97),
        ("topk_only", "T 1.0, top-k 50", 0.72, 0.99),
        ("pure_sample", "T 1.0", 0.61, 0.96),
        ("tp_high", "T 1.2, top-p 0.95, top-k 50", 0.42, 0.89),
        ("tp_low", "T 0.8, top-p 0.95, top-k 50", 0.93, 0.93),
    )[i]
    if hostile and i == 0:
        name = HOSTILE_NAME
    one_seed = i == 5
    per_seed = []
    for _ in range(1 if one_seed else 5):
        e = float(np.clip(em + 0.01 * rng.standard_normal(), 0, 1))
        metrics: dict[str, Value] = {
            "rho": GONE if i == 4 else float(rho + 0.004 * rng.standard_normal()),
            "jsd": float(0.06 + 0.004 * rng.standard_normal()),
        }
        per_seed.append(
            SampleScores(1024, share(e, 1024), share(0.4, 1024), share(0.01, 1024), metrics)
        )
    if one_seed:
        return DecodingScores(name, settings, tuple(per_seed), {})
    spread = {
        "exact_match": _spread(tuple(float(s.exact_match.value) for s in per_seed), 0.012),
        "unique": _spread((0.4,) * 5, 0.01),
        "failed": _spread((0.01,) * 5, 0.002),
        "jsd": _spread(tuple(float(s.metrics["jsd"]) for s in per_seed), 0.005),
        "rho": SeedSpread((GONE,) * 5, gone(), GONE)
        if i == 4
        else _spread(tuple(float(s.metrics["rho"]) for s in per_seed), 0.006),
    }
    return DecodingScores(name, settings, tuple(per_seed), spread)


def sample_linearization(
    graphs: list[DrawnGraph],
    *,
    strategies: tuple[str, ...] = STRATEGIES,
    n_seeds: int = 3,
    n_scatter: int = 300,
    degenerate: bool = False,
    hostile: bool = False,
) -> LinearizationAudit:
    """A linearization audit in the shape of L's tables; ``graphs`` are drawn."""
    name = HOSTILE_NAME if hostile else ""
    if degenerate:
        return _degenerate(graphs, name or "runs/l")
    rng = np.random.default_rng(5)
    runs = [(s, seed) for s in strategies for seed in range(n_seeds)]
    evaluated = dict.fromkeys((*strategies, "random"))
    cells = [_cell(trained, on, seed, rng, hostile) for trained, seed in runs for on in evaluated]
    scored = [_scored(graphs[i % len(graphs)], rng, i) for i in range(n_scatter)]
    ranked = sorted(
        (g for g in scored if not isinstance(g.lu, Undefined)), key=lambda g: float(g.lu)
    )
    return LinearizationAudit(
        models=tuple(
            summary(f"runs/l-{s}-{seed}{name}", serialization=f"sent:{s}", seed=seed)
            for s, seed in runs
        ),
        n_permutations=32,
        test_set=name or "13,055 QM9 test molecules",
        matrix=tuple(cells),
        saturation=tuple(
            Saturation(
                f"sent:{s}",
                200,
                (1, 2, 4, 8, 16, 32),
                tuple(float(top * (1 - np.exp(-k / top))) for k in (1, 2, 4, 8, 16, 32)),
            )
            for s, top in zip(strategies, (400.0, 24.0, 12.0, 7.0), strict=False)
        ),
        self_assessment=SelfAssessment(
            n=1000,
            tokens_generated=around(127.1, 1.1),
            tokens_resampled=around(89.3, 0.8),
            nll_generated=around(29.383, 0.4),
            nll_resampled=around(30.361, 0.4),
            back_references_generated=around(6.2, 0.2),
            back_references_resampled=around(3.4, 0.1),
            lu=around(0.085, 0.002),
        ),
        predictions=(
            Prediction(name or "molecule stability", 1000, 871, _predictors(1.0), _sweep()),
            Undefined("every molecule is valid, so validity cannot be predicted"),
        ),
        scatter=tuple(scored),
        n_scatter_of=10 * n_scatter,
        scatter_target=name or "molecule stability",
        lowest_lu=tuple(ranked[:16]),
        highest_lu=tuple(reversed(ranked[-16:])),
        notes=(name,) if hostile else ("Molecules with explicit hydrogens.",),
    )


def _cell(
    trained: str, on: str, seed: int, rng: np.random.Generator, hostile: bool
) -> StrategyScores:
    nll, lu, ece = TABLE_1[trained]
    native = trained == on
    away = 0.0 if native else 1.0 if on == "random" else 0.55
    noise = 1 + 0.01 * float(rng.standard_normal())

    def between(pair: tuple[float, float]) -> float:
        return (pair[0] + away * (pair[1] - pair[0])) * noise

    run = f"runs/l-{trained}-{seed}" + (HOSTILE_NAME if hostile else "")
    single = trained == "anchor" and on == "max-degree" and seed == 1
    factors = dict(zip(KINDS, (1.0, 0.2, 2.4, 0.9, 0.5, 0.8, 0.1), strict=True))
    mean = -between(nll) * TOKENS[trained]
    return StrategyScores(
        run=run,
        trained_on=f"sent:{trained}",
        evaluated_on=f"sent:{on}",
        native=native,
        seed=seed,
        n_graphs=13_055,
        n_refused=3,
        n_permutations=32,
        n_single=12,
        tokens_per_graph=around(TOKENS[on], 0.2),
        nll_per_token=around(between(nll), 0.004),
        nll_per_graph=around(-mean, 0.3),
        lu=gone() if single else around(between(lu), 0.002),
        reliability={
            kind: reliability(min(0.6, between(ece) * factors[kind]), rng) for kind in KINDS
        },
        bound=Undefined("q(s|G) is not known for this strategy")
        if on == "anchor"
        else Bound(around(mean, 0.3), around(mean + 0.6, 0.3), around(mean + 9.1, 0.4), 0.21),
        refusal=HOSTILE_NAME if hostile else "more vertices than the vocabulary holds",
        model=f"weights of {trained} {seed}",
        family=f"family of {trained}",
    )


def reliability(ece: float, rng: np.random.Generator) -> Reliability:
    """Bins whose accuracy lies below their confidence by about the ECE; the first is empty."""
    counts = (0, *(int(v) for v in 10 ** rng.uniform(2, 4.5, 13)), 250_000)
    middle = [(i + 0.5) / 15 for i in range(15)]
    empty = Undefined("an empty bin")
    return Reliability(
        around(ece, 0.0004 + 0.02 * ece),
        counts,
        tuple(c if n else empty for c, n in zip(middle, counts, strict=True)),
        tuple(
            min(1.0, max(0.0, c - ece * 1.4 + 0.01 * float(rng.standard_normal()))) if n else empty
            for c, n in zip(middle, counts, strict=True)
        ),
    )


def _predictors(strength: float) -> tuple[Predictor, ...]:
    centres = {"generation_nll": 0.43, "mean_nll": 0.58, "lu": 0.85, "ece": 0.89, "bound": 0.61}
    return tuple(
        Predictor(
            key,
            around(0.5 + (auc - 0.5) * (1.0 if key == "generation_nll" else strength), 0.035, 1000),
            (auc - 0.5) * 1.1,
        )
        for key, auc in centres.items()
    )


def _sweep() -> tuple[SweepPoint, ...]:
    strengths = {2: 0.43, 4: 0.65, 8: 0.85, 16: 0.95, 32: 1.0}
    return tuple(SweepPoint(k, _predictors(s)) for k, s in strengths.items())


def _scored(graph: DrawnGraph, rng: np.random.Generator, i: int) -> ScoredGraph:
    good = bool(rng.random() < 0.8)
    lu = float(abs(rng.normal(0.07 if good else 0.16, 0.02)))
    nll = float(rng.normal(29, 5))
    return ScoredGraph(
        graph,
        nll,
        nll + 1.2,
        Undefined("a single linearization") if i % 41 == 0 else lu,
        GONE if i % 5 == 0 else 0.02,
        None if i % 29 == 0 else good,
    )


def _degenerate(graphs: list[DrawnGraph], name: str) -> LinearizationAudit:
    none = Reliability(gone(), (0,) * 15, (GONE,) * 15, (GONE,) * 15)
    cell = StrategyScores(
        run=name,
        trained_on="sent:anchor",
        evaluated_on="sent:anchor",
        native=True,
        seed=0,
        n_graphs=0,
        n_refused=5,
        n_permutations=2,
        n_single=0,
        tokens_per_graph=gone(),
        nll_per_token=gone(),
        nll_per_graph=gone(),
        lu=gone(),
        reliability={"all": none},
        bound=GONE,
    )
    everything_gone = SelfAssessment(0, *[gone()] * 7)
    predictor = Predictor("lu", gone(), GONE)
    lost = ScoredGraph(graphs[0], 1.0, 1.0, GONE, GONE, None)
    return LinearizationAudit(
        models=(),
        n_permutations=2,
        test_set=name,
        matrix=(cell,),
        saturation=(Saturation(name, 0, (), ()),),
        self_assessment=everything_gone,
        predictions=(
            GONE,
            Prediction(name, 0, 0, (), ()),
            Prediction(name, 1, 1, (predictor,), (SweepPoint(2, (predictor,)),)),
        ),
        scatter=(lost,),
        n_scatter_of=1,
    )


def sample_quality(*, degenerate: bool = False, hostile: bool = False) -> Quality:
    """Quality metrics with and without a reference, an interval, a card."""
    name = HOSTILE_NAME if hostile else ""
    if degenerate:
        return Quality((QualityMetric("fcd", gone(), "holdout", 0, gone()),), (), (("pgd", GONE),))
    edges = tuple(float(v) for v in np.linspace(0.1, 0.9, 25))
    middle = (np.array(edges[:-1]) + np.array(edges[1:])) / 2

    def shape(centre: float) -> tuple[float, ...]:
        weights = np.exp(-((middle - centre) ** 2) / 0.02)
        return tuple(float(w) for w in weights / weights.sum())

    return Quality(
        metrics=(
            QualityMetric(
                "validity",
                share(0.953, 1024),
                real=Estimate(1.0, 0.996, 1.0, 1024, "Wilson score interval"),
            ),
            QualityMetric("unique", share(0.94, 1024), real=share(0.99, 1024)),
            QualityMetric("novelty", share(0.769, 1024), "train", 5000, share(0.948, 1024)),
            QualityMetric(
                "fcd",
                around(1.42, 0.2, 976),
                "holdout",
                2000,
                around(0.31, 0.03),
                name or "ChemNet",
            ),
            QualityMetric(
                "jsd", around(0.05, 0.01, 976), "holdout", 2000, around(0.02, 0.005), "patterns"
            ),
            QualityMetric(
                "degree_mmd",
                around(0.0021, 0.0004, 976),
                "train",
                5000,
                around(0.0019, 0.0003),
                "Gaussian EMD, σ = 1",
            ),
            QualityMetric("coverage", gone(976), "train", 5000, around(0.7, 0.02)),
        ),
        properties=(
            PropertyDistribution(
                "qed",
                name or "QED",
                "",
                edges,
                shape(0.52),
                shape(0.55),
                "holdout",
                around(0.03, 0.01),
                real=around(0.004, 0.001),
            ),
            PropertyDistribution(
                "weight",
                "Molecular weight",
                "Da",
                tuple(600 * e for e in edges),
                shape(0.45),
                shape(0.5),
                "holdout",
                gone(),
            ),
        ),
        skipped=(("pgd", Undefined(f"{name}install graphassay[pgd]")),),
        notes=(name,) if hostile else (),
    )

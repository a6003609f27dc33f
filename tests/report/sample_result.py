"""Synthetic audits for the report's tests: realistic in shape, hostile in text where asked."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphassay.intake import IntakeReport, Refusal, RefusedRecord
from graphassay.results import (
    Alignment,
    AuditResult,
    Check,
    CopyRates,
    Distribution,
    DrawnGraph,
    Estimate,
    Galleries,
    GraphRecord,
    MetricComparison,
    NovelOnly,
    PatternCounts,
    PatternRecord,
    Provenance,
    SensitivityRow,
    SetSummary,
    Stratum,
    StratumScores,
    Undefined,
    Value,
    Verdict,
    VerdictKind,
)
from report.sample_parts import sample_linearization, sample_model, sample_quality

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "'; DROP TABLE graphs; --",
    "</script><b>bold</b>",
    "Füße-日本語-\u202eevil",
    "very-long-label-" * 20,
    "{{ 7 * 7 }}${x}\\input{x}_^~#%&",
)

SMILES = (
    "Cc1ccc(cc1[N+](=O)[O-])C(=O)Nc1ccccc1",
    "CC(=O)Oc1ccccc1C(=O)O",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "c1ccc2c(c1)ccc1ccccc12",
    "O=C(O)c1cc(Cl)c(Br)cc1S(N)(=O)=O",
    "N#Cc1ccc(F)cc1CCOC",
    "C1CCC2(CC1)OCCO2",
    "CCCCCCCC(=O)OCC(CO)OC",
    "Clc1ccccc1-c1nnc(SCC#N)o1",
    "C[C@H](N)C(=O)N1CCC[C@H]1C(=O)O",
)
RANGES = {"rho": (-1, 1), "rho_train": (-1, 1), "jsd": (0, 0.693), "missing_mass": (0, 1)}
BOND = {1.0: "-", 2.0: "=", 3.0: "#", 1.5: ":"}
METRICS = ("rho", "rho_train", "jsd", "missing_mass", "novel_mass")
CENTRES = {  # model, bootstrap, holdout, rewired
    "rho": (0.931, 0.984, 0.962, 0.412),
    "rho_train": (0.802, 0.955, 0.911, 0.233),
    "jsd": (0.084, 0.012, 0.026, 0.391),
    "missing_mass": (0.142, 0.021, 0.043, 0.612),
    "novel_mass": (0.031, 0.018, 0.037, 0.243),
}


def sample_result(
    *,
    kind: str = "molecules",
    holdout: bool = True,
    rewired: bool = True,
    undefined: bool = False,
    hostile: bool = False,
    n_patterns: int = 300,
    n_bootstraps: int = 200,
    repeats: int = 1,
    verdict: VerdictKind = "beyond-memorization",
    em: float = 0.231,
    shift: float = 0.0,
    seed: int = 0,
    name: str | None = None,
    parts: str = "none",
) -> AuditResult:
    """An audit result; ``kind`` is ``molecules``, ``proteins`` (three labels) or ``plain``;
    ``parts`` adds model, linearization and quality: ``none``, ``full``, ``one`` (one strategy, one
    seed) or ``degenerate``.
    """
    rng = np.random.default_rng(seed)
    graphs = _graphs(kind, hostile, rng)
    roles = ["bootstrap", *(["holdout"] if holdout else []), *(["rewired"] if rewired else [])]
    title = name or (HOSTILE[0] if hostile else "DiGress on QM9")
    n_records = 1024
    return AuditResult(
        name=title,
        provenance=Provenance(
            command=f"graphassay audit --train train.smi --generated {title!r} --seed 7 --out r",
            created="2026-11-30T09:00:00Z",
            elapsed_s=12.34,
            seed=7,
            threads=2,
            versions={"graphassay": "0.1.0", "rdkit": "2026.03.1", "numpy": "2.4.0"},
            phases_s={"read": 1.2, "mine": 4.5, "bootstrap": 6.1},
        ),
        options={
            "min_support": 0.1,
            "max_vertices": 8,
            "bootstraps": n_bootstraps,
            "subsample": 10000 if repeats > 1 else None,
            "support": "frequent",
        },
        inputs=_inputs(graphs, holdout, hostile, n_records),
        copying=_copying(n_records, em, holdout, rewired, undefined),
        alignment=_alignment(roles, n_bootstraps, repeats, undefined, shift, rng),
        strata=_strata(roles, undefined),
        novel_only=Undefined("fewer than 2 novel graphs")
        if undefined
        else _novel(rng, n_records, em),
        galleries=_galleries(graphs, n_patterns, hostile, rng),
        verdict=_verdict(verdict, hostile),
        sensitivity=_sensitivity() if repeats == 1 else (),
        expected_repeats=Estimate(0.048, 0.041, 0.056, 5000, "normal approximation"),
        notes=(HOSTILE[3], "labels differ") if hostile else (),
        **_parts(parts, graphs, hostile),
    )


def _parts(parts: str, graphs: list[DrawnGraph], hostile: bool) -> dict[str, Any]:
    if parts == "none":
        return {}
    how: dict[str, Any] = {"degenerate": parts == "degenerate", "hostile": hostile}
    shape = {"strategies": ("random",), "n_seeds": 1} if parts == "one" else {}
    return {
        "model": sample_model(**how),
        "linearization": sample_linearization(graphs, **how, **shape),
        "quality": sample_quality(**how),
    }


def _graphs(kind: str, hostile: bool, rng: np.random.Generator) -> list[DrawnGraph]:
    if kind == "molecules":
        return [molecule(smiles) for smiles in SMILES]
    labels = {"proteins": ("helix", "sheet", "turn"), "plain": ("*",)}[kind]
    if hostile:
        labels = HOSTILE
    graphs = []
    for _ in range(12):
        n = int(rng.integers(8, 30))
        vertex_labels = tuple(labels[int(i)] for i in rng.integers(0, len(labels), n))
        edges = {(int(rng.integers(0, v)), v) for v in range(1, n)}
        for _ in range(n // 2):
            u, v = sorted(int(x) for x in rng.choice(n, 2, replace=False))
            edges.add((u, v))
        label = labels[0] if hostile else "*"
        graphs.append(DrawnGraph(vertex_labels, tuple((u, v, label) for u, v in sorted(edges))))
    return graphs


def molecule(smiles: str) -> DrawnGraph:
    """A molecule as the readers give it: symbols and bond labels."""
    from rdkit import Chem

    mol = Chem.MolFromSmiles(smiles)
    return DrawnGraph(
        tuple(a.GetSymbol() for a in mol.GetAtoms()),
        tuple(
            (b.GetBeginAtomIdx(), b.GetEndAtomIdx(), BOND[b.GetBondTypeAsDouble()])
            for b in mol.GetBonds()
        ),
        smiles=smiles,
    )


def fragment(graph: DrawnGraph, rng: np.random.Generator) -> DrawnGraph:
    """A random connected subgraph with at least one edge and at most 8 vertices."""
    edges = list(graph.edges)
    chosen = [edges[int(rng.integers(len(edges)))]]
    inside = {chosen[0][0], chosen[0][1]}
    for _ in range(int(rng.integers(0, 8))):
        near = [
            e
            for e in edges
            if e not in chosen
            and (e[0] in inside or e[1] in inside)
            and len(inside | {e[0], e[1]}) <= 8
        ]
        if not near:
            break
        chosen.append(near[int(rng.integers(len(near)))])
        inside |= {chosen[-1][0], chosen[-1][1]}
    index = {v: i for i, v in enumerate(sorted(inside))}
    return DrawnGraph(
        tuple(graph.vertex_labels[v] for v in sorted(inside)),
        tuple(sorted((index[u], index[v], label) for u, v, label in chosen)),
    )


def _inputs(
    graphs: Sequence[DrawnGraph], holdout: bool, hostile: bool, n_records: int
) -> dict[str, SetSummary]:
    vertices = tuple(sorted({label for g in graphs for label in g.vertex_labels}))
    edges = tuple(sorted({label for g in graphs for _, _, label in g.edges}))
    bad = HOSTILE if hostile else ("C1CC", "F[Cl](F)F C", "c1ccc")

    def summary(role: str, n: int, refused: tuple[Refusal, ...]) -> SetSummary:
        lost = sum(r.n for r in refused)
        intake = IntakeReport(
            source=f"data/{bad[0] if hostile else ''}{role}.smi.gz",
            format="smiles",
            n_records=n,
            n_kept=n - lost,
            refused=refused,
            sha256="ab12" * 16,
            notes=("3 blank lines skipped",) if role == "generated" else (),
        )
        return SetSummary(intake, n - lost, int(0.9 * (n - lost)), 17.93, 19.79, vertices, edges)

    refused = (
        Refusal(
            "not a valid SMILES" if not hostile else HOSTILE[1],
            24,
            tuple(RefusedRecord(10 * i + 3, text[:120]) for i, text in enumerate(bad[:5])),
        ),
    )
    inputs = {
        "train": summary("train", 5000, ()),
        "generated": summary("generated", n_records, refused),
    }
    if holdout:
        inputs["holdout"] = summary("holdout", 2000, ())
    return inputs


def _copying(
    n_records: int, em: float, holdout: bool, rewired: bool, undefined: bool
) -> dict[str, CopyRates]:
    rates = {"generated": _rates(n_records, 24, em)}
    if holdout:
        rates["holdout"] = _rates(n_records, 0, 0.052)
    if rewired:
        rates["rewired"] = _rates(n_records, 0, 0.0)
    del undefined
    return rates


def _rates(n: int, n_failed: int, em: float) -> CopyRates:
    copies = round(n * em)

    def share(k: float, of: int) -> Estimate:
        p = k / of
        half = 1.96 * (p * (1 - p) / of) ** 0.5
        return Estimate(p, max(0.0, p - half), min(1.0, p + half), of, "Wilson score interval")

    return CopyRates(
        n_records=n,
        n_failed=n_failed,
        n_memorized=copies,
        n_classes=round(0.94 * n),
        n_train=5000,
        n_train_classes=4800,
        n_train_reproduced=round(0.8 * copies),
        exact_match=share(copies, n),
        novelty=share(n - copies, n),
        unique=share(round(0.94 * n), n),
        failed=share(n_failed, n),
        recall=share(round(0.8 * copies), 4800),
    )


def distribution(values: Sequence[float]) -> Distribution:
    """The summaries of draws."""
    array = np.asarray(values)
    low, median, high = (float(q) for q in np.quantile(array, [0.025, 0.5, 0.975]))
    return Distribution(
        tuple(float(v) for v in array), median, float(array.mean()), float(array.std()), low, high
    )


def _alignment(
    roles: Sequence[str],
    n_bootstraps: int,
    repeats: int,
    undefined: bool,
    shift: float,
    rng: np.random.Generator,
) -> Alignment:
    metrics = {}
    for key in METRICS:
        centre, *others = CENTRES[key]
        centre = centre - shift if key.startswith("rho") else centre + shift / 2
        width = 0.006 if key.startswith("rho") else 0.004
        references = {}
        for role, middle in zip(("bootstrap", "holdout", "rewired"), others, strict=True):
            if role in roles:
                n = n_bootstraps if role == "bootstrap" else 20
                references[role] = distribution(middle + width * rng.standard_normal(n))
        gone = Undefined("fewer than 2 shared patterns")
        missing = undefined and key in ("rho", "rho_train")
        value: Value = gone if missing else centre
        boot = references["bootstrap"]
        assert isinstance(boot.mean, float)
        assert isinstance(boot.sd, float)
        assert isinstance(boot.median, float)
        below = np.mean(np.asarray(boot.values, dtype=float) < centre)
        metrics[key] = MetricComparison(
            model=Estimate(
                value,
                gone if missing else centre - 0.012,
                gone if missing else centre + 0.011,
                1000,
                "percentile bootstrap over the generated graphs, 200 resamples",
            ),
            per_run=tuple(
                gone if missing else float(centre + 0.004 * rng.standard_normal())
                for _ in range(repeats)
            ),
            run_sd=0.004 if repeats > 1 else Undefined("one run"),
            references=references,
            percentile=gone if missing else float(100 * below),
            z=gone if missing else (centre - boot.mean) / boot.sd,
            delta=gone if missing else centre - boot.median,
        )
    return Alignment(
        n_runs=repeats,
        n_train_per_run=10000 if repeats > 1 else 5000,
        n_generated=1000,
        min_count_train=1000 if repeats > 1 else 500,
        min_count_generated=100,
        patterns=PatternCounts(634.0, 571.2 if repeats > 1 else 571.0, 520.0),
        metrics=metrics,
    )


def _strata(roles: Sequence[str], undefined: bool) -> tuple[Stratum, ...]:
    scores = {
        "head": (1.0, 0.0, 0.011, 0.93, 0.93),
        "torso": (0.86, 0.12, 0.083, 0.81, 0.66),
        "tail": (0.41, 0.58, 0.312, -0.12, 0.07),
    }
    bounds = {"head": (0.42, 0.99), "torso": (0.13, 0.42), "tail": (0.1, 0.13)}
    worse = {"bootstrap": 0.2, "holdout": 0.4, "rewired": 2.2}
    strata = []
    for name, (coverage, mm, jsd, rho, rho_train) in scores.items():
        n = 508 if name == "torso" else 63
        references = {
            role: StratumScores(
                max(0.0, 1 - (1 - coverage) * worse[role]),
                min(1.0, mm * worse[role]),
                min(0.693, jsd * worse[role]),
                1 - min(1.4, (1 - rho) * worse[role]),
                1 - min(1.4, (1 - rho_train) * worse[role]),
            )
            for role in roles
        }
        gone = Undefined("fewer than 2 shared patterns in the stratum")
        hidden = undefined and name == "tail"
        model = StratumScores(coverage, mm, jsd, gone if hidden else rho, rho_train)
        low, high = bounds[name]
        strata.append(
            Stratum(name, n, round(n * coverage), low, high, model, references)  # type: ignore[arg-type]
        )
    return tuple(strata)


def _novel(rng: np.random.Generator, n_records: int, em: float) -> NovelOnly:
    metrics, control, percentile = {}, {}, {}
    for key in METRICS:
        centre = CENTRES[key][0]
        metrics[key] = centre - 0.03 if key.startswith("rho") else centre + 0.004
        draws = centre + 0.005 * rng.standard_normal(50)
        control[key] = distribution(draws)
        percentile[key] = float(100 * np.mean(draws < metrics[key]))
    return NovelOnly(round(n_records * (1 - em)), metrics, control, percentile)


def _galleries(
    graphs: Sequence[DrawnGraph], n_patterns: int, hostile: bool, rng: np.random.Generator
) -> Galleries:
    patterns = []
    for i in range(n_patterns):
        graph = fragment(graphs[int(rng.integers(len(graphs)))], rng)
        train = float(np.clip(0.1 * 10 ** rng.exponential(0.3), 0.1, 0.995))
        noise = 10 ** rng.normal(-0.03, 0.12)
        generated = 0.0 if i % 17 == 0 else float(np.clip(train * noise, 0.004, 1.0))
        if i % 23 == 0:
            train, generated = float(rng.uniform(0.004, 0.09)), float(rng.uniform(0.1, 0.4))
        if i % 61 == 0:
            train = 0.0
        low, high = max(0.0, train * 0.9 - 0.005), min(1.0, train * 1.1 + 0.005)
        code = f"0 1 {graph.vertex_labels[0]} - {graph.vertex_labels[1]};" + f" {i} 2 C" * 4
        patterns.append(PatternRecord(code, graph, train, generated, low, high))
    if hostile:
        patterns[0] = PatternRecord("|".join(HOSTILE), patterns[0].graph, 0.5, 0.1, 0.4, 0.6)
    ordered = sorted(patterns, key=lambda p: p.generated - p.train)
    records = tuple(
        GraphRecord(g, 1 + 3 * (i % 3), g.smiles or f"graph {i}", 11 * i + 1 if i % 2 else None)
        for i, g in enumerate(graphs)
    )
    return Galleries(
        scatter=tuple(patterns),
        n_scatter_of=max(n_patterns, 634),
        most_missing=tuple(ordered[:20]),
        most_invented=tuple(reversed(ordered[-20:])),
        memorized=records[: len(records) // 2],
        novel=records[len(records) // 2 :],
    )


def _verdict(kind: VerdictKind, hostile: bool) -> Verdict:
    text = {
        "memorization-dominated": "Most of what the model makes is copied from train.",
        "beyond-memorization": "The model makes new graphs whose patterns stay close to train.",
        "misaligned": "The model makes new graphs, but not with the patterns of train.",
        "undecided": "The intervals do not decide whether the model goes beyond copying.",
    }[kind]
    return Verdict(
        kind=kind,
        headline=text + (HOSTILE[0] if hostile else ""),
        reason="23.1 % of its output are copies, against 5.2 % for fresh real graphs; "
        "ρ is 0.931 (0.919 to 0.942), above chance (0.412) and below the photocopier (0.984).",
        checks=(
            Check("EM is at most 50 %", "EM 23.1 % (20.6 to 25.7 %)", True),
            Check("ρ exceeds chance", "0.919 > 0.424", True),
            Check("Tail coverage reaches the photocopier's range", "41 % against 88 %", False),
            Check("EM does not exceed that of fresh real data", "intervals touch", None),
        ),
    )


def _sensitivity() -> tuple[SensitivityRow, ...]:
    rows = []
    for min_support, vertices in ((0.05, 8), (0.1, 6), (0.1, 8), (0.2, 8)):
        metrics = {key: CENTRES[key][0] + min_support / 10 for key in METRICS}
        boot = {key: CENTRES[key][1] for key in METRICS}
        z: dict[str, Value] = dict.fromkeys(METRICS, -8.2)
        rows.append(SensitivityRow(min_support, vertices, 634, 571, metrics, boot, z))
    return tuple(rows)

"""What a report shows: a bounded, seeded choice of patterns and generated graphs."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphassay.assay.plan import GENERATED, TRAIN, rng_for
from graphassay.assay.scoring import MinedRun
from graphassay.graph import GraphSet
from graphassay.results import DrawnGraph, Galleries, GraphRecord, PatternRecord

if TYPE_CHECKING:
    import pyarrow as pa

MAX_SCATTER = 1_500
MAX_SHOWN = 24
N_BINS = 12

Rows = npt.NDArray[np.int64]


def make_galleries(
    run: MinedRun,
    generated: GraphSet,
    classes: npt.NDArray[np.int64],
    novel: npt.NDArray[np.bool_],
    *,
    seed: int,
) -> Galleries:
    """Patterns of one run, and the generated graphs that are most often copies or novel.

    Args:
        run: the first run.
        generated: the parsed generated graphs.
        classes: isomorphism class of each.
        novel: whether each is not in train.
        seed: the audit's seed.
    """
    in_train, in_generated = run.frequent(TRAIN), run.frequent(GENERATED)
    union = np.flatnonzero(in_train | in_generated)
    train, other = run.supports(TRAIN), run.supports(GENERATED)
    rng = rng_for(seed, "gallery")
    scatter = _stratified(union, np.maximum(train, other), in_train * 1 + in_generated * 2, rng=rng)
    missing = _largest(np.flatnonzero(in_train), train - other)
    invented = _largest(np.flatnonzero(in_generated), other - train)
    shown = np.unique(np.concatenate([scatter, missing, invented]))
    records = dict(zip(shown.tolist(), _pattern_records(run, shown), strict=True))
    return Galleries(
        scatter=tuple(records[row] for row in scatter.tolist()),
        n_scatter_of=len(union),
        most_missing=tuple(records[row] for row in missing.tolist()),
        most_invented=tuple(records[row] for row in invented.tolist()),
        memorized=_graph_records(generated, classes, np.flatnonzero(~novel), rng=rng),
        novel=_graph_records(generated, classes, np.flatnonzero(novel), rng=rng),
    )


def pattern_table(
    run: MinedRun, smiles_of: Callable[[GraphSet], list[str | None]] | None
) -> "pa.Table":
    """Every pattern frequent in train or generated, most frequent in train first.

    Args:
        run: the first run.
        smiles_of: writes patterns as SMILES where they are parts of molecules, else None.

    Returns:
        Columns code, n_vertices, n_edges, train, generated, bootstrap_mean, bootstrap_low,
        bootstrap_high, then holdout_mean and rewired_mean where they took part (exact supports,
        shares), in_train, in_generated (bool) and smiles (null where there is none).
    """
    import pyarrow as pa

    in_train, in_generated = run.frequent(TRAIN), run.frequent(GENERATED)
    rows = np.flatnonzero(in_train | in_generated)
    codes = np.array(run.codes(rows), dtype=object)
    order = np.lexsort((codes.astype(str), -run.counts[TRAIN][rows].astype(np.int64)))
    rows, codes = rows[order], codes[order]
    patterns = run.patterns.take(rows)
    draws = _draws(run, "bootstrap", rows)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    columns = {
        "code": pa.array(codes.tolist(), type=pa.string()),
        "n_vertices": patterns.vertex_counts.astype(np.int32),
        "n_edges": patterns.edge_counts.astype(np.int32),
        "train": run.supports(TRAIN)[rows],
        "generated": run.supports(GENERATED)[rows],
        "bootstrap_mean": draws.mean(axis=0),
        "bootstrap_low": low,
        "bootstrap_high": high,
        **{
            f"{role}_mean": _draws(run, role, rows).mean(axis=0)
            for role in ("holdout", "rewired")
            if role in run.columns
        },
        "in_train": in_train[rows],
        "in_generated": in_generated[rows],
        "smiles": pa.array(
            [None] * len(rows) if smiles_of is None else smiles_of(patterns), type=pa.string()
        ),
    }
    return pa.table(columns)


def _draws(run: MinedRun, role: str, rows: Rows) -> npt.NDArray[np.float64]:
    columns = run.columns[role]
    block = run.counts[columns.start : columns.stop][:, rows]
    shares: npt.NDArray[np.float64] = block / np.maximum(
        run.totals[columns.start : columns.stop, None], 1
    )
    return shares


def _stratified(
    rows: Rows,
    support: npt.NDArray[np.float64],
    kind: npt.NDArray[np.int64],
    *,
    rng: np.random.Generator,
) -> Rows:
    """Up to MAX_SCATTER rows, spread over the range of log support and over who has them."""
    if len(rows) <= MAX_SCATTER:
        return rows
    logs = np.log(support[rows])
    edges = np.linspace(logs.min(), logs.max(), N_BINS + 1)[1:-1]
    group = np.searchsorted(edges, logs) * 4 + kind[rows]
    members = [rows[group == g] for g in np.unique(group)]
    members.sort(key=len)
    chosen, left = [], MAX_SCATTER
    for i, block in enumerate(members):  # small groups whole, the rest shares what is left
        quota = min(len(block), left // (len(members) - i))
        chosen.append(rng.choice(block, size=quota, replace=False))
        left -= quota
    return np.sort(np.concatenate(chosen))


def _largest(rows: Rows, difference: npt.NDArray[np.float64]) -> Rows:
    """Rows with the largest positive differences, largest first."""
    ordered = rows[np.argsort(-difference[rows], kind="stable")][:MAX_SHOWN]
    return ordered[difference[ordered] > 0]


def _pattern_records(run: MinedRun, rows: Rows) -> list[PatternRecord]:
    draws = _draws(run, "bootstrap", rows)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    train, other = run.supports(TRAIN)[rows], run.supports(GENERATED)[rows]
    patterns = run.patterns.take(rows)
    return [
        PatternRecord(
            code=code,
            graph=DrawnGraph(graph.vertex_labels, graph.edges),
            train=float(train[i]),
            generated=float(other[i]),
            bootstrap_low=float(low[i]),
            bootstrap_high=float(high[i]),
        )
        for i, (code, graph) in enumerate(zip(run.codes(rows), patterns, strict=True))
    ]


def _graph_records(
    graphs: GraphSet, classes: npt.NDArray[np.int64], rows: Rows, *, rng: np.random.Generator
) -> tuple[GraphRecord, ...]:
    """Distinct graphs among the rows, most often generated first, equals in random order."""
    _, first, sizes = np.unique(classes[rows], return_index=True, return_counts=True)
    order = np.lexsort((rng.permutation(len(first)), -sizes))[:MAX_SHOWN]
    records = []
    for k in order.tolist():
        i = int(rows[first[k]])
        graph = graphs[i]
        source = "" if graphs.sources is None else str(graphs.sources[i].as_py() or "")
        records.append(
            GraphRecord(
                graph=DrawnGraph(
                    graph.vertex_labels,
                    graph.edges,
                    smiles=source or None if graphs.molecules is not None else None,
                ),
                n=int(sizes[k]),
                source=source,
                place=None if graphs.records is None else int(graphs.records[i]),
            )
        )
    return tuple(records)

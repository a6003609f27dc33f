import math
from dataclasses import dataclass

import numpy as np

from graphassay.graph import Graph, GraphSet


@dataclass(frozen=True)
class Database:
    graphs: GraphSet
    weights: object = None
    name: str = ""


@dataclass(frozen=True)
class PatternTable:
    patterns: GraphSet
    counts: object
    totals: object
    min_counts: object
    names: tuple


def subs(g, maxe=3):
    out = {}
    front = {frozenset([i]) for i in range(len(g.edges))}
    ends = [(u, v) for u, v, _ in g.edges]
    for size in range(1, maxe + 1):
        for s in front:
            vs = sorted({x for i in s for x in ends[i]})
            pl = {x: i for i, x in enumerate(vs)}
            p = Graph(
                [g.vertex_labels[x] for x in vs],
                [(pl[g.edges[i][0]], pl[g.edges[i][1]], g.edges[i][2]) for i in s],
            )
            k = (
                tuple(sorted(p.vertex_labels)),
                tuple(
                    sorted(
                        (tuple(sorted((p.vertex_labels[u], p.vertex_labels[v]))), l)
                        for u, v, l in p.edges
                    )
                ),
                tuple(
                    sorted(sum((u == x) + (v == x) for u, v, _ in p.edges) for x in range(len(vs)))
                ),
            )
            out.setdefault(k, p)
        nxt = set()
        for s in front:
            vs = {x for i in s for x in ends[i]}
            for i, (u, v) in enumerate(ends):
                if i not in s and (u in vs or v in vs):
                    nxt.add(s | {i})
        front = nxt
    return out


_cache = {}


def mine(databases, min_support, *, max_vertices=8, threads=None, **k):
    pats = {}
    rows = {}
    sets = {}
    for d in databases:
        sets.setdefault(id(d.graphs), d.graphs)
    inc = {}
    for sid, s in sets.items():
        lst = []
        for g in s:
            ks = _cache.get(g)
            if ks is None:
                ks = _cache[g] = subs(g)
            for kk, p in ks.items():
                pats.setdefault(kk, p)
            lst.append(ks)
        inc[sid] = lst
    keys = sorted(pats, key=repr)
    index = {k: i for i, k in enumerate(keys)}
    mats = {}
    for sid, lst in inc.items():
        m = np.zeros((len(keys), len(lst)), dtype=np.int64)
        for j, ks in enumerate(lst):
            for kk in ks:
                m[index[kk], j] = 1
        mats[sid] = m
    counts = np.stack(
        [
            mats[id(d.graphs)]
            @ (d.weights if d.weights is not None else np.ones(len(d.graphs), dtype=np.int64))
            for d in databases
        ],
        axis=1,
    )
    totals = np.array([len(d.graphs) if d.weights is None else d.weights.sum() for d in databases])
    mc = np.array(
        [
            min_support if isinstance(min_support, int) else math.ceil(min_support * t - 1e-9)
            for t in totals
        ]
    )
    keep = (counts >= mc).any(axis=1)
    return PatternTable(
        GraphSet.from_graphs([pats[k] for k, f in zip(keys, keep) if f]),
        counts[keep],
        totals,
        mc,
        (),
    )

"""Class ids and minimum DFS codes against RDKit's canonical SMILES and pynauty's certificates.

    python benchmarks/canonical.py --molecules 20000

One core, one process, MOSES' training molecules; processor time, which busy neighbours hardly
disturb. Building the inputs is timed for nobody: RDKit starts from parsed molecules, pynauty from
built `Graph` objects, we from a built `GraphSet`. pynauty knows vertex colours only; bonds other
than single ones are subdivided by a coloured vertex, the usual encoding. Its certificates leave
out which label a colour stands for, which a user would have to add; RDKit's SMILES hold more than
our graphs do (charges, hydrogens, stereo marks where the input has them: MOSES has none).
"""

import argparse
import csv
import gzip
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pynauty
from rdkit import Chem, RDLogger

from graphassay.canonical import (
    _class_ids_and_paths,
    canonical_codes,
    class_ids,
    class_index,
    dfs_code_columns,
)
from graphassay.graph import Graph, GraphSet

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))
BONDS = {
    Chem.BondType.SINGLE: "-",
    Chem.BondType.DOUBLE: "=",
    Chem.BondType.TRIPLE: "#",
    Chem.BondType.AROMATIC: ":",
}


def read_molecules(n_molecules: int) -> list[Chem.Mol]:
    with gzip.open(SHARED / "moses_train.csv.gz", "rt") as lines:
        rows = csv.DictReader(lines)
        return [Chem.MolFromSmiles(row["SMILES"]) for row, _ in zip(rows, range(n_molecules))]  # noqa: B905


def to_graph(molecule: Chem.Mol) -> Graph:
    return Graph(
        (atom.GetSymbol() for atom in molecule.GetAtoms()),
        (
            (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), BONDS[bond.GetBondType()])
            for bond in molecule.GetBonds()
        ),
    )


def to_pynauty(graph: Graph, colours: list[str]) -> pynauty.Graph:
    labels = list(graph.vertex_labels)
    neighbours: dict[int, list[int]] = {v: [] for v in range(graph.n_vertices)}
    for u, v, label in graph.edges:
        if label == "-":
            neighbours[u].append(v)
            continue
        middle = len(labels)
        labels.append(label)
        neighbours[middle] = [u, v]
    classes = [{v for v, label in enumerate(labels) if label == colour} for colour in colours]
    present = [cell for cell in classes if cell]
    return pynauty.Graph(len(labels), adjacency_dict=neighbours, vertex_coloring=present)


def best_of(repeats: int, run: Callable[[], object]) -> tuple[float, object]:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = run()
        times.append(time.process_time() - start)
    return min(times), result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--molecules", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")

    molecules = read_molecules(options.molecules)
    listed = [to_graph(molecule) for molecule in molecules]
    graphs = GraphSet.from_graphs(listed)
    _ = graphs.vertex_label_keys, graphs.edge_label_keys
    colours = [*graphs.vertex_label_names, "=", "#", ":"]
    peers = [to_pynauty(graph, colours) for graph in listed]
    n = len(listed)
    print(f"{graphs!r}; one core; best of {options.repeats}")

    jobs: dict[str, Callable[[], object]] = {
        "class_ids": lambda: class_ids(graphs, threads=1),
        "minimum DFS codes, columns": lambda: dfs_code_columns(graphs, threads=1),
        "minimum DFS codes, text": lambda: canonical_codes(graphs, threads=1),
        "RDKit MolToSmiles": lambda: [Chem.MolToSmiles(molecule) for molecule in molecules],
        "pynauty.certificate": lambda: [pynauty.certificate(graph) for graph in peers],
    }
    results = {}
    base = 0.0
    for name, job in jobs.items():
        seconds, results[name] = best_of(options.repeats, job)
        base = base or seconds
        print(f"{name:28s} {n / seconds:12,.0f} graphs/s   {seconds / base:8.1f} x class_ids")

    _, paths = _class_ids_and_paths(graphs, threads=1, max_work=0)
    shares = np.bincount(paths, minlength=4) / n
    for name, share in zip(("tree", "discrete", "symmetric", "searched"), shares, strict=True):
        print(f"settled as {name:10s} {share:8.2%}")
    n_classes = 1 + int(class_index([graphs])[0].max())
    print(
        f"classes: {n_classes:,} ids, {len(set(results['minimum DFS codes, text'])):,} codes, "
        f"{len(set(results['RDKit MolToSmiles'])):,} SMILES"
    )
    sizes = Counter(len(code) for code in results["minimum DFS codes, text"])
    print(f"mean code length {sum(k * c for k, c in sizes.items()) / n:.0f} characters")


if __name__ == "__main__":
    main()

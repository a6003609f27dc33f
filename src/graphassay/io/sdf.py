"""SDF: mol blocks (V2000 or V3000), each ended by ``$$$$``; data fields are skipped."""

import re
from collections.abc import Iterator

import numpy as np

from graphassay.graph import GraphSet
from graphassay.intake import IntakeTally
from graphassay.io.options import ReadOptions
from graphassay.io.records import molecules_of, parse_records
from graphassay.io.source import Source
from graphassay.molecules.columns import graph_set

_END = re.compile(r"^\$\$\$\$[ \t]*\n?", re.MULTILINE)


def read(source: Source, options: ReadOptions) -> GraphSet:
    """Read one molecule per record; ``sources`` are the titles, ``records`` count from 1."""
    import pyarrow as pa

    tally = IntakeTally(str(source.path), "sdf")
    text = source.text.decode().replace("\r\n", "\n")
    blocks = _END.split(text)
    if not blocks[-1].strip():
        blocks.pop()
    places = range(1, len(blocks) + 1)
    columns, kept = parse_records(blocks, places, "molblock", options, tally)
    titles = [blocks[i].split("\n", 1)[0].strip() for i in kept.tolist()]
    return graph_set(
        columns,
        options.molecules,
        sources=pa.array(titles, type=pa.string()),
        records=np.array(places, dtype=np.int64)[kept],
        intake=tally.report(sha256=source.sha256),
    )


def write(graphs: GraphSet, tally: IntakeTally) -> Iterator[bytes]:
    """One record per graph, without coordinates; what is no molecule is refused in ``tally``."""
    from rdkit import Chem

    for text, mol in molecules_of(graphs, tally):
        mol.SetProp("_Name", text or "")
        yield f"{Chem.MolToMolBlock(mol)}$$$$\n".encode()

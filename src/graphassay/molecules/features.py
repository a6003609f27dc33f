"""What chemistry says of molecules, one row each: canonical SMILES, parts, properties, bits.

The definitions are those of MOSES (Polykovskiy et al., Frontiers in Pharmacology 11 (2020) 565644):
Bemis-Murcko scaffolds of at least two rings, BRICS fragments, QED, Crippen's logP, RDKit's SA
score, molecular weight, Morgan fingerprints of radius 2 folded to 1024 bits. Stereochemistry and
isotopes are left out of SMILES, as they are of graphs.
"""

import json
import math
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.cores import n_cores
from graphassay.molecules.parallel import answers
from graphassay.molecules.parsing import silenced
from graphassay.molecules.worker import read_frame, write_frame

PROPERTIES = ("qed", "logp", "sa", "weight")
TEXTS = ("smiles", "scaffold", "fragments")
FINGERPRINT = "fingerprint"
N_BITS = 1024
RADIUS = 2
MIN_RINGS = 2
"""Of a scaffold: one ring says little of a molecule."""

CHUNK = 250
"""Molecules per message: some of these numbers take milliseconds each."""
WORTHWHILE = 1000

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, eq=False)
class Features:
    """One row per text, in order.

    Attributes:
        smiles: canonical SMILES without stereochemistry; empty where the text is no molecule (and
            then every other feature is empty too).
        scaffold: Bemis-Murcko scaffold, empty where it has fewer than two rings.
        fragments: BRICS fragments, joined by dots.
        values: float64 per property; NaN where RDKit has no value for a molecule.
        fingerprint: uint8, shape (n, 128): bits of Morgan fingerprints, as `numpy.packbits` does.
    """

    smiles: tuple[str, ...] = ()
    scaffold: tuple[str, ...] = ()
    fragments: tuple[str, ...] = ()
    values: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    fingerprint: npt.NDArray[np.uint8] = field(
        default_factory=lambda: np.zeros((0, N_BITS // 8), dtype=np.uint8)
    )


def describe(
    texts: Sequence[str],
    wanted: Iterable[str],
    *,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Features:
    """Features of molecules given as SMILES.

    Args:
        texts: SMILES; what is none gets empty features.
        wanted: any of `TEXTS`, `PROPERTIES` and ``fingerprint``.
        processes: default one per core, for enough molecules to be worth it.
        progress: called with how many of how many are done.

    Raises:
        GraphAssayError: a process died.

    Example:
        >>> describe(["OCC", "C(("], ["smiles", "weight"]).smiles
        ('CCO', '')
    """
    names = [name for name in (*TEXTS, *PROPERTIES, FINGERPRINT) if name in set(wanted)]
    parts: list[dict[str, Any]] = []
    for part in _parts(["" if "\0" in text else text for text in texts], names, processes):
        parts.append(part)
        if progress is not None:
            progress(min(len(parts) * CHUNK, len(texts)), len(texts))
    rows = {
        name: tuple(row for part in parts for row in part[name]) for name in TEXTS if name in names
    }
    columns = {
        name: np.concatenate([np.zeros(0), *(part[name] for part in parts)])
        for name in PROPERTIES
        if name in names
    }
    bits = [part[FINGERPRINT] for part in parts if FINGERPRINT in part]
    empty = np.zeros((0, N_BITS // 8), dtype=np.uint8)
    return Features(**rows, values=columns, fingerprint=np.concatenate([empty, *bits]))


def _parts(
    texts: Sequence[str], names: Sequence[str], processes: int | None
) -> Iterator[dict[str, Any]]:
    starts = range(0, len(texts), CHUNK)
    n_processes = min(processes or n_cores(), len(starts))
    if n_processes > 1 and len(texts) >= WORTHWHILE:
        frames = answers(texts, starts, __name__, {"wanted": list(names)}, n_processes)
        yield from map(_unpack, frames)
    else:
        for start in starts:
            yield _describe_here(texts[start : start + CHUNK], names)


def _describe_here(texts: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    from rdkit import Chem

    functions = {name: _function(name) for name in names}
    rows: dict[str, list[Any]] = {name: [] for name in names}
    with silenced():
        for text in texts:
            mol: Any = Chem.MolFromSmiles(text)
            if mol is not None and not mol.GetNumAtoms():
                mol = None
            for name, function in functions.items():
                rows[name].append(_EMPTY.get(name, math.nan) if mol is None else function(mol))
    return {
        name: found
        if name in TEXTS
        else np.array(found, dtype=np.uint8 if name == FINGERPRINT else np.float64).reshape(
            (-1, N_BITS // 8) if name == FINGERPRINT else -1
        )
        for name, found in rows.items()
    }


_EMPTY: dict[str, Any] = dict.fromkeys(TEXTS, "") | {
    FINGERPRINT: np.zeros(N_BITS // 8, dtype=np.uint8)
}


@cache
def _function(name: str) -> Callable[[Any], Any]:
    """What computes one feature of a molecule."""
    from rdkit import Chem
    from rdkit.Chem import QED, Crippen, Descriptors, rdFingerprintGenerator

    crippen: Any = Crippen  # RDKit's stubs lack what its modules look up when asked
    descriptors: Any = Descriptors
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=RADIUS, fpSize=N_BITS)

    def fragments(mol: Any) -> str:
        return str(Chem.MolToSmiles(Chem.FragmentOnBRICSBonds(mol), isomericSmiles=True))

    functions: dict[str, Callable[[Any], Any]] = {
        "smiles": lambda mol: Chem.MolToSmiles(mol, isomericSmiles=False),
        "scaffold": _scaffold,
        "fragments": fragments,
        "qed": _or_nan(QED.qed),
        "logp": _or_nan(lambda mol: crippen.MolLogP(Chem.Mol(mol))),  # the copy has no caches
        "sa": _or_nan(_sa_score),
        "weight": _or_nan(descriptors.MolWt),
        FINGERPRINT: lambda mol: np.packbits(generator.GetFingerprintAsNumPy(mol)),
    }
    return functions[name]


def _scaffold(mol: Any) -> str:
    from rdkit import Chem
    from rdkit.Chem.Scaffolds import MurckoScaffold

    murcko: Any = MurckoScaffold
    scaffold = murcko.GetScaffoldForMol(mol)
    if scaffold.GetRingInfo().NumRings() < MIN_RINGS:
        return ""
    return str(Chem.MolToSmiles(scaffold, isomericSmiles=False))


def _sa_score(mol: Any) -> float:
    """Source: Ertl and Schuffenhauer, J. Cheminformatics 1 (2009) 8, as RDKit ships it."""
    from rdkit.Contrib.SA_Score import sascorer

    return float(sascorer.calculateScore(mol))


def _or_nan(function: Callable[[Any], float]) -> Callable[[Any], float]:
    """NaN where RDKit gives up on a molecule (nothing but hydrogen, say); the reader drops it."""

    def value(mol: Any) -> float:
        try:
            return float(function(mol))
        except (ValueError, RuntimeError, ArithmeticError):
            return math.nan

    return value


def _pack(part: Mapping[str, Any]) -> tuple[bytes, ...]:
    arrays = {name: column for name, column in part.items() if name not in TEXTS}
    header = {
        "texts": {name: column for name, column in part.items() if name in TEXTS},
        "arrays": [[name, a.dtype.str, list(a.shape)] for name, a in arrays.items()],
    }
    text = json.dumps(header).encode()
    return (_LENGTH.pack(len(text)), text, *(a.tobytes() for a in arrays.values()))


def _unpack(frame: bytes) -> dict[str, Any]:
    start = _LENGTH.size + _LENGTH.unpack_from(frame)[0]
    header = json.loads(frame[_LENGTH.size : start])
    part: dict[str, Any] = dict(header["texts"])
    for name, dtype, shape in header["arrays"]:
        size = math.prod(shape)
        part[name] = np.frombuffer(frame, dtype=dtype, count=size, offset=start).reshape(shape)
        start += part[name].nbytes
    return part


def main() -> None:
    """Serve until the input closes (see `graphassay.molecules.parallel`)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    names = json.loads(sys.argv[1])["wanted"]
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        part = _describe_here(frame.decode().split("\0"), names)
        write_frame(sys.stdout.buffer, *_pack(part))


if __name__ == "__main__":
    main()

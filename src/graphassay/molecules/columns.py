"""Molecules as flat columns: compact enough to cross processes, one step from a `GraphSet`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from graphassay.graph import GraphSet, MoleculeOptions, offsets_from_counts
from graphassay.intake import IntakeReport
from graphassay.native import read_rdkit_binary

if TYPE_CHECKING:
    import pyarrow as pa

BOND_LABELS = {1: "-", 2: "=", 3: "#", 12: ":"}
"""Edge label of RDKit's bond types SINGLE, DOUBLE, TRIPLE and AROMATIC; others keep their name."""

_CHARGE_SHIFT, _ISOTOPE_SHIFT = 8, 16  # atom key: number | (charge + 128) << 8 | isotope << 16
NEUTRAL = 128 << _CHARGE_SHIFT

Integers = npt.NDArray[Any]


@dataclass(frozen=True)
class MoleculeColumns:
    """Consecutive molecules.

    ``atoms`` holds one key per atom (atomic number, formal charge, isotope packed), ``bonds`` one
    RDKit bond type per bond; bonds ascend by (u, v) inside their molecule, ``u < v``.
    """

    FIELDS: ClassVar = ("vertex_counts", "edge_counts", "atoms", "edge_u", "edge_v", "bonds")

    vertex_counts: Integers
    edge_counts: Integers
    atoms: Integers
    edge_u: Integers
    edge_v: Integers
    bonds: Integers

    def __len__(self) -> int:
        return len(self.vertex_counts)

    @classmethod
    def from_molecules(cls, mols: Iterable[Any]) -> Self:
        """Read atoms and bonds of each molecule."""
        return cls.from_packed(map(packer(), mols))

    @classmethod
    def from_packed(cls, packed: Iterable[Any]) -> Self:
        """Read atoms and bonds of molecules that `packer` packed."""
        listed = list(packed)
        if not listed or not isinstance(listed[0], bytes):
            return cls.from_molecules_slowly(listed)
        fast = _read_blobs(listed)
        if fast is not None:
            return cls(**fast)
        from rdkit import Chem

        return cls.from_molecules_slowly(Chem.Mol(blob) for blob in listed)

    @classmethod
    def from_molecules_slowly(cls, mols: Iterable[Any]) -> Self:
        """Read atoms and bonds through RDKit's Python interface."""
        vertex_counts: list[int] = []
        edge_counts: list[int] = []
        atoms: list[int] = []
        edges: list[tuple[int, int, int]] = []
        for mol in mols:
            atoms += [
                atom.GetAtomicNum()
                | (atom.GetFormalCharge() + 128) << _CHARGE_SHIFT
                | atom.GetIsotope() << _ISOTOPE_SHIFT
                for atom in mol.GetAtoms()
            ]
            found = [
                (b.GetBeginAtomIdx(), b.GetEndAtomIdx(), int(b.GetBondType()))
                for b in mol.GetBonds()
            ]
            edges += sorted((u, v, t) if u < v else (v, u, t) for u, v, t in found)
            vertex_counts.append(mol.GetNumAtoms())
            edge_counts.append(len(found))
        table = np.array(edges, dtype=np.int32).reshape(-1, 3)
        return cls(
            vertex_counts=np.array(vertex_counts, dtype=np.int32),
            edge_counts=np.array(edge_counts, dtype=np.int32),
            atoms=np.array(atoms, dtype=np.uint32),
            edge_u=table[:, 0],
            edge_v=table[:, 1],
            bonds=table[:, 2],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """All molecules in order, in the types a `GraphSet` needs."""
        if not parts:
            return cls.from_molecules([])
        types = {"atoms": np.uint32}
        return cls(
            **{
                name: np.concatenate(
                    [getattr(part, name) for part in parts],
                    dtype=types.get(name, np.int32),
                    casting="unsafe",
                )
                for name in cls.FIELDS
            }
        )


def packer() -> Callable[[Any], Any]:
    """What turns a molecule into the form that `MoleculeColumns.from_packed` reads fastest.

    RDKit's binary form, as bytes, where our reader understands it; else the molecule itself. Pack
    each molecule as soon as it is made: packing many at once is slower (they left the cache).
    """
    return _to_binary if _binary_is_understood() else _as_it_is


def _to_binary(mol: Any) -> bytes:
    blob: bytes = mol.ToBinary(0)  # 0: no properties
    return blob


def _as_it_is(mol: Any) -> Any:
    return mol


def _read_blobs(blobs: Sequence[bytes]) -> dict[str, Integers] | None:
    ends = np.cumsum(np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs)))
    return read_rdkit_binary(b"".join(blobs), ends)


@cache
def _binary_is_understood() -> bool:
    """Whether this RDKit writes what our reader expects, tried on a bit of everything."""
    from rdkit import Chem

    probes = [
        Chem.MolFromSmiles(smiles)
        for smiles in (
            "C[C@H](N)C(=O)[O-]",
            "F/C=C/[13C]#[N+][O-]",
            "c1cc[nH]c1.[Na+].[Ca+2]",
            "[CH3].[H][H].C[Si](C)(C)Cl",
            "C" * 255,
            "C" * 256,
        )
    ]
    fast = _read_blobs([_to_binary(mol) for mol in probes])
    slow = MoleculeColumns.from_molecules_slowly(probes)
    return fast is not None and all(
        np.array_equal(column, getattr(slow, name)) for name, column in fast.items()
    )


def graph_set(
    columns: MoleculeColumns,
    options: MoleculeOptions,
    *,
    sources: "pa.StringArray | None" = None,
    records: npt.NDArray[np.int64] | None = None,
    intake: IntakeReport | None = None,
) -> GraphSet:
    """Name the atoms and bonds as ``options`` say and pack the graphs."""
    vertex_labels, vertex_names = _name(columns.atoms, lambda key: atom_label(key, options))
    edge_labels, edge_names = _name(columns.bonds, bond_label)
    return GraphSet(
        vertex_offsets=offsets_from_counts(columns.vertex_counts),
        edge_offsets=offsets_from_counts(columns.edge_counts),
        vertex_labels=vertex_labels,
        edge_u=np.asarray(columns.edge_u, dtype=np.int32),
        edge_v=np.asarray(columns.edge_v, dtype=np.int32),
        edge_labels=edge_labels,
        vertex_label_names=vertex_names,
        edge_label_names=edge_names,
        sources=sources,
        records=records,
        molecules=options,
        intake=intake,
    )


def atom_label(key: int, options: MoleculeOptions) -> str:
    """``C``; with charges ``N+``, ``O-``, ``Ca+2``; with isotopes ``13C``; with both ``15N+``."""
    from rdkit import Chem

    label: str = Chem.GetPeriodicTable().GetElementSymbol(key & 0xFF)
    charge = ((key >> _CHARGE_SHIFT) & 0xFF) - 128
    isotope = key >> _ISOTOPE_SHIFT
    if options.charges and charge:
        label += ("+" if charge > 0 else "-") + (str(abs(charge)) if abs(charge) > 1 else "")
    if options.isotopes and isotope:
        label = f"{isotope}{label}"
    return label


def bond_label(bond_type: int) -> str:
    """``-``, ``=``, ``#``, ``:`` (aromatic), or the name of RDKit's bond type."""
    if bond_type in BOND_LABELS:
        return BOND_LABELS[bond_type]
    from rdkit import Chem

    return str(Chem.BondType.values[bond_type].name)


def _name(keys: Integers, name_of: Any) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Dense labels for integer keys; names are distinct and sorted."""
    if not len(keys):
        return np.zeros(0, dtype=np.int32), ()
    small = int(keys.max()) < 1 << 20  # a counting pass is much faster than sorting millions
    distinct = np.flatnonzero(np.bincount(keys)) if small else np.unique(keys)
    named = [name_of(int(key)) for key in distinct]
    names = tuple(sorted(set(named)))
    index = {name: i for i, name in enumerate(names)}
    targets = np.array([index[name] for name in named], dtype=np.int32)
    if small:
        table = np.zeros(int(distinct[-1]) + 1, dtype=np.int32)
        table[distinct] = targets
        return table[keys], names
    return targets[np.searchsorted(distinct, keys)], names

"""Graphs back to molecules.

A heavy graph without charges has lost what a SMILES writes in brackets: the hydrogen of ``[nH]``,
the charge of ``[n+]`` or of a nitro group. `graph_to_molecule` puts back the least that makes a
valid molecule *of the same graph*: a hydrogen on aromatic nitrogen, a charge on an atom with one
bond too many. It is a molecule of this graph, not always the one the graph was made from.
"""

import itertools
import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import Any

from graphassay.errors import InvalidGraph
from graphassay.graph import Graph, MoleculeOptions
from graphassay.molecules.columns import BOND_LABELS
from graphassay.molecules.parsing import silenced

UNSANITIZED = "graphassay_unsanitized"
"""Property of a molecule that could not be sanitized; its value is RDKit's reason."""

MAX_TRIES = 256
"""Ways to place hydrogens and charges that are tried on one aromatic system."""

_LABEL = re.compile(r"(\d*)([A-Z][a-z]?|\*)(?:([+-])(\d*))?")


def graph_to_molecule(
    graph: Graph,
    options: MoleculeOptions = MoleculeOptions(),
    *,
    sanitize: bool | None = None,
) -> Any:
    """The RDKit molecule of a graph whose labels are those of `molecules_to_graphs`.

    Args:
        graph: vertices become atoms in order.
        options: how the graph was made of a molecule.
        sanitize: None: where possible; else the molecule comes unsanitized (good enough to draw a
            part of a ring) with the property `UNSANITIZED`. True: or raise. False: do not try.

    Raises:
        InvalidGraph: a label that is no atom or bond; with ``sanitize=True`` also a graph that is
            no valid molecule.

    Example:
        >>> from rdkit import Chem
        >>> Chem.MolToSmiles(graph_to_molecule(Graph("CCO", [(0, 1, "-"), (1, 2, "-")])))
        'CCO'
    """
    draft = _bare_molecule(graph, options)
    if sanitize is not False:
        with silenced():
            found, reason = _sanitized(draft, options)
        if found is not None:
            return found
        if sanitize:
            raise InvalidGraph(f"the graph is no valid molecule: {reason}")
        draft.SetProp(UNSANITIZED, reason)
    draft.UpdatePropertyCache(strict=False)
    _fast_rings(draft)
    return draft.GetMol()


def _fast_rings(mol: Any) -> None:
    from rdkit import Chem

    Chem.FastFindRings(mol)


def _bare_molecule(graph: Graph, options: MoleculeOptions) -> Any:
    from rdkit import Chem

    types = {label: Chem.BondType.values[number] for number, label in BOND_LABELS.items()}
    mol: Any = Chem.RWMol()
    for i, label in enumerate(graph.vertex_labels):
        mol.AddAtom(_atom(label, i, options))
    for u, v, label in graph.edges:
        bond_type = types.get(label) or Chem.BondType.names.get(label)
        if bond_type is None:
            raise InvalidGraph(f"edge {u}-{v}: label {label!r} is no bond of a molecule")
        mol.AddBond(u, v, bond_type)
        if bond_type == Chem.BondType.AROMATIC:
            bond = mol.GetBondBetweenAtoms(u, v)
            bond.SetIsAromatic(True)
            bond.GetBeginAtom().SetIsAromatic(True)
            bond.GetEndAtom().SetIsAromatic(True)
    return mol


@cache
def _symbols() -> frozenset[str]:
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    return frozenset(table.GetElementSymbol(number) for number in range(119))


def _atom(label: str, place: int, options: MoleculeOptions) -> Any:
    from rdkit import Chem

    parts = _LABEL.fullmatch(label)
    if parts is None or parts[2] not in _symbols():
        raise InvalidGraph(f"vertex {place}: label {label!r} is no atom of a molecule")
    atom: Any = Chem.Atom(parts[2])
    if parts[1]:
        atom.SetIsotope(int(parts[1][:4]))
    if parts[3]:
        atom.SetFormalCharge(int(parts[3] + (parts[4][:2] or "1")))
    if options.hydrogens == "explicit-h":
        atom.SetNoImplicit(True)
    return atom


def _sanitized(draft: Any, options: MoleculeOptions) -> tuple[Any, str]:
    """The molecule made valid, or None and RDKit's reason."""
    from rdkit import Chem

    mol = Chem.RWMol(draft)
    _number_by_rank(mol)
    if not options.charges:
        _charge_saturated_atoms(mol)
    found, _ = _tried(mol)
    if found is None or _is_changed(mol, found):
        for system in _aromatic_systems(mol):
            _settle(mol, system, options)
        found, reason = _tried(mol)
        return found, reason
    return found, ""


def _tried(mol: Any) -> tuple[Any, str]:
    """A sanitized copy, or None and RDKit's reason."""
    from rdkit import Chem

    trial = Chem.Mol(mol)
    try:
        Chem.SanitizeMol(trial)
    except (ValueError, RuntimeError) as error:
        return None, " ".join(str(error).split())
    return trial, ""


_RANK = "_graphassay_rank"


def _number_by_rank(mol: Any) -> None:
    """Note a number on each atom that does not depend on the order of the graph's vertices.

    Where hydrogens and charges can lie in several ways, the first by these numbers is taken: one
    graph gives one molecule, whichever way it is written.
    """
    from rdkit import Chem

    ranked = Chem.Mol(mol)
    ranked.UpdatePropertyCache(strict=False)
    _fast_rings(ranked)
    for atom, rank in zip(mol.GetAtoms(), Chem.CanonicalRankAtoms(ranked), strict=True):
        atom.SetUnsignedProp(_RANK, rank)


def _rank(atom: Any) -> int:
    rank: int = atom.GetUnsignedProp(_RANK)
    return rank


def _is_changed(mol: Any, sanitized: Any) -> bool:
    """Whether RDKit's own perception of aromaticity makes it another graph."""
    return any(
        ours.GetBondType() != theirs.GetBondType()
        for ours, theirs in zip(mol.GetBonds(), sanitized.GetBonds(), strict=True)
    )


_PLAIN_VALENCE = {"B": 3, "N": 3, "O": 2, "F": 1, "Cl": 1, "Br": 1, "I": 1}


def _charge_saturated_atoms(mol: Any) -> None:
    """Where charges were not kept: +1 on N or O with one bond too many, -1 on boron.

    The partner of a nitro group or an N-oxide, a terminal single-bonded O, gets -1.
    """
    for atom in mol.GetAtoms():
        symbol = atom.GetSymbol()
        if symbol not in ("N", "O", "B") or atom.GetIsAromatic() or atom.GetFormalCharge():
            continue
        valence = round(sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds()))
        if valence != _PLAIN_VALENCE[symbol] + 1:
            continue
        atom.SetFormalCharge(-1 if symbol == "B" else 1)
        if symbol != "B":
            _charge_oxide(atom)


def _charge_oxide(cation: Any) -> None:
    for other in sorted(cation.GetNeighbors(), key=_rank):
        if (
            other.GetSymbol() == "O"
            and other.GetDegree() == 1
            and not other.GetFormalCharge()
            and other.GetBonds()[0].GetBondTypeAsDouble() == 1
        ):
            other.SetFormalCharge(-1)
            return


def _aromatic_systems(mol: Any) -> list[list[int]]:
    """Atoms joined by aromatic bonds: each system is settled alone, so their order is no matter."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for bond in mol.GetBonds():
        first = bond.GetBeginAtomIdx()
        if bond.GetIsAromatic() and first not in seen:
            found.append(_system_of(mol, first))
            seen.update(found[-1])
    return found


def _system_of(mol: Any, first: int) -> list[int]:
    found, todo = {first}, deque([first])
    while todo:
        atom = mol.GetAtomWithIdx(todo.popleft())
        for bond in atom.GetBonds():
            other = bond.GetOtherAtomIdx(atom.GetIdx())
            if bond.GetIsAromatic() and other not in found:
                found.add(other)
                todo.append(other)
    return sorted(found, key=lambda place: _rank(mol.GetAtomWithIdx(place)))


def _settle(mol: Any, system: list[int], options: MoleculeOptions) -> None:
    """Give an aromatic system the fewest hydrogens and charges that make it valid, if any do."""
    part, places = _with_neighbours(mol, system)
    inside = [places[place] for place in system]
    for changes in itertools.islice(_changes(part, inside, options), MAX_TRIES):
        trial = _changed(part, changes)
        found, _ = _tried(trial)
        if found is not None and not _is_changed(trial, found):
            here = dict(zip(inside, system, strict=True))
            for place, change in changes:
                _change(mol.GetAtomWithIdx(here[place]), change)
            return


def _with_neighbours(mol: Any, system: list[int]) -> tuple[Any, dict[int, int]]:
    """A system and the atoms bonded to it, alone, and where each atom of ``mol`` is there."""
    from rdkit import Chem

    inside = set(system)
    places: dict[int, int] = {}
    part: Any = Chem.RWMol()

    def place(atom: Any) -> int:
        if atom.GetIdx() not in places:
            copy = Chem.Atom(atom)
            if atom.GetIdx() not in inside:
                copy.SetIsAromatic(False)
            places[atom.GetIdx()] = part.AddAtom(copy)
        return places[atom.GetIdx()]

    for bond in mol.GetBonds():
        ends = bond.GetBeginAtom(), bond.GetEndAtom()
        if inside.isdisjoint(end.GetIdx() for end in ends):
            continue
        u, v = map(place, ends)
        part.AddBond(u, v, bond.GetBondType())
        part.GetBondBetweenAtoms(u, v).SetIsAromatic(bond.GetIsAromatic())
    return part, places


def _changed(mol: Any, changes: tuple[tuple[int, str], ...]) -> Any:
    from rdkit import Chem

    changed = Chem.RWMol(mol)
    for place, change in changes:
        _change(changed.GetAtomWithIdx(place), change)
    return changed


def _changes(
    mol: Any, system: list[int], options: MoleculeOptions
) -> Iterator[tuple[tuple[int, str], ...]]:
    """Sets of changes, none and small ones first; hydrogens before charges."""
    single: list[tuple[int, str]] = []
    charged: list[tuple[int, str]] = []
    for place in system:
        atom = mol.GetAtomWithIdx(place)
        symbol, degree = atom.GetSymbol(), atom.GetDegree()
        if atom.GetFormalCharge() == 0 and symbol in ("N", "P", "As"):
            if degree == 2 and options.hydrogens == "heavy":
                single.append((place, "hydrogen"))
            elif degree == 3 and not options.charges:
                charged.append((place, "cation"))
        elif atom.GetFormalCharge() == 0 and not options.charges and symbol in ("O", "S", "Se"):
            charged.append((place, "cation"))
        elif symbol == "C" and not options.charges and degree == 2:
            charged.append((place, "anion"))
    candidates = single + charged
    for size in range(min(len(candidates), 4) + 1):
        yield from itertools.combinations(candidates, size)


def _change(atom: Any, change: str) -> None:
    if change == "hydrogen":
        atom.SetNumExplicitHs(1)
        atom.SetNoImplicit(True)
    elif change == "cation":
        atom.SetFormalCharge(1)
        _charge_oxide(atom)
    else:
        atom.SetFormalCharge(-1)
        atom.SetNumExplicitHs(1)
        atom.SetNoImplicit(True)

"""Text of molecules (SMILES, mol blocks) to columns, with a reason for every refusal."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from graphassay.graph import MoleculeOptions
from graphassay.intake import IntakeTally, Refusal
from graphassay.molecules.columns import MoleculeColumns, packer

Notation = Literal["smiles", "molblock"]

PLACEHOLDERS = frozenset({"", "none", "nan", "null", "n/a", "<na>"})
"""What generators write in place of a molecule (lower case); none of them is a SMILES."""

NO_MOLECULE = "no molecule (None, NaN or empty)"
NOT_SMILES = "not a SMILES"
NOT_MOLBLOCK = "not a mol block"
BAD_VALENCE = "impossible valence"
NOT_KEKULIZABLE = "aromatic system without a Kekulé structure"
NOT_SANITIZABLE = "refused by RDKit's sanitization"
NO_ATOMS = "molecule without atoms"


class Refused(Exception):
    """One record that gives no molecule; the message is the reason."""


@dataclass(frozen=True)
class ParsedTexts:
    """What became of a run of texts: ``kept`` are positions of the texts that gave molecules."""

    columns: MoleculeColumns
    kept: npt.NDArray[np.int64]
    refused: tuple[Refusal, ...]


def parse_texts(
    texts: Sequence[str], places: Sequence[int], notation: Notation, options: MoleculeOptions
) -> ParsedTexts:
    """Parse one text per molecule; ``places`` are their 1-based lines or records."""
    parse = parser(notation, options)
    pack = packer()
    packed: list[Any] = []
    kept: list[int] = []
    tally = IntakeTally("", "")
    with silenced():
        for position, text in enumerate(texts):
            try:
                packed.append(pack(parse(text)))
            except Refused as refusal:
                tally.refuse(str(refusal), places[position], text.strip())
            else:
                kept.append(position)
    return ParsedTexts(
        MoleculeColumns.from_packed(packed), np.array(kept, dtype=np.int64), tally.refusals()
    )


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Keep RDKit's log quiet: refusals carry their reasons, so that nothing is hidden."""
    from rdkit import rdBase

    block = rdBase.BlockLogs()
    try:
        yield
    finally:
        del block


def parser(notation: Notation, options: MoleculeOptions) -> Callable[[str], Any]:
    """A function from text to the RDKit molecule that ``options`` describe (or `Refused`)."""
    heavy = options.hydrogens == "heavy"
    plain = heavy and not options.kekulize
    if notation == "smiles":
        read = _smiles_reader(heavy=heavy, count_hydrogens=not plain)
    else:
        read = _molblock_reader(heavy=heavy)
    return read if plain else lambda text: reshaped(read(text), options)


def reshaped(mol: Any, options: MoleculeOptions) -> Any:
    """A sanitized molecule with the hydrogens and the bond types that ``options`` ask for."""
    from rdkit import Chem

    mol = Chem.AddHs(mol) if options.hydrogens == "explicit-h" else mol
    if options.kekulize:
        Chem.Kekulize(mol, clearAromaticFlags=True)
    return mol


def _smiles_reader(*, heavy: bool, count_hydrogens: bool) -> Callable[[str], Any]:
    """The same graphs as Chem.MolFromSmiles, at less than half the time.

    Validity and aromaticity need these steps; stereochemistry, conjugation and hybridization
    leave a graph alone. Written-out hydrogens take the ordinary way.
    """
    from rdkit import Chem

    flags = Chem.SanitizeFlags
    needed = (
        flags.SANITIZE_CLEANUP
        | flags.SANITIZE_PROPERTIES
        | flags.SANITIZE_SYMMRINGS
        | flags.SANITIZE_KEKULIZE
        | flags.SANITIZE_SETAROMATICITY
    )
    if count_hydrogens:  # a hydrogen found on aromatic nitrogen is noted there
        needed |= flags.SANITIZE_ADJUSTHS
    bare: Any = Chem.SmilesParserParams()  # RDKit's stubs know no attributes
    bare.sanitize = False
    bare.removeHs = False
    bare.parseName = False
    bare.allowCXSMILES = True
    from_smiles = Chem.MolFromSmiles

    def read(text: str) -> Any:
        words = text.strip()
        if words.lower() in PLACEHOLDERS:
            raise Refused(NO_MOLECULE)
        if heavy and "[H" in words:
            mol: Any = from_smiles(words)
            if mol is not None:
                return mol
        mol = from_smiles(words, bare)
        if mol is None:
            raise Refused(NOT_SMILES)
        return _sanitized(mol, needed)

    return read


def _molblock_reader(*, heavy: bool) -> Callable[[str], Any]:
    from rdkit import Chem

    def read(text: str) -> Any:
        mol: Any = Chem.MolFromMolBlock(text, sanitize=True, removeHs=heavy)
        if mol is None:
            mol = Chem.MolFromMolBlock(text, sanitize=False, removeHs=False)
            if mol is None:
                raise Refused(NOT_MOLBLOCK)
            return _sanitized(mol, Chem.SanitizeFlags.SANITIZE_ALL)
        if mol.GetNumAtoms() == 0:
            raise Refused(NO_ATOMS)
        return mol

    return read


def _sanitized(mol: Any, steps: Any) -> Any:
    from rdkit import Chem

    if mol.GetNumAtoms() == 0:
        raise Refused(NO_ATOMS)
    try:
        Chem.SanitizeMol(mol, steps)
    except (Chem.KekulizeException, Chem.AtomKekulizeException):
        raise Refused(NOT_KEKULIZABLE) from None
    except Chem.AtomValenceException:
        raise Refused(BAD_VALENCE) from None
    except (ValueError, RuntimeError):  # RDKit's own errors; each means an invalid molecule
        raise Refused(NOT_SANITIZABLE) from None
    return mol

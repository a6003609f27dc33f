"""Which format a file is in: by its name first, by how it begins where the name leaves it open."""

from pathlib import Path
from typing import Literal, get_args

from graphassay.errors import InvalidInput

Format = Literal[
    "smiles", "csv", "sdf", "tu", "gspan", "graph6", "sparse6", "graphml", "jsonl", "npz", "arrow"
]
FORMATS: tuple[str, ...] = get_args(Format)

EXTENSIONS: dict[str, Format] = {
    ".smi": "smiles",
    ".smiles": "smiles",
    ".csv": "csv",
    ".tsv": "csv",
    ".sdf": "sdf",
    ".sd": "sdf",
    ".mol": "sdf",
    ".zip": "tu",
    ".gspan": "gspan",
    ".gsp": "gspan",
    ".g6": "graph6",
    ".graph6": "graph6",
    ".s6": "sparse6",
    ".sparse6": "sparse6",
    ".graphml": "graphml",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".npz": "npz",
    ".arrow": "arrow",
    ".feather": "arrow",
}


def check_format(name: str) -> Format:
    """The format of that name, or `InvalidInput` that lists them."""
    for known in get_args(Format):
        if name == known:
            found: Format = known
            return found
    raise InvalidInput(f"unknown format {name!r}; known are: {', '.join(FORMATS)}")


def by_name(path: Path) -> Format | None:
    """The format that a file's extension (before ``.gz``) stands for, or None."""
    name = path.name.lower()
    if path.is_dir():
        return "tu"
    return EXTENSIONS.get(Path(name.removesuffix(".gz")).suffix)


def by_content(path: Path, data: bytes) -> Format:
    """The format that the beginning of a file shows.

    Raises:
        InvalidInput: nothing is recognised.
    """
    start = data[:65536].removeprefix(b"\xef\xbb\xbf").lstrip()
    first = start.split(b"\n", 1)[0].strip()
    words = first.split()
    if data[:6] == b"ARROW1":
        return "arrow"
    if data[:4] == b"PK\x03\x04":
        return "npz" if b".npy" in data[:200] else "tu"
    if b"\0" in start:
        raise InvalidInput(f"{path}: binary data of no known format; name it with --format")
    if first.startswith(b">>graph6<<"):
        return "graph6"
    if first.startswith((b">>sparse6<<", b":")):
        return "sparse6"
    if start.startswith(b"<"):
        return "graphml"
    if start.startswith(b"{"):
        return "jsonl"
    if words and words[0] == b"t" and b"#" in first:
        return "gspan"
    if b"V2000" in start or b"V3000" in start:
        return "sdf"
    if path.name.lower().removesuffix(".gz").endswith(".txt"):
        return "smiles"
    raise InvalidInput(
        f"{path}: cannot tell its format from its name; name it with --format "
        f"({', '.join(FORMATS)})"
    )

"""TUDataset's sets: from a local copy, else downloaded once into the cache."""

import hashlib
import importlib.util
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path

from graphassay import io
from graphassay.datasets.catalogue import Dataset
from graphassay.datasets.local import cache_folder, folders
from graphassay.errors import UnreadableFile, UnwritableOutput
from graphassay.graph import GraphSet

ADDRESS = "https://www.chrsmrrs.com/graphkerneldatasets/{name}.zip"
TIMEOUT_S = 30
MAX_DOWNLOAD_BYTES = 64 * 2**20
MAX_MEMBER_BYTES = 256 * 2**20
STRUCTURE = ("A", "graph_indicator", "node_labels", "edge_labels")
"""The files that make the graphs; a copy without ``edge_labels`` has none."""


def load(dataset: Dataset, *, source: Path | None) -> GraphSet:
    """Read a TU set and make sure that it is the known one."""
    name = dataset.name.upper()
    path = _find(name, source)
    if path is None:
        if source is not None:
            raise UnreadableFile(f"{source}: expected {name}.zip or the folder {name} in it")
        path = _download(name, dataset)
    else:
        _verify(path, name, dataset)
    return io.read(path, format="tu")


def content_digest(path: Path, name: str) -> str:
    """Digest of the files that make the graphs, whatever their packaging and line ends.

    Raises:
        UnreadableFile: not a zip, or a file is missing.
    """
    files = _members(path, name)
    digest = hashlib.sha256()
    for kind in STRUCTURE:
        if kind in files:
            digest.update(f"{kind}\n".encode())
            digest.update(files[kind].replace(b"\r", b"").replace(b" ", b"").strip())
    return digest.hexdigest()


def _find(name: str, source: Path | None) -> Path | None:
    for folder in folders(source):
        if source is not None and folder.is_file():
            return folder
        for path in (folder / f"{name}.zip", folder / "tu" / f"{name}.zip", folder / name):
            if path.exists():
                return path
        if (folder / f"{name}_A.txt").exists():
            return folder
    if name == "MUTAG" and source is None:
        grakel = importlib.util.find_spec("grakel")
        for place in (grakel.submodule_search_locations or []) if grakel else []:
            bundled = Path(place) / "tests" / "data" / "MUTAG"
            if bundled.is_dir():
                return bundled
    return None


def _members(path: Path, name: str) -> Mapping[str, bytes]:
    files = {}
    try:
        if path.is_dir():
            for kind in STRUCTURE:
                file = path / f"{name}_{kind}.txt"
                if file.exists():
                    files[kind] = file.read_bytes()
        else:
            with zipfile.ZipFile(path) as archive:
                sizes = {member.filename: member.file_size for member in archive.infolist()}
                for kind in STRUCTURE:
                    member = f"{name}/{name}_{kind}.txt"
                    if 0 < sizes.get(member, 0) <= MAX_MEMBER_BYTES:  # larger is not the known one
                        files[kind] = archive.read(member)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise UnreadableFile(f"{path}: expected {name} as a zip or folder ({error})") from None
    if "A" not in files:
        raise UnreadableFile(f"{path}: expected the file {name}_A.txt in it")
    return files


def _verify(path: Path, name: str, dataset: Dataset) -> None:
    found = content_digest(path, name)
    if found != dataset.sha256:
        raise UnreadableFile(
            f"{path}: its content is not that of {name} (sha256 {found[:12]}…, expected "
            f"{(dataset.sha256 or '')[:12]}…); get it anew from {ADDRESS.format(name=name)}"
        )


def _download(name: str, dataset: Dataset) -> Path:
    address = ADDRESS.format(name=name)
    folder = cache_folder()
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:  # noqa: S310  # https
            data = answer.read(MAX_DOWNLOAD_BYTES + 1)
    except (urllib.error.URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise UnreadableFile(
            f"{address}: download failed ({reason}); put a copy of {name}.zip into {folder}, or "
            "name its place (--from, GRAPHASSAY_SHARED)"
        ) from None
    if len(data) > MAX_DOWNLOAD_BYTES:
        raise UnreadableFile(f"{address}: more than {MAX_DOWNLOAD_BYTES:,} bytes; not {name}.zip")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as part:
            part.write(data)
        try:
            _verify(Path(part.name), name, dataset)
            target = folder / f"{name}.zip"
            Path(part.name).replace(target)
        finally:
            Path(part.name).unlink(missing_ok=True)
    except OSError as error:
        if isinstance(error, UnreadableFile):
            raise
        raise UnwritableOutput(f"{folder}: cannot write ({error.strerror or error})") from None
    return target

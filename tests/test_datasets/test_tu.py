import io
import urllib.error
import zipfile
from pathlib import Path

import numpy as np
import pytest

from graphassay import datasets
from graphassay.datasets import tu
from graphassay.errors import UnreadableFile, UnwritableOutput

PUBLISHED = {  # DEFINITIONS 12: graphs, mean vertices, mean edges, largest
    "mutag": (188, 17.9, 19.8, 28),
    "ptc_mr": (344, 14.3, 14.7, 64),
    "enzymes": (600, 32.6, 62.1, 126),
    "proteins": (1113, 39.1, 72.8, 620),
    "nci1": (4110, 29.9, 32.3, 111),
}


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No shared folder, an empty cache, and no network."""
    monkeypatch.delenv("GRAPHASSAY_SHARED", raising=False)
    monkeypatch.setenv("GRAPHASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "urllib.request.urlopen",
        lambda *_, **__: (_ for _ in ()).throw(urllib.error.URLError("no network in tests")),
    )
    return tmp_path / "cache"


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_counts(shared: Path, name: str) -> None:
    graphs = datasets.load(name, source=shared / "tu")
    assert (
        len(graphs),
        round(float(graphs.vertex_counts.mean()), 1),
        round(float(graphs.edge_counts.mean()), 1),
        int(graphs.vertex_counts.max()),
    ) == PUBLISHED[name]


def test_grakels_copy_has_the_same_content(shared: Path, alone: Path) -> None:
    pytest.importorskip("grakel.datasets")
    ours = datasets.load("mutag", source=shared / "tu")
    theirs = datasets.load("mutag")
    assert np.array_equal(ours.edge_u, theirs.edge_u)
    assert ours.sha256() == theirs.sha256()


def test_places_are_tried_in_order(shared: Path, alone: Path, monkeypatch) -> None:
    with pytest.raises(
        UnreadableFile, match=r"download failed \(no network in tests\); put a copy"
    ):
        datasets.load("ptc_mr")
    alone.mkdir()
    packed = (shared / "tu" / "PTC_MR.zip").read_bytes()
    (alone / "PTC_MR.zip").write_bytes(packed)
    assert len(datasets.load("ptc_mr")) == 344
    (alone / "PTC_MR.zip").unlink()
    monkeypatch.setenv("GRAPHASSAY_SHARED", str(shared))
    assert len(datasets.load("ptc_mr")) == 344
    assert len(datasets.load("ptc_mr", source=shared / "tu" / "PTC_MR.zip")) == 344


def test_packaging_does_not_matter_and_content_does(shared: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(shared / "tu" / "MUTAG.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    windows = tmp_path / "MUTAG.zip"
    with zipfile.ZipFile(windows, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data.replace(b"\n", b"\r\n"))
        archive.writestr("MUTAG/README.txt", "more")
    expected = datasets.find("mutag").sha256
    assert tu.content_digest(windows, "MUTAG") == expected
    folder = tmp_path / "unpacked"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    assert len(datasets.load("mutag", source=folder)) == 188
    assert len(datasets.load("mutag", source=folder / "MUTAG")) == 188
    labels = folder / "MUTAG" / "MUTAG_node_labels.txt"
    labels.write_bytes(labels.read_bytes().replace(b"0", b"1", 1))
    with pytest.raises(UnreadableFile, match="its content is not that of MUTAG"):
        datasets.load("mutag", source=folder)


def test_what_is_no_copy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"expected MUTAG\.zip or the folder MUTAG in it"):
        datasets.load("mutag", source=tmp_path)
    (tmp_path / "MUTAG.zip").write_bytes(b"not a zip")
    with pytest.raises(UnreadableFile, match="expected MUTAG as a zip or folder"):
        datasets.load("mutag", source=tmp_path)
    with zipfile.ZipFile(tmp_path / "MUTAG.zip", "w") as archive:
        archive.writestr("else.txt", "")
    with pytest.raises(UnreadableFile, match=r"expected the file MUTAG_A\.txt in it"):
        datasets.load("mutag", source=tmp_path)


def test_a_download_is_checked_and_kept(shared: Path, alone: Path, monkeypatch) -> None:
    packed = (shared / "tu" / "PTC_MR.zip").read_bytes()
    asked = []

    def answer(address: str, timeout: float) -> io.BytesIO:
        asked.append((address, timeout))
        return io.BytesIO(packed)

    monkeypatch.setattr("urllib.request.urlopen", answer)
    assert len(datasets.load("ptc_mr")) == 344
    assert asked == [("https://www.chrsmrrs.com/graphkerneldatasets/PTC_MR.zip", tu.TIMEOUT_S)]
    assert len(datasets.load("ptc_mr")) == 344
    assert len(asked) == 1
    assert [p.name for p in alone.iterdir()] == ["PTC_MR.zip"]


def test_a_wrong_download_is_not_kept(alone: Path, monkeypatch) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: io.BytesIO(b"<html>sorry"))
    with pytest.raises(UnreadableFile, match="expected NCI1 as a zip or folder"):
        datasets.load("nci1")
    assert list(alone.iterdir()) == []


def test_a_cache_that_cannot_be_made_is_said_so(alone: Path, shared: Path, monkeypatch) -> None:
    packed = (shared / "tu" / "PTC_MR.zip").read_bytes()
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: io.BytesIO(packed))
    alone.write_text("a file where the folder should be")
    with pytest.raises(UnwritableOutput, match="cannot write"):
        datasets.load("ptc_mr")

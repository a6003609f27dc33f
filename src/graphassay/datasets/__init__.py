"""Named sets of graphs: where they come from, under which licence, and how to load them."""

from pathlib import Path

from graphassay.datasets.catalogue import DATASETS, Dataset
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet, MoleculeOptions

__all__ = ["Dataset", "available", "find", "load"]


def available() -> tuple[Dataset, ...]:
    """Every named set, the embedded ones first."""
    return DATASETS


def find(name: str) -> Dataset:
    """The entry of a name; case and ``_``/``-`` do not matter.

    Raises:
        InvalidInput: no set is called so; the message lists those there are.
    """
    for dataset in DATASETS:
        if dataset.name.replace("_", "-") == name.lower().replace("_", "-"):
            return dataset
    raise InvalidInput(
        f"no data set is called {name!r}; there are {', '.join(d.name for d in DATASETS)}"
    )


def load(
    name: str,
    *,
    split: str | None = None,
    source: str | Path | None = None,
    molecules: MoleculeOptions = MoleculeOptions(),
    seed: int = 0,
) -> GraphSet:
    """A named set.

    TU sets are looked for in ``source``, in the folder named by ``GRAPHASSAY_SHARED``, in the
    cache, in GraKeL's wheel (MUTAG), and only then downloaded. Whatever the place, the content
    must have the catalogue's checksum.

    Args:
        name: one of `available`.
        split: ``train``, ``valid`` or ``test`` where the set has splits; default the whole set
            (MOSES: its training molecules).
        source: a local copy: a file, or a folder that holds it.
        molecules: how molecules become graphs.
        seed: for the sets that are made from one.

    Raises:
        InvalidInput: unknown name or split.
        UnreadableFile: no copy is found, or its content is not the known one.
        MissingDependency: QM9 without ``qm9pack`` and without a local copy.

    Example:
        >>> len(load("qm9-sample"))
        5000
    """
    dataset = find(name)
    if split is not None and split not in dataset.splits:
        raise InvalidInput(
            f"{dataset.name}: expected a split among {', '.join(dataset.splits) or '(none)'}, "
            f"got {split!r}"
        )
    place = None if source is None else Path(source)
    if dataset.kind == "tu":
        from graphassay.datasets import tu

        return tu.load(dataset, source=place)
    if dataset.kind == "molecules":
        from graphassay.datasets import molecules as molecule_sets

        return molecule_sets.load(dataset, split=split, source=place, molecules=molecules)
    from graphassay.datasets import random_graphs

    return random_graphs.load(dataset, split=split, seed=seed)

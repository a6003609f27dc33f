"""Diversity and nearest neighbours by Tanimoto similarity of fingerprints, as MOSES defines them.

Fingerprints come packed, 1024 bits in 128 bytes; intersections are counted by matrix products of
unpacked blocks, so that memory stays within a few hundred MB whatever the number of molecules.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import LEVEL, standard_error
from graphassay.results import Estimate, Undefined

Packed = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

BLOCK = 2048
"""Molecules on each side of one matrix product."""


def internal_diversity(fingerprints: Packed, *, power: int = 1) -> Estimate:
    """How different the molecules of a set are from each other.

    ``1 - mean over x of (mean over y of T(x, y) ** power) ** (1 / power)``, x = y included; T is
    the Tanimoto similarity. ``power`` 1 is MOSES' IntDiv, 2 its IntDiv2.

    Args:
        fingerprints: uint8, shape (n, n_bytes), packed bits.
        power: at least 1.

    Returns:
        In [0, 1), with the infinitesimal jackknife's interval; `Undefined` for an empty set. Of
        one molecule it is 0, and its interval is `Undefined`.

    Source: Benhenda 2017; Polykovskiy et al. 2020 (MOSES).
    """
    if power < 1:
        raise InvalidInput(f"power: expected at least 1, got {power}")
    n = len(fingerprints)
    if n == 0:
        nothing = Undefined("no molecules")
        return Estimate(nothing, nothing, nothing, 0, _JACKKNIFE)
    ones = np.ones(n)
    means = _products(fingerprints, power, ones) / n
    value = 1 - float(np.mean(means ** (1 / power)))
    # What one molecule contributes: its own row, and its column in every other row.
    slopes = means ** (1 / power - 1) / power
    through = means if power == 1 else _products(fingerprints, power, slopes) / n
    influence = means ** (1 / power) + through - np.mean(slopes * means)
    return standard_error(value, influence, bounds=(0.0, 1.0), method=_JACKKNIFE)


def _products(fingerprints: Packed, power: int, weights: Floats) -> Floats:
    """The matrix of similarities (to a power) times a vector; each pair is looked at once."""
    found = np.zeros(len(fingerprints))
    for i in range(0, len(fingerprints), BLOCK):
        rows = slice(i, i + BLOCK)
        for columns, similar in _tanimoto(fingerprints[rows], fingerprints[i:]):
            similar **= power
            at = slice(i + columns.start, i + columns.stop)
            found[rows] += similar @ weights[at]
            if columns.start:  # the mirror image of what is right of the diagonal block
                found[at] += weights[rows] @ similar
    return found


def nearest_similarity(generated: Packed, reference: Packed) -> Estimate:
    """SNN: mean over generated molecules of the similarity to the nearest reference molecule.

    It grows with the number of reference molecules: compare values of one reference set.

    Args:
        generated: as in `internal_diversity`.
        reference: likewise.

    Returns:
        In [0, 1], with the interval of a mean over generated molecules (the reference is taken as
        given); `Undefined` when one side is empty.

    Source: Polykovskiy et al. 2020 (MOSES).
    """
    if not len(generated) or not len(reference):
        nothing = Undefined(f"no {'reference' if len(generated) else 'generated'} molecules")
        return Estimate(nothing, nothing, nothing, len(generated), "mean over molecules", LEVEL)
    best = np.zeros(len(generated), dtype=np.float32)
    for i in range(0, len(generated), BLOCK):
        rows = slice(i, i + BLOCK)
        for _, similar in _tanimoto(generated[rows], reference):
            best[rows] = np.maximum(best[rows], similar.max(axis=1))
    nearest = best.astype(np.float64)
    return standard_error(
        float(nearest.mean()), nearest, bounds=(0.0, 1.0), method="mean over molecules"
    )


_JACKKNIFE = "infinitesimal jackknife over molecules"


def _tanimoto(a: Packed, b: Packed) -> Iterator[tuple[slice, npt.NDArray[np.float32]]]:
    """Similarities of some fingerprints to all of ``b``, block by block of ``b``.

    Two empty fingerprints are the same.
    """
    left = np.unpackbits(a, axis=1).astype(np.float32)
    sizes = left.sum(axis=1)[:, None]
    for j in range(0, len(b), BLOCK):
        right = np.unpackbits(b[j : j + BLOCK], axis=1).astype(np.float32)
        common = left @ right.T  # exact: counts stay far below 2**24
        union = sizes + right.sum(axis=1) - common
        np.divide(common, union, out=common, where=union > 0)
        common[union == 0] = 1
        yield slice(j, j + len(right)), common

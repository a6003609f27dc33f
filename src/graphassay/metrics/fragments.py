"""Whether two sets of molecules are made of the same parts: scaffolds and fragments."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import resampled
from graphassay.results import Estimate, Undefined, Value

Floats = npt.NDArray[np.float64]


def part_similarity(
    generated: Sequence[Sequence[str]],
    reference: Sequence[Sequence[str]],
    *,
    seed: int,
    n_resamples: int = 200,
) -> Estimate:
    """Cosine of the angle between two vectors of part counts.

    With the BRICS fragments of each molecule it is MOSES' Frag, with its Bemis-Murcko scaffold
    (none or one) its Scaf.

    Args:
        generated: the parts of each molecule; one that occurs twice counts twice.
        reference: likewise.
        seed: of the resamples.
        n_resamples: of the generated molecules, for the interval; at least 10.

    Returns:
        In [0, 1]; `Undefined` when one side has no parts at all.

    Source: Polykovskiy et al. 2020 (MOSES).

    Example:
        >>> part_similarity([["a"], ["b"]], [["a"], ["b"]], seed=0).value
        1.0
    """
    if n_resamples < 10:
        raise InvalidInput(f"n_resamples: expected at least 10, got {n_resamples}")
    names = {name for parts in (*generated, *reference) for name in parts}
    index = {name: i for i, name in enumerate(sorted(names))}
    counts = _counts(generated, index)
    target = np.asarray(_counts(reference, index).sum(axis=0), dtype=np.float64).ravel()
    rng = np.random.default_rng(seed)
    n = len(generated)
    ones = np.ones(n)

    def resample() -> Value:
        weights = rng.multinomial(n, ones / n).astype(np.float64)
        return _cosine(weights @ counts, target)

    return resampled(
        _cosine(ones @ counts, target),
        [resample() for _ in range(n_resamples if n else 0)],
        n=n,
        bounds=(0.0, 1.0),
    )


def _counts(molecules: Sequence[Sequence[str]], index: dict[str, int]) -> "sparse.csr_array":
    """Molecules by parts."""
    columns = np.array([index[name] for parts in molecules for name in parts], dtype=np.int64)
    offsets = np.zeros(len(molecules) + 1, dtype=np.int64)
    np.cumsum([len(parts) for parts in molecules], out=offsets[1:])
    return sparse.csr_array(
        (np.ones(len(columns)), columns, offsets), shape=(len(molecules), max(len(index), 1))
    )


def _cosine(a: Floats, b: Floats) -> Value:
    for side, vector in (("generated", a), ("reference", b)):
        if not vector.any():
            return Undefined(f"no {side} molecule has such a part")
    # Identical vectors give exactly 1, whatever the rounding.
    return min(1.0, float(a @ b / np.sqrt((a @ a) * (b @ b))))

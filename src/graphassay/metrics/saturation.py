"""Sequence diversity: how soon draws start to repeat themselves."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def distinct_sequences(hashes: npt.NDArray[np.uint64], drawn: Sequence[int]) -> tuple[float, ...]:
    """Distinct sequences among the first draws of each graph, mean over the graphs.

    Args:
        hashes: of the sequences, shape (graphs, draws).
        drawn: numbers of draws to count among.

    Returns:
        One mean per entry of ``drawn``; none at all, for "undefined", without graphs.

    Source: L, appendix D.3.

    Example:
        >>> distinct_sequences(np.array([[7, 7, 8], [1, 2, 3]], dtype=np.uint64), [1, 2, 3])
        (1.0, 1.5, 2.5)
    """
    if not len(hashes):
        return ()
    found = []
    for k in drawn:
        ordered = np.sort(hashes[:, :k], axis=1)
        found.append(float(1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1).mean()))
    return tuple(found)

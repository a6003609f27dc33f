"""Whole-graph memorization by isomorphism class (DEFINITIONS 5; M 4.2, Eq. 1)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import distinct_share, rate
from graphassay.results import CopyRates, Estimate

Classes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TrainClasses:
    """The distinct isomorphism classes of a training set, counted once for several questions.

    ``present[c]`` tells whether class ``c`` occurs in train, ``n_singletons`` how many classes
    occur exactly once.
    """

    present: npt.NDArray[np.bool_]
    n_graphs: int
    n_classes: int
    n_singletons: int

    @classmethod
    def of(cls, classes: Classes) -> "TrainClasses":
        """Count a training set's dense class numbers (`graphassay.canonical.class_index`)."""
        sizes = np.bincount(classes) if len(classes) else np.zeros(0, dtype=np.int64)
        return cls(sizes > 0, len(classes), int(np.sum(sizes > 0)), int(np.sum(sizes == 1)))

    def contains(self, classes: Classes) -> npt.NDArray[np.bool_]:
        """Whether each graph's class occurs in train."""
        known = classes < len(self.present)
        found = np.zeros(len(classes), dtype=bool)
        found[known] = self.present[classes[known]]
        return found


def copy_rates(train: TrainClasses, generated: Classes, *, n_failed: int = 0) -> CopyRates:
    """Exact-match rate, novelty, uniqueness and recall of a generated set.

    Args:
        train: the training set's classes.
        generated: dense class number of every parsed generated graph, numbered together with
            train (equal numbers mean isomorphic graphs), shape (n_generated,).
        n_failed: records that did not become a graph. They count as generated and as not
            memorized; two failures count as no class at all.

    Returns:
        Rates over ``n_generated + n_failed`` records with Wilson intervals; ``unique`` and
        ``recall`` with jackknife intervals. Rates are `Undefined` when there are no records.
    """
    if n_failed < 0:
        raise InvalidInput(f"expected n_failed >= 0, got {n_failed}")
    n_records = len(generated) + n_failed
    memorized = train.contains(generated)
    n_memorized = int(memorized.sum())
    classes, sizes = np.unique(generated, return_counts=True)
    in_train = train.contains(classes)
    n_reproduced = int(in_train.sum())
    return CopyRates(
        n_records=n_records,
        n_failed=n_failed,
        n_memorized=n_memorized,
        n_classes=len(classes),
        n_train=train.n_graphs,
        n_train_classes=train.n_classes,
        n_train_reproduced=n_reproduced,
        exact_match=rate(n_memorized, n_records),
        novelty=rate(n_records - n_memorized, n_records),
        unique=distinct_share(len(classes), int(np.sum(sizes == 1)), len(generated), n_records),
        failed=rate(n_failed, n_records),
        recall=distinct_share(
            n_reproduced, int(np.sum(sizes[in_train] == 1)), len(generated), train.n_classes
        ),
    )


def expected_repeats(train: TrainClasses) -> Estimate:
    """How often one more real graph would repeat a training graph, from train alone.

    The Good-Turing estimate: the unseen probability is the share of training graphs whose class
    occurs once. It says how much "copying" is plain chance in a small graph space. A training set
    without duplicates by construction gives 0, a lower bound.

    Returns:
        Share of training graphs, in [0, 1]; `Undefined` for an empty train.

    Source: Good, Biometrika 40 (1953) 237.
    """
    return rate(train.n_graphs - train.n_singletons, train.n_graphs)

"""Validity, uniqueness and novelty of generated molecules and graphs (DEFINITIONS 10).

The chain of the literature: of all records some are valid, of the valid ones some are distinct, of
the distinct ones some are not in train. Each rate has the count before it as its denominator, and
the product is the share of all records that survive to the end.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

from graphassay.errors import InvalidInput
from graphassay.metrics.intervals import rate
from graphassay.results import Estimate


@dataclass(frozen=True)
class GenerationCounts:
    """How many records are left after each step."""

    n_records: int
    n_valid: int
    n_distinct: int
    n_novel: int

    @classmethod
    def of(
        cls, valid: Sequence[Hashable], known: Collection[Hashable], *, n_records: int
    ) -> "GenerationCounts":
        """Count generated things by what makes two of them the same.

        Args:
            valid: a key per valid record: canonical SMILES, or isomorphism class.
            known: the keys of train (at least those that occur in ``valid``).
            n_records: all generated records, failed ones included.

        Raises:
            InvalidInput: more valid records than records.
        """
        if len(valid) > n_records:
            raise InvalidInput(f"expected at most {n_records:,} valid records, got {len(valid):,}")
        distinct = set(valid)
        return cls(n_records, len(valid), len(distinct), len(distinct.difference(known)))


def validity(counts: GenerationCounts) -> Estimate:
    """Valid records / all records; `Undefined` without records. Wilson's interval."""
    return rate(counts.n_valid, counts.n_records)


def uniqueness(counts: GenerationCounts) -> Estimate:
    """Distinct / valid records; `Undefined` when none is valid. It falls as more are drawn."""
    return rate(counts.n_distinct, counts.n_valid)


def distinct_novelty(counts: GenerationCounts) -> Estimate:
    """Distinct valid ones that are not in train / all distinct valid ones.

    `Undefined` when none is valid. (The novelty of the copying section counts every record.)
    """
    return rate(counts.n_novel, counts.n_distinct)


def valid_unique_novel(counts: GenerationCounts) -> Estimate:
    """V x U x N: distinct valid novel ones / all records; `Undefined` without records."""
    return rate(counts.n_novel, counts.n_records)

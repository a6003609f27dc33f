"""The graph sets of a comparison, each in its role."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphassay.assay.inputs import intake_of
from graphassay.canonical import class_index
from graphassay.graph import GraphSet, Int64
from graphassay.results.quality import Split


@dataclass(frozen=True, eq=False)
class Roles:
    """Train, generated and perhaps a holdout; ``reference`` says which split is the reference."""

    train: GraphSet
    generated: GraphSet
    holdout: GraphSet | None
    reference: Split
    seed: int
    threads: int | None
    progress: Callable[[str], None]

    @property
    def against(self) -> GraphSet:
        """What the generated graphs are held against."""
        if self.reference == "train":
            return self.train
        assert self.holdout is not None
        return self.holdout

    @property
    def real(self) -> GraphSet | None:
        """The real graphs that take the place of the generated ones."""
        return self.holdout if self.reference == "train" else self.train

    @property
    def n_failed(self) -> int:
        """Generated records that gave no graph."""
        return intake_of("generated", self.generated).n_refused

    @cached_property
    def fresh(self) -> GraphSet | None:
        """As many random real graphs as there are generated ones (all, where there are fewer)."""
        if self.real is None:
            return None
        return sample(self.real, len(self.generated), np.random.default_rng([self.seed, 99]))

    @cached_property
    def classes(self) -> Mapping[str, Int64]:
        """Isomorphism classes of train, generated and fresh graphs, numbered together."""
        self.progress("finding isomorphic graphs")
        sets = {"train": self.train, "generated": self.generated}
        if self.fresh is not None:
            sets["fresh"] = self.fresh
        return dict(zip(sets, class_index([*sets.values()], threads=self.threads), strict=True))


def sample(graphs: GraphSet, n: int, rng: np.random.Generator) -> GraphSet:
    """At most ``n`` random graphs, in their order."""
    if len(graphs) <= n:
        return graphs
    return graphs.take(np.sort(rng.choice(len(graphs), n, replace=False)))

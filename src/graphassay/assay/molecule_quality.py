"""The molecule metrics of a generated set: rates, stability, distributions beside a reference."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from graphassay.assay.molecule_sets import Molecules, molecules_in, sources_are_smiles
from graphassay.assay.roles import Roles, sample
from graphassay.errors import InvalidInput, MissingDependency
from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.metrics.chemnet import MAX_LENGTH, chemnet_activations, find_fcd
from graphassay.metrics.fingerprints import internal_diversity, nearest_similarity
from graphassay.metrics.fragments import part_similarity
from graphassay.metrics.frechet import MIN_MOLECULES, RELIABLE, frechet_distance, too_few
from graphassay.metrics.generation import (
    GenerationCounts,
    distinct_novelty,
    uniqueness,
    valid_unique_novel,
    validity,
)
from graphassay.metrics.polygraph import find_polygraph, molecule_discrepancy
from graphassay.metrics.properties import UNITS, common_histogram, property_distance
from graphassay.metrics.stability import (
    atom_stability,
    molecule_stability,
    stable_atoms,
    stable_molecules,
)
from graphassay.molecules.features import FINGERPRINT, PROPERTIES, Features, describe
from graphassay.results import Estimate, Undefined
from graphassay.results.quality import PropertyDistribution, QualityMetric

RATES = ("validity", "uniqueness", "distinct_novelty", "vun")
STABILITY = ("atom_stability", "molecule_stability")
DIVERSITY = ("int_div", "int_div2")
MOLECULE_METRICS = (
    *RATES,
    *STABILITY,
    "fcd",
    "pgd",
    "snn",
    "fragment_similarity",
    "scaffold_similarity",
    *DIVERSITY,
    *PROPERTIES,
)

_FEATURE = {
    "snn": FINGERPRINT,
    "int_div": FINGERPRINT,
    "int_div2": FINGERPRINT,
    "fragment_similarity": "fragments",
    "scaffold_similarity": "scaffold",
    **{name: name for name in PROPERTIES},
}
_HELD_AGAINST = {"fcd", "pgd", *_FEATURE} - set(DIVERSITY)
"""Metrics that need molecules of the reference."""

_PROPERTY_NAMES = {"qed": "QED", "logp": "logP", "sa": "SA score", "weight": "Molecular weight"}
_FINGERPRINT = "Tanimoto, Morgan radius 2, 1024 bits"


@dataclass(frozen=True, eq=False)
class MoleculeJobs:
    """What is computed once of the sets in their roles, and the metrics that come of it."""

    roles: Roles
    options: MoleculeOptions
    wanted: Collection[str]
    max_molecules: int
    skipped: dict[str, Undefined] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def metrics(self) -> Iterator[QualityMetric]:
        """Every wanted metric, in the order of `MOLECULE_METRICS`."""
        yield from self._rates()
        yield from self._stability()
        yield from self._chemnet()
        yield from self._polygraph()
        yield from self._similarities()

    def rng(self, purpose: int) -> np.random.Generator:
        """A stream of its own for every purpose: metrics do not depend on each other."""
        return np.random.default_rng([self.roles.seed, 100 + purpose])

    def read(self, graphs: GraphSet, origin: GraphSet) -> Molecules:
        """The molecules of some graphs of ``origin``."""
        trusted = sources_are_smiles(origin)
        return molecules_in(graphs, self.options, trusted=trusted, threads=self.roles.threads)

    # Rates

    @cached_property
    def molecules(self) -> Molecules:
        """All valid generated molecules."""
        self.roles.progress("reading the generated molecules")
        return self.read(self.roles.generated, self.roles.generated)

    def _rates(self) -> Iterator[QualityMetric]:
        if not set(RATES) & set(self.wanted):
            return
        roles = self.roles
        n_records = len(roles.generated) + roles.n_failed
        known = self._known(roles.generated, "generated")
        counts = GenerationCounts.of(self.molecules.smiles, known, n_records=n_records)
        real: GenerationCounts | None = None
        if roles.fresh is not None and roles.real is not None:
            fresh = self.read(roles.fresh, roles.real)
            known = self._known(roles.fresh, "fresh")
            real = GenerationCounts.of(fresh.smiles, known, n_records=len(roles.fresh))
        for key, function in zip(
            RATES, (validity, uniqueness, distinct_novelty, valid_unique_novel), strict=True
        ):
            if key not in self.wanted:
                continue
            about_train = key in ("distinct_novelty", "vun")
            # With train in the place of the generated graphs, novelty would be 0 by construction.
            beside = None if about_train and roles.reference == "holdout" else real
            yield QualityMetric(
                key,
                function(counts),
                "train" if about_train else "",
                len(roles.train) if about_train else 0,
                None if beside is None else function(beside),
                "RDKit" if key == "validity" else "canonical SMILES without stereochemistry",
            )

    def _known(self, graphs: GraphSet, role: str) -> set[str]:
        """The canonical SMILES of those training molecules that could be among these.

        Molecules of one canonical SMILES are one graph, so only the training graphs that are
        isomorphic to one of these need a SMILES, a handful of millions. (Kekulé structures depend
        on the order of atoms: then, as for graphs made in another way, all of train is asked.)
        """
        train = self.roles.train
        self.roles.progress("looking molecules up in train")
        if train.molecules == graphs.molecules and not self.options.kekulize:
            classes = self.roles.classes
            train = train.take(np.flatnonzero(np.isin(classes["train"], classes[role])))
        return set(self.read(train, self.roles.train).smiles)

    # Stability

    def _stability(self) -> Iterator[QualityMetric]:
        wanted = [key for key in STABILITY if key in self.wanted]
        if not wanted:
            return
        self.roles.progress("counting valencies")
        try:
            values = self._stabilities(self.roles.generated, self.roles.n_failed)
            fresh = self.roles.fresh
            real = None if fresh is None else self._stabilities(fresh, 0)
        except InvalidInput as error:
            self.skip(wanted, str(error))
            return
        if sources_are_smiles(self.roles.generated):
            self.notes.append(
                "the generated molecules come from SMILES, where RDKit puts the hydrogens: their "
                "stability says nothing of the hydrogens that the generator placed"
            )
        bonds = "kekulized bonds" if self.options.kekulize else "aromatic bonds count 1.5"
        for key in wanted:
            value = None if real is None else real[key]
            yield QualityMetric(key, values[key], real=value, detail=f"strict valencies, {bonds}")

    @staticmethod
    def _stabilities(graphs: GraphSet, n_failed: int) -> dict[str, Estimate]:
        return {
            "atom_stability": atom_stability(stable_atoms(graphs), graphs.vertex_counts),
            "molecule_stability": molecule_stability(stable_molecules(graphs), n_failed=n_failed),
        }

    # Distributions

    @cached_property
    def samples(self) -> dict[str, tuple[str, ...]]:
        """SMILES of at most ``max_molecules`` generated, real and, where wanted, reference ones."""
        most, roles = self.max_molecules, self.roles
        found = {"generated": self.molecules.sample(most, self.rng(1))}
        if set(self.wanted) & _HELD_AGAINST:
            roles.progress("reading the reference molecules")
            found["reference"] = self._some(roles.against, most, 2)
        if roles.real is not None:
            found["real"] = self._some(roles.real, len(found["generated"]), 3)
        for role, graphs in (("generated", roles.generated), ("reference", roles.against)):
            if role in found and len(graphs) > len(found[role]) == most:
                self.notes.append(
                    f"distributions of molecules come from {most:,} random {role} molecules of "
                    f"{len(graphs):,}"
                )
        return found

    def _some(self, graphs: GraphSet, n: int, purpose: int) -> tuple[str, ...]:
        rng = self.rng(purpose)
        return self.read(sample(graphs, n, rng), graphs).sample(n, rng)

    @cached_property
    def features(self) -> dict[str, Features]:
        """What the wanted metrics need to know of the samples."""
        names = {_FEATURE[key] for key in self.wanted if key in _FEATURE}
        found = {}
        for role, smiles in self.samples.items():
            self.roles.progress(f"describing {len(smiles):,} {role} molecules")
            found[role] = describe(smiles, names, processes=self.roles.threads)
        return found

    def _beside(
        self, key: str, compute: Callable[[str, str], Estimate], detail: str
    ) -> QualityMetric:
        """A metric of generated beside reference, and of real beside reference."""
        real = compute("real", "reference") if "real" in self.samples else None
        n_reference = len(self.samples["reference"])
        value = compute("generated", "reference")
        return QualityMetric(key, value, self.roles.reference, n_reference, real, detail)

    def _chemnet(self) -> Iterator[QualityMetric]:
        if "fcd" not in self.wanted:
            return
        try:
            find_fcd()
        except MissingDependency as error:
            self.skip(["fcd"], str(error))
            return
        short = {
            role: tuple(text for text in smiles if len(text) <= MAX_LENGTH)
            for role, smiles in self.samples.items()
        }
        rows: dict[str, npt.NDArray[np.float32]] = {}

        def activations(role: str) -> npt.NDArray[np.float32]:
            if role not in rows:
                self.roles.progress(f"ChemNet reads {len(short[role]):,} {role} molecules")
                rows[role] = chemnet_activations(short[role], threads=self.roles.threads)
            return rows[role]

        def compute(role: str, other: str) -> Estimate:
            nothing = too_few({side: len(short[side]) for side in (role, other)})
            if nothing is not None:
                n = len(short[role])
                return Estimate(nothing, nothing, nothing, n, "bootstrap of the generated set")
            sides = activations(role), activations(other)
            self.roles.progress("Fréchet distances")
            return frechet_distance(*sides, seed=self.roles.seed, n_resamples=20)

        yield self._beside("fcd", compute, self._about_fcd(short))

    def _about_fcd(self, short: Mapping[str, Collection[str]]) -> str:
        """How many molecules each distance is of; remarks on few and on long ones."""
        n = {role: len(smiles) for role, smiles in short.items()}
        pairs = {role: min(n[role], n["reference"]) for role in n if role != "reference"}
        few = {role: size for role, size in pairs.items() if MIN_MOLECULES <= size < RELIABLE}
        detail = f"ChemNet, {n['generated']:,} against {n['reference']:,} molecules"
        if "generated" in few:
            detail += f"; below {RELIABLE:,} it is inflated: compare values of one size only"
            sizes = " to ".join(f"{size:,}" for size in sorted(set(few.values())))
            self.notes.append(
                f"FCD of {sizes} molecules is inflated by the small number (its authors ask for "
                f"{RELIABLE:,}): compare it with that of real molecules, not with published values"
            )
        elif "real" in few:
            self.notes.append(
                f"FCD of {few['real']:,} real molecules is inflated by the small number (its "
                f"authors ask for {RELIABLE:,}), that of the generated ones is not"
            )
        if pairs.get("real", n["generated"]) < pairs["generated"]:
            detail += f"; real: {n['real']:,} molecules"
        n_long = sum(len(self.samples[role]) - n[role] for role in n)
        if n_long:
            self.notes.append(
                f"FCD leaves out {n_long:,} molecules whose SMILES is longer than {MAX_LENGTH}"
            )
        return detail

    def _polygraph(self) -> Iterator[QualityMetric]:
        if "pgd" not in self.wanted:
            return
        try:
            find_polygraph()
        except MissingDependency as error:
            self.skip(["pgd"], str(error))
            return
        self.roles.progress("PolyGraph Discrepancy")
        samples = self.samples
        found = molecule_discrepancy(samples["generated"], samples["reference"])
        if isinstance(found.value, Undefined):
            self.skip(["pgd"], found.value.reason)
            return
        yield QualityMetric(
            "pgd", found, self.roles.reference, found.n, detail="MoleculePGD, TabPFN"
        )

    def _similarities(self) -> Iterator[QualityMetric]:
        if not {key for key in self.wanted if key in _FEATURE} - set(PROPERTIES):
            return
        features = self.features
        self.roles.progress("comparing molecules")

        def nearest(role: str, other: str) -> Estimate:
            return nearest_similarity(features[role].fingerprint, features[other].fingerprint)

        def parts(of: str) -> Callable[[str, str], Estimate]:
            def compute(role: str, other: str) -> Estimate:
                sides = [_parts(getattr(features[side], of)) for side in (role, other)]
                return part_similarity(sides[0], sides[1], seed=self.roles.seed)

            return compute

        if "snn" in self.wanted:
            yield self._beside("snn", nearest, _FINGERPRINT)
        if "fragment_similarity" in self.wanted:
            yield self._beside("fragment_similarity", parts("fragments"), "BRICS fragments")
        if "scaffold_similarity" in self.wanted:
            detail = "Bemis-Murcko scaffolds of at least 2 rings"
            yield self._beside("scaffold_similarity", parts("scaffold"), detail)
        for power, key in enumerate(DIVERSITY, start=1):
            if key in self.wanted:
                of = {
                    role: internal_diversity(features[role].fingerprint, power=power)
                    for role in ("generated", "real")
                    if role in features
                }
                yield QualityMetric(key, of["generated"], real=of.get("real"), detail=_FINGERPRINT)

    def properties(self) -> Iterator[PropertyDistribution]:
        """How the wanted properties are spread."""
        for key in PROPERTIES:
            if key not in self.wanted:
                continue
            values = {role: self._values(key, role) for role in self.features}
            bins = common_histogram(values["generated"], values["reference"])
            real: Estimate | None = None
            if "real" in values:
                real = property_distance(values["real"], values["reference"], seed=self.roles.seed)
            yield PropertyDistribution(
                key=key,
                name=_PROPERTY_NAMES[key],
                unit=UNITS[key],
                edges=bins.edges,
                generated=bins.generated,
                reference=bins.reference,
                reference_split=self.roles.reference,
                distance=property_distance(
                    values["generated"], values["reference"], seed=self.roles.seed
                ),
                real=real,
                n_reference=len(values["reference"]),
            )

    def _values(self, key: str, role: str) -> npt.NDArray[np.float64]:
        values = self.features[role].values[key]
        known = values[np.isfinite(values)]
        if len(known) < len(values):
            self.notes.append(
                f"RDKit has no {_PROPERTY_NAMES[key]} for {len(values) - len(known):,} {role} "
                "molecules; they are left out of its distribution"
            )
        return known

    def skip(self, keys: Collection[str], reason: str) -> None:
        """Note metrics that could not be computed at all."""
        self.skipped.update(dict.fromkeys(keys, Undefined(reason)))


def _parts(texts: tuple[str, ...]) -> list[list[str]]:
    """The dot-separated parts of each molecule."""
    return [text.split(".") if text else [] for text in texts]

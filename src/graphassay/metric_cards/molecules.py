"""Quality of generated molecules, and copies by isomorphism or planarity."""

import math

from graphassay.metric_cards.card import MetricCard

_MOSES = "Polykovskiy et al., Molecular Sets (MOSES), Front. Pharmacol. 11 (2020) 565644"
_L = "“Linearization uncertainty” study, appendix A"
_EDM = "Hoogeboom et al., Equivariant diffusion for molecule generation in 3D, ICML 2022"
_NO_SIDE = "no valid generated or no reference molecule"

MOLECULES: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            key="validity",
            name="Validity",
            symbol="V",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated records is a valid molecule?",
            formula="records that RDKit reads and sanitizes / all generated records (failed ones "
            "included)",
            meaning="A graph that was not read from a SMILES is valid when RDKit can make a "
            "molecule of it.",
            undefined="no generated record",
            source=_MOSES,
        ),
        MetricCard(
            key="uniqueness",
            name="Uniqueness",
            symbol="U",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the valid molecules is distinct?",
            formula="distinct canonical SMILES (stereochemistry left out) / valid molecules",
            meaning="It falls as more molecules are drawn: compare sets of one size.",
            undefined="no valid molecule",
            source=_MOSES,
        ),
        MetricCard(
            key="distinct_novelty",
            name="Novelty of distinct molecules",
            symbol="N",
            better="neither",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the distinct valid molecules is not in train?",
            formula="distinct canonical SMILES that no training molecule has / distinct canonical "
            "SMILES",
            meaning="Compare it with that of real molecules; noise is novel too. It differs from "
            "“Novelty” of the copying section, which counts every record.",
            undefined="no valid molecule",
            source=_MOSES,
        ),
        MetricCard(
            key="vun",
            name="Valid, unique and novel",
            symbol="V × U × N",
            latex=r"$V \times U \times N$",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated records is a new, distinct, valid molecule?",
            formula="distinct valid novel molecules / all generated records: the product of "
            "validity, uniqueness and novelty",
            meaning="How much of the output is left after each filter.",
            undefined="no generated record",
            source=_L,
        ),
        MetricCard(
            key="atom_stability",
            name="Atom stability",
            symbol="atom stability",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the atoms has exactly a valency of its element?",
            formula="atoms whose bond orders sum to a valency of their element (H 1, C 4, N 3, "
            "O 2, F 1, B 3, Si 4, P 3 or 5, S 4, Cl 1, Br 1, I 1) and that bear no charge / all "
            "atoms",
            meaning="Needs hydrogens as vertices. Stricter than chemistry, more so with aromatic "
            "bonds (1.5 each) than with kekulized ones: compare with real molecules.",
            undefined="no atom, or hydrogens left implicit",
            source=_EDM,
        ),
        MetricCard(
            key="molecule_stability",
            name="Molecule stability",
            symbol="molecule stability",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated records is a molecule of stable atoms only?",
            formula="records all of whose atoms are stable / all generated records",
            meaning="As atom stability; one unstable atom is enough to lose a molecule.",
            undefined="no generated record, or hydrogens left implicit",
            source=_EDM,
        ),
        MetricCard(
            key="fcd",
            name="Fréchet ChemNet distance",
            symbol="FCD",
            better="lower",
            low=0.0,
            high=math.inf,
            question="Do the molecules look to ChemNet as the reference's do?",
            formula="‖m₁ − m₂‖² + tr(S₁ + S₂ − 2 (S₁S₂)^½) of the means and covariances of "
            "ChemNet's 512 activations",
            meaning="Near 0: the same chemistry and biology, as far as ChemNet knows. A small "
            "number of molecules inflates it: real molecules of the same number are not at 0.",
            undefined="fewer than 513 molecules on one side, or the package fcd is missing",
            source="Preuer et al., J. Chem. Inf. Model. 58 (2018) 1736; package fcd",
        ),
        MetricCard(
            key="pgd",
            name="PolyGraph Discrepancy",
            symbol="PGD",
            better="lower",
            low=0.0,
            high=1.0,
            question="How well does a classifier tell generated from real graphs?",
            formula="the best of several descriptors' lower bounds on the Jensen-Shannon distance, "
            "by the log-likelihood of a TabPFN classifier on held-out graphs",
            meaning="0: not told apart. 1: always told apart.",
            undefined="the package polygraph-benchmark or the weights that it downloads are "
            "missing, or fewer than 32 graphs",
            source="Krimmel et al., PolyGraph (2025); package polygraph-benchmark",
        ),
        MetricCard(
            key="snn",
            name="Similarity to the nearest neighbour",
            symbol="SNN",
            better="neither",
            low=0.0,
            high=1.0,
            question="How near is a generated molecule to the nearest reference molecule?",
            formula="mean over generated molecules of the largest Tanimoto similarity (Morgan "
            "fingerprints, radius 2, 1024 bits) to a reference molecule",
            meaning="Above that of real molecules: close copies. Below: away from the data. It "
            "grows with the size of the reference.",
            undefined=_NO_SIDE,
            source=_MOSES,
        ),
        MetricCard(
            key="fragment_similarity",
            name="Fragment similarity",
            symbol="Frag",
            better="higher",
            low=0.0,
            high=1.0,
            question="Are the molecules made of the reference's fragments, as often?",
            formula="cosine of the angle between the counts of BRICS fragments",
            meaning="1: the same fragments in the same proportions.",
            undefined="no fragment on one side",
            source=_MOSES,
        ),
        MetricCard(
            key="scaffold_similarity",
            name="Scaffold similarity",
            symbol="Scaf",
            better="higher",
            low=0.0,
            high=1.0,
            question="Do the molecules have the reference's scaffolds, as often?",
            formula="cosine of the angle between the counts of Bemis-Murcko scaffolds of at least "
            "two rings",
            meaning="Most scaffolds are rare, so that small samples of one distribution are far "
            "below 1: compare with real molecules.",
            undefined="no scaffold of two rings on one side",
            source=_MOSES,
        ),
        MetricCard(
            key="int_div",
            name="Internal diversity",
            symbol="IntDiv",
            better="neither",
            low=0.0,
            high=1.0,
            question="How different are the generated molecules from each other?",
            formula="1 − mean Tanimoto similarity over all pairs (Morgan fingerprints, radius 2, "
            "1024 bits)",
            meaning="Compare it with that of real molecules: lower is a lack of variety.",
            undefined="no valid molecule",
            source=_MOSES,
        ),
        MetricCard(
            key="int_div2",
            name="Internal diversity, squared",
            symbol="IntDiv2",
            better="neither",
            low=0.0,
            high=1.0,
            question="As IntDiv, but with more weight on near pairs?",
            formula="1 − mean over molecules of the root mean square of their Tanimoto "
            "similarities to all",
            meaning="Falls faster than IntDiv when molecules form tight groups.",
            undefined="no valid molecule",
            source=_MOSES,
        ),
        *(
            MetricCard(
                key=key,
                name=name,
                symbol=symbol,
                better="lower",
                low=0.0,
                high=math.inf,
                question=f"How far is the distribution of {what} from the reference's?",
                formula=f"Wasserstein-1 distance of the two samples of {what}",
                meaning=f"{unit}. Real molecules of the same number are not quite at 0.",
                undefined=_NO_SIDE + " with a value",
                source=source,
            )
            for key, name, symbol, what, unit, source in (
                (
                    "qed",
                    "Distance in drug-likeness",
                    "W(QED)",
                    "QED",
                    "In units of QED (0 to 1)",
                    "Bickerton et al., Nature Chem. 4 (2012) 90; RDKit",
                ),
                (
                    "logp",
                    "Distance in lipophilicity",
                    "W(logP)",
                    "logP",
                    "In units of logP",
                    "Wildman and Crippen, J. Chem. Inf. Comput. Sci. 39 (1999) 868; RDKit",
                ),
                (
                    "sa",
                    "Distance in synthetic accessibility",
                    "W(SA)",
                    "the SA score",
                    "In units of the score (1 easy to 10 hard)",
                    "Ertl and Schuffenhauer, J. Cheminform. 1 (2009) 8; RDKit's Contrib",
                ),
                (
                    "weight",
                    "Distance in molecular weight",
                    "W(weight)",
                    "molecular weight",
                    "In Da",
                    "RDKit",
                ),
            )
        ),
        MetricCard(
            key="graph_uniqueness",
            name="Uniqueness by isomorphism",
            symbol="U (graphs)",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated graphs is distinct?",
            formula="isomorphism classes / generated graphs",
            meaning="It falls as more graphs are drawn: compare sets of one size.",
            undefined="no generated graph",
            source="Martinkus et al., SPECTRE, ICML 2022",
        ),
        MetricCard(
            key="graph_novelty",
            name="Novelty by isomorphism",
            symbol="N (graphs)",
            better="neither",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the distinct generated graphs is not in train?",
            formula="isomorphism classes that no training graph has / isomorphism classes",
            meaning="Compare it with that of real graphs; noise is novel too.",
            undefined="no generated graph",
            source="Martinkus et al., SPECTRE, ICML 2022",
        ),
        MetricCard(
            key="planar_vun",
            name="Planar, unique and novel",
            symbol="V × U × N (planar)",
            latex=r"$V \times U \times N$ (planar)",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the records is a new, distinct, connected planar graph?",
            formula="isomorphism classes of connected planar graphs that train lacks / all "
            "generated records",
            meaning="The composite score for planar generators.",
            undefined="no generated record, labelled graphs, or a train that is not planar itself",
            source="Martinkus et al., SPECTRE, ICML 2022",
        ),
    )
}
"""Molecules first, in the order of the tables."""

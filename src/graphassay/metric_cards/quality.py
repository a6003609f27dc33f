"""Quality and fidelity of a generated set."""

from graphassay.metric_cards.card import PAPER, MetricCard
from graphassay.metric_cards.molecules import MOLECULES

GRAPH_QUALITY: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            key="degree_mmd",
            name="Degree MMD²",
            symbol="degree",
            better="lower",
            of_one_size=True,
            low=-2.0,
            high=2.0,
            question="Do generated graphs have the reference's degree histograms?",
            formula="mean k(x, x′) + mean k(y, y′) − 2 mean k(x, y) over pairs of graphs, k on "
            "each graph's degree histogram",
            meaning="0: as like as two samples of one distribution. Labels play no part. Compare "
            "with the value of held-out real graphs: the biased V-statistic of the literature is "
            "above 0 for them too, the more so the fewer the graphs.",
            undefined="an empty set; one graph in either set for the unbiased variant",
            source="You et al., GraphRNN, ICML 2018; Gaussian of total variation as in Liao et "
            "al., GRAN, NeurIPS 2019, and Martinkus et al., SPECTRE, ICML 2022",
        ),
        MetricCard(
            key="clustering_mmd",
            name="Clustering MMD²",
            symbol="clustering",
            better="lower",
            of_one_size=True,
            low=-2.0,
            high=2.0,
            question="Do generated graphs have the reference's clustering coefficients?",
            formula="as the degree MMD², on each graph's histogram of local clustering "
            "coefficients in 100 bins on [0, 1]",
            meaning="0: as like as two samples of one distribution. Sets without triangles give 0.",
            undefined="an empty set; one graph in either set for the unbiased variant",
            source="You et al., GraphRNN, ICML 2018",
        ),
        MetricCard(
            key="orbit_mmd",
            name="Orbit MMD²",
            symbol="orbit",
            better="lower",
            of_one_size=True,
            low=-2.0,
            high=2.0,
            question="Do generated graphs have the reference's small subgraphs?",
            formula="as the degree MMD², on each graph's mean counts of the 15 orbits of "
            "graphlets on 2 to 4 vertices",
            meaning="0: as like as two samples of one distribution. Counts are not normalized: "
            "size and density weigh in.",
            undefined="an empty set; one graph in either set for the unbiased variant",
            source="You et al., GraphRNN, ICML 2018; orbits of Pržulj, Bioinformatics 23 (2007) "
            "e177",
        ),
        MetricCard(
            key="spectral_mmd",
            name="Spectral MMD²",
            symbol="spectral",
            better="lower",
            of_one_size=True,
            low=-2.0,
            high=2.0,
            question="Do generated graphs have the reference's Laplacian spectra?",
            formula="as the degree MMD², on each graph's histogram of the eigenvalues of its "
            "normalized Laplacian in 200 bins on [−10⁻⁵, 2]",
            meaning="0: as like as two samples of one distribution. It sees global structure that "
            "the other three do not.",
            undefined="an empty set; one graph in either set for the unbiased variant",
            source="Liao et al., GRAN, NeurIPS 2019; bins as in Martinkus et al., SPECTRE, ICML "
            "2022",
        ),
        MetricCard(
            key="wl_mmd",
            name="WL MMD²",
            symbol="WL-MMD",
            better="lower",
            low=-2.0,
            high=2.0,
            question="Do generated graphs have the reference's labelled neighbourhoods?",
            formula="as the degree MMD², unbiased (pairs of different graphs only), k the "
            "normalized Weisfeiler–Lehman subtree kernel",
            meaning="0 in the mean for two samples of one distribution, and as often below as "
            "above. Unlike the four above it sees vertex labels.",
            undefined="fewer than two graphs in either set",
            source=f"{PAPER}, appendix H, table 11; kernel of Shervashidze et al., JMLR 12 (2011) "
            "2539",
        ),
        MetricCard(
            key="wl_coverage",
            name="WL coverage",
            symbol="coverage",
            better="higher",
            of_one_size=True,
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the reference's graphs does some generated graph resemble?",
            formula="reference graphs whose largest normalized Weisfeiler–Lehman kernel with a "
            "generated graph reaches the threshold / all reference graphs",
            meaning="Low: whole regions of the reference are missing. It grows with the number of "
            "generated graphs; compare at equal numbers only.",
            undefined="an empty set",
            source=f"{PAPER}, appendix H, table 11, which gives no threshold; see "
            "`graphassay.metrics.wl` for the choice",
        ),
        MetricCard(
            key="wl_diversity",
            name="WL diversity",
            symbol="diversity",
            better="neither",
            low=0.0,
            high=1.0,
            question="How unlike each other are the generated graphs?",
            formula="1 − mean normalized Weisfeiler–Lehman kernel of two different generated "
            "graphs",
            meaning="Compare with that of held-out real graphs: below it the generator repeats "
            "itself, above it the graphs stray.",
            undefined="fewer than two generated graphs",
            source=f"{PAPER}, appendix H, table 11 (whose values agree with 1 minus this number)",
        ),
        MetricCard(
            key="planar_validity",
            name="Planar validity",
            symbol="planar",
            better="higher",
            low=0.0,
            high=1.0,
            unit="%",
            question="What share of the generated records is a connected planar graph?",
            formula="records whose graph is connected and planar / all generated records (failed "
            "ones included)",
            meaning="For sets whose training graphs are all planar, such as the Delaunay "
            "triangulations.",
            undefined="no generated record",
            source="Martinkus et al., SPECTRE, ICML 2022",
        ),
    )
}
"""Whole-graph statistics, kernels and planarity."""

QUALITY: dict[str, MetricCard] = MOLECULES | GRAPH_QUALITY

"""Are likelihoods about the graph or about the order it was written in."""

import math
from collections.abc import Mapping

from graphassay.metric_cards.card import MINUS, MetricCard

STUDY = "“Same Graph, Different Likelihoods”"

_NOBODY = "no graph that can be scored"
_ONE_KIND = "all graphs good, all bad, or none with a value"

LINEARIZATION: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            key="nll_per_token",
            name="NLL per token",
            symbol="NLL/token",
            better="lower",
            low=0.0,
            high=math.inf,
            question="How well does the model predict the tokens of held-out graphs?",
            formula=f"sum of {MINUS}log p over all predicted tokens (EOS, not BOS) of K "
            "linearizations of each graph / their number, in nats",
            meaning="Compare it between the order that the model was trained on and others. "
            "Between strategies it is not comparable: their sequences differ in length.",
            undefined=_NOBODY,
            source=f"{STUDY}, table 1",
        ),
        MetricCard(
            key="nll_per_graph",
            name="NLL per graph",
            symbol="NLL",
            better="lower",
            low=0.0,
            high=math.inf,
            question="How likely does the model find a held-out graph, written in one order?",
            formula=f"{MINUS}log p of a whole sequence, mean over K linearizations and graphs, in "
            "nats",
            meaning="Of one order: the graph's own probability is a sum over all of them; see the "
            "bound.",
            undefined=_NOBODY,
            source=f"{STUDY}, section 2.3",
        ),
        MetricCard(
            key="lu",
            name="Linearization uncertainty (LU)",
            symbol="LU",
            better="lower",
            low=0.0,
            high=math.inf,
            question="How much does a graph's likelihood depend on the order it is written in?",
            formula="standard deviation (divisor K) / mean of the NLL over K linearizations of a "
            "graph; mean over the graphs",
            meaning="0: the likelihood is about the graph. Native: orders of the strategy that the "
            "model was trained on; random: any order.",
            undefined="fewer than two linearizations of every graph (one atom, benzene): they are "
            "counted and left out",
            source=f"{STUDY}, section 2.3",
        ),
        MetricCard(
            key="ece",
            name="Expected calibration error (ECE)",
            symbol="ECE",
            better="lower",
            low=0.0,
            high=1.0,
            question="Is the model's first choice right as often as its confidence says?",
            formula="sum over 15 equal bins (lo, hi] of the top-1 probability of share of tokens × "
            "|mean confidence − accuracy|; over all tokens, and over those of one type",
            meaning="0: calibrated. Types: new vertex (the first use of an index), revisit (a "
            "back-reference), both together (index), vertex label, edge label, special.",
            undefined="no token of the type",
            source="Guo et al., ICML 2017; " + f"{STUDY}, section 2.3 and appendix D.4",
        ),
        MetricCard(
            key="mean_log_p",
            name="Mean log p of a sequence",
            symbol="mean log p(s)",
            better="higher",
            low=-math.inf,
            high=0.0,
            question="What does one order alone say of a graph's probability?",
            formula="mean over K linearizations of log p(s), in nats; minus the NLL per graph",
            meaning="The loosest of the three bounds of log p(G).",
            undefined=_NOBODY,
            source="graphassay",
        ),
        MetricCard(
            key="plain",
            name="Plain bound of log p(G)",
            symbol="plain bound",
            better="higher",
            low=-math.inf,
            high=0.0,
            question="What does the average probability of a sequence say of the graph's?",
            formula="log of the mean over K linearizations of p(s), in nats",
            meaning="A lower bound in expectation, since p(G) is the sum of p(s) over all "
            "linearizations; loose by about the log of their number.",
            undefined=f"{_NOBODY}, or a strategy that writes each graph in one way",
            source="graphassay",
        ),
        MetricCard(
            key="importance",
            name="Importance-weighted bound of log p(G)",
            symbol="log p(G) ≥",
            better="higher",
            low=-math.inf,
            high=0.0,
            question="How likely does the model find a graph, whatever the order?",
            formula="log of the mean over K linearizations of p(s) / q(s|G), in nats; q is the "
            "linearizer's own probability of s: the product of 1 / choices, times |Aut(G)|",
            meaning="In expectation a lower bound of log p(G) that tightens with K. Comparable "
            "between strategies, as NLL per token is not.",
            undefined=f"{_NOBODY}, or a strategy that writes each graph in one way",
            source="Burda, Grosse, Salakhutdinov, ICLR 2016, for linearizations",
        ),
        MetricCard(
            key="bound_variance",
            name="Variance of the bound",
            symbol="var of the bound",
            better="lower",
            low=0.0,
            high=math.inf,
            question="Do K linearizations suffice for the bound?",
            formula="variance of the K weights p(s) / q(s|G) / (K × their mean²), mean over the "
            "graphs (delta method)",
            meaning="Far above 0: few weights dominate, the bound is loose; raise K.",
            undefined="as the bound",
            source="graphassay",
        ),
        MetricCard(
            key="back_references",
            name="Back-references",
            symbol="back-references",
            better="neither",
            low=0.0,
            high=math.inf,
            question="How often does a sequence refer to an earlier vertex?",
            formula="revisit tokens in a sequence, mean over the graphs; of the samples as they "
            "were generated, and of K linearizations of the same graphs",
            meaning="More in generated sequences: the model writes less efficient trails than the "
            "linearizer.",
            undefined="no sample that decodes",
            source=f"{STUDY}, section 3.2 and appendix F",
        ),
        MetricCard(
            key="prediction_auc",
            name="Quality prediction (AUC)",
            symbol="AUC",
            better="higher",
            low=0.0,
            high=1.0,
            question="Does a number tell good samples from bad ones?",
            formula="probability that a random good graph has a lower value (NLL, LU, ECE, "
            f"{MINUS}bound) than a random bad one, ties half",
            meaning="0.5: chance. Below: the number prefers bad graphs.",
            undefined=_ONE_KIND,
            source=f"{STUDY}, section 3.3; interval: DeLong et al., Biometrics 44 (1988) 837",
        ),
        MetricCard(
            key="prediction_spearman",
            name="Quality prediction (Spearman)",
            symbol="ρ with quality",
            better="higher",
            low=-1.0,
            high=1.0,
            question="Does a number rank good samples before bad ones?",
            formula="Spearman's correlation of minus the value with good (1) or bad (0)",
            meaning="0: no relation; 1 cannot be reached with two kinds only.",
            undefined=f"{_ONE_KIND}; all values equal",
            source=f"{STUDY}, figure 7",
        ),
        MetricCard(
            key="distinct",
            name="Distinct linearizations",
            symbol="distinct",
            better="neither",
            low=1.0,
            high=math.inf,
            question="How many different sequences does a strategy write of a graph?",
            formula="distinct sequences among so many drawn, mean over the graphs",
            meaning="A strategy that saturates early shows the model few orders of each graph.",
            undefined="no graph that can be written",
            source=f"{STUDY}, appendix D.3",
        ),
    )
}

PREDICTORS: Mapping[str, str] = {
    "generation_nll": "NLL of the generated sequence",
    "mean_nll": "Mean NLL over K",
    "lu": "LU",
    "ece": "ECE",
    "bound": f"{MINUS}bound of log p(G)",
}
"""Names of the numbers that quality prediction tries, by `Predictor.key`."""

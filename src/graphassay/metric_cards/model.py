"""What a run's likelihoods, checkpoints and decodings say about memorization."""

import math

from graphassay.metric_cards.card import PAPER, MetricCard

_ANY = "a group without graphs"

MODEL: dict[str, MetricCard] = {
    card.key: card
    for card in (
        MetricCard(
            key="hit_mean",
            name="NLL of hits",
            symbol="NLL of hits",
            better="neither",
            low=0.0,
            high=math.inf,
            question="How likely does the model find the training graphs it reproduced?",
            formula="mean over the distinct training graphs generated at least once of −log p of "
            "the graph's sequence, EOS included, / its predicted tokens, in nats; for a random "
            "linearization the mean over some draws",
            meaning="Compare it with that of the misses.",
            undefined=_ANY,
            source=f"{PAPER}, appendix E",
        ),
        MetricCard(
            key="miss_mean",
            name="NLL of misses",
            symbol="NLL of misses",
            better="neither",
            low=0.0,
            high=math.inf,
            question="How likely does the model find the training graphs it did not reproduce?",
            formula="as for hits, over the distinct training graphs that were never generated",
            meaning="Above that of the hits: the model reproduces what it finds likely.",
            undefined=_ANY,
            source=f"{PAPER}, appendix E",
        ),
        MetricCard(
            key="auc",
            name="Separation of hits and misses (AUC)",
            symbol="AUC",
            better="neither",
            low=0.0,
            high=1.0,
            question="Does a training graph's likelihood tell whether it was reproduced?",
            formula="share of the pairs of a hit and a miss in which the hit has the lower NLL per "
            "token, ties half; 1 − U / (hits × misses)",
            meaning="0.5: hits and misses have the same likelihood. 1: every hit is likelier than "
            "every miss.",
            undefined=_ANY,
            source="Mann and Whitney, Ann. Math. Statist. 18 (1947) 50; interval: Newcombe, "
            "Statist. Med. 25 (2006) 559, method 5",
        ),
        MetricCard(
            key="u",
            name="Mann–Whitney U",
            symbol="U",
            better="neither",
            low=0.0,
            high=math.inf,
            question="In how many pairs of a hit and a miss does the hit have the higher NLL?",
            formula="pairs in which the hit has the higher NLL per token, ties half",
            meaning="Half the number of pairs: no difference. AUC is the same on a scale from 0 to "
            "1.",
            undefined=_ANY,
            source=f"{PAPER}, appendix E",
        ),
        MetricCard(
            key="p",
            name="Mann–Whitney p",
            symbol="p",
            better="neither",
            low=0.0,
            high=1.0,
            question="Could hits and misses have the same likelihoods?",
            formula="two-sided p of U; exact with at most 8 graphs in a group and no ties, else "
            "normal with corrections for ties and continuity",
            meaning="Small: they differ, however little; AUC says how much. With few misses a "
            "large p says little.",
            undefined=f"{_ANY}, or all likelihoods equal",
            source=f"{PAPER}, appendix E",
        ),
        MetricCard(
            key="eta_squared",
            name="Share of the checkpoint (η²)",
            symbol="η²",
            latex=r"$\eta^2$",
            better="neither",
            low=0.0,
            high=1.0,
            question="Does training or decoding decide a number?",
            formula="variance between checkpoints / (variance between checkpoints + variance "
            "between decodings)",
            meaning="1: the decoding does not matter. 0: the checkpoint does not matter. What "
            "depends on both, and the noise of finite samples, counts as decoding.",
            undefined="fewer than two checkpoints or two decodings, or a number that never changes",
            source=f"{PAPER}, appendix F",
        ),
        MetricCard(
            key="checkpoint_variance",
            name="Variance between checkpoints",
            symbol="Var_ckpt",
            latex=r"$\mathrm{Var}_\mathrm{ckpt}$",
            better="neither",
            low=0.0,
            high=math.inf,
            question="How much does a number change along training?",
            formula="variance over the checkpoints (divisor n) of the mean over the decodings",
            meaning="In the square of the number's unit.",
            undefined="fewer than two checkpoints with the number defined for every decoding",
            source=f"{PAPER}, appendix F",
        ),
        MetricCard(
            key="decoding_variance",
            name="Variance between decodings",
            symbol="Var_decode",
            latex=r"$\mathrm{Var}_\mathrm{decode}$",
            better="neither",
            low=0.0,
            high=math.inf,
            question="How much does a number change with the decoding?",
            formula="mean over the checkpoints of the variance over the decodings (divisor n)",
            meaning="In the square of the number's unit. Both variances add up to that of the "
            "whole grid.",
            undefined="fewer than two decodings",
            source=f"{PAPER}, appendix F",
        ),
        MetricCard(
            key="seed_mean",
            name="Mean over seeds",
            symbol="mean over seeds",
            better="neither",
            low=-math.inf,
            high=math.inf,
            question="What is a number on average over decoding or training seeds?",
            formula="mean ± t × sd / √n over the n seeds, t of Student's distribution; clipped to "
            "the number's range",
            meaning="With two or three seeds the interval is very wide.",
            undefined="no seed with a defined number; the interval also with a single one",
            source=f"{PAPER}, appendix O",
        ),
        MetricCard(
            key="seed_sd",
            name="Spread over seeds",
            symbol="sd over seeds",
            better="neither",
            low=0.0,
            high=math.inf,
            question="How much does a number change from seed to seed?",
            formula="standard deviation over the seeds, divisor n − 1",
            meaning="Differences between models that are not larger say nothing.",
            undefined="fewer than two seeds with a defined number",
            source=f"{PAPER}, appendix O",
        ),
    )
}

"""What a model is held against, and how the verdicts are called."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReferenceCard:
    """One of the things that the model is held against."""

    key: str
    name: str
    short: str
    meaning: str


REFERENCES: dict[str, ReferenceCard] = {
    card.key: card
    for card in (
        ReferenceCard(
            "bootstrap",
            "Photocopier",
            "Photocopier",
            "Resamples of train with replacement, each of the size of the generated set: "
            "what a generator that only copies would score. Its exact-match rate is 100 % "
            "by construction.",
        ),
        ReferenceCard(
            "holdout",
            "Fresh real data",
            "Fresh real",
            "Samples of real graphs that the model never saw, of the same size: what a perfect "
            "generator would score.",
        ),
        ReferenceCard(
            "rewired",
            "Chance (rewired train)",
            "Chance",
            "Training graphs with their edges rewired so that degrees and labels stay: "
            "what a generator that knows only the degrees would score.",
        ),
    )
}

VERDICTS = {
    "memorization-dominated": "Memorization-dominated",
    "beyond-memorization": "Beyond memorization",
    "misaligned": "Misaligned",
    "undecided": "Undecided",
}

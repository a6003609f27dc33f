"""What likelihoods, checkpoints, decodings and seeds say about memorization (DEFINITIONS 8).

Every sample set beside train, and the likelihoods of the training graphs, are cells of a store: a
run that was killed goes on with the first cell that it had not finished.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from graphassay.assay.cells import CellStore
from graphassay.assay.hits import HitsFound, find_hits
from graphassay.assay.model_summary import mean_tokens, summarize, validation
from graphassay.assay.run_graphs import RunGraphs, check_training_seeds
from graphassay.assay.sample_sets import DEFAULT_MINING, Draw, Mining, Reference, Sampler
from graphassay.assay.sample_spread import numbers_of, spread_over_seeds, spreads, sweep_scores
from graphassay.errors import InvalidInput
from graphassay.graph import GraphSet
from graphassay.lm.decoding import DECODINGS, decoding_named
from graphassay.lm.history import checkpoints_until, step_of, tokens_at
from graphassay.lm.job import SampleSet
from graphassay.lm.run import Run
from graphassay.metrics.spread import variance_share
from graphassay.results import Undefined, Value
from graphassay.results.model import (
    CheckpointScores,
    ModelDiagnostics,
    ModelSummary,
    SampleScores,
    TrainingSeeds,
    VarianceShare,
)

NLL_DRAWS = 4
"""Random linearizations averaged into a training graph's likelihood."""


@dataclass(frozen=True, kw_only=True)
class Questions:
    """What to ask of a run.

    Args:
        trajectory: score samples of every checkpoint.
        sweep: score samples of all six named decodings; with ``trajectory``, of each at every
            checkpoint, for the variance decomposition.
        decoding_seeds: score so many seeds of each decoding, for their spread; 1 asks for none.
        decoding: the named decoding of everything but the sweep.
        seed: the first decoding seed; also of random linearizations.
        n: samples in each set that is drawn.
        constrained: mask what the grammar forbids.
        nll_draws: linearizations averaged into a training graph's likelihood, where it has many;
            None takes `NLL_DRAWS`.
    """

    trajectory: bool = False
    sweep: bool = False
    decoding_seeds: int = 1
    decoding: str = "both_default"
    seed: int = 0
    n: int = 1024
    constrained: bool = True
    nll_draws: int | None = None

    def __post_init__(self) -> None:
        decoding_named(self.decoding)
        for name in ("decoding_seeds", "n", "nll_draws"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(f"{name}: expected at least 1, got {value}")

    @property
    def seeds(self) -> range:
        """The decoding seeds."""
        return range(self.seed, self.seed + self.decoding_seeds)

    @property
    def decodings(self) -> tuple[str, ...]:
        """The decodings of the sweep, or the one."""
        return tuple(DECODINGS) if self.sweep else (self.decoding,)


def draw_generated(
    run: Run,
    questions: Questions,
    *,
    keep: Path | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> GraphSet:
    """The sample set that is audited when none is given; its intake counts the failures.

    Args:
        run: the model.
        questions: decoding, seed and number.
        keep: folder in which finished samples are kept, as in `model_diagnostics`.
        device: as in `graphassay.lm.job.sample`.
        threads: likewise.
        progress: called with what is being done.
    """
    sampler = _sampler(CellStore(keep), questions, device, threads, progress)
    draw = _only_draw(run, questions)
    sampler.progress(f"sampling {draw.title}")
    return sampler.graphs(draw)


def generated_samples(
    run: Run,
    questions: Questions,
    *,
    keep: Path | None = None,
    device: str = "auto",
    threads: int | None = None,
) -> SampleSet:
    """The same samples with their sequences; arguments as of `draw_generated`."""
    sampler = _sampler(CellStore(keep), questions, device, threads, None)
    return sampler.samples(_only_draw(run, questions))


def _only_draw(run: Run, questions: Questions) -> Draw:
    reference = Reference(GraphSet.from_graphs([]), DEFAULT_MINING)  # not asked for scores
    return Draw(run, questions.decoding, questions.seed, reference)


def model_diagnostics(
    runs: Sequence[Run],
    graphs: Sequence[RunGraphs],
    generated: GraphSet,
    questions: Questions,
    *,
    mining: Mining = DEFAULT_MINING,
    keep: Path | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> ModelDiagnostics:
    """Everything that the study asks of a model beside its samples.

    Time is that of drawing, for each set, ``n`` samples, and of one mining per 16 sets; with
    ``trajectory`` and ``sweep`` there are checkpoints x 6 sets. Memory holds 16 sets at most.

    Args:
        runs: the run, then any that differ from it in their training seed alone.
        graphs: what each was trained on.
        generated: the samples of the first run that tell hits from misses.
        questions: what to ask.
        mining: how patterns are mined. A training set of more than ``mining.subsample`` graphs is
            represented by one random subset of that size (an audit's first), copies aside; at most
            so many hits and misses are scored.
        keep: folder in which every finished cell and every sample is kept, so that a second start
            computes only what is missing; None keeps nothing.
        device: ``auto``, ``cpu``, ``cuda``, …
        threads: default all cores.
        progress: called with what is being done.

    Raises:
        InvalidRun: runs that differ in more than their seed.
    """
    if len(runs) != len(graphs) or not runs:
        raise InvalidInput(f"expected graphs for each run, got {len(graphs)} for {len(runs)}")
    check_training_seeds(runs)
    store = CellStore(keep)
    sampler = _sampler(store, questions, device, threads, progress)
    references = [Reference(own.train, mining, threads) for own in graphs]
    study = _Study(runs, references, questions, sampler)
    hits = study.hits(0, generated)
    scores = study.scores()
    sweep = tuple(sweep_scores(name, study.per_seed(scores, name)) for name in questions.decodings)
    return ModelDiagnostics(
        summary=study.summary(0),
        hit_miss=hits.result,
        trajectory=study.trajectory(scores) if questions.trajectory else (),
        sweep=sweep if questions.sweep or questions.decoding_seeds > 1 else (),
        variance=study.variance(scores) if questions.trajectory and questions.sweep else None,
        training_seeds=study.training_seeds(scores) if len(runs) > 1 else None,
        notes=tuple(study.notes(hits)),
    )


def _sampler(
    store: CellStore,
    questions: Questions,
    device: str,
    threads: int | None,
    progress: Callable[[str], None] | None,
) -> Sampler:
    return Sampler(
        store,
        questions.n,
        questions.constrained,
        device,
        threads,
        progress or (lambda _: None),
    )


_Cell = tuple[str, str, int, int]
"""Weights, decoding, seed and run of a sample set."""


class _Study:
    """The runs, and what is asked of them."""

    def __init__(
        self,
        runs: Sequence[Run],
        references: Sequence[Reference],
        questions: Questions,
        sampler: Sampler,
    ) -> None:
        self.runs, self.references = runs, references
        self.questions, self.sampler = questions, sampler
        self.checkpoints = checkpoints_until(runs[0])

    def _cell(self, run: Run, decoding: str, seed: int, place: int = 0) -> _Cell:
        return (self.sampler.weights(run), decoding, seed, place)

    def _draws(self) -> dict[_Cell, Draw]:
        """Every sample set that is asked for, once."""
        asked = self.questions
        wanted: dict[_Cell, Draw] = {}

        def want(run: Run, decoding: str, seed: int, place: int = 0) -> None:
            draw = Draw(run, decoding, seed, self.references[place])
            wanted.setdefault(self._cell(run, decoding, seed, place), draw)

        if asked.sweep or asked.decoding_seeds > 1:
            for decoding in asked.decodings:
                for seed in asked.seeds:
                    want(self.runs[0], decoding, seed)
        if asked.trajectory:
            for checkpoint in self.checkpoints:
                for decoding in dict.fromkeys((asked.decoding, *asked.decodings)):
                    want(checkpoint, decoding, asked.seed)
        if len(self.runs) > 1:
            for place, run in enumerate(self.runs):
                for seed in asked.seeds:
                    want(run, asked.decoding, seed, place)
        return wanted

    def scores(self) -> dict[_Cell, SampleScores]:
        """Scores of every sample set that is asked for."""
        draws = self._draws()
        return dict(zip(draws, self.sampler.scores(list(draws.values())), strict=True))

    def per_seed(self, scores: dict[_Cell, SampleScores], decoding: str) -> list[SampleScores]:
        """One decoding of the first run, by decoding seed; what was not asked is absent."""
        cells = [self._cell(self.runs[0], decoding, seed) for seed in self.questions.seeds]
        return [scores[cell] for cell in cells if cell in scores]

    def trajectory(self, scores: dict[_Cell, SampleScores]) -> tuple[CheckpointScores, ...]:
        """The checkpoints, by step."""
        asked = self.questions
        return tuple(
            CheckpointScores(
                step=step_of(run),
                n_tokens=self._tokens(run, 0),
                valid_nats_per_token=validation(run),
                scores=scores[self._cell(run, asked.decoding, asked.seed)],
            )
            for run in self.checkpoints
        )

    def variance(self, scores: dict[_Cell, SampleScores]) -> dict[str, VarianceShare]:
        """eta^2 of every number over checkpoints x decodings, at the first decoding seed."""
        grid = [
            [
                numbers_of(scores[self._cell(run, decoding, self.questions.seed)])
                for decoding in DECODINGS
            ]
            for run in self.checkpoints
        ]
        return {
            name: variance_share([[cell[name] for cell in row] for row in grid])
            for name in grid[0][0]
        }

    def training_seeds(self, scores: dict[_Cell, SampleScores]) -> TrainingSeeds:
        """Each run's numbers are means over its decoding seeds; then their spread over the runs."""
        asked = self.questions
        per_run: list[dict[str, Value]] = []
        for place, run in enumerate(self.runs):
            cells = [self._cell(run, asked.decoding, seed, place) for seed in asked.seeds]
            spread = spread_over_seeds([scores[cell] for cell in cells])
            values = {name: one.mean.value for name, one in spread.items()}
            drawn = self.sampler.graphs(
                Draw(run, asked.decoding, asked.seed, self.references[place])
            )
            found = self.hits(place, drawn).result
            values["auc"] = found if isinstance(found, Undefined) else found.auc.value
            per_run.append(values)
        return TrainingSeeds(
            tuple(self.summary(place) for place in range(len(self.runs))),
            spreads(per_run),
        )

    def summary(self, place: int) -> ModelSummary:
        """What one run is."""
        run = self.runs[place]
        return summarize(
            run, mean_tokens=self._mean_tokens[place], fingerprint=self.sampler.weights(run)
        )

    def _tokens(self, run: Run, place: int) -> int:
        return tokens_at(run, step_of(run), mean_tokens=self._mean_tokens[place])

    @cached_property
    def _mean_tokens(self) -> list[float]:
        """Predicted tokens in a training sequence, where a run has not finished counting them."""
        return [
            mean_tokens(run, reference.train)
            for run, reference in zip(self.runs, self.references, strict=True)
        ]

    def hits(self, place: int, generated: GraphSet) -> HitsFound:
        """NLL of one run's reproduced training graphs against the others'."""
        run, asked = self.runs[place], self.questions
        return find_hits(
            run,
            self.references[place].train,
            generated,
            self.sampler.store,
            weights=self.sampler.weights(run),
            draws=(asked.nll_draws or NLL_DRAWS) if run.linearizer.is_random else 1,
            seed=asked.seed,
            most=self.references[place].mining.subsample,
            device=self.sampler.device,
            threads=self.sampler.threads,
            progress=self.sampler.progress,
        )

    def notes(self, hits: HitsFound) -> list[str]:
        """What a reader must know of these numbers."""
        reference, asked = self.references[0], self.questions
        most, n_train = reference.mining.subsample, len(reference.train)
        notes = list(hits.notes(most))
        linearizer = self.runs[0].linearizer
        if asked.nll_draws is not None and not linearizer.is_random:
            notes.append(
                f"{linearizer.name} writes each graph in one way: likelihoods of training graphs "
                f"are of that one, not means over the {asked.nll_draws} that were asked for"
            )
        drawn = bool(self._draws())
        if drawn and n_train > most:
            notes.append(
                "checkpoints, decodings and seeds are held against the patterns of one random "
                f"subset of {most:,} of the {n_train:,} training graphs; copies are looked up in "
                "all of train"
            )
        if drawn and asked.constrained:
            notes.append(
                "samples were drawn under the grammar: a sample fails only where it does not end "
                "within the context"
            )
        if len(self.runs) > 1:
            notes.append(
                "each run is held against its own training split"
                + (
                    f"; its numbers are means over {asked.decoding_seeds} decoding seeds"
                    if asked.decoding_seeds > 1
                    else ""
                )
            )
        steps = {step_of(run) for run in self.runs}
        if len(steps) > 1:
            notes.append(f"the runs are at different steps: {', '.join(map(str, sorted(steps)))}")
        return notes

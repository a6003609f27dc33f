"""What a run's likelihoods, checkpoints and decodings say about memorization (DEFINITIONS 8)."""

from collections.abc import Mapping
from dataclasses import dataclass

from graphassay.results.values import Estimate, Undefined, Value


@dataclass(frozen=True)
class ModelSummary:
    """A trained model: where it is and how it was made."""

    run: str
    fingerprint: str
    serialization: str
    n_parameters: int
    n_steps: int
    n_tokens: int
    """Tokens seen in training."""
    n_train: int
    seed: int
    valid_nats_per_token: Value


@dataclass(frozen=True)
class HitMiss:
    """Are the training graphs that the model reproduces those it finds likely?

    Over the distinct training graphs: hits are reproduced at least once, misses never. NLL is in
    nats per token. ``u`` and ``p`` are of the two-sided Mann-Whitney test; ``auc`` is the
    probability that a random hit has a lower NLL than a random miss (0.5: no difference).
    ``hit_nll`` and ``miss_nll`` hold at most 1,000 values each, for the figure.
    """

    n_hits: int
    n_misses: int
    hit_mean: Estimate
    miss_mean: Estimate
    u: Value
    p: Value
    auc: Estimate
    hit_nll: tuple[float, ...]
    miss_nll: tuple[float, ...]


@dataclass(frozen=True)
class SampleScores:
    """One set of samples from the model beside train. ``metrics`` is keyed as in `Alignment`."""

    n_records: int
    exact_match: Estimate
    unique: Estimate
    failed: Estimate
    metrics: Mapping[str, Value]


@dataclass(frozen=True)
class CheckpointScores:
    """A checkpoint of the run, its validation NLL and its samples' scores."""

    step: int
    n_tokens: int
    valid_nats_per_token: Value
    scores: SampleScores


@dataclass(frozen=True)
class SeedSpread:
    """One number over several seeds: its values, mean, sd (ddof 1) and Student-t interval."""

    values: tuple[Value, ...]
    mean: Estimate
    sd: Value


@dataclass(frozen=True)
class DecodingScores:
    """One decoding configuration: the scores of each decoding seed, and their spread.

    ``spread`` is keyed ``exact_match``, ``unique``, ``failed`` and as in `Alignment`; absent with
    one seed.
    """

    name: str
    settings: str
    per_seed: tuple[SampleScores, ...]
    spread: Mapping[str, SeedSpread]


@dataclass(frozen=True)
class VarianceShare:
    """Does the checkpoint or the decoding decide a number? eta^2 = Var_ckpt / (Var_ckpt +
    Var_decode) over the grid of checkpoints x decodings (DEFINITIONS 8)."""

    checkpoint_variance: Value
    decoding_variance: Value
    eta_squared: Value
    n_checkpoints: int
    n_decodings: int


@dataclass(frozen=True)
class TrainingSeeds:
    """Runs that differ in their training seed: who they are, and the spread of each number."""

    runs: tuple[ModelSummary, ...]
    spread: Mapping[str, SeedSpread]


@dataclass(frozen=True)
class ModelDiagnostics:
    """All of it; what was not asked for is empty or None."""

    summary: ModelSummary
    hit_miss: HitMiss | Undefined | None = None
    trajectory: tuple[CheckpointScores, ...] = ()
    sweep: tuple[DecodingScores, ...] = ()
    variance: Mapping[str, VarianceShare] | None = None
    training_seeds: TrainingSeeds | None = None
    notes: tuple[str, ...] = ()

"""How a run was made, in one record: what an audit of any kind says of its model."""

from graphassay.assay.run_identity import run_names
from graphassay.graph import GraphSet
from graphassay.lm.config import TrainConfig
from graphassay.lm.history import step_of, tokens_at, valid_nats_per_token
from graphassay.lm.run import Run
from graphassay.results import Undefined, Value
from graphassay.results.model import ModelSummary


def summarize(
    run: Run, *, mean_tokens: float, name: str | None = None, fingerprint: str | None = None
) -> ModelSummary:
    """How the run was made, from its record.

    Args:
        run: the run, or a checkpoint.
        mean_tokens: as `mean_tokens` finds it.
        name: what to call it; of several runs, `run_names` tells them apart.
        fingerprint: of the weights, where it is known already.
    """
    config = TrainConfig.from_dict(run.record.config)
    return ModelSummary(
        run=name or run_names([run])[run.folder],
        fingerprint=fingerprint or run.fingerprint(),
        serialization=run.linearizer.name,
        n_parameters=config.shape.n_parameters(len(run.linearizer.vocabulary)),
        n_steps=step_of(run),
        n_tokens=tokens_at(run, step_of(run), mean_tokens=mean_tokens),
        n_train=len(run.splits().train),
        seed=config.seed,
        valid_nats_per_token=validation(run),
    )


def validation(run: Run) -> Value:
    """Validation NLL at the step of the weights, nats per token."""
    value = valid_nats_per_token(run)
    if value is not None:
        return value
    split = run.record.config["valid_share"] > 0
    return Undefined("not validated at this step" if split else "no validation split")


def mean_tokens(run: Run, graphs: GraphSet) -> float:
    """Predicted tokens in a sequence of these graphs, to estimate those of an unfinished training.

    Args:
        run: the run.
        graphs: training graphs, or others like them.

    Returns:
        0 where the run has counted its tokens itself.
    """
    if "tokens" in run.record.measured:
        return 0.0
    batch = run.linearizer.batch(graphs, seed=0, on_refusal="skip")
    return float(batch.lengths.mean()) - 1 if len(batch) else 0.0

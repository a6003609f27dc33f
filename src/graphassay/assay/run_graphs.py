"""The graphs behind a run: what it was trained on, what it never saw, and samples that it wrote."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import InvalidInput, InvalidRun, NothingToCompare, UnreadableFile
from graphassay.graph import GraphSet, MoleculeOptions
from graphassay.intake import IntakeReport, IntakeTally
from graphassay.lm.data import set_sha256
from graphassay.lm.job import SampleSet
from graphassay.lm.output import reason_kind
from graphassay.lm.run import Run
from graphassay.lm.sample import Sample

SEQUENCES = ".samples.parquet"
"""How the file of token sequences ends that ``graphassay sample`` writes beside the graphs."""

Read = Callable[[Path], GraphSet]
"""Reads a file as the run's data was read."""


@dataclass(frozen=True, eq=False)
class RunGraphs:
    """What a run was trained on, and real graphs that it never saw, where there are any."""

    train: GraphSet
    holdout: GraphSet | None


def molecule_options(run: Run) -> MoleculeOptions:
    """How molecules became the run's graphs."""
    return run.linearizer.molecules or MoleculeOptions()


def run_data(run: Run, read: Read) -> GraphSet:
    """All graphs that the run was made from, from the place that its record names.

    Args:
        run: the run.
        read: reads a file with the molecule options of the run.

    Raises:
        InvalidRun: the record names no place, nothing is there, or other graphs are.
    """
    source = run.record.data.get("source")
    if not source:
        raise InvalidRun(f"{run.root}: does not say where its graphs came from: give --train")
    path = Path(source)
    if not path.exists():
        raise InvalidRun(f"{run.root}: its graphs are no longer at {source}: give --train")
    graphs = read(path)
    if graphs.sha256() != run.record.data["sha256"]:
        raise InvalidRun(
            f"{run.root}: {source} holds other graphs ({len(graphs):,}) than those it was trained "
            f"on ({run.record.data['n_graphs']:,}): give --train"
        )
    return graphs


def split_run(run: Run, graphs: GraphSet) -> RunGraphs:
    """Train split, and valid and test split together, of the run's graphs.

    Raises:
        InvalidRun: the graphs are not those of the run, or its splits are damaged.
    """
    if graphs.sha256() != run.record.data["sha256"]:
        raise InvalidRun(f"{run.root}: was trained on other graphs: give its own as --train")
    splits = run.splits()
    unseen = np.sort(np.concatenate([splits.valid, splits.test]))
    return RunGraphs(
        _part(run, graphs, splits.train, "train split"),
        _part(run, graphs, unseen, "valid and test split") if len(unseen) else None,
    )


def is_data_of(run: Run, graphs: GraphSet) -> bool:
    """Whether these are the graphs that the run was made from, wherever they lie now."""
    return graphs.sha256() == str(run.record.data["sha256"])


def notes_on_given_train(runs: Sequence[Run], given: GraphSet, read: Read) -> tuple[str, ...]:
    """What to say where a train set is given in place of the runs' own.

    Args:
        runs: the runs.
        given: what hits, misses and exact matches will be about.
        read: reads a file as the runs' data was read, for old runs that do not say which graphs
            they were trained on.
    """
    ours = set_sha256(given)
    other, unknown = [], []
    for run in runs:
        known = _train_sha256(run, read)
        if known is None:
            unknown.append(str(run.folder))
        elif known != ours:
            other.append(f"{run.folder} ({len(run.splits().train):,} graphs)")
    notes = []
    if other:
        notes.append(
            f"the {len(given):,} graphs given as train are not the training graphs of "
            f"{', '.join(other)}: hits, misses and exact matches are about the given graphs, not "
            "about what the model was trained on"
        )
    if unknown:
        notes.append(
            f"whether the {len(given):,} graphs given as train are the training graphs of "
            f"{', '.join(unknown)} is not known: the run does not say, and its own graphs are no "
            "longer there"
        )
    return tuple(notes)


def _train_sha256(run: Run, read: Read) -> str | None:
    recorded = run.record.data.get("train_sha256")
    if recorded is not None:
        return str(recorded)
    try:
        return set_sha256(split_run(run, run_data(run, read)).train)
    except (InvalidRun, InvalidInput, UnreadableFile):
        return None


def _part(run: Run, graphs: GraphSet, rows: npt.NDArray[np.int64], what: str) -> GraphSet:
    source = run.record.data.get("source") or "its graphs"
    return replace(
        graphs.take(rows),
        intake=IntakeReport(f"{source}, {what} of {run.root}", "run", len(rows), len(rows)),
    )


def sampled_graphs(samples: SampleSet, source: str) -> GraphSet:
    """The graphs of samples; those that are none are refused records of its intake."""
    tally = IntakeTally(source, "samples")
    tally.keep(len(samples.graphs))
    failures: list[tuple[int, str]] = sorted(samples.failures.items())
    for index, why in failures:
        tally.refuse(reason_kind(why), samples.samples[index].index + 1, why)
    return replace(samples.graphs, intake=tally.report())


def read_samples(run: Run, path: Path, read: Read) -> GraphSet:
    """Samples from a file of graphs, or from what ``graphassay sample`` wrote.

    A file of token sequences (``….samples.parquet``), or a folder that holds one, is decoded with
    the run's vocabulary. Beside a file of graphs, such a file tells which model they are of.

    Raises:
        InvalidInput: sequences or labels of another vocabulary, or samples of another model.
        UnreadableFile: a file that cannot be read.
    """
    if path.is_dir():
        path = _only_sequences(path)
    if path.name.endswith(SEQUENCES):
        return sampled_graphs(_read_sequences(run, path), str(path))
    beside = path.with_name(path.name + SEQUENCES)
    if beside.is_file():
        _check_model(run, path, _metadata(beside))
    graphs = read(path)
    check_labels(run, graphs, str(path))
    return graphs


def check_labels(
    run: Run, graphs: GraphSet, source: str, *, what: str = "not samples of that model"
) -> None:
    """Refuse graphs with a label that the run's model cannot write.

    Raises:
        InvalidInput: names the first.
    """
    for kind, known in (
        ("vertex", run.linearizer.vertex_labels),
        ("edge", run.linearizer.edge_labels),
    ):
        names = getattr(graphs, f"{kind}_label_names")
        used = [names[i] for i in np.unique(getattr(graphs, f"{kind}_labels")).tolist()]
        strange = [name for name in used if name not in known]
        if strange:
            raise InvalidInput(
                f"{source}: {kind} label {strange[0]!r} is not in the vocabulary of {run.folder}: "
                f"these are {what}"
            )


def _metadata(path: Path) -> dict[bytes, bytes]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return dict(parquet.read_schema(path).metadata or {})
    except (OSError, pa.ArrowException) as error:
        raise UnreadableFile(f"{path}: not a Parquet file ({error})") from None


def _check_model(run: Run, path: Path, metadata: dict[bytes, bytes]) -> None:
    maker = metadata.get(b"run", b"").decode()
    if maker and maker != run.fingerprint():
        raise InvalidInput(
            f"{path}: these samples were drawn from other weights ({maker}) than those of "
            f"{run.folder} ({run.fingerprint()}): sample it anew, or name the run that made them"
        )


def read_sequences(run: Run, path: Path) -> SampleSet | None:
    """The token sequences that ``graphassay sample`` wrote to ``path``, or beside it.

    Args:
        run: whose they are.
        path: ``….samples.parquet``, a folder that holds one, or a file of graphs beside one.

    Returns:
        None where there are no sequences, only graphs.

    Raises:
        InvalidInput: sequences of another vocabulary, or of another model.
        UnreadableFile: a file that cannot be read.
    """
    if path.is_dir():
        path = _only_sequences(path)
    if not path.name.endswith(SEQUENCES):
        path = path.with_name(path.name + SEQUENCES)
        if not path.is_file():
            return None
    return _read_sequences(run, path)


def _only_sequences(folder: Path) -> Path:
    found = sorted(folder.glob(f"*{SEQUENCES}"))
    if len(found) > 1:
        raise InvalidInput(
            f"{folder}: holds {len(found)} sample sets ({found[0].name}, …): name one of them"
        )
    return found[0] if found else folder


def _read_sequences(run: Run, path: Path) -> SampleSet:
    from pyarrow import parquet

    _check_model(run, path, _metadata(path))
    table = parquet.read_table(path)
    if "tokens" not in table.column_names:
        raise InvalidInput(f"{path}: no column tokens: not written by `graphassay sample`")
    texts: list[str] = table["tokens"].to_pylist()
    if not texts:
        raise NothingToCompare(f"{path}: holds no samples")
    try:
        rows = [run.linearizer.vocabulary.encode(text) for text in texts]
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error} of {run.folder}") from None
    if "nll_nats" not in table.column_names:
        raise InvalidInput(f"{path}: no column nll_nats: not written by `graphassay sample`")
    eos = run.linearizer.vocabulary.eos
    samples = [
        Sample(index, np.array(tokens, dtype=np.int32), nll, ended=tokens[-1:] == [eos])
        for index, (tokens, nll) in enumerate(zip(rows, table["nll_nats"].to_pylist(), strict=True))
    ]
    return SampleSet(tuple(samples), run.linearizer)


def check_training_seeds(runs: Sequence[Run]) -> None:
    """Refuse runs that differ in more than their seed, or not at all.

    Raises:
        InvalidRun: says in what.
    """
    first, *others = runs
    for run in others:
        differ = list(_differences(first.record.config, run.record.config))
        if first.record.data["sha256"] != run.record.data["sha256"]:
            differ.insert(0, "data")
        if differ:
            raise InvalidRun(
                f"{run.folder}: differs from {first.folder} in {', '.join(differ[:4])}: runs of "
                "one comparison differ in their seed alone"
            )
    seeds = Counter(run.record.config["seed"] for run in runs)
    seed, n = seeds.most_common(1)[0]
    if n > 1:
        raise InvalidRun(
            f"{n} of the runs have the training seed {seed}: runs of one comparison have a seed "
            "each"
        )


def _differences(a: dict[str, Any], b: dict[str, Any]) -> Iterable[str]:
    for name in sorted(a.keys() | b.keys()):
        if name != "seed" and a.get(name) != b.get(name):
            yield f"{name} ({a.get(name)!r} against {b.get(name)!r})"

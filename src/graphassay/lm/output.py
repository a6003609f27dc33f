"""What sampling and scoring write: graphs, token sequences, tables."""

import csv
import gzip
import math
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from graphassay.errors import GraphAssayError, InvalidInput, UnwritableOutput
from graphassay.graph import GraphSet
from graphassay.lm.job import SampleJob, SampleSet
from graphassay.lm.run import Run
from graphassay.lm.score import Scores
from graphassay.output import check_writable, is_special, replacing

FAILED_LINE = {"smiles": b"None\n", "csv": b"None\n", "jsonl": b"null\n"}
"""How formats with one record per line say that a record is a failed generation: a reader counts
it, so that an audit's denominators stay right. Other formats cannot."""


def check_output(path: Path, format: str | None, *, labelled: bool = False) -> str:
    """The format to write ``path`` in: all that can be known is checked before any work is done.

    Args:
        path: the graphs; their sequences are written beside it.
        format: None: told by the name.
        labelled: whether vertices or edges may have several labels.

    Raises:
        InvalidInput: unknown, not told by the name, or it cannot hold such graphs.
        UnwritableOutput: no such folder, no permission, a folder in the way, or no file at all.
    """
    from graphassay.io import FORMATS
    from graphassay.io.formats import by_name, check_format

    chosen = check_format(format) if format else by_name(path)
    if chosen is None:
        raise InvalidInput(
            f"{path}: cannot tell the format from this name; name it ({', '.join(FORMATS)})"
        )
    if labelled and chosen in ("graph6", "sparse6"):
        raise InvalidInput(f"{path}: {chosen} holds no labels, and the run's graphs have some")
    if is_special(path):
        raise UnwritableOutput(
            f"{path}: expected a file, got a device or pipe: the sequences are written beside it"
        )
    if not path.parent.is_dir():
        raise UnwritableOutput(f"{path}: no such folder as {path.parent}")
    if chosen != "tu":  # may be a folder
        check_writable(path)
    return chosen


def write_graphs(samples: SampleSet, path: Path, *, format: str | None = None) -> dict[str, Any]:
    """Write the graphs; a sample that is none becomes a failed record where the format has them.

    Returns:
        Counts: ``n``, ``n_graphs`` (decoded), ``n_written``, ``n_failed_records``, and ``failed``
        (reason -> how many).
    """
    chosen = check_output(path, format)
    reasons: Counter[str] = Counter(reason_kind(why) for why in samples.failures.values())
    write = _write_with_failures if chosen in FAILED_LINE else _write_alone
    n_written, n_failed, refused = write(samples, path, chosen)
    reasons.update(refused)
    return {
        "n": len(samples.samples),
        "n_graphs": len(samples.graphs),
        "n_written": n_written,
        "n_failed_records": n_failed,
        "failed": dict(reasons.most_common()),
    }


def _write_alone(samples: SampleSet, path: Path, format: str) -> tuple[int, int, dict[str, int]]:
    from graphassay.io import write

    if not len(samples.graphs):
        raise InvalidInput(f"{path}: no sample is a graph, and {format} cannot say so")
    report = write(samples.graphs, path, format=format)
    return report.n_kept, 0, {refusal.reason: refusal.n for refusal in report.refused}


def _write_with_failures(
    samples: SampleSet, path: Path, format: str
) -> tuple[int, int, dict[str, int]]:
    """Written, failed records, and why graphs were not written."""
    from graphassay.io import write

    n_written, refused = 0, {}
    with replacing(path) as draft, tempfile.TemporaryDirectory(dir=draft.parent) as folder:
        whole = Path(folder) / path.name  # the name says whether it is compressed
        if len(samples.graphs):
            try:
                report = write(samples.graphs, whole, format=format)
            except GraphAssayError as error:
                raise type(error)(str(error).replace(str(whole), str(path))) from None
            n_written = report.n_kept
            refused = {refusal.reason: refusal.n for refusal in report.refused}
        else:
            whole.write_bytes(gzip.compress(b"") if path.suffix == ".gz" else b"")
        n_failed = len(samples.samples) - n_written
        lost = FAILED_LINE[format] * n_failed
        with whole.open("ab") as file:  # a gzip file may have several members
            file.write(gzip.compress(lost) if path.suffix == ".gz" and lost else lost)
        whole.replace(draft)
    return n_written, n_failed, refused


def reason_kind(why: str) -> str:
    """A failure's reason without its details, to count by."""
    if why.startswith("no end within"):
        return "no end within the limit"
    kind = why.partition(", got ")[0].split(": ", 1)[-1]
    # Which tuples would have fitted differs from sample to sample; that one was expected does not.
    kind = re.sub(r"\([-\d,]+\)( or \([-\d,]+\))*", "a tuple that fits", kind)
    return f"not a linearization: {kind[:60]}"


def write_sequences(samples: SampleSet, path: Path, run: Run, job: SampleJob) -> None:
    """Write ``index, tokens, n_tokens, nll_nats, failed`` of every sample, as Parquet.

    ``n_tokens`` counts the predicted ones (EOS, not BOS); ``failed`` is null where the tokens
    decode. The job and the model's fingerprint are in the file's metadata.
    """
    import json

    import pyarrow as pa

    vocabulary = samples.linearizer.vocabulary
    failures = samples.failures
    table = pa.table(
        {
            "index": pa.array([s.index for s in samples.samples], pa.int64()),
            "tokens": pa.array([vocabulary.text(s.tokens) for s in samples.samples], pa.string()),
            "n_tokens": pa.array([len(s.tokens) - 1 for s in samples.samples], pa.int32()),
            "nll_nats": pa.array([s.nll for s in samples.samples], pa.float64()),
            "failed": pa.array([failures.get(i) for i in range(len(samples.samples))], pa.string()),
        },
        metadata={"job": json.dumps(job.to_dict()), "run": run.fingerprint()},
    )
    with ScoreWriter(path) as writer:
        writer.write_table(table)


class ScoreWriter:
    """A Parquet or CSV file (by its name) written table by table; appears when it is whole."""

    def __init__(self, path: Path) -> None:
        if path.suffix not in (".parquet", ".csv"):
            raise InvalidInput(f"{path}: expected a name that ends in .parquet or .csv")
        if not path.parent.is_dir():
            raise UnwritableOutput(f"{path}: no such folder as {path.parent}")
        check_writable(path)
        self.path = path
        self._stack = ExitStack()
        self._draft: Path | None = None
        self._writer: Any = None

    def write_table(self, table: Any) -> None:
        """Append a `pyarrow.Table`; all have one schema. Lists are space-separated in CSV."""
        try:
            if self.path.suffix == ".csv":
                self._write_csv(table)
                return
            import pyarrow.parquet as pq

            if self._writer is None:
                writer = pq.ParquetWriter(self._draft, table.schema)
                self._writer = self._stack.enter_context(writer)
            self._writer.write_table(table)
        except OSError as error:
            raise UnwritableOutput(
                f"{self.path}: cannot write ({error.strerror or error})"
            ) from None

    def _write_csv(self, table: Any) -> None:
        if self._writer is None:
            assert self._draft is not None
            file = self._draft.open("w", newline="", encoding="utf-8")
            self._writer = csv.writer(self._stack.enter_context(file))
            self._writer.writerow(table.column_names)
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            self._writer.writerow(
                " ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row
            )

    def __enter__(self) -> "ScoreWriter":
        self._draft = self._stack.enter_context(replacing(self.path))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)


def score_tables(
    scores: Iterable[Scores], graphs: GraphSet, *, words: tuple[str, ...] = ()
) -> Iterator[Any]:
    """A `pyarrow.Table` per window, one row per graph, in order.

    Columns: ``graph`` (from 0), ``record`` (its place in the file) and ``source`` where known,
    ``nll_nats`` (mean over the linearizations), ``n_tokens`` (mean, predicted ones), with several
    linearizations ``sd_nats``, ``lu`` (null where the graph has a single one), ``bound_nats`` (of
    log p of the graph, from below; where the draws' probabilities are known), ``n_distinct`` and
    ``nlls_nats``, ``refused`` (why there is no score), and with ``words`` (the vocabulary's
    tokens) ``tokens`` and ``token_nlls_nats`` of each linearization, one after the other.
    """
    import numpy as np
    import pyarrow as pa

    for window in scores:
        place = {graph: row for row, graph in enumerate(window.indices.tolist())}
        ids = sorted({*place, *window.refused})
        rows = [place.get(graph) for graph in ids]

        def column(values: Any, kind: Any, rows: list[int | None] = rows) -> Any:
            return pa.array([None if row is None else values[row] for row in rows], kind)

        columns: dict[str, Any] = {"graph": pa.array(ids, pa.int64())}
        if graphs.records is not None:
            columns["record"] = pa.array(graphs.records[np.array(ids)], pa.int64())
        if graphs.sources is not None:
            columns["source"] = graphs.sources.take(pa.array(ids))
        columns["nll_nats"] = column(window.mean.tolist(), pa.float64())
        columns["n_tokens"] = column(window.n_tokens.mean(axis=1).tolist(), pa.float64())
        if window.nll.shape[1] > 1:
            columns["sd_nats"] = column(window.sd.tolist(), pa.float64())
            columns["lu"] = column(_known(window.uncertainty), pa.float64())
            if window.bound is not None:
                columns["bound_nats"] = column(_known(window.bound), pa.float64())
            if window.n_distinct is not None:
                columns["n_distinct"] = column(window.n_distinct.tolist(), pa.int32())
            columns["nlls_nats"] = column(window.nll.tolist(), pa.list_(pa.float64()))
        columns["refused"] = pa.array([window.refused.get(graph) for graph in ids], pa.string())
        if words:
            columns["tokens"] = column(
                [
                    " ".join(words[t] for batch in window.tokens for t in batch[row].tolist())
                    for row in range(len(place))
                ],
                pa.string(),
            )
            columns["token_nlls_nats"] = column(
                [np.concatenate(draws).tolist() for draws in window.token_nll],
                pa.list_(pa.float64()),
            )
        yield pa.table(columns)


def _known(values: Any) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]

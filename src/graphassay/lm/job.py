"""A sampling job: any number of processes, finished samples logged, an interrupted job goes on."""

import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self

import numpy as np

from graphassay.cores import n_cores
from graphassay.errors import InvalidInput, UnwritableOutput
from graphassay.lm.decoding import Decoding
from graphassay.lm.run import Run, load_run
from graphassay.lm.sample import Sample, draw_samples

if TYPE_CHECKING:
    from graphassay.graph import GraphSet
    from graphassay.linearize import Decoded, Linearizer

BLOCK = 256
"""Samples that a process takes at a time."""


@dataclass(frozen=True, kw_only=True)
class SampleJob:
    """All that decides which samples are drawn.

    Args:
        n: how many.
        decoding: how tokens are chosen.
        constrained: mask what the grammar forbids, so that every sample decodes.
        max_vertices: with the grammar, the largest graph.
        valences: with the grammar, vertex label -> what its bonds may add up to.
        max_tokens: longest sequence, BOS and EOS counted; the model's context by default.
        seed: of all samples; sample i of a seed does not depend on n.
        precision: of the matrix products.
    """

    n: int
    decoding: Decoding = field(default_factory=Decoding)
    constrained: bool = True
    max_vertices: int | None = None
    valences: Mapping[str, int] | None = None
    max_tokens: int | None = None
    seed: int = 0
    precision: Literal["float32", "bf16"] = "float32"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InvalidInput(f"n: expected at least 1 sample, got {self.n}")
        if not self.constrained and (self.max_vertices or self.valences):
            raise InvalidInput("max_vertices and valences limit the grammar: drop unconstrained")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class SampleSet:
    """Finished samples, by index, and what they say."""

    samples: tuple[Sample, ...]
    linearizer: "Linearizer"

    @cached_property
    def decoded(self) -> "Decoded":
        """The graphs, and why a sequence is none."""
        return self.linearizer.decode_batch([sample.tokens for sample in self.samples])

    @property
    def graphs(self) -> "GraphSet":
        """One graph per sequence that decodes."""
        return self.decoded.graphs

    @property
    def failures(self) -> dict[int, str]:
        """Why a sample is no graph; a sequence without EOS counts as cut off by the limit."""
        return {
            i: why
            if self.samples[i].ended
            else f"no end within {len(self.samples[i].tokens)} tokens"
            for i, why in self.decoded.failed.items()
        }


def sample(
    run: Run,
    job: SampleJob,
    *,
    batch_size: int = 64,
    device: str = "auto",
    threads: int | None = None,
    processes: int = 1,
    log: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SampleSet:
    """Draw all samples of a job. None of the options below changes which.

    Args:
        run: the model.
        job: what to draw.
        batch_size: rows in flight in each process (see `draw_samples`).
        device: ``auto``, ``cpu``, ``cuda``, …; several processes take CUDA devices in turn.
        threads: of each process, on a CPU; by default the cores at hand, shared out.
        processes: how many.
        log: a file that keeps finished samples, so that an interrupted job goes on; the caller
            deletes it once the result is safe.
        progress: called with (samples done, samples in all).

    Raises:
        InvalidInput: ``log`` belongs to another job; no such device.
    """
    threads = threads or max(1, n_cores() // processes)
    done: dict[int, Sample] = {}
    with ExitStack() as stack:
        keeper = None
        if log is not None:
            keeper = stack.enter_context(_Log.open(log, job, run))
            done = {s.index: s for s in keeper.samples if s.index < job.n}
        missing = [i for i in range(job.n) if i not in done]
        options: dict[str, Any] = {"batch_size": batch_size, "device": device, "threads": threads}
        finished = (
            _draw(run, job, missing, **options)
            if processes == 1 or len(missing) <= BLOCK
            else _draw_in_processes(run, job, missing, processes, options)
        )
        for one in finished if missing else ():
            done[one.index] = one
            if keeper is not None:
                keeper.add(one)
            if progress:
                progress(len(done), job.n)
    return SampleSet(tuple(done[i] for i in range(job.n)), run.linearizer)


def _draw(
    run: Run, job: SampleJob, indices: list[int], *, batch_size: int, device: str, threads: int
) -> Iterator[Sample]:
    model = run.llama(precision=job.precision, device=device)
    grammar = None
    if job.constrained:
        grammar = run.linearizer.grammar(max_vertices=job.max_vertices, valences=job.valences)
    return draw_samples(
        model,
        run.linearizer.vocabulary,
        indices,
        decoding=job.decoding,
        seed=job.seed,
        grammar=grammar,
        max_tokens=job.max_tokens,
        batch_size=min(batch_size, len(indices)),
        threads=threads,
    )


def _draw_block(
    folder: Path, job: SampleJob, indices: list[int], options: dict[str, Any]
) -> list[Sample]:
    return list(_draw(load_run(folder), job, indices, **options))


def _draw_in_processes(
    run: Run, job: SampleJob, indices: list[int], processes: int, options: dict[str, Any]
) -> Iterator[Sample]:
    import torch

    devices = [options["device"]]
    if options["device"] in ("auto", "cuda") and torch.cuda.is_available():
        devices = [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    blocks = [indices[i : i + BLOCK] for i in range(0, len(indices), BLOCK)]
    # Spawned, not forked: a forked child inherits OpenMP and CUDA in a state they cannot use.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        futures = [
            pool.submit(
                _draw_block, run.folder, job, block, options | {"device": devices[b % len(devices)]}
            )
            for b, block in enumerate(blocks)
        ]
        for future in as_completed(futures):
            yield from future.result()


class _Log:
    """Finished samples as JSON lines, after a line that says whose they are."""

    def __init__(self, file: IO[bytes], samples: list[Sample]) -> None:
        self._file, self.samples = file, samples

    @classmethod
    def open(cls, path: Path, job: SampleJob, run: Run) -> Self:
        header = {"run": run.fingerprint(), **job.to_dict()}
        header.pop("n")  # more of the same job may be asked for
        header = json.loads(json.dumps(header))
        try:
            samples, whole = cls._read(path, header) if path.exists() else ([], 0)
            file = path.open("ab" if whole else "wb")
            if whole:
                file.truncate(whole)  # a line that a crash cut must not corrupt the next
            log = cls(file, samples)
            if not whole:
                log._write(header)
        except OSError as error:
            raise UnwritableOutput(f"{path}: cannot write ({error.strerror})") from None
        return log

    @staticmethod
    def _read(path: Path, header: dict[str, Any]) -> tuple[list[Sample], int]:
        """The samples of this job, and how many bytes are whole; nothing of a mere header."""
        *lines, _ = path.read_bytes().split(b"\n")
        if len(lines) < 2:
            return [], 0  # interrupted before its first sample
        try:
            found = json.loads(lines[0])
            entries = [json.loads(line) for line in lines[1:]]
            differ = [name for name in header if found.get(name) != header[name]]
            samples = [
                Sample(one["i"], np.array(one["t"], dtype=np.int32), one["nll"], one["end"])
                for one in entries
            ]
        except (ValueError, TypeError, AttributeError, KeyError):
            raise InvalidInput(
                f"{path}: is no log of samples, or damaged; delete it and repeat the command"
            ) from None
        if differ:
            raise InvalidInput(
                f"{path}: holds the start of another job (other {', '.join(differ)}); repeat that "
                "job to finish it, or delete the file"
            )
        return samples, sum(len(line) + 1 for line in lines)

    def add(self, one: Sample) -> None:
        self._write({"i": one.index, "nll": one.nll, "end": one.ended, "t": one.tokens.tolist()})

    def _write(self, entry: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(entry).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            self._close()
            raise UnwritableOutput(
                f"{self._file.name}: cannot write ({error.strerror}); make room and repeat the "
                "command to go on"
            ) from None

    def _close(self) -> None:
        with suppress(OSError):  # what could not be written was said, or is drawn again
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

"""Sampling: the same samples in any batch, the same distribution as generate, resumable."""

import dataclasses
import errno
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import chi2_contingency

from graphassay.errors import InvalidInput, UnwritableOutput
from graphassay.io import read
from graphassay.lm import job as jobs
from graphassay.lm.decoding import DECODINGS, Decoding
from graphassay.lm.job import SampleJob, SampleSet, sample
from graphassay.lm.output import write_graphs, write_sequences
from graphassay.lm.run import Run
from graphassay.lm.sample import draw_samples
from graphassay.lm.score import token_nlls
from lm.tiny import small_graphs


def same(a: SampleSet, b: SampleSet) -> bool:
    return len(a.samples) == len(b.samples) and all(
        x.index == y.index and x.nll == y.nll and np.array_equal(x.tokens, y.tokens)
        for x, y in zip(a.samples, b.samples, strict=True)
    )


def draw(run: Run, n: int = 80, **options: object) -> SampleSet:
    settings = {f.name for f in dataclasses.fields(SampleJob)}
    job = SampleJob(n=n, **{k: v for k, v in options.items() if k in settings})
    rest = {k: v for k, v in options.items() if k not in settings}
    return sample(run, job, **({"device": "cpu", "threads": 1} | rest))


@pytest.mark.parametrize("constrained", [True, False])
def test_same_samples_whatever_the_batch_and_the_threads(peaked: Run, constrained: bool) -> None:
    reference = draw(peaked, constrained=constrained, batch_size=1)
    for options in ({"batch_size": 96}, {"threads": 2}, {"batch_size": 64, "threads": 3}):
        assert same(reference, draw(peaked, constrained=constrained, **options)), options
    assert not same(reference, draw(peaked, constrained=constrained, seed=1))


def test_a_sample_does_not_depend_on_how_many_are_drawn(peaked: Run) -> None:
    few, many = draw(peaked, 5), draw(peaked, 70)
    assert same(few, SampleSet(many.samples[:5], many.linearizer))


@pytest.mark.slow
def test_same_samples_in_several_processes(peaked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "BLOCK", 10)
    assert same(draw(peaked, 40), draw(peaked, 40, processes=2))


def test_constrained_samples_all_decode(peaked: Run) -> None:
    for config in DECODINGS.values():
        drawn = draw(peaked, 40, decoding=config)
        ended = [s for s in drawn.samples if s.ended]
        assert len(ended) >= 35
        assert len(drawn.graphs) == len(ended)
        assert set(drawn.failures) == {s.index for s in drawn.samples if not s.ended}


def test_failures_of_free_samples_are_kept(run: Run) -> None:
    drawn = draw(run, 60, constrained=False)  # hardly trained: most sequences are nonsense
    assert 0 < len(drawn.failures) <= 60
    assert len(drawn.graphs) + len(drawn.failures) == 60
    assert all(why for why in drawn.failures.values())


def test_limits_on_vertices_and_valence(peaked: Run) -> None:
    drawn = draw(peaked, 60, max_vertices=4, decoding=Decoding(1.5))
    assert drawn.graphs.vertex_counts.max() <= 4
    drawn = draw(peaked, 60, valences={"C": 1, "N": 1, "O": 1}, decoding=Decoding(1.5))
    degrees = [
        sum({"=": 2, "-": 1}[label] for u, v, label in graph.edges if w in (u, v))
        for graph in drawn.graphs
        for w in range(graph.n_vertices)
    ]
    assert max(degrees) <= 1


def test_cut_off_samples_are_failures(peaked: Run) -> None:
    drawn = draw(peaked, 40, max_tokens=6)
    cut = [s for s in drawn.samples if not s.ended]
    assert cut
    assert all(len(s.tokens) == 6 for s in cut)
    assert drawn.failures[cut[0].index] == "no end within 6 tokens"


@pytest.mark.parametrize("constrained", [True, False])
def test_the_nll_is_the_models_at_temperature_one(peaked: Run, constrained: bool) -> None:
    drawn = draw(peaked, 40, constrained=constrained, decoding=DECODINGS["tp_low"])
    losses = token_nlls(peaked.llama(device="cpu"), [s.tokens for s in drawn.samples])
    for one, loss in zip(drawn.samples, losses, strict=True):
        assert one.nll == pytest.approx(loss.sum(), abs=1e-4)


def test_same_distribution_as_generate(peaked: Run) -> None:
    """Chi-square of next-token frequencies, after every context of three tokens seen often."""
    from transformers import AutoModelForCausalLM

    decoding, n = DECODINGS["both_default"], 3000
    model = AutoModelForCausalLM.from_pretrained(peaked.folder)
    torch.manual_seed(0)
    bos = torch.full((n, 1), peaked.linearizer.vocabulary.bos)
    theirs = model.generate(
        bos,
        attention_mask=torch.ones_like(bos),
        do_sample=True,
        top_k=decoding.top_k,
        top_p=decoding.top_p,
        max_new_tokens=7,
    ).tolist()
    ours = [
        s.tokens.tolist()
        for s in draw(peaked, n, constrained=False, decoding=decoding, max_tokens=8).samples
    ]
    pvalues = []
    for length in range(1, 7):
        contexts: dict[tuple[int, ...], list[dict[int, int]]] = {}
        for side, rows in enumerate((ours, theirs)):
            for row in rows:
                if len(row) > length and 2 not in row[:length]:
                    counts = contexts.setdefault(tuple(row[max(0, length - 3) : length]), [{}, {}])
                    counts[side][row[length]] = counts[side].get(row[length], 0) + 1
        for a, b in contexts.values():
            tokens = [t for t in a.keys() | b.keys() if a.get(t, 0) + b.get(t, 0) >= 20]
            if len(tokens) >= 2:
                table = [[side.get(t, 0) for t in tokens] for side in (a, b)]
                pvalues.append(chi2_contingency(table).pvalue)
    assert len(pvalues) >= 20
    assert min(pvalues) > 0.001 / len(pvalues)
    assert 0.3 < np.mean(np.array(pvalues) > 0.3) < 0.95


class TestResumption:
    """An interrupted job goes on where it was, and only that job."""

    def interrupt(self, run: Run, log: Path, n: int) -> None:
        def stop(done: int, total: int) -> None:
            if done >= n:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            draw(run, log=log, progress=stop)

    def test_it_goes_on(self, peaked: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        log = tmp_path / "log"
        self.interrupt(peaked, log, 30)
        log.write_text(log.read_text() + '{"i": 70, "nll": 3.')  # the last line, cut off
        drawn_again = []
        real = draw_samples

        def watch(model, vocabulary, indices, **options):
            drawn_again.extend(indices)
            return real(model, vocabulary, indices, **options)

        monkeypatch.setattr(jobs, "draw_samples", watch)
        assert same(draw(peaked, log=log), draw(peaked)) is True
        assert len(drawn_again) == 50 + 80
        self_same = draw(peaked, log=log)  # a finished log needs no drawing
        assert len(self_same.samples) == 80
        assert len(drawn_again) == 130 + 0

    def test_another_job_is_refused(self, peaked: Run, run: Run, tmp_path: Path) -> None:
        log = tmp_path / "log"
        self.interrupt(peaked, log, 10)
        with pytest.raises(InvalidInput, match=r"holds the start of another job \(other seed\)"):
            draw(peaked, log=log, seed=4)
        with pytest.raises(InvalidInput, match=r"another job \(other run\)"):
            draw(run, log=log)

    def test_a_log_without_a_whole_line_is_started_anew(self, peaked: Run, tmp_path: Path) -> None:
        (tmp_path / "log").write_text('{"run": "')
        assert same(draw(peaked, 8, log=tmp_path / "log"), draw(peaked, 8))


def test_outputs_keep_failures_in_the_denominator(run: Run, peaked: Run, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from graphassay.io import read

    mixed = draw(peaked, 40, max_tokens=14)
    n_failed = len(mixed.failures)
    assert 0 < n_failed < 40
    counts = write_graphs(mixed, tmp_path / "g.jsonl")
    assert counts["n_graphs"] == counts["n_written"] == 40 - n_failed
    assert counts["failed"] == {"no end within the limit": n_failed}
    intake = read(tmp_path / "g.jsonl").intake
    assert (intake.n_kept, intake.n_refused) == (40 - n_failed, n_failed)
    write_graphs(mixed, tmp_path / "g.jsonl.gz")
    assert read(tmp_path / "g.jsonl.gz").intake.n_refused == n_failed
    write_graphs(mixed, tmp_path / "g.gspan")
    assert len(read(tmp_path / "g.gspan")) == 40 - n_failed

    job = SampleJob(n=40, max_tokens=14)
    write_sequences(mixed, tmp_path / "s.parquet", peaked, job)
    table = pq.read_table(tmp_path / "s.parquet")
    assert table["failed"].null_count == 40 - n_failed
    tokens = peaked.linearizer.vocabulary.encode(table["tokens"][7].as_py())
    assert tokens == mixed.samples[7].tokens.tolist()
    assert json.loads(table.schema.metadata[b"job"]) == job.to_dict()
    assert not list(tmp_path.glob(".*"))


def test_no_graph_at_all(run: Run, tmp_path: Path) -> None:
    none = draw(run, 4, max_tokens=2)
    counts = write_graphs(none, tmp_path / "g.jsonl")
    assert counts["n_failed_records"] == 4
    assert (tmp_path / "g.jsonl").read_text() == "null\n" * 4
    with pytest.raises(InvalidInput, match="no sample is a graph, and gspan cannot say so"):
        write_graphs(none, tmp_path / "g.gspan")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "at least 1 sample"),
        ({"max_tokens": 1}, r"max_tokens: expected 2\.\."),
        ({"max_tokens": 10_000}, r"max_tokens: expected 2\.\."),
        ({"constrained": False, "max_vertices": 4}, "drop unconstrained"),
        ({"device": "cuda:9"}, "device 'cuda:9': expected auto or one of cpu"),
        ({"valences": {"Xx": 3}}, "the vocabulary has no such label"),
    ],
)
def test_wrong_options(run: Run, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        draw(run, **({"n": 3} | options))


def test_graphs_look_like_the_training_set(peaked: Run) -> None:
    """A coarse sanity check that the loop feeds the model what it should."""
    drawn = draw(peaked, 200).graphs
    assert abs(drawn.vertex_counts.mean() - small_graphs().vertex_counts.mean()) < 1.5
    assert abs(drawn.edge_counts.mean() - small_graphs().edge_counts.mean()) < 2.5


class TestTheLog:
    """An interrupted job goes on from it; what is no log of the job is said in one line."""

    JOB = SampleJob(n=6, seed=3)

    def test_a_cut_line_is_drawn_again_and_the_rest_is_kept(
        self, peaked: Run, tmp_path: Path
    ) -> None:
        log = tmp_path / "log"
        whole = sample(peaked, self.JOB, device="cpu", log=log)
        lines = log.read_bytes().splitlines(keepends=True)
        kept = b"".join(lines[:4])
        log.write_bytes(kept + lines[4][:7])
        again = sample(peaked, self.JOB, device="cpu", log=log)
        assert [s.tokens.tolist() for s in again.samples] == [
            s.tokens.tolist() for s in whole.samples
        ]
        assert log.read_bytes().startswith(kept)  # never shorter, whenever it is killed

    def test_a_header_without_samples_binds_nobody(self, peaked: Run, tmp_path: Path) -> None:
        log = tmp_path / "log"
        with pytest.raises(InvalidInput, match="expected auto or one of"):
            sample(peaked, self.JOB, device="tpu", log=log)
        assert log.is_file()
        other = SampleJob(n=2, seed=4)
        assert len(sample(peaked, other, device="cpu", log=log).samples) == 2

    @pytest.mark.parametrize("content", [b"\xff\xfe\n\xff\n", b"[]\n{}\n", b"{}\n{}\n", b"1\n2\n"])
    def test_what_is_no_log_is_said(self, peaked: Run, tmp_path: Path, content: bytes) -> None:
        log = tmp_path / "log"
        log.write_bytes(content)
        with pytest.raises(InvalidInput, match=r"log: (is no log|holds the start of another job)"):
            sample(peaked, self.JOB, device="cpu", log=log)
        assert log.read_bytes() == content

    def test_a_full_disk_is_one_line(
        self, peaked: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log, flushes = tmp_path / "log", 0
        open_file = Path.open

        class Full(io.FileIO):
            def flush(self) -> None:
                nonlocal flushes
                flushes += 1
                if flushes > 3:
                    raise OSError(errno.ENOSPC, "No space left on device")

        def opened(path: Path, mode: str = "r", *rest: object, **more: object) -> object:
            return Full(path, "wb") if path == log else open_file(path, mode, *rest, **more)

        monkeypatch.setattr(Path, "open", opened)
        with pytest.raises(UnwritableOutput, match=r"No space left on device.*make room"):
            sample(peaked, self.JOB, device="cpu", log=log)


def test_links_stay_links_and_pipes_are_refused(run: Run, peaked: Run, tmp_path: Path) -> None:
    drawn = sample(peaked, SampleJob(n=3, seed=1), device="cpu")
    for name in ("g.jsonl", "g.gspan"):
        (tmp_path / f"real-{name}").write_text("old")
        (tmp_path / name).symlink_to(tmp_path / f"real-{name}")
        write_graphs(drawn, tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert len(read(tmp_path / f"real-{name}")) == 3
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(UnwritableOutput, match=r"pipe.jsonl: expected a file, got a device or pip"):
        write_graphs(drawn, tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(UnwritableOutput, match=r"folder.jsonl: a folder is in the way"):
        write_graphs(drawn, tmp_path / "folder.jsonl")
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_no_sequence_has_no_tokens(peaked: Run) -> None:
    with pytest.raises(InvalidInput, match=r"max_tokens: expected 2\.\."):
        sample(peaked, SampleJob(n=1, max_tokens=0), device="cpu")

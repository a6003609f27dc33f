"""Scoring: equal to a straight padded loop, in any batch, with reasons instead of numbers."""

import csv
import dataclasses
import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from graphassay.canonical import class_ids
from graphassay.errors import BudgetExceeded, InvalidInput, UnwritableOutput
from graphassay.graph import Graph, GraphSet, concat
from graphassay.interop import to_networkx
from graphassay.lm import score as scoring
from graphassay.lm.data import padded_inputs
from graphassay.lm.output import ScoreWriter, score_tables
from graphassay.lm.run import Run
from graphassay.lm.score import score, scoring_seed, token_nlls, with_strategy


@pytest.fixture(scope="module")
def model(peaked: Run):
    return peaked.llama(device="cpu")


@pytest.fixture(scope="module")
def reference(peaked: Run):
    """A straight padded loop over Hugging Face's model: the NLL of each sequence."""
    from transformers import AutoModelForCausalLM

    hugging_face = AutoModelForCausalLM.from_pretrained(peaked.folder)

    def nlls(sequences: list[np.ndarray]) -> list[float]:
        found = []
        for start in range(0, len(sequences), 16):
            batch = padded_inputs(sequences[start : start + 16], 0)
            with torch.no_grad():
                logits = hugging_face(batch["input_ids"]).logits[:, :-1]
            loss = torch.nn.functional.cross_entropy(
                logits.transpose(1, 2), batch["labels"][:, 1:], reduction="none", ignore_index=-100
            )
            found += loss.sum(1).tolist()
        return found

    return nlls


def test_equal_to_a_padded_loop(peaked: Run, model, reference, graphs: GraphSet) -> None:
    (window,) = score(model, peaked.linearizer, graphs, seed=3)
    batch = peaked.linearizer.batch(graphs, seed=scoring_seed(3))
    expected = reference([batch[i] for i in range(len(batch))])
    np.testing.assert_allclose(window.nll[:, 0], expected, atol=1e-4, rtol=0)
    np.testing.assert_array_equal(window.n_tokens[:, 0], batch.lengths - 1)
    np.testing.assert_array_equal(window.indices, np.arange(60))


def threads_of_a_new_thread() -> int:
    """What others would start with: the setting is of a thread, and its default of the process."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(torch.get_num_threads).result()


def test_the_same_sums_with_any_number_of_threads(peaked: Run, model, graphs: GraphSet) -> None:
    batch = peaked.linearizer.batch(graphs, seed=0)
    sequences = [batch[i] for i in range(len(batch))]
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            found.append(np.concatenate(token_nlls(model, sequences, batch_tokens=64)))
            assert threads_of_a_new_thread() == threads
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_an_error_in_a_batch_is_raised_and_the_rest_is_dropped(
    peaked: Run, model, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = peaked.linearizer.batch(graphs, seed=0)
    n_computed = 0

    def fails(*_: object) -> None:
        nonlocal n_computed
        n_computed += 1
        time.sleep(0.01)  # longer than it takes to call the others off
        raise MemoryError("no room")

    monkeypatch.setattr(scoring, "_one_batch", fails)
    before = torch.get_num_threads()
    with pytest.raises(MemoryError, match="no room"):
        token_nlls(model, [batch[i] for i in range(len(batch))], batch_tokens=1)
    assert n_computed < len(batch)
    assert threads_of_a_new_thread() == before


def test_the_bound_weighs_each_draw_by_its_own_probability(
    peaked: Run, model, graphs: GraphSet
) -> None:
    """By hand: log of the mean of p(s) / q(s), q the walk's times the automorphisms (networkx)."""
    few = graphs[:12]
    (window,) = score(model, peaked.linearizer, few, permutations=4, seed=3, bound=True)
    assert window.bound is not None
    for row, graph in enumerate(few):
        other = to_networkx(graph)
        same = nx.isomorphism.GraphMatcher(
            other,
            other,
            node_match=lambda a, b: a == b,
            edge_match=lambda a, b: a == b,
        )
        n_automorphisms = sum(1 for _ in same.isomorphisms_iter())
        weights = [
            math.exp(-nll - log_q) / n_automorphisms
            for nll, log_q in zip(window.nll[row], window.log_q[row], strict=True)
        ]
        assert window.bound[row] == pytest.approx(math.log(sum(weights) / 4), abs=1e-9)


def test_no_bound_without_draws(peaked: Run, model, graphs: GraphSet) -> None:
    (window,) = score(model, peaked.linearizer, graphs[:3], bound=True)
    assert window.bound is None


def test_symmetries_are_counted_only_where_they_matter(
    peaked: Run, model, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    count = scoring.log_automorphisms
    monkeypatch.setattr(
        scoring,
        "log_automorphisms",
        lambda found, **options: counted.append(len(found)) or count(found, **options),
    )
    ask = {"permutations": 4, "seed": 3}
    (without,) = score(model, peaked.linearizer, graphs, **ask)
    assert sum(counted) < len(graphs)  # those whose draws are all equal
    (once,) = score(model, peaked.linearizer, graphs, bound=True, **ask)
    assert counted[-1] == len(graphs)
    n_calls = len(counted)
    known = count(graphs)
    (again,) = score(
        model, peaked.linearizer, graphs, bound=True, log_automorphism_counts=known, **ask
    )
    assert len(counted) == n_calls
    np.testing.assert_array_equal(once.bound, again.bound)
    np.testing.assert_array_equal(once.single, without.single)


def test_the_symmetries_of_the_largest_component_count_where_it_alone_is_written(
    peaked: Run,
) -> None:
    alone = dataclasses.replace(peaked.linearizer, components="largest")
    graph = Graph("CNCNCN", [(0, 1, "-"), (2, 3, "-"), (4, 5, "-")])
    graphs = GraphSet.from_graphs([graph])
    assert scoring.count_automorphisms(alone, graphs).tolist() == [0.0]
    assert scoring.count_automorphisms(peaked.linearizer, graphs)[0] == pytest.approx(math.log(6))


def test_permutations_are_independent_draws(
    peaked: Run, model, reference, graphs: GraphSet
) -> None:
    (window,) = score(model, peaked.linearizer, graphs, permutations=5, seed=3)
    assert window.nll.shape == (60, 5)
    for k in range(5):
        batch = peaked.linearizer.batch(graphs, seed=scoring_seed(3), epoch=k)
        expected = reference([batch[i] for i in range(60)])
        np.testing.assert_allclose(window.nll[:, k], expected, atol=1e-4, rtol=0)
    by_hand = [
        (sum((x - sum(r) / 5) ** 2 for x in r) / 5) ** 0.5 / (sum(r) / 5)
        for r in window.nll.tolist()
    ]
    single = window.single
    np.testing.assert_allclose(window.uncertainty[~single], np.array(by_hand)[~single])
    assert np.isnan(window.uncertainty[single]).all()


def test_training_sequences_are_not_those_scored(peaked: Run, model, graphs: GraphSet) -> None:
    """Of graphs with many linearizations, which coincide seldom by chance."""
    (window,) = score(model, peaked.linearizer, graphs, permutations=4, seed=0, per_token=True)
    large = [i for i in range(60) if graphs.vertex_counts[i] >= 8]
    for seed in range(3):
        for epoch in range(8):
            trained = peaked.linearizer.batch(graphs, seed=seed, epoch=epoch)
            for scored in window.tokens:  # each draw alone: one that coincides is a leak
                equal = [np.array_equal(trained[i], scored[i]) for i in large]
                assert np.mean(equal) < 0.5


def test_single_linearizations_are_told_from_chance(peaked: Run, model, graphs: GraphSet) -> None:
    """Two equal draws may be chance; the exact answer is whether 60 draws are all the same."""
    texts = [
        [bytes(b[row]) for row in range(60)]
        for b in (peaked.linearizer.batch(graphs, seed=scoring_seed(1), epoch=e) for e in range(60))
    ]
    expected = [len({text[row] for text in texts}) == 1 for row in range(60)]
    (window,) = score(model, peaked.linearizer, graphs, permutations=2, seed=1)
    assert window.single.tolist() == expected
    assert 0 < sum(expected) < (window.n_distinct == 1).sum()
    (table,) = score_tables([window], graphs)
    assert [lu is None for lu in table["lu"].to_pylist()] == expected
    assert table["n_distinct"].to_pylist() == window.n_distinct.tolist()


def test_repeats_that_cannot_be_told_from_chance_are_told_for_the_others(
    peaked: Run, model, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph whose automorphisms cost too much is taken at its K draws, and no other one is."""
    pair = GraphSet.from_graphs([Graph("CC", [(0, 1, "-")])])
    together = concat([pair, graphs.take(np.flatnonzero(graphs.vertex_counts != 2))])

    def ids(found: GraphSet, *, threads: int | None) -> np.ndarray:
        if (found.vertex_counts == 2).any():
            raise BudgetExceeded("too symmetric")
        return class_ids(found, threads=threads)

    (known,) = score(model, peaked.linearizer, together, permutations=2, seed=1)
    monkeypatch.setattr("graphassay.automorphisms.class_ids", ids)
    (window,) = score(model, peaked.linearizer, together, permutations=2, seed=1)
    assert window.single[0]
    assert (window.n_distinct == 1).sum() > known.single.sum()
    np.testing.assert_array_equal(window.single, known.single)


def test_a_tally_is_of_every_predicted_token(peaked: Run, model, graphs: GraphSet) -> None:
    """Against softmax over the logits of Hugging Face's model, token by token."""
    from transformers import AutoModelForCausalLM

    def tally(confidence, correct, group, n_groups):
        sums = np.zeros((n_groups, 3))
        np.add.at(sums, group, np.stack([np.ones(len(group)), confidence, correct], axis=1))
        return sums

    (window,) = score(model, peaked.linearizer, graphs[:8], permutations=2, tally=tally)
    (plain,) = score(model, peaked.linearizer, graphs[:8], permutations=2)
    np.testing.assert_allclose(window.nll, plain.nll, atol=1e-4)
    assert window.reliability.shape == (8, 2, 5, 3)
    assert plain.reliability is None
    hugging_face = AutoModelForCausalLM.from_pretrained(peaked.folder)
    for draw in range(2):
        batch = peaked.linearizer.batch(graphs[:8], seed=scoring_seed(0), epoch=draw)
        for row in range(8):
            ids = torch.from_numpy(batch[row]).long()
            with torch.no_grad():
                p = hugging_face(ids[None]).logits[0, :-1].softmax(-1)
            top, first = p.max(-1)
            kinds = peaked.linearizer.token_types(batch[row])[1:]
            for kind in range(5):
                own = torch.from_numpy(kinds == kind)
                expected = [own.sum(), top[own].sum(), (first == ids[1:])[own].sum()]
                np.testing.assert_allclose(
                    window.reliability[row, draw, kind], [float(x) for x in expected], atol=1e-4
                )


@pytest.mark.parametrize("batch_tokens", [1, 100, 100_000])
def test_batches_do_not_matter(
    peaked: Run, model, graphs: GraphSet, batch_tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (expected,) = score(model, peaked.linearizer, graphs, permutations=3)
    monkeypatch.setattr(scoring, "WINDOW_SEQUENCES", 50)
    windows = list(
        score(model, peaked.linearizer, graphs, permutations=3, batch_tokens=batch_tokens)
    )
    assert len(windows) == 4
    together = np.concatenate([w.nll for w in windows])
    np.testing.assert_allclose(together, expected.nll, atol=1e-4, rtol=0)
    assert np.concatenate([w.indices for w in windows]).tolist() == list(range(60))


def test_equal_sequences_are_computed_once(
    peaked: Run, model, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = peaked.linearizer.batch(graphs, seed=scoring_seed(0))
    sequences = [batch[i] for i in range(5)]
    expected = token_nlls(model, sequences)
    sizes = []
    real = type(model).logits
    monkeypatch.setattr(
        type(model), "logits", lambda self, h: sizes.append(len(h)) or real(self, h)
    )
    found = token_nlls(model, sequences * 3 + sequences[::-1])
    assert sum(sizes) == sum(len(s) - 1 for s in {tuple(s) for s in sequences})
    for ours, theirs in zip(found, expected * 3 + expected[::-1], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_tokens_add_up(peaked: Run, model, graphs: GraphSet) -> None:
    (window,) = score(model, peaked.linearizer, graphs, permutations=2, per_token=True)
    for row in (0, 17, 59):
        for k in range(2):
            assert len(window.tokens[k][row]) == len(window.token_nll[row][k]) + 1
            assert window.token_nll[row][k].sum() == pytest.approx(window.nll[row, k])


def test_logits_never_exist_all_at_once(
    peaked: Run, model, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    real = type(model).logits
    monkeypatch.setattr(
        type(model), "logits", lambda self, h: sizes.append(len(h)) or real(self, h)
    )
    list(score(model, peaked.linearizer, graphs, permutations=40))
    assert max(sizes) <= 2048 < sum(sizes)


def test_bf16_is_near(peaked: Run, model, graphs: GraphSet) -> None:
    (exact,) = score(model, peaked.linearizer, graphs)
    low = peaked.llama(precision="bf16", device="cpu")
    (near,) = score(low, peaked.linearizer, graphs)
    error = np.abs(near.nll - exact.nll) / exact.n_tokens
    assert 0 < error.max() < 0.02


def test_other_strategies_share_the_vocabulary(peaked: Run, model, graphs: GraphSet) -> None:
    for name in ("min-degree", "sent:anchor"):
        (window,) = score(model, peaked.linearizer, graphs, permutations=2, strategy=name)
        other = with_strategy(peaked.linearizer, name)
        batch = other.batch(graphs, seed=scoring_seed(0), epoch=1)
        expected = token_nlls(model, [batch[i] for i in range(60)])
        np.testing.assert_allclose(window.nll[:, 1], [e.sum() for e in expected], atol=1e-4)


def test_inexpressible_graphs_get_a_reason(peaked: Run, model, graphs: GraphSet) -> None:
    path = [(i, i + 1, "-") for i in range(39)]
    odd = GraphSet.from_graphs(
        [Graph(["C", "S"], [(0, 1, "-")]), Graph(["C", "C"], [(0, 1, "#")]), Graph("C" * 40, path)]
    )
    mixed = concat([graphs[:2], odd, graphs[2:4]])
    for permutations in (None, 3):
        (window,) = score(model, peaked.linearizer, mixed, permutations=permutations)
        assert window.indices.tolist() == [0, 1, 5, 6]
        assert sorted(window.refused) == [2, 3, 4]
        assert "S" in window.refused[2]
        assert "#" in window.refused[3]
        assert "40" in window.refused[4]
    (table,) = score_tables([window], mixed)
    assert table["nll_nats"].to_pylist()[2:5] == [None] * 3
    assert table["refused"].null_count == 4


def test_a_graph_beyond_the_context_gets_a_reason(peaked: Run, graphs: GraphSet) -> None:
    model = peaked.llama(device="cpu")
    model.context = 30
    for permutations in (None, 4):
        (window,) = score(model, peaked.linearizer, graphs, permutations=permutations)
        assert 0 < len(window.refused) < 60
        assert "30" in next(iter(window.refused.values()))
        assert len(window.indices) + len(window.refused) == 60
        assert not set(window.indices.tolist()) & set(window.refused)
    with pytest.raises(InvalidInput, match="exceeds the model's context of 30"):
        token_nlls(model, [np.ones(31, np.int32)])


def test_a_spread_needs_two(peaked: Run, run: Run, model, graphs: GraphSet) -> None:
    with pytest.raises(InvalidInput, match="permutations: expected at least 2, for a spread"):
        next(score(model, peaked.linearizer, graphs, permutations=1))
    (window,) = score(model, peaked.linearizer, graphs)
    for name in ("sd", "uncertainty"):
        with pytest.raises(InvalidInput, match="expected at least 2, for a spread, got 1"):
            getattr(window, name)


def test_a_canonical_serialization_has_no_spread(graphs: GraphSet) -> None:
    from graphassay.linearize import linearizer_from_data

    canonical = linearizer_from_data("dgmg:canonical", graphs)
    with pytest.raises(InvalidInput, match="one linearization per graph"):
        next(score(None, canonical, graphs, permutations=4))


def test_unknown_strategies(peaked: Run, model, graphs: GraphSet) -> None:
    with pytest.raises(InvalidInput, match="unknown linearization 'sent:widest'"):
        next(score(model, peaked.linearizer, graphs, strategy="widest"))


def test_tables_as_parquet_and_csv(peaked: Run, model, graphs: GraphSet, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    words = peaked.linearizer.vocabulary.tokens
    for name in ("s.parquet", "s.csv"):
        with ScoreWriter(tmp_path / name) as writer:
            windows = score(model, peaked.linearizer, graphs, permutations=3, per_token=True)
            for table in score_tables(windows, graphs, words=words):
                writer.write_table(table)
    table = pq.read_table(tmp_path / "s.parquet")
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert table.column_names == list(rows[0])
    assert [float(r["lu"]) if r["lu"] else None for r in rows] == table["lu"].to_pylist()
    draws = [float(x) for x in rows[5]["nlls_nats"].split()]
    assert np.mean(draws) == pytest.approx(float(rows[5]["nll_nats"]))
    shares = [float(x) for x in rows[5]["token_nlls_nats"].split()]
    assert sum(shares) == pytest.approx(sum(draws))
    assert len(rows[5]["tokens"].split()) == len(shares) + 3


def test_a_failed_table_leaves_nothing(tmp_path: Path) -> None:
    import pyarrow as pa

    def interrupted() -> None:
        with ScoreWriter(tmp_path / "s.csv") as writer:
            writer.write_table(pa.table({"a": [1]}))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not list(tmp_path.iterdir())
    with pytest.raises(InvalidInput, match=r"ends in \.parquet or \.csv"):
        ScoreWriter(tmp_path / "s.xlsx")
    with pytest.raises(UnwritableOutput, match="no such folder"):
        ScoreWriter(tmp_path / "absent" / "s.csv")

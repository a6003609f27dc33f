"""Splits, the stream of batches, grouping and packing."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig, LlamaForCausalLM

from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from graphassay.linearize import linearizer_from_data
from graphassay.lm.data import (
    IGNORED,
    TrainingBatches,
    length_sorted_batches,
    pack,
    packed_inputs,
    padded_inputs,
    set_sha256,
    split,
)


def batches_of(graphs: GraphSet, **options: object) -> TrainingBatches:
    linearizer = linearizer_from_data("sent:random", graphs)
    settings = {"batch_size": 8, "n_batches": 40, "context": 500, "seed": 3}
    return TrainingBatches(graphs, linearizer, **(settings | options))


def test_splits_are_disjoint_complete_and_fixed_by_seed() -> None:
    a = split(101, train_share=0.7, valid_share=0.2, seed=5)
    assert sorted(np.concatenate([a.train, a.valid, a.test])) == list(range(101))
    assert (len(a.train), len(a.valid), len(a.test)) == (71, 20, 10)
    b = split(101, train_share=0.7, valid_share=0.2, seed=5)
    np.testing.assert_array_equal(a.train, b.train)
    assert list(split(101, train_share=0.7, valid_share=0.2, seed=6).train) != list(a.train)


def test_the_digest_of_a_set_is_that_of_its_graphs_in_any_order(graphs: GraphSet) -> None:
    whole = set_sha256(graphs)
    assert set_sha256(graphs[::-1]) == whole
    names = [*reversed(graphs.vertex_label_names), "unused"], graphs.edge_label_names
    assert set_sha256(graphs.with_label_names(*names)) == whole
    renamed = tuple({"C": "Si"}.get(name, name) for name in graphs.vertex_label_names)
    others = [
        graphs[1:],
        graphs.take([0, *range(len(graphs))]),  # twice is not once
        dataclasses.replace(graphs, vertex_label_names=renamed),
        # The same columns, cut elsewhere.
        GraphSet.from_graphs([Graph("CC", []), Graph("C", [])]),
        GraphSet.from_graphs([Graph("C", []), Graph("CCC", [])]),
        GraphSet.from_graphs([Graph("CCC", [(0, 1, "-")]), Graph("CC", [])]),
        GraphSet.from_graphs([Graph("CCC", []), Graph("CC", [(0, 1, "-")])]),
        GraphSet.from_graphs([Graph("CCC", [(0, 1, "=")]), Graph("CC", [])]),
        GraphSet.from_graphs([]),
    ]
    assert len({whole, *map(set_sha256, others)}) == len(others) + 1


def test_splits_that_would_be_empty_are_refused() -> None:
    with pytest.raises(InvalidInput, match="2 graphs are too few"):
        split(2, train_share=0.8, valid_share=0.1, seed=0)


@pytest.mark.parametrize("batching", ["grouped", "packed"])
def test_an_epoch_holds_every_graph_once(graphs: GraphSet, batching: str) -> None:
    # One linearization per graph, all distinct, so that a sequence names its graph.
    linearizer = linearizer_from_data("dgmg:label", graphs)
    batches = TrainingBatches(
        graphs,
        linearizer,
        batch_size=6,
        n_batches=30,
        context=500,
        batching=batching,
        seed=1,
    )
    expected = sorted(linearizer.batch(graphs)[i].tobytes() for i in range(len(graphs)))
    for epoch in range(2):
        seen = [s.tobytes() for i in range(10) for s in batches.sequences(10 * epoch + i)]
        assert sorted(seen) == expected


def test_a_batch_depends_on_its_number_alone(graphs: GraphSet) -> None:
    forward, backward = batches_of(graphs), batches_of(graphs)
    ahead = [forward[i]["input_ids"] for i in range(40)]
    for i in reversed(range(40)):
        torch.testing.assert_close(backward[i]["input_ids"], ahead[i])
    other = batches_of(graphs, seed=4)
    assert any(other[i]["input_ids"].tolist() != ahead[i].tolist() for i in range(40))


def test_linearizations_are_drawn_anew_each_epoch(graphs: GraphSet) -> None:
    batches = batches_of(graphs, batch_size=len(graphs), batching="packed")
    first, second = ({s.tobytes() for s in batches.sequences(epoch)} for epoch in (0, 1))
    assert len(first & second) < len(first) / 2
    for sequences in (batches.sequences(0), batches.sequences(1)):
        assert not batches.linearizer.decode_batch(sequences).failed


@pytest.mark.parametrize("batching", ["auto", "packed"])
def test_padding_stays_under_five_percent(graphs: GraphSet, batching: str) -> None:
    batches = batches_of(graphs, batching=batching)
    computed = used = 0
    for i in range(40):
        labels = batches[i]["labels"]
        used += int((labels != IGNORED).sum())
        computed += labels.numel() - len(labels)
    assert 1 - used / computed < 0.05


@given(st.lists(st.integers(2, 90), min_size=1, max_size=70))
def test_packing_keeps_every_sequence_and_pads_little(lengths: list[int]) -> None:
    rows = pack(lengths)
    assert sorted(i for row in rows for i in row) == list(range(len(lengths)))
    loads = [sum(lengths[i] for i in row) for row in rows]
    assert 1 - sum(lengths) / (max(loads) * len(rows)) <= 0.025


def test_packed_sequences_do_not_see_each_other(graphs: GraphSet) -> None:
    linearizer = linearizer_from_data("sent:random", graphs)
    batch = linearizer.batch(graphs, range(12), seed=0)
    sequences = [batch[i] for i in range(12)]
    packed = packed_inputs(sequences, linearizer.vocabulary.pad)
    assert len(packed["input_ids"]) < 12
    torch.manual_seed(0)
    for attention in ("sdpa", "eager"):
        config = LlamaConfig(
            vocab_size=len(linearizer.vocabulary),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            initializer_range=0.3,
            use_cache=False,
            attn_implementation=attention,
        )
        model = LlamaForCausalLM(config).eval()
        one = torch.ones(())
        with torch.no_grad():
            together = model(**packed, num_items_in_batch=one).loss
            apart = sum(
                model(**padded_inputs([s], 0), num_items_in_batch=one).loss for s in sequences
            )
            padded = model(**padded_inputs(sequences, 0), num_items_in_batch=one).loss
        torch.testing.assert_close(together, apart, rtol=1e-5, atol=1e-3)
        torch.testing.assert_close(padded, apart, rtol=1e-5, atol=1e-3)


def test_bos_and_padding_are_not_predicted(graphs: GraphSet) -> None:
    a, b = np.array([1, 5, 6, 2], np.int32), np.array([1, 7, 2], np.int32)
    assert padded_inputs([a, b], 0)["labels"].tolist() == [
        [IGNORED, 5, 6, 2],
        [IGNORED, 7, 2, IGNORED],
    ]
    packed = packed_inputs([a, b, b, a], 0)
    assert sorted(packed["labels"][packed["labels"] != IGNORED].tolist()) == [
        2, 2, 2, 2, 5, 5, 6, 6, 7, 7,
    ]  # fmt: skip


def test_a_long_draw_stops_or_is_skipped(graphs: GraphSet) -> None:
    context = 30
    with pytest.raises(InvalidInput, match=r"exceeds the model's context of 30.*long_graphs"):
        [batches_of(graphs, context=context)[i] for i in range(40)]
    batches = batches_of(graphs, context=context, long_graphs="skip")
    for i in range(40):
        assert all(len(s) <= context for s in batches.sequences(i))
    assert batches.n_skipped > 0


def test_length_sorted_batches_respect_the_limit() -> None:
    lengths = np.random.default_rng(0).integers(1, 120, 500)
    batches = list(length_sorted_batches(lengths, max_tokens=300))
    assert sorted(np.concatenate(batches)) == list(range(500))
    assert all(len(b) * lengths[b].max() <= 300 for b in batches)
    assert all(lengths[a].min() >= lengths[b].max() for a, b in pairwise(batches))
    assert [len(b) for b in length_sorted_batches(np.array([9, 9]), max_tokens=5)] == [1, 1]


def test_dataclass_splits_have_no_surprises() -> None:
    parts = split(10, train_share=1.0, valid_share=0.0, seed=0)
    assert [len(getattr(parts, f.name)) for f in dataclasses.fields(parts)] == [10, 0, 0, 0]

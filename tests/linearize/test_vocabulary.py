"""Tokens: words without whitespace, never two for one or one for two, known to Hugging Face."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphassay.errors import InvalidInput
from graphassay.graph import Graph, GraphSet
from graphassay.linearize import KINDS, Vocabulary, linearizer_from_data
from graphassay.linearize.vocabulary import SPECIAL_TOKENS, escape_label, unescape_label

ODD = ["two words", "", "<eos>", "%20", "a,b", "\t", "[PAD]", "é", "\u2028", "C@@H", "＜"]


@given(st.text(st.characters(codec="utf-8")))
def test_labels_become_words_and_back(label: str) -> None:
    word = escape_label(label)
    assert unescape_label(word) == label
    assert not any(c.isspace() or c in "<>," for c in word)
    assert len(f"v:{word}".split()) == 1


def test_the_table() -> None:
    vocabulary = Vocabulary((*SPECIAL_TOKENS, "a", "b"))
    assert (vocabulary.pad, vocabulary.bos, vocabulary.eos, vocabulary.unk) == (0, 1, 2, 3)
    assert vocabulary.encode("<bos> b a <eos>") == [1, 5, 4, 2]
    assert vocabulary.text([1, 5, 4, 2]) == "<bos> b a <eos>"
    assert "a" in vocabulary
    assert "c" not in vocabulary
    assert Vocabulary.from_json(vocabulary.to_json()) == vocabulary
    with pytest.raises(InvalidInput, match="token 'c' is not in the vocabulary of 6 tokens"):
        vocabulary.encode("a c")
    with pytest.raises(InvalidInput, match=r"token id in 0\.\.5, got 6"):
        vocabulary.text([6])
    for tokens, message in [
        (("a",), "starts with"),
        ((*SPECIAL_TOKENS, "a", "a"), "distinct"),
        ((*SPECIAL_TOKENS, "a b"), "without whitespace"),
        ((*SPECIAL_TOKENS, ""), "without whitespace"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            Vocabulary(tokens)
    for text in ("", "{}", "[]", '{"tokens": 3}'):
        with pytest.raises(InvalidInput, match="expected the JSON of a vocabulary"):
            Vocabulary.from_json(text)


def odd_graphs() -> GraphSet:
    ring = [(i, (i + 1) % len(ODD), ODD[i]) for i in range(len(ODD))]
    return GraphSet.from_graphs([Graph(ODD, ring), Graph(ODD[:2])])


@pytest.mark.slow
def test_hugging_face_reads_the_same_ids_without_us(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from graphassay.linearize.tokenizer import load_vocabulary, save_tokenizer

    graphs = odd_graphs()
    lines = []
    for k, name in enumerate(KINDS):
        linearizer = linearizer_from_data(name, graphs)
        folder = tmp_path / str(k)
        save_tokenizer(linearizer.vocabulary, folder, max_length=64)
        assert load_vocabulary(folder) == linearizer.vocabulary
        batch = linearizer.batch(graphs, seed=0)
        for r in range(len(batch)):
            ids = batch[r].tolist()
            lines.append(f"{k}\t{linearizer.vocabulary.text(ids)}\t{ids}")
        tokens = list(range(len(linearizer.vocabulary)))  # every token of the vocabulary
        lines.append(f"{k}\t{linearizer.vocabulary.text(tokens)}\t{tokens}")
    (tmp_path / "lines").write_text("\n".join(lines), encoding="utf-8")
    script = f"""
import sys
sys.modules["graphassay"] = None
from transformers import AutoTokenizer
for line in open({str(tmp_path / "lines")!r}, encoding="utf-8", newline="\\n"):
    k, text, ids = line.rstrip("\\n").split("\\t")
    tokenizer = AutoTokenizer.from_pretrained({str(tmp_path)!r} + "/" + k)
    ids = eval(ids)
    assert tokenizer.is_fast and tokenizer(text).input_ids == ids, (text, ids)
    assert tokenizer.decode(ids) == text
    assert tokenizer.model_max_length == 64
    assert (tokenizer.pad_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id,
            tokenizer.unk_token_id) == (0, 1, 2, 3)
    assert tokenizer("no such words").input_ids == [3, 3, 3]
    assert tokenizer(text).keys() == {{"input_ids", "attention_mask"}}
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_loading_something_else(tmp_path: Path) -> None:
    from graphassay.linearize.tokenizer import load_vocabulary

    with pytest.raises(InvalidInput, match="expected a tokenizer of words"):
        load_vocabulary(tmp_path)
    path = tmp_path / "tokenizer.json"
    for text in ("{", '{"model": {"vocab": {"a": 3}}}', '{"model": {"vocab": [1]}}'):
        path.write_text(text)
        with pytest.raises(InvalidInput, match="expected"):
            load_vocabulary(tmp_path)


def test_importing_linearize_is_light() -> None:
    code = (
        "import graphassay.linearize, graphassay.linearize.tokenizer, sys;"
        "print(sorted(set(sys.modules) & {'torch', 'transformers', 'tokenizers', 'scipy',"
        " 'rdkit', 'pandas', 'pyarrow', 'networkx'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted(KINDS))
def test_odd_labels_survive(name: str) -> None:
    graphs = odd_graphs()
    linearizer = linearizer_from_data(name, graphs)
    assert len(set(linearizer.vocabulary.tokens)) == len(linearizer.vocabulary)
    graph = linearizer.decode(linearizer.linearize(graphs[0], np.random.default_rng(0)))
    assert sorted(graph.vertex_labels) == sorted(ODD)
    assert sorted(label for _, _, label in graph.edges) == sorted(ODD)

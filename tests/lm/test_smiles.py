"""SMILES models of others: scores equal Hugging Face's own loss, framing by their own tokens."""

import json
import math
import shutil
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from graphassay.errors import InvalidInput, InvalidRun
from graphassay.io import read
from graphassay.lm.smiles import (
    SmilesModel,
    load_smiles_model,
    random_smiles,
    score_smiles,
    smiles_of,
)

MOLECULES = ["CCO", "CC(=O)N", "c1ccccc1O", "CC(C)CN", "OCC(N)C=O", "C1CC1N"]
CHARACTERS = "()123=#-+[]@HCNOFcnos"


def _tokenizer(**special: str):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "<unk>", "<s>", "</s>", *CHARACTERS]
    raw = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unk>", pad_token="<pad>", **special
    )


def _train(folder: Path, tokenizer, steps: int = 150) -> Path:
    """A tiny GPT-2 over canonical SMILES, one character a token."""
    from rdkit import Chem
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=48, n_embd=32, n_layer=2, n_head=2,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    texts = [Chem.CanonSmiles(text) for text in MOLECULES]
    rows = [[2, *tokenizer(text)["input_ids"], 3] for text in texts]
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    labels = torch.tensor([row + [-100] * (width - len(row)) for row in rows])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("smiles") / "model"
    return _train(path, _tokenizer(bos_token="<s>", eos_token="</s>"))


@pytest.fixture(scope="session")
def model(folder: Path) -> SmilesModel:
    return load_smiles_model(folder, device="cpu")


def _loss(folder: Path, ids: list[int]) -> float:
    """Hugging Face's own mean loss over the predicted tokens, times their number."""
    from transformers import AutoModelForCausalLM

    peer = AutoModelForCausalLM.from_pretrained(folder)
    row = torch.tensor([ids])
    with torch.no_grad():
        return float(peer(input_ids=row, labels=row).loss) * (len(ids) - 1)


@pytest.mark.parametrize("batch_tokens", [1, 60, 4096])
def test_scores_are_hugging_faces_loss(folder: Path, model: SmilesModel, batch_tokens: int) -> None:
    (window,) = score_smiles(model, MOLECULES, batch_tokens=batch_tokens)
    ids = [[2, *model.tokenizer(text)["input_ids"], 3] for text in MOLECULES]
    expected = [_loss(folder, row) for row in ids]
    np.testing.assert_allclose(window.nll[:, 0], expected, atol=1e-3)
    assert window.n_tokens[:, 0].tolist() == [len(text) + 1 for text in MOLECULES]


def test_permutations_are_random_smiles_of_the_same_molecule(model: SmilesModel) -> None:
    from rdkit import Chem

    (window,) = score_smiles(model, MOLECULES, permutations=6, seed=3)
    assert window.nll.shape == (6, 6)
    for index, smiles in enumerate(MOLECULES):
        texts = random_smiles(smiles, 6, seed=3, index=index)
        assert {Chem.CanonSmiles(text) for text in texts} == {Chem.CanonSmiles(smiles)}
        assert window.n_distinct[index] == len(set(texts))
        alone = [
            window.nll[0, 0] for text in texts for (window,) in [list(score_smiles(model, [text]))]
        ]
        np.testing.assert_allclose(window.nll[index], alone, atol=1e-3)
    assert (window.uncertainty > 0).all()
    # It was trained on one SMILES of each: others surprise it.
    (native,) = score_smiles(model, [Chem.CanonSmiles(text) for text in MOLECULES])
    assert native.nll.mean() < window.nll.mean()


def test_seeds(model: SmilesModel) -> None:
    first, same, other = (
        next(score_smiles(model, MOLECULES, permutations=4, seed=s)).nll for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)
    assert random_smiles("CCO", 3, seed=0, index=5) == random_smiles("CCO", 9, seed=0, index=5)[:3]


def test_a_single_smiles_has_no_spread(model: SmilesModel) -> None:
    (window,) = score_smiles(model, ["C", "CC", "CO"], permutations=4)
    assert window.n_distinct[:2].tolist() == [1, 1]
    assert [math.isnan(value) for value in window.uncertainty] == [True, True, False]


def test_what_cannot_be_scored_gets_a_reason(model: SmilesModel) -> None:
    smiles = ["CCO", "CCBr", "C" * 60, "C(("]
    (window,) = score_smiles(model, smiles, permutations=2)
    assert window.indices.tolist() == [0]
    assert "does not know a part of" in window.refused[1]
    assert "context holds 48" in window.refused[2]
    assert "RDKit cannot read" in window.refused[3]


def test_windows_do_not_matter(model: SmilesModel, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = score_smiles(model, MOLECULES, permutations=3)
    monkeypatch.setattr("graphassay.lm.smiles.WINDOW_SEQUENCES", 6)
    parts = list(score_smiles(model, MOLECULES, permutations=3))
    assert len(parts) == 3
    np.testing.assert_allclose(np.concatenate([p.nll for p in parts]), whole.nll, atol=1e-4)


class TestFraming:
    def test_bos_and_eos_are_added_where_the_tokenizer_has_them(self, model: SmilesModel) -> None:
        assert model.encode("CO") == [2, *model.tokenizer("CO")["input_ids"], 3]
        assert model.framing == "<s> before (given), </s> after (predicted)"

    def test_they_are_not_added_twice(self, model: SmilesModel) -> None:
        from tokenizers.processors import TemplateProcessing

        tokenizer = _tokenizer(bos_token="<s>", eos_token="</s>")
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 2), ("</s>", 3)]
        )
        again = SmilesModel(model.model, tokenizer, model.device, 48)
        assert again.encode("CO") == model.encode("CO")
        assert again.framing == model.framing

    def test_a_tokenizer_without_them(self, model: SmilesModel) -> None:
        bare = SmilesModel(model.model, _tokenizer(), model.device, 48)
        assert bare.encode("CO") == model.encode("CO")[1:-1]
        assert bare.framing.startswith("no token before")
        assert "no token after" in bare.framing
        (window,) = score_smiles(bare, ["C", "CO"])
        assert window.indices.tolist() == [1]  # nothing is predicted in a single token
        assert window.n_tokens.tolist() == [[1]]


def test_folders_that_are_no_model(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InvalidRun, match="expected a local folder of a Hugging Face model"):
        load_smiles_model(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(InvalidRun, match="expected a causal language model with tokenizer"):
        load_smiles_model(tmp_path)


def test_a_tokenizer_of_something_else_is_one_clear_line(
    tmp_path: Path, model: SmilesModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.CHARACTERS", "0123456789")
    model.model.save_pretrained(tmp_path)
    _tokenizer(bos_token="<s>", eos_token="</s>").save_pretrained(tmp_path)
    with pytest.raises(InvalidRun, match="knows no token for the SMILES C: expected a model over"):
        load_smiles_model(tmp_path, device="cpu")


class TestWeights:
    """Nothing is scored with weights that transformers drew at random, or that are no numbers."""

    @pytest.fixture
    def copy(self, folder: Path, tmp_path: Path) -> Path:
        return Path(shutil.copytree(folder, tmp_path / "copy"))

    def test_that_fit(self, copy: Path) -> None:
        load_smiles_model(copy, device="cpu", precision="bf16")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"n_layer": 3}, r"missing transformer\.h\.2\..* and \d+ more"),
            ({"n_layer": 1}, r"unexpected transformer\.h\.1\..* and \d+ more"),
            ({"vocab_size": 99}, r"transformer\.wte\.weight is 25 x 32, expected 99 x 32"),
        ],
    )
    def test_of_another_shape(self, copy: Path, change: dict[str, int], message: str) -> None:
        config = json.loads((copy / "config.json").read_text())
        (copy / "config.json").write_text(json.dumps(config | change))
        with pytest.raises(InvalidRun, match=f"copy: config.json and .* do not fit \\({message}"):
            load_smiles_model(copy, device="cpu")

    @pytest.mark.parametrize("precision", ["float32", "bf16"])
    def test_that_are_no_numbers(self, copy: Path, precision: Literal["float32", "bf16"]) -> None:
        tensors = load_file(copy / "model.safetensors")
        tensors["transformer.wte.weight"][4, 0] = float("nan")
        save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(InvalidRun, match=r"not a number: transformer\.wte\.weight"):
            load_smiles_model(copy, device="cpu", precision=precision)

    def test_that_are_cut(self, copy: Path) -> None:
        half = (copy / "model.safetensors").read_bytes()[:5000]
        (copy / "model.safetensors").write_bytes(half)
        with pytest.raises(InvalidRun, match=r"copy: expected a causal .* weights \(.*metadata"):
            load_smiles_model(copy, device="cpu")


def test_molecules_must_come_as_smiles(tmp_path: Path) -> None:
    path = tmp_path / "graphs.jsonl"
    path.write_text('{"vertices": ["C", "O"], "edges": [[0, 1, "-"]]}\n')
    graphs = read(path)
    with pytest.raises(InvalidInput, match="expected molecules as SMILES"):
        smiles_of(graphs)


def test_fewer_than_two_permutations(model: SmilesModel) -> None:
    with pytest.raises(InvalidInput, match="at least 2, for a spread"):
        next(score_smiles(model, MOLECULES, permutations=1))

"""Training configurations validate themselves."""

from pathlib import Path

import pytest

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.lm.config import SIZES, TrainConfig, read_recipe

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.mark.parametrize(
    ("size", "vocabulary", "millions"),
    [
        ("tiny", 12_297, 10.5),
        ("tiny", 86, 4.2),
        ("medium", 12_297, 99.1),
        ("medium", 86, 85.1),
        ("small", 12_297, 132.2),
        ("small", 86, 113.4),
        ("large", 12_297, 451.0),
        ("large", 86, 419.7),
    ],
)
def test_sizes_have_the_studys_parameter_counts(
    size: str, vocabulary: int, millions: float
) -> None:
    assert round(SIZES[size].n_parameters(vocabulary) / 1e6, 1) == millions


def test_parameters_are_counted_as_hugging_face_does() -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = TrainConfig(steps=1, hidden=64, layers=2).shape
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.ffn,
    )
    assert LlamaForCausalLM(config).num_parameters() == shape.n_parameters(50)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one budget .* got none"),
        ({"steps": 1, "tokens": 5}, "one budget .* got steps, tokens"),
        ({"steps": 0}, r"steps: expected \(0, inf\), got 0"),
        ({"steps": 1.5}, "steps: expected a whole number, got 1.5"),
        ({"steps": True}, "steps: expected a whole number, got True"),
        ({"steps": 1, "learning_rate": float("nan")}, "learning_rate: expected .* got nan"),
        ({"steps": 1, "learning_rate": "high"}, "learning_rate: expected a number, got 'high'"),
        ({"steps": 1, "size": "huge"}, "size: expected one of tiny, .* got 'huge'"),
        ({"steps": 1, "size": "custom", "layers": 2}, "hidden is missing"),
        ({"steps": 1, "hidden": 30, "heads": 4}, "hidden: expected an even multiple"),
        ({"steps": 1, "train_share": 0.9, "valid_share": 0.2}, "expected at most 1"),
        ({"steps": 1, "batching": "padded"}, "batching: expected one of auto, grouped, packed"),
        ({"steps": 1, "early_stopping": 2, "valid_share": 0.0}, "needs a validation split"),
        ({"steps": 1, "learning_rat": 1e-3}, "unknown option .* did you mean learning_rate"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        TrainConfig.from_dict(options)


def test_it_is_plain_data_and_back() -> None:
    config = TrainConfig(epochs=3, learning_rate=1)
    assert TrainConfig.from_dict(config.to_dict()) == config
    assert isinstance(config.epochs, float)


def test_a_new_budget_replaces_the_old_one() -> None:
    assert TrainConfig(epochs=3).replace(steps=5).epochs is None


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.name)
def test_every_recipe_is_valid(path: Path) -> None:
    TrainConfig.from_dict(read_recipe(path), where=path.name)


def test_recipes_exist() -> None:
    assert len(list(RECIPES.glob("*.toml"))) >= 4


def test_a_recipe_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot read the recipe"):
        read_recipe(tmp_path / "absent.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("steps = = 3")
    with pytest.raises(UnreadableFile, match="not a TOML file"):
        read_recipe(broken)

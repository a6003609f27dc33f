"""A vocabulary as a Hugging Face fast tokenizer, usable without this package."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from graphassay.errors import InvalidInput, MissingDependency
from graphassay.linearize.vocabulary import BOS, EOS, PAD, SPECIAL_TOKENS, UNK, Vocabulary

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def to_hugging_face(
    vocabulary: Vocabulary, *, max_length: int | None = None
) -> "PreTrainedTokenizerFast":
    """A fast tokenizer over a vocabulary: words between whitespace, one token each.

    Text and tokens correspond one to one (BOS and EOS are written out, nothing is added), so
    ``tokenizer(vocabulary.text(ids)).input_ids == ids``. Words it does not know become ``<unk>``.

    Args:
        vocabulary: the tokens; ids stay what they are.
        max_length: the model's context, kept in the configuration.

    Raises:
        MissingDependency: without transformers.
    """
    try:
        from tokenizers import Tokenizer
        from tokenizers.models import WordLevel
        from tokenizers.pre_tokenizers import WhitespaceSplit
        from transformers import PreTrainedTokenizerFast
    except ImportError as error:
        raise MissingDependency(
            "a Hugging Face tokenizer needs transformers: pip install 'graphassay[lm]'"
        ) from error
    words = {token: i for i, token in enumerate(vocabulary.tokens)}
    core = Tokenizer(WordLevel(words, unk_token=UNK))
    core.pre_tokenizer = WhitespaceSplit()
    core.add_special_tokens(list(SPECIAL_TOKENS))
    options = {} if max_length is None else {"model_max_length": max_length}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call, unused-ignore]
        tokenizer_object=core,
        pad_token=PAD,
        bos_token=BOS,
        eos_token=EOS,
        unk_token=UNK,
        clean_up_tokenization_spaces=False,
        model_input_names=["input_ids", "attention_mask"],
        **options,
    )


def save_tokenizer(
    vocabulary: Vocabulary, folder: str | os.PathLike[str], *, max_length: int | None = None
) -> None:
    """Writes the files that ``AutoTokenizer.from_pretrained(folder)`` reads."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    to_hugging_face(vocabulary, max_length=max_length).save_pretrained(os.fspath(folder))


def load_vocabulary(folder: str | os.PathLike[str]) -> Vocabulary:
    """The vocabulary of a saved tokenizer, read from its ``tokenizer.json``.

    Raises:
        InvalidInput: when the folder holds none, or one that does not number its tokens from 0.
    """
    import json

    path = Path(folder) / "tokenizer.json"
    try:
        words = dict(json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"])
        tokens = sorted(words, key=words.__getitem__)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path}: expected a tokenizer of words: {error!r}") from error
    if [words[token] for token in tokens] != list(range(len(tokens))):
        raise InvalidInput(f"{path}: expected tokens numbered from 0")
    return Vocabulary(tuple(tokens))

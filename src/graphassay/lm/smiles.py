"""How likely any Hugging Face causal language model finds molecules, over randomized SMILES.

The model and its tokenizer are read from a local folder, weights as safetensors, no code of theirs
is run. A SMILES is framed by the tokenizer's own special tokens: what the tokenizer puts around a
text, and its BOS before and EOS after it where it has them and does not put them itself. The first
token of all is given, every other one predicted: without BOS the first token of the SMILES is not
scored, without EOS its end is not.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from graphassay.errors import InvalidInput, InvalidRun
from graphassay.lm.data import length_sorted_batches
from graphassay.lm.run import find_device, first_line, load_network, quiet_transformers
from graphassay.lm.score import Scores
from graphassay.metrics.uncertainty import check_permutations

if TYPE_CHECKING:
    from graphassay.graph import GraphSet

Float64 = npt.NDArray[np.float64]

BATCH_TOKENS = {"cpu": 1024, "cuda": 8192, "mps": 4096}
"""Tokens computed together: vocabularies are large, and the logits of all of them exist at once."""

WINDOW_SEQUENCES = 8192
N_TO_CALL_SINGLE = 64
"""A molecule for which so many random SMILES are one and the same has a single SMILES."""

_EXPECTED = "expected a causal language model with tokenizer and safetensors weights"


@dataclass(frozen=True)
class SmilesModel:
    """A causal language model over SMILES, ready to score."""

    model: Any
    tokenizer: Any
    device: torch.device
    context: int | None
    """Longest sequence, special tokens counted; None where the model names no limit."""

    @property
    def knows_carbon(self) -> bool:
        """Whether C, the shortest SMILES, has an ordinary token: else these are no SMILES."""
        return not set(self.tokenizer("C")["input_ids"]) <= set(self.tokenizer.all_special_ids)

    @property
    def framing(self) -> str:
        """In words: what stands before and after a SMILES."""
        before, after = self._frame(self.tokenizer("C")["input_ids"])
        names = self.tokenizer.convert_ids_to_tokens
        first = "no token before (the first one of the SMILES is given, not scored)"
        last = "no token after (no end is scored)"
        if before:
            first = f"{' '.join(names(before))} before (given)"
        if after:
            last = f"{' '.join(names(after))} after (predicted)"
        return f"{first}, {last}"

    def encode(self, smiles: str) -> list[int]:
        """Token ids, special tokens included.

        Raises:
            InvalidInput: when the tokenizer does not know a part of it, or it is too long.
        """
        ids: list[int] = self.tokenizer(smiles)["input_ids"]
        unknown = self.tokenizer.unk_token_id
        special = (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id)
        if unknown is not None and unknown not in special and unknown in ids:
            raise InvalidInput(f"the tokenizer does not know a part of {smiles[:80]}")
        before, after = self._missing(ids)
        framed = [*before, *ids, *after]
        if self.context is not None and len(framed) > self.context:
            raise InvalidInput(f"{len(framed)} tokens, the model's context holds {self.context}")
        if len(framed) < 2:
            raise InvalidInput(f"no token to predict in {smiles[:80]}")
        return framed

    def _missing(self, ids: list[int]) -> tuple[list[int], list[int]]:
        """BOS and EOS where the tokenizer has them and did not put them."""
        bos, eos = self.tokenizer.bos_token_id, self.tokenizer.eos_token_id
        special = set(self.tokenizer.all_special_ids)
        before = [bos] if bos is not None and (not ids or ids[0] not in special) else []
        after = [eos] if eos is not None and (not ids or ids[-1] not in special) else []
        return before, after

    def _frame(self, ids: list[int]) -> tuple[list[int], list[int]]:
        special = set(self.tokenizer.all_special_ids)
        before, after = self._missing(ids)
        framed = [*before, *ids, *after]
        body = [i for i, token in enumerate(framed) if token not in special]
        return framed[: body[0]], framed[body[-1] + 1 :]


def load_smiles_model(
    folder: str | os.PathLike[str],
    *,
    precision: Literal["float32", "bf16"] = "float32",
    device: str = "auto",
) -> SmilesModel:
    """Open a model that `transformers.AutoModelForCausalLM` knows, from a local folder.

    Raises:
        InvalidRun: no such folder, no model or tokenizer that can be read without running code, or
            weights that do not fit their configuration or are not finite.
        InvalidInput: no such device.
    """
    from transformers import AutoTokenizer

    path = Path(folder)
    if not (path / "config.json").is_file():
        raise InvalidRun(f"{path}: expected a local folder of a Hugging Face model (config.json)")
    place = find_device(device)
    dtype = {"float32": torch.float32, "bf16": torch.bfloat16}[precision]
    try:
        with quiet_transformers():
            tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, ImportError) as error:
        raise InvalidRun(f"{path}: {_EXPECTED} ({first_line(error)})") from None
    model = load_network(path, dtype, unreadable=_EXPECTED)
    limits = [
        getattr(model.config, name, None) for name in ("max_position_embeddings", "n_positions")
    ]
    context = next((int(limit) for limit in limits if limit), None)
    found = SmilesModel(model.eval().to(place), tokenizer, place, context)
    if not found.knows_carbon:
        raise InvalidRun(
            f"{path}: its tokenizer knows no token for the SMILES C: expected a model over SMILES; "
            "a run of `graphassay train` is scored without --serialization"
        )
    return found


def smiles_of(graphs: "GraphSet") -> list[str]:
    """The SMILES that the molecules were read from.

    Raises:
        InvalidInput: when they were read from something else.
    """
    form = graphs.intake.format if graphs.intake is not None else "memory"
    if graphs.sources is None or form not in ("smiles", "csv"):
        raise InvalidInput(
            f"expected molecules as SMILES (.smi, or a column of .csv), got {form}; convert them"
        )
    texts: list[str] = graphs.sources.to_pylist()
    return texts


def random_smiles(smiles: str, n: int, *, seed: int, index: int) -> list[str]:
    """``n`` randomized SMILES of a molecule by RDKit: any atom first, branches in any order.

    A function of (smiles, seed, index) alone; the first of a larger ``n`` are the same.

    Raises:
        InvalidInput: when RDKit cannot read it.
    """
    from rdkit import Chem

    from graphassay.molecules.parsing import silenced

    with silenced():
        molecule = Chem.MolFromSmiles(smiles)
    if molecule is None or not molecule.GetNumAtoms():
        raise InvalidInput(f"RDKit cannot read {smiles[:80]!r}")
    state = int(np.random.SeedSequence([seed, index]).generate_state(1)[0])
    # 0 and negative seeds mean "by the clock" to RDKit.
    drawn = Chem.MolToRandomSmilesVect(molecule, n, randomSeed=1 + state % (2**31 - 2))
    return [str(text) for text in drawn]


def score_smiles(
    model: SmilesModel,
    smiles: Sequence[str],
    *,
    permutations: int | None = None,
    seed: int = 0,
    batch_tokens: int | None = None,
) -> Iterator[Scores]:
    """Score molecules in their order, window by window.

    Args:
        model: the model.
        smiles: the molecules.
        permutations: K >= 2 randomized SMILES of each; None scores each as it is written.
        seed: of the randomized SMILES.
        batch_tokens: tokens computed together.

    Yields:
        As `graphassay.lm.score.score`. ``log_q`` is None: what RDKit's choices amount to is not
        known, so that there is no importance bound.

    Raises:
        InvalidInput: one permutation.
    """
    if permutations is not None:
        check_permutations(permutations)
    n_draws = permutations or 1
    window = max(1, WINDOW_SEQUENCES // n_draws)
    for start in range(0, len(smiles), window):
        rows: list[list[list[int]]] = []
        indices, n_distinct, single = [], [], []
        refused: dict[int, str] = {}
        for index in range(start, min(start + window, len(smiles))):
            try:
                texts = _texts(smiles[index], permutations, seed=seed, index=index)
                rows.append([model.encode(text) for text in texts[:n_draws]])
            except InvalidInput as error:
                refused[index] = str(error)
                continue
            indices.append(index)
            n_distinct.append(len(set(texts[:n_draws])))
            single.append(permutations is not None and len(set(texts)) == 1)
        flat = [ids for row in rows for ids in row]
        losses = _nlls(model, flat, batch_tokens or BATCH_TOKENS[model.device.type])
        n_tokens = np.array([len(ids) - 1 for ids in flat], dtype=np.int64)
        yield Scores(
            indices=np.array(indices, dtype=np.int64),
            nll=losses.reshape(len(rows), n_draws),
            n_tokens=n_tokens.reshape(len(rows), n_draws),
            refused=refused,
            n_distinct=np.array(n_distinct, dtype=np.int64),
            single=np.array(single, dtype=np.bool_),
        )


def _texts(smiles: str, permutations: int | None, *, seed: int, index: int) -> list[str]:
    if permutations is None:
        return [smiles]
    return random_smiles(smiles, max(permutations, N_TO_CALL_SINGLE), seed=seed, index=index)


def _nlls(model: SmilesModel, sequences: list[list[int]], batch_tokens: int) -> Float64:
    lengths = np.array([len(ids) for ids in sequences], dtype=np.int64)
    result = np.zeros(len(sequences))
    pad = model.tokenizer.pad_token_id or 0
    for rows in length_sorted_batches(lengths, max_tokens=batch_tokens):
        width = int(lengths[rows].max())
        tokens = torch.full((len(rows), width), pad, dtype=torch.long)
        for place, row in enumerate(rows.tolist()):
            tokens[place, : lengths[row]] = torch.tensor(sequences[row])
        real = torch.arange(width)[None] < torch.from_numpy(lengths[rows])[:, None]
        with torch.inference_mode():
            logits = model.model(
                input_ids=tokens.to(model.device), attention_mask=real.long().to(model.device)
            ).logits[:, :-1]
            loss = torch.nn.functional.cross_entropy(
                logits.float().transpose(1, 2), tokens[:, 1:].to(model.device), reduction="none"
            )
        result[rows] = (loss.double().cpu() * real[:, 1:]).sum(dim=1).numpy()
    return result

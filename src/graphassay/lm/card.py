"""The model card: what the model is and what was measured; nothing that was not."""

from typing import TYPE_CHECKING

from graphassay.lm.data import Splits
from graphassay.lm.run import RunRecord

if TYPE_CHECKING:
    from graphassay.linearize import Linearizer

_TEMPLATE = """\
---
library_name: transformers
tags:
- graph-generation
- graphassay
---
# A language model of graphs

A LLaMA trained from scratch by graphassay {version} on graphs written as `{serialization}` tokens.

## Use
```sh
graphassay sample THIS_FOLDER -n 1024 --out generated.jsonl
graphassay score THIS_FOLDER graphs.jsonl --out scores.parquet
```
`AutoModelForCausalLM.from_pretrained` and `AutoTokenizer.from_pretrained` work too; tokens are
separated by spaces. `linearizer.json` says how tokens and graphs correspond.

## Data
{n_graphs:,} graphs from `{source}` (content sha256 `{sha256}`): {n_train:,} to train on,
{n_valid:,} to validate, {n_test:,} to test, {n_too_long:,} left out as longer than the context.
The indices are in `splits.safetensors`.

## Measured
| | |
| --- | --- |
{rows}

Shape: {layers} layers, hidden {hidden}, {heads} heads, feed-forward {ffn}, {vocabulary:,} tokens.
Every setting is in `run.json`, every logged loss in `history.json`.

The model knows its training graphs' labels and sizes only. Whether it copies its training set is
what `graphassay audit` measures; nothing here says that it does not.
"""

_ROWS = {
    "n_parameters": "Parameters",
    "steps": "Steps",
    "final_checkpoint": "Step of these weights",
    "tokens": "Tokens trained on (predicted, without padding)",
    "padding": "Padding, share of tokens computed",
    "batching": "Batches",
    "context": "Context (tokens)",
    "valid_nats_per_token": "Validation NLL (nats per token)",
    "valid_nats_per_graph": "Validation NLL (nats per graph)",
    "n_too_long_draws_skipped": "Random linearizations skipped as too long",
    "elapsed_s": "Training time (s)",
    "device": "Device",
}


def model_card(record: RunRecord, linearizer: "Linearizer", splits: Splits) -> str:
    """The README.md of a finished run, from its record."""
    from graphassay.lm.config import TrainConfig

    rows = []
    for key, name in _ROWS.items():
        value = record.measured.get(key)
        if value is None:
            continue
        form = {float: ".4g", int: ","}.get(type(value), "")
        rows.append(f"| {name} | {value:{form}} |")
    shape = TrainConfig.from_dict(record.config).shape
    return _TEMPLATE.format(
        version=record.versions["graphassay"],
        serialization=record.config["serialization"],
        n_graphs=record.data["n_graphs"],
        source=record.data["source"] or "memory",
        sha256=record.data["sha256"],
        n_train=len(splits.train),
        n_valid=len(splits.valid),
        n_test=len(splits.test),
        n_too_long=len(splits.too_long),
        rows="\n".join(rows),
        vocabulary=len(linearizer.vocabulary.tokens),
        **vars(shape),
    )

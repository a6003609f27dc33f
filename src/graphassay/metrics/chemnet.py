"""Activations of ChemNet, through the package ``fcd`` (extra ``quality``)."""

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphassay.errors import MissingDependency

MAX_LENGTH = 349
"""Characters of a SMILES that ChemNet was trained to read (350 with the one that ends it)."""

N_ACTIVATIONS = 512
BATCH = 256


def chemnet_activations(
    smiles: Sequence[str], *, threads: int | None = None
) -> npt.NDArray[np.float32]:
    """What ChemNet's last hidden layer makes of valid molecules.

    Args:
        smiles: canonical SMILES of at most `MAX_LENGTH` characters.
        threads: of torch.

    Returns:
        float32, shape (n, 512). Results agree to float32's rounding over numbers of threads.

    Raises:
        MissingDependency: ``fcd`` or torch is not installed.

    Source: Mayr et al. 2018; Preuer et al. 2018. The weights are those of the package.
    """
    find_fcd()
    # As graphassay.lm does, which needs more packages than this: read once, when torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch
    from fcd import load_ref_model
    from fcd.utils import get_one_hot

    package = importlib.util.find_spec("fcd")
    assert package is not None
    assert package.origin is not None
    weights = next(Path(package.origin).parent.glob("ChemNet*.pt"), None)
    model: Any = load_ref_model(None if weights is None else str(weights))
    before = torch.get_num_threads()
    rows = [np.zeros((0, N_ACTIVATIONS), dtype=np.float32)]
    try:
        if threads is not None:
            torch.set_num_threads(threads)
        for start in range(0, len(smiles), BATCH):
            hot = [get_one_hot(text, pad_len=MAX_LENGTH + 1) for text in smiles[start:][:BATCH]]
            # Divided as the package's own reader does, by the size of the alphabet.
            batch = torch.from_numpy(np.stack(hot) / hot[0].shape[1]).transpose(1, 2).float()
            with torch.inference_mode():
                rows.append(model(batch).numpy())
    finally:
        torch.set_num_threads(before)
    return np.concatenate(rows)


def find_fcd() -> None:
    """Say early, and in one line, what is not installed.

    Raises:
        MissingDependency: as `chemnet_activations`.
    """
    missing = [name for name in ("fcd", "torch") if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingDependency(
            f"FCD needs the package {missing[0]!r}, which is not installed; "
            "pip install 'graphassay[quality]'"
        )

"""Graph language models: train, sample, score. Only this package imports torch and transformers.

Importing it asks OpenMP to let idle threads sleep rather than spin: small models make many short
parallel sections, and with a busy neighbour spinning threads slow them tenfold. Set
``OMP_WAIT_POLICY`` yourself to choose otherwise.
"""

import importlib.util as _importlib_util
import os as _os

from graphassay.errors import MissingDependency as _MissingDependency

for _name in ("torch", "transformers", "accelerate", "safetensors", "tokenizers"):
    if _importlib_util.find_spec(_name) is None:
        raise _MissingDependency(
            f"language models need {_name}, which is not installed: pip install 'graphassay[lm]'"
        )

# Read once, when torch loads the OpenMP runtime; both names, because GNU's reads its own.
if "OMP_WAIT_POLICY" not in _os.environ:
    _os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    _os.environ.setdefault("GOMP_SPINCOUNT", "0")

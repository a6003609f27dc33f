"""Fixtures shared by all tests."""

import os
import signal
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("GRAPHASSAY_SHARED", Path(__file__).parents[2] / "shared" / "data"))


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background by a shell: commands under test would inherit deafness to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data; without it the test is skipped, except in CI, where it must be."""
    if not SHARED.is_dir():
        message = f"real data not found at {SHARED} (set GRAPHASSAY_SHARED)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return SHARED

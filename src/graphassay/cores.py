"""How many cores this process may use."""

import os


def n_cores() -> int:
    """Cores at hand: those that the scheduler grants this process, where it says so."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

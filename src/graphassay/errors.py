"""Every exception that graphassay raises on purpose.

All inherit `GraphAssayError`; each also inherits the built-in that plain Python code would
expect, so ``except ValueError`` keeps working. The command line prints the message as one line
and exits with `GraphAssayError.exit_code`.
"""


class GraphAssayError(Exception):
    """Base of the tree. Messages say what was expected, what was found, where, and the remedy."""

    exit_code = 1


class InvalidInput(GraphAssayError, ValueError):
    """A file, an option or an argument is not what it must be."""

    exit_code = 2


class UnreadableFile(InvalidInput):
    """A file is missing, empty, truncated, or not of the format it was read as."""


class InvalidGraph(InvalidInput):
    """A single graph breaks the rules (self-loop, parallel edge, dangling vertex, no label)."""


class InvalidSequence(InvalidInput):
    """A token sequence is not a linearization; the message says where and what was expected."""


class NothingToCompare(InvalidInput):
    """The inputs parse, but leave nothing to compute (no valid graph, no pattern)."""


class UnwritableOutput(GraphAssayError, OSError):
    """An output folder or file cannot be written (permissions, full disk)."""

    exit_code = 2


class MissingDependency(GraphAssayError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""

    exit_code = 2


class BudgetExceeded(GraphAssayError, RuntimeError):
    """A limit on time, memory, patterns or work was hit; the message names it."""


class InvalidRun(InvalidInput):
    """A run folder is missing, half-written, of another version, or does not fit its use."""


class TrainingDiverged(GraphAssayError, RuntimeError):
    """The loss or a weight is no longer a number; the message names the step and what was kept."""

"""Write a report folder, each file whole or not at all."""

from pathlib import Path

from graphassay import results
from graphassay.errors import UnwritableOutput
from graphassay.output import replacing
from graphassay.results import AuditResult


def write_report(result: AuditResult, folder: str | Path, *, figures: bool = True) -> Path:
    """Write ``report.html``, ``results.json``, ``tables.tex`` and ``figures/`` into a folder.

    With a linearization audit ``linearization.html`` is written beside them; without one, that of
    an earlier report in the same folder is removed, and so is a figure that this audit does not
    have. Each page is one self-contained file that loads nothing from the network. Equal results
    give equal files, byte for byte (with the same versions of matplotlib and RDKit). Other files of
    the folder (``patterns.parquet``) are left alone.

    Args:
        result: what `graphassay.audit` or `graphassay.results.load` returned.
        folder: created with its parents when missing.
        figures: also draw ``figures/*.svg`` and ``*.pdf`` (some seconds).

    Returns:
        The path of ``report.html``.

    Raises:
        UnwritableOutput: the folder or a file cannot be written.
    """
    from graphassay.report import (
        latex,
        linearization_page,
        page,
    )  # jinja2 and RDKit only when needed

    target = Path(folder)
    write_text(target / "results.json", results.dumps(result))
    write_text(target / "tables.tex", latex.tables(result))
    if figures:
        from graphassay.report import figures as drawn

        for name, content in drawn.figures(result):
            if content:
                write_bytes(target / "figures" / name, content)
            else:
                _remove(target / "figures" / name)
    linearization = target / linearization_page.FILE
    if result.linearization is not None:
        write_text(linearization, linearization_page.render(result))
    write_text(target / "report.html", page.render(result))
    if result.linearization is None:
        _remove(linearization)  # last: the report that linked to it is replaced already
    return target / "report.html"


def _remove(path: Path) -> None:
    """Remove what an earlier report left behind, where there is something."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UnwritableOutput(f"{path}: cannot remove ({error.strerror or error})") from None


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically; lone surrogates (from odd input) become U+FFFD."""
    write_bytes(path, text.encode("utf-8", errors="replace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, in a folder that is made when missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableOutput(f"{path}: cannot write ({error.strerror or error})") from None
    with replacing(path) as draft:
        draft.write_bytes(content)

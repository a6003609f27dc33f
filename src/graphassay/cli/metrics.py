"""``graphassay metrics``: quality and fidelity of a generated set."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from graphassay.cli.common import AsJson, Seed, Threads
from graphassay.cli.inputs import (
    Charges,
    Column,
    FromFormat,
    Hydrogens,
    Kekulize,
    molecule_options,
    read_graphs,
)
from graphassay.cli.progress import phases

if TYPE_CHECKING:
    from rich.table import Table

    from graphassay.metric_cards import MetricCard
    from graphassay.results import Estimate, Undefined, Value
    from graphassay.results.quality import Quality


def metrics(
    *,
    train: Annotated[
        str, typer.Option("--train", help="What the model was trained on: a file or a data set.")
    ],
    generated: Annotated[
        str, typer.Option("--generated", help="What it generated: a file or a data set.")
    ],
    holdout: Annotated[
        str | None, typer.Option("--holdout", help="Real graphs that the model never saw.")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", help="Some metrics, such as fcd,snn (default: all).")
    ] = None,
    reference: Annotated[
        Literal["train", "holdout"],
        typer.Option("--reference", help="What generated graphs are held against."),
    ] = "train",
    max_molecules: Annotated[
        int,
        typer.Option("--max-molecules", min=1, help="Per set, for FCD, SNN, parts, properties."),
    ] = 10_000,
    kernel: Annotated[
        Literal["gaussian_tv", "gaussian_emd", "rbf"],
        typer.Option("--kernel", help="Of the degree, clustering, orbit and spectral MMD."),
    ] = "gaussian_tv",
    unbiased: Annotated[
        bool, typer.Option("--unbiased", help="U-statistics for those four MMDs.")
    ] = False,
    wl_iterations: Annotated[
        int,
        typer.Option("--wl-iterations", min=0, help="Rounds of Weisfeiler-Lehman refinement."),
    ] = 5,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write the numbers: .json or .csv.")
    ] = None,
    from_format: FromFormat = None,
    column: Column = None,
    hydrogens: Hydrogens = "heavy",
    kekulize: Kekulize = False,
    charges: Charges = False,
    seed: Seed = 0,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Validity, uniqueness, novelty, stability, FCD, diversity, MMD and more, with intervals.

    A metric that cannot be computed says why; docs/metrics.md explains each.

    Example: graphassay metrics --train qm9-sample --generated samples.smi --only validity,snn
    """
    from graphassay.assay.quality import check_metrics, quality
    from graphassay.metrics.graph_quality import GraphMetricOptions
    from graphassay.output import check_writable, replacing

    keys = None if only is None else [key.strip() for key in only.split(",") if key.strip()]
    check_metrics(keys)
    write = None if out is None else _writer(out)
    if out is not None:
        check_writable(out)
    graph_options = GraphMetricOptions(
        kernel=kernel, unbiased=unbiased, wl_iterations=wl_iterations
    )
    molecules = molecule_options(hydrogens, kekulize=kekulize, charges=charges)
    sources = {"train": train, "generated": generated, "holdout": holdout}
    sets = {
        role: read_graphs(source, format=from_format, column=column, molecules=molecules, seed=seed)
        for role, source in sources.items()
        if source is not None
    }
    with phases() as progress:
        found = quality(
            sets["train"],
            sets["generated"],
            holdout=sets.get("holdout"),
            metrics=keys,
            reference=reference,
            max_molecules=max_molecules,
            graph_options=graph_options,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    try:
        if out is not None and write is not None:
            with replacing(out) as draft:
                draft.write_text(write(found), encoding="utf-8")
    finally:  # the work is done: a full disk must not hide what came of it
        if as_json:
            typer.echo(_as_json(found), nl=False)
        else:
            print_quality(found)


def _writer(out: Path) -> Any:
    """What turns the numbers into the text of this file, known before any work is done."""
    from graphassay.errors import InvalidInput

    if out.suffix == ".json":
        return _as_json
    if out.suffix == ".csv":
        return _as_csv
    raise InvalidInput(f"{out}: expected a name that ends in .json or .csv")


TABLE_WIDTH = 120
"""Of what is no terminal, so that a row is a line."""

HEADER = (
    "key",
    "name",
    "value",
    "low",
    "high",
    "level",
    "method",
    "n",
    "better",
    "range",
    "reference",
    "n_reference",
    "real",
    "real_low",
    "real_high",
    "detail",
    "undefined",
)


def _as_json(found: "Quality") -> str:
    """The record as in an audit's results.json, each number with its name, direction and range."""
    from graphassay.metric_cards import CARDS
    from graphassay.results import dumps
    from graphassay.results.files import encode

    document = encode(found)
    for kind in ("metrics", "properties"):
        document[kind] = [
            {"key": told["key"], **_about(CARDS[told["key"]]), **told} for told in document[kind]
        ]
    return dumps(document)


def _about(card: "MetricCard") -> dict[str, str]:
    """What a number is, beside the number: its range is that of the number as it is written."""
    return {"name": card.name, "better": card.better, "range": replace(card, unit="").range}


def _as_csv(found: "Quality") -> str:
    """One row per metric; what is undefined has no number, and its reason in the last column."""
    import csv
    import io

    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEADER)
    table.writerows(_rows(found))
    return text.getvalue()


def _rows(found: "Quality") -> Iterator[list[Any]]:
    from graphassay.metric_cards import CARDS

    for key, value, reference, n_reference, real, detail in _numbers(found):
        card = _about(CARDS[key])
        reason = getattr(value.value, "reason", "")
        numbers = [_plain(x) for x in (value.value, value.low, value.high)]
        about = [value.level, value.method, value.n, card["better"], card["range"]]
        of_real: list[float | str] = ["", "", ""]
        if real is not None:
            of_real = [_plain(x) for x in (real.value, real.low, real.high)]
        split = [reference, n_reference or "", *of_real, detail, reason]
        yield [key, card["name"], *numbers, *about, *split]
    for key, why in found.skipped:
        card = _about(CARDS[key])
        empty = [""] * (len(HEADER) - 3)
        empty[6:8] = [card["better"], card["range"]]
        yield [key, card["name"], *empty, why.reason]


def _numbers(
    found: "Quality",
) -> Iterator[tuple[str, "Estimate", str, int, "Estimate | None", str]]:
    """Metrics and distances of properties alike: key, value, reference, n of it, real, detail."""
    for m in found.metrics:
        yield m.key, m.value, m.reference, m.n_reference, m.real, m.detail
    for p in found.properties:
        yield (
            p.key,
            p.distance,
            p.reference_split,
            p.n_reference,
            p.real,
            f"Wasserstein-1 {p.unit}".strip(),
        )


def _plain(value: "Value | Undefined | None") -> float | str:
    return value if isinstance(value, float | int) else ""


def print_quality(found: "Quality") -> None:
    """The metrics as a table on stdout, then kernels and tools, what was skipped, what to know."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, TABLE_WIDTH)
    console.print(_table(found))
    details: dict[str, list[str]] = {}
    reasons: dict[str, list[str]] = {}
    for m_key, value, _, _, real, detail in _numbers(found):
        details.setdefault(detail, []).append(m_key)
        if not isinstance(value.value, float | int):
            reasons.setdefault(value.value.reason, []).append(m_key)
        elif real is not None and not isinstance(real.value, float | int):
            reasons.setdefault(real.value.reason, []).append(f"{m_key} (real)")
    for key, why in found.skipped:
        reasons.setdefault(why.reason, []).append(key)
    for detail, keys in details.items():
        console.print(escape(f"detail: {', '.join(keys)}: {detail}"), soft_wrap=True)
    for reason, keys in reasons.items():
        console.print(escape(f"undefined: {', '.join(keys)}: {reason}"), soft_wrap=True)
    for note in found.notes:
        console.print(escape(f"note: {note}"), soft_wrap=True)


def _table(found: "Quality") -> "Table":
    from rich.table import Table

    from graphassay.metric_cards import CARDS

    arrows = {"higher": "up", "lower": "down", "neither": ""}
    table = Table(
        "",
        "Value",
        "95 % interval",
        "Real",
        "95 % interval",
        "n",
        "Better",
        "Range",
        "Against",
        box=None,
    )
    for key, value, reference, n_reference, real, _ in _numbers(found):
        table.add_row(
            CARDS[key].name,
            _shown(value.value),
            _interval(value),
            "" if real is None else _shown(real.value),
            "" if real is None else _interval(real),
            f"{value.n:,}",
            arrows[CARDS[key].better],
            _about(CARDS[key])["range"],
            f"{reference} ({n_reference:,})" if n_reference else reference,
        )
    return table


def _interval(value: "Estimate") -> str:
    if not isinstance(value.low, float | int):
        return ""
    return f"{_shown(value.low)} to {_shown(value.high)}"


def _shown(value: object) -> str:
    """Four digits, and not more noughts than needed for a small number."""
    if not isinstance(value, float | int):
        return "undefined"
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.1e}"

"""``graphassay sample``: draw graphs from a trained model."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphassay.cli.common import AsJson, Seed, Threads, option_groups

Precision = Literal["float32", "bf16"]


GROUPS = {
    "Output": ("out", "n", "format", "as_json"),
    "How to draw": ("decoding", "temperature", "top_p", "top_k", "unconstrained"),
    "Limits": ("max_vertices", "valences", "max_tokens"),
    "Machine": ("batch_size", "precision", "device", "processes", "threads"),
}
"""The options as ``--help`` shows them."""


@option_groups(GROUPS)
def sample(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder, or a checkpoint in it.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="Graphs (any format of convert).")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many samples.")] = 1024,
    decoding: Annotated[
        str,
        typer.Option(help="both_default, nucleus_only, topk_only, pure_sample, tp_high or tp_low."),
    ] = "both_default",
    temperature: Annotated[float | None, typer.Option(help="Instead of the named one's.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Instead of the named one's.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Instead; 0 keeps all tokens.")] = None,
    unconstrained: Annotated[
        bool, typer.Option("--unconstrained", help="Let the model break the grammar.")
    ] = False,
    max_vertices: Annotated[int | None, typer.Option(min=1, help="Largest graph.")] = None,
    valences: Annotated[
        str | None, typer.Option(help="Limits for molecules, such as C=4,N=3,O=2,H=1.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Longest sequence.")] = None,
    format: Annotated[str | None, typer.Option("--format", help="By the name of OUT.")] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Rows in flight.")] = 64,
    precision: Annotated[Precision, typer.Option(help="Of the weights.")] = "float32",
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1, …")] = "auto",
    processes: Annotated[int, typer.Option(min=1, help="Results do not depend on it.")] = 1,
    seed: Seed = 0,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Draw graphs, their token sequences and their NLL; interrupted, the same command goes on.

    OUT holds the graphs; OUT.samples.parquet every sequence, failures with their reason.

    Example: graphassay sample run -n 1024 --decoding both_default --out gen.smi
    """
    import dataclasses

    import graphassay.lm  # first: asks OpenMP to sleep before torch loads it
    from graphassay.cli.common import say
    from graphassay.graph import NO_LABEL
    from graphassay.lm.decoding import decoding_named
    from graphassay.lm.job import SampleJob
    from graphassay.lm.job import sample as draw
    from graphassay.lm.output import check_output, write_graphs, write_sequences
    from graphassay.lm.run import load_run

    del graphassay
    chosen = decoding_named(decoding)
    changes = {"temperature": temperature, "top_p": top_p, "top_k": top_k}
    changes = {name: value for name, value in changes.items() if value is not None}
    if top_k == 0:
        changes["top_k"] = None
    job = SampleJob(
        n=n,
        decoding=dataclasses.replace(chosen, **changes),  # type: ignore[arg-type]
        constrained=not unconstrained,
        max_vertices=max_vertices,
        valences=_valences(valences),
        max_tokens=max_tokens,
        seed=seed,
        precision=precision,
    )
    opened = load_run(run)
    labels = {*opened.linearizer.vertex_labels, *opened.linearizer.edge_labels}
    check_output(out, format, labelled=not labels <= {NO_LABEL})
    log = out.with_name(f"{out.name}.samples.partial")
    step = max(1, n // 10)

    def show(done: int, total: int) -> None:
        if done % step == 0:
            say(f"{done:,} of {total:,} samples")

    drawn = draw(
        opened,
        job,
        batch_size=batch_size,
        device=device,
        threads=threads,
        processes=processes,
        log=log,
        progress=show,
    )
    counts = write_graphs(drawn, out, format=format)
    write_sequences(drawn, out.with_name(f"{out.name}.samples.parquet"), opened, job)
    log.unlink(missing_ok=True)
    if as_json:
        import json

        typer.echo(json.dumps({"out": str(out), **counts}, indent=2))
        return
    typer.echo(f"{out}: {counts['n_written']:,} graphs of {counts['n']:,} samples")
    for reason, number in counts["failed"].items():
        say(f"  {number:,} failed: {reason}")
    if counts["n_written"] + counts["n_failed_records"] < counts["n"]:
        say("  this format has no failed records: an audit of it will not count the failures")


def _valences(text: str | None) -> dict[str, int] | None:
    from graphassay.errors import InvalidInput

    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(label and number.strip().isdigit() for label, _, number in pairs):
        raise InvalidInput(f"--valences: expected LABEL=NUMBER,…, got {text!r}")
    return {label.strip(): int(number) for label, _, number in pairs}

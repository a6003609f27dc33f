"""``graphassay score``: how likely a trained model finds graphs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphassay.cli.common import AsJson, Seed, Threads

Precision = Literal["float32", "bf16"]


def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder, or a checkpoint in it.")],
    graphs: Annotated[Path, typer.Argument(metavar="GRAPHS", help="Any format of convert.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="Table: .parquet or .csv.")],
    permutations: Annotated[
        int | None,
        typer.Option("--permutations", help="K random linearizations each, and their spread."),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option("--strategy", help="native, or random, min-degree, max-degree, anchor."),
    ] = "native",
    per_token: Annotated[
        bool, typer.Option("--per-token", help="Also every token's -log p.")
    ] = False,
    format: Annotated[str | None, typer.Option("--format", help="Of GRAPHS.")] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Column of a table that holds the SMILES.")
    ] = None,
    precision: Annotated[
        Precision, typer.Option(help="bf16 weights are faster, see benchmarks/scoring.py.")
    ] = "float32",
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1, …")] = "auto",
    seed: Seed = 0,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Score graphs: NLL in nats, one row per graph, with K permutations its spread (sd, LU) too.

    A graph that the model's vocabulary or context cannot hold gets a reason instead of a number.

    Example: graphassay score run molecules.smi --permutations 16 --out scores.parquet
    """
    import graphassay.lm  # first: asks OpenMP to sleep before torch loads it
    from graphassay.cli.progress import intake_report, reading
    from graphassay.graph import MoleculeOptions
    from graphassay.io import read
    from graphassay.lm.output import ScoreWriter, score_tables
    from graphassay.lm.run import load_run
    from graphassay.lm.score import score as score_graphs

    del graphassay
    opened = load_run(run)
    linearizer = opened.linearizer
    with reading(graphs) as progress:
        found = read(
            graphs,
            format=format,
            column=column,
            molecules=linearizer.molecules or MoleculeOptions(),
            progress=progress,
        )
    intake_report(found.intake)
    model = opened.llama(precision=precision, device=device)
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    n_scored, total = 0, 0.0
    with ScoreWriter(out) as writer:
        windows = score_graphs(
            model,
            linearizer,
            found,
            permutations=permutations,
            strategy=strategy,
            seed=seed,
            per_token=per_token,
            threads=threads,
        )
        words = linearizer.vocabulary.tokens if per_token else ()
        for table in score_tables(windows, found, words=words):
            writer.write_table(table)
            scored = table["nll_nats"].drop_null()
            n_scored += len(scored)
            total += sum(scored.to_pylist())
    _print(out, len(found), n_scored, total, as_json=as_json)


def _print(out: Path, n: int, n_scored: int, total: float, *, as_json: bool) -> None:
    if as_json:
        import json

        mean = {"mean_nll_nats": total / n_scored} if n_scored else {}
        typer.echo(json.dumps({"out": str(out), "n": n, "n_scored": n_scored, **mean}, indent=2))
        return
    mean_text = f", mean {total / n_scored:.3f} nats" if n_scored else ""
    typer.echo(f"{out}: {n_scored:,} of {n:,} graphs scored{mean_text}")

"""pyfcrm evaluate: two files in, the measures out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ..arguments import whole_number
from ..data import kept_between
from ..data.source import open_data
from ..engine import Local
from ..errors import Count, InvalidParameter, Note
from ..evaluation.evaluate import evaluate
from ..evaluation.report import Report
from ..files.paths import copy_paths
from ..methods.text import make_method
from ..protection.request import MOST_COPIES
from .options import (
    ByBlocks,
    Columns,
    CopiesJudged,
    Decimal,
    Externals,
    Json,
    Measures,
    Original,
    Release,
    Separator,
    Strata,
    Threads,
    Unknown,
    chosen,
    externals,
    whole,
)
from .show import document, kept_document, notes, progress, show_kept, table

FEW = 2.0
NAMES = ("columns", "measures", "keys", "independent", "strata", "targets", "domains")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    original: Original
    protected: Release
    columns: Columns = None
    measures: Measures = None
    keys: Annotated[
        str | None,
        typer.Option(help="the key attributes that uniques, k_anonymity and attribute disclosure are about: e,f"),
    ] = None
    targets: Annotated[
        str | None, typer.Option(help="what disco, dcap, tcap, rapid and alc say that the keys tell: c,d")
    ] = None
    domains: Annotated[
        str | None, typer.Option(help="columns in each level of which pil is judged too, with mean and worst: e,f")
    ] = None
    separator: Separator = None
    decimal: Decimal = None
    as_json: Json = False
    independent: Annotated[
        str | None,
        typer.Option(help="columns that explain the judged ones, for the inference baseline of each risk: a,b"),
    ] = None
    seed: Annotated[
        int | None, typer.Option(parser=whole, metavar="INTEGER", help="starts the draws of the inference baseline")
    ] = None
    strata: Strata = None
    threads: Threads = None
    by_blocks: ByBlocks = False
    unknown: Unknown = None
    method: Annotated[
        str | None,
        typer.Option(help="what made the release, such as rankswapping: adds what an intruder who knows it links"),
    ] = None
    copies: CopiesJudged = 1
    weights: Annotated[
        str | None, typer.Option(help="the original's column of survey weights: values are then of the population")
    ] = None
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="a parameter of the method: p=10 (may be repeated)")
    ] = None
    external: Externals = None


def run(request: Request) -> None:
    """Judge a protected file against its original."""
    given: dict[str, Any] = {name: chosen(getattr(request, name), f"--{name}") for name in NAMES}
    if request.method is not None:
        given["method"] = make_method(request.method, request.settings or (), externals(request.external))
    elif request.settings:
        raise InvalidParameter("evaluate", "--set", "needs --method, whose parameter it is", request.settings)
    engine = Local(request.threads)
    copies = whole_number("evaluate", "copies", request.copies, low=1, high=MOST_COPIES)
    paths, in_memory = [request.original, *copy_paths(request.protected, copies)], False if request.by_blocks else None
    before, *doors = (open_data("evaluate", path, in_memory, request.separator, request.decimal) for path in paths)
    after = doors[0]
    told = f"judging {after.records} records" if after.source is None else "judging by blocks"
    with progress(told) as advance:
        report = evaluate(
            before,
            doors if copies > 1 else after,
            weights=request.weights,
            engine=engine,
            progress=advance,
            **given,
        )
    kept = kept_between("evaluate", before, after, chosen(request.unknown, "--unknown") or [])
    if request.as_json:
        found = {
            "records": report.records,
            "columns": report.columns,
            "rows": report.rows(),
            "kept": kept_document(kept),
        }
        seed = {} if report.guessed_seed is None else {"guessed_seed": report.guessed_seed}
        document(found | {"notes": report.notes} | seed)
        return
    show_report(report)
    show_kept(kept)
    notes(report.notes)
    if report.guessed_seed is not None:
        notes([Note.of("risk", "the seed of the release is {seed}", seed=report.guessed_seed)])


def show_report(report: Report) -> None:
    """Every measure with its parts, baseline and excess."""
    rows = []
    for row in report.rows():
        first = row["part"] == "total"
        name = report.facts(row["measure"]).title if first else f"  {row['part']}"
        better = f"{row['lower']:g} to {row['upper']:g}, {row['better']} is better" if first else ""
        # Two decimals are for per cent; what lies between 0 and 1 or 2 needs more.
        value = row["value"] if row["upper"] > FEW else f"{row['value']:.4f}"
        rows.append([row["measure"] if first else "", name, value, row["baseline"], row["excess"], better])
    per_cent = "per cent where the range ends at 100" if any(r["upper"] != 100 for r in report.rows()) else "per cent"
    columns = Count(len(report.columns))
    title = f"{report.records} records, {columns} {columns:column|columns}; {per_cent}; baseline: what chance gives"
    table(title, ("key", "measure", "value", "baseline", "excess", "range"), rows, left=2)

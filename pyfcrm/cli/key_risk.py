"""pyfcrm key-risk: how easily the records of a file are found by keys, before anything is protected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ..data.source import open_data
from ..evaluation.key_risk import COLUMNS, KeyRisk
from ..evaluation.key_risk import key_risk as key_risk_of
from .options import Decimal, Json, Separator, Source, chosen, real
from .show import document, notes, progress, say, table

SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    source: Source
    keys: Annotated[str, typer.Option(help="what an intruder knows, columns of any type: a,b")]
    weights: Annotated[str | None, typer.Option(help="the column of survey weights; without it the file is all")] = None
    household: Annotated[str | None, typer.Option(help="the column that says which records belong together")] = None
    form: Annotated[str, typer.Option(help="of the individual risk: approx, or exact")] = "approx"
    scoring: Annotated[str, typer.Option(help="of SUDA: elliot, or ihsn")] = "elliot"
    fraction: Annotated[
        float, typer.Option(parser=real, metavar="NUMBER", help="the sampling fraction that DIS is for")
    ] = 0.01
    separator: Separator = None
    decimal: Decimal = None
    as_json: Json = False


def run(request: Request) -> None:
    """The risk of each record by its keys: individual, household, SUDA and DIS."""
    keys = chosen(request.keys, "--keys") or []
    door = open_data("key_risk", request.source, None, request.separator, request.decimal)
    with progress("looking at keys") as advance:
        found = key_risk_of(
            door, keys, request.weights, request.household, request.form,
            scoring=request.scoring, fraction=request.fraction, progress=advance,
        )  # fmt: skip
    if request.as_json:
        document(
            {
                "keys": found.keys,
                "form": found.form,
                "scoring": found.scoring,
                "expected": found.expected,
                "global_risk": found.global_risk,
                "global_household_risk": found.global_household_risk,
                "rows": found.to_frame().to_dict("records"),
                "notes": door.notes,
            }
        )
        return
    for sentence in found.describe():
        say(sentence)
    _show(found)
    notes(door.notes)


def _show(found: KeyRisk) -> None:
    """The records of the largest individual risk, then of the largest DIS."""
    frame = found.to_frame().sort_values(["individual", "dis"], ascending=False, kind="stable").head(SHOWN)
    rows = [
        [str(label), *(f"{value:.4f}" if name in ("individual", "household", "dis") else f"{value:g}"
                       for name, value in zip(COLUMNS, row, strict=True))]
        for label, *row in frame.itertuples()
    ]  # fmt: skip
    table(f"the {len(rows)} records of the largest risk; record from 0", ("record", *COLUMNS), rows)

"""pyfcrm recommend: one file and a risk limit in, the method that loses least and the reasons out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from ..arguments import real_number
from ..data import Roles
from ..engine import Local
from ..errors import MissingExtra
from ..files import read_table, write_bytes, write_text
from ..methods.text import make_candidates
from ..plots import as_png, risk_utility_map
from ..search.candidates import Recommendation
from ..search.recommend import recommend as recommend_frame
from .options import ROLES, check_folder, column_list, make_folder
from .show import document, kept_document, notes, progress, say, show_kept, table

SHOWN = ("pil", "dbrl", "prl", "id", "dr", "score")
FILES = TABLE, MAP = ("recommend.csv", "map.png")


@dataclass(frozen=True)
class Request:
    """What the command line asked for."""

    source: str
    independent: str
    dependent: str
    candidates: str | None
    constraints: str | None
    missing: str
    separator: str | None
    decimal: str | None
    folder: str | None
    max_dr: float
    seed: int | None
    seconds: float
    seeds: int
    as_json: bool
    threads: int | None = None
    identifiers: str | None = None
    unknown: str | None = None


def run(asked: Request) -> None:
    """Search; the frontier and the reasons as text or JSON, all methods in recommend.csv. Exit status 1 without a pick."""
    real_number("recommend", "max_dr", asked.max_dr, low=0, high=100)
    methods = None if asked.candidates is None else make_candidates(asked.candidates)
    roles = Roles(*(column_list(getattr(asked, role), f"--{role}") for role in ROLES))
    engine = Local(asked.threads)
    folder = None if asked.folder is None else check_folder(asked.folder, FILES, [asked.source])
    read = read_table(asked.source, asked.separator, asked.decimal)
    with progress("searching") as advance:
        found = recommend_frame(
            read.frame, roles, asked.max_dr, asked.constraints, asked.seed, asked.seconds, asked.seeds, methods, advance,
            missing=asked.missing, engine=engine,
        )  # fmt: skip
    if asked.as_json:
        document(_contents(found, read.notes))
    else:
        notes(read.notes)
        show_kept(found.kept)
        _show(found, f"{asked.source}: {len(read.frame)} records; per cent; the mean over seeds")
    if folder is not None:
        make_folder(folder)
        write_text(folder / TABLE, found.to_frame().to_csv(index=False))
        try:
            write_bytes(folder / MAP, as_png(_map(found)))
        except MissingExtra as error:
            notes([str(error)])
    if found.pick is None:
        raise typer.Exit(1)


def _show(found: Recommendation, title: str) -> None:
    rows = [
        ("*" if one is found.pick else "", type(one.method).__name__, one.method.settings(),
         *(one[key] for key in SHOWN), one.worst("dr"), len(one.reports))
        for one in found.frontier
    ]  # fmt: skip
    heads = ("", "method", "parameters", "PIL", "DBRL", "PRL", "ID", "DR", "SCORE", "worst DR", "seeds")
    table(title, heads, rows, left=3)
    say("the methods that no other beats in both PIL and DR; * the one recommended\n")
    for reason in found.reasons:
        say(reason)


def _contents(found: Recommendation, said: Any) -> dict[str, Any]:
    rows = [{name: _plain(value) for name, value in row.items()} for row in found.rows()]
    pick = next((row for row in rows if row["pick"]), None)
    return {
        "max_dr": found.max_dr,
        "pick": pick,
        "reasons": found.reasons,
        "methods": rows,
        "set_aside": found.set_aside,
        "complete": found.complete,
        "kept": kept_document(found.kept),
        "notes": list(said),
    }


def _plain(value: Any) -> Any:
    """JSON has no NaN: the spread of one seed is null."""
    return None if isinstance(value, float) and value != value else value


def _map(found: Recommendation) -> Any:
    rows = [row | {"label": row["parameters"]} for row in found.rows()]
    return risk_utility_map(rows, [row["frontier"] for row in rows])

"""pyfcrm recommend: one file and a risk limit in, the method that loses least and the reasons out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ..arguments import real_number
from ..files import read_table, write_text
from ..methods.text import make_candidates
from ..search.candidates import RISKS, Recommendation
from ..search.recommend import recommend as recommend_frame
from .options import MAP_FOLDER, Json, PlannedRequest, Risk, check_folder, externals, make_folder, real, whole
from .planning import beside, check_plan, write_plan
from .show import document, kept_document, notes, progress, saved_figure, say, show_kept, table

SHOWN = ("pil", "dbrl", "prl", "id", "dr", "dr_informed", "score")
FILES = TABLE, MAP = ("recommend.csv", "map.png")


@dataclass(frozen=True, kw_only=True)
class Request(PlannedRequest):
    """What was asked for, as it was typed: each option, declared."""

    max_dr: Annotated[
        float, typer.Option(parser=real, metavar="FLOAT", help="the most disclosure risk (DR) allowed, per cent")
    ]
    seconds: Annotated[
        float, typer.Option(parser=real, metavar="FLOAT", help="when to stop looking for better, about")
    ] = 60.0
    seeds: Annotated[
        int, typer.Option(parser=whole, metavar="INTEGER", help="how many releases the best are judged by")
    ] = 3
    candidates: Annotated[
        str | None,
        typer.Option(help='where to start, such as "fcrm:c=2..15,ipso:kind=A|B|C"; all families if not given'),
    ] = None
    folder: Annotated[str | None, MAP_FOLDER] = None
    as_json: Json = False
    risk: Risk = "dr"
    audits: Annotated[
        int, typer.Option(parser=whole, metavar="INTEGER", help="splits the pick is audited with; 0: it is not")
    ] = 1


def run(request: Request) -> None:
    """Search for the method of least information loss within a risk limit, and say why."""
    real_number("recommend", "max_dr", request.max_dr, low=0, high=100)
    methods = None if request.candidates is None else make_candidates(request.candidates, externals(request.external))
    roles, options = request.roles, request.options()
    limits = options.pop("constraints")
    folder = None if request.folder is None else check_folder(request.folder, FILES, [request.source])
    check_plan(request, [request.source, *([] if folder is None else [str(folder / name) for name in FILES])])
    read = read_table(request.source, request.separator, request.decimal)
    with progress("searching") as advance:
        found = recommend_frame(
            read.frame, roles, request.max_dr, limits, request.seed, request.seconds, request.seeds, methods, advance,
            risk=request.risk, audits=request.audits, **options,
        )  # fmt: skip
    if request.as_json:
        document(_contents(found, read.notes))
    else:
        notes(read.notes)
        show_kept(found.kept)
        _show(found, f"{request.source}: {len(read.frame)} records; per cent; the mean over seeds")
    if folder is not None:
        make_folder(folder)
        write_text(folder / TABLE, found.to_frame().to_csv(index=False))
        saved_figure(folder / MAP, found.plot)
    if found.pick is None:
        raise typer.Exit(1)
    changed = {request.risk: (request.max_dr,)}
    write_plan(request, found.pick.method, roles, beside(request), seed=found.seeds[0], limits=changed)


def _show(found: Recommendation, title: str) -> None:
    rows = [
        ("*" if one is found.pick else "", type(one.method).__name__, one.method.settings(),
         *(one[key] for key in SHOWN), one.worst(found.risk), len(one.reports))
        for one in found.frontier
    ]  # fmt: skip
    heads = ("", "method", "parameters", "PIL", "DBRL", "PRL", "ID", "DR", "informed", "SCORE", "worst", "seeds")
    table(title, heads, rows, left=3)
    say(
        f"the methods that no other beats in both PIL and {RISKS[found.risk]}; informed: DR by who knows the method; "
        "* the one recommended\n"
    )
    for reason in found.reasons:
        say(reason)


def _contents(found: Recommendation, said: Any) -> dict[str, Any]:
    rows = found.rows()
    pick = next((row for row in rows if row["pick"]), None)
    return {
        "max_dr": found.max_dr,
        "risk": found.risk,
        "pick": pick,
        "reasons": found.reasons,
        "methods": rows,
        "set_aside": found.set_aside,
        "complete": found.complete,
        "kept": kept_document(found.kept),
        "notes": list(said),
    }

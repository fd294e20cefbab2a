"""pyfcrm sweep: one file, many candidates, one map."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..arguments import choice, real_number
from ..data.source import open_data
from ..errors import Count, InvalidParameter
from ..files import write_text
from ..methods import Method
from ..methods.text import make_candidates
from ..search.candidates import RISKS, Frontier
from ..search.sweep import sweep as sweep_file
from .options import MAP_FOLDER, ByBlocks, PlannedRequest, Risk, check_folder, externals, make_folder, real
from .planning import beside, check_plan, write_plan
from .show import complain, notes, progress, saved_figure, say, show_kept, table

COLUMNS = ("pil", "dbrl", "prl", "id", "dr", "dr_informed", "score")
FILES = TABLE, MAP = ("sweep.csv", "map.png")


@dataclass(frozen=True, kw_only=True)
class Request(PlannedRequest):
    """What was asked for, as it was typed: each option, declared."""

    output: Annotated[str, MAP_FOLDER]
    candidates: Annotated[str, typer.Option(help='such as "fcrm:c=2..15,ipso:kind=A|B|C"')]
    max_dr: Annotated[
        float | None,
        typer.Option(parser=real, metavar="FLOAT", help="name the least information loss within this disclosure risk"),
    ] = None
    by_blocks: ByBlocks = False
    risk: Risk = "dr"


def run(request: Request) -> None:
    """Judge many methods on one file: the risk-utility map."""
    source, max_dr = request.source, request.max_dr
    if max_dr is not None:
        real_number("sweep", "max_dr", max_dr, low=0, high=100)
    choice("sweep", "risk", request.risk, RISKS)
    methods, roles, options = (
        make_candidates(request.candidates, externals(request.external)),
        request.roles,
        request.options(),
    )
    folder = check_folder(request.output, FILES, [source])
    check_plan(request, [source, *(str(folder / name) for name in FILES)])
    if request.plan is not None and max_dr is None:
        raise InvalidParameter("--plan", "method", "must be picked by --max-dr: a plan is of one method", max_dr)
    door = open_data("sweep", source, False if request.by_blocks else None, request.separator, request.decimal)
    with progress("judging") as advance:
        frontier = sweep_file(door, roles, methods, request.seed, progress=advance, **options)
    notes(_common_notes(frontier))
    records, columns = frontier.candidates[0].report.records, Count(len(roles.dependent))
    title = f"{source}: {records} records, {columns} dependent {columns:column|columns}; per cent"
    show_frontier(title, frontier, request.risk)
    show_kept(frontier.kept)
    save(folder, frontier, request.risk)
    if max_dr is not None:
        best = _show_best(frontier, max_dr, request.risk)
        write_plan(request, best, roles, beside(request), seed=frontier.seed, limits={request.risk: (max_dr,)})


def _common_notes(frontier: Frontier) -> list[str]:
    """What every candidate had to do, such as leaving records out."""
    first, *others = [c.notes for c in frontier.candidates]
    return [note for note in first if all(note in other for other in others)]


def _show_best(frontier: Frontier, max_dr: float, risk: str) -> Method:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", UserWarning)
        try:
            best = frontier.best(max_dr, risk)
        except (
            InvalidParameter
        ) as error:  # the sweep was done and saved: that no candidate is good enough is its result
            complain(str(error))
            raise typer.Exit(1) from None
    notes([str(one.message) for one in heard])
    found = f"{best.method}, PIL {best['pil']:.2f}, DR {best[risk]:.2f}"
    say(f"least information loss with {RISKS[risk]} at most {max_dr:g}: {found}")
    return best.method


def show_frontier(title: str, frontier: Frontier, risk: str = "dr") -> None:
    """One row a candidate; a star marks those that no other beats in both PIL and the risk."""
    rows = [
        ("*" if mark else "", type(c.method).__name__, c.method.settings(), *(c[key] for key in COLUMNS))
        for c, mark in zip(frontier.candidates, frontier.nondominated(risk), strict=True)
    ]
    table(title, ("", "method", "parameters", "PIL", "DBRL", "PRL", "ID", "DR", "informed", "SCORE"), rows, left=3)
    say(f"* no other candidate has both less PIL and less {RISKS[risk]}; informed: DR by who knows the method")


def save(folder: Path, frontier: Frontier, risk: str = "dr") -> None:
    """sweep.csv and, with matplotlib, map.png; says where."""
    make_folder(folder)
    write_text(folder / TABLE, frontier.to_frame().to_csv(index=False))
    say(f"table: {folder / TABLE}")
    if saved_figure(folder / MAP, lambda: frontier.plot(risk=risk)):
        say(f"figure: {folder / MAP}")

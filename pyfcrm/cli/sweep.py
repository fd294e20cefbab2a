"""pyfcrm sweep: one file, many candidates, one map."""

from __future__ import annotations

from pathlib import Path

from ..data.source import open_data
from ..errors import Count
from ..files import write_text
from ..methods.text import make_candidates
from ..search.candidates import Frontier, limits_of
from ..search.sweep import sweep as sweep_file
from .options import Request, check_folder, externals, make_folder
from .show import complain, document, notes, print_line, progress, save_figure, show_kept, table

COLUMNS = ("pil", "dbrl", "prl", "id", "dr", "dr_informed", "score")
FILES = TABLE, MAP = ("sweep.csv", "map.png")


def run(request: Request) -> int:
    """Judge many methods on one file: the risk-utility map."""
    source, max_dr = request.source, request.max_dr
    limits_of("sweep", None, max_dr)
    methods = make_candidates(request.candidates, externals(request.external))
    roles, options = request.roles(), request.protect_options()
    folder = check_folder(request.output, FILES, [source])
    original = open_data("sweep", source, False if request.by_blocks else None, request.separator, request.decimal)
    with progress("judging") as advance:
        frontier = sweep_file(original, roles, methods, request.seed, progress=advance, **options)
    if request.json:
        best = frontier.best(max_dr=max_dr)
        write_files(folder, frontier)
        document({"candidates": frontier.rows(), "best": None if best is None else str(best.method),
                  "files": [folder / name for name in FILES], "notes": _common_notes(frontier)})  # fmt: skip
        return int(max_dr is not None and best is None)
    notes(_common_notes(frontier))
    records, columns = frontier.candidates[0].report.records, Count(len(roles.dependent))
    title = f"{source}: {records} records, {columns} dependent {columns:column|columns}; per cent"
    show_frontier(title, frontier)
    show_kept(frontier.kept)
    save(folder, frontier)
    return 0 if max_dr is None else _show_best(frontier, max_dr)


def _common_notes(frontier: Frontier) -> list[str]:
    """What every candidate had to do, such as leaving records out."""
    first, *others = [c.notes for c in frontier.candidates]
    return [note for note in first if all(note in other for other in others)]


def _show_best(frontier: Frontier, max_dr: float) -> int:
    """The candidate of least information loss within the limits; status 1, the sweep being saved, where there is none."""
    best = frontier.best(max_dr=max_dr)
    if best is None:
        complain(f"no candidate has DR at most {max_dr:g} and attributable risk within the verdict's limit")
        return 1
    print_line(
        f"least information loss with DR at most {max_dr:g}: {best.method}, PIL {best['pil']:.2f}, DR {best['dr']:.2f}"
    )
    return 0


def show_frontier(title: str, frontier: Frontier) -> None:
    """One row a candidate; a star marks those that no other beats in both PIL and DR."""
    rows = [
        ("*" if mark else "", type(c.method).__name__, c.method.settings(), *(c[key] for key in COLUMNS))
        for c, mark in zip(frontier.candidates, frontier.nondominated(), strict=True)
    ]
    table(title, ("", "method", "parameters", "PIL", "DBRL", "PRL", "ID", "DR", "informed", "SCORE"), rows, left=3)
    print_line("* no other candidate has both less PIL and less DR; informed: DR of a method-aware intruder")


def save(folder: Path, frontier: Frontier) -> None:
    """sweep.csv and map.png; prints where."""
    write_files(folder, frontier)
    print_line(f"table: {folder / TABLE}")
    print_line(f"figure: {folder / MAP}")


def write_files(folder: Path, frontier: Frontier) -> None:
    """sweep.csv and map.png."""
    make_folder(folder)
    write_text(folder / TABLE, frontier.to_frame().to_csv(index=False))
    save_figure(folder / MAP, frontier.plot())

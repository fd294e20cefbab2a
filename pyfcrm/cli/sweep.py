"""pyfcrm sweep: one file, many candidates, one map."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidInput, MissingExtra
from ..files import read_table, write_bytes, write_text
from ..plots import as_png
from ..sweeping import Frontier
from ..sweeping import sweep as sweep_frame
from ..table import Roles
from .show import notes, progress, say, table
from .words import column_list, make_candidates

COLUMNS = ("pil", "dbrl", "prl", "id", "dr", "score")


def run(
    source: str,
    folder: Path,
    independent: str,
    dependent: str,
    candidates: str,
    seed: int | None,
    missing: str,
    max_dr: float | None,
    separator: str | None,
    decimal: str | None,
) -> None:
    """Judge every candidate; write sweep.csv and map.png into the folder."""
    methods = make_candidates(candidates)
    roles = Roles(column_list(independent), column_list(dependent))
    read = read_table(source, separator, decimal)
    make_folder(folder, [source])
    with progress("judging") as advance:
        frontier = sweep_frame(read.frame, roles, methods, seed, missing=missing, progress=advance)
    notes(read.notes)
    show_frontier(f"{source}: {len(read.frame)} records, {len(roles.dependent)} dependent columns; per cent", frontier)
    save(folder, frontier)
    if max_dr is not None:
        best = frontier.best(max_dr)
        say(
            f"least information loss with DR at most {max_dr:g}: {best.method}, PIL {best['pil']:.2f}, DR {best['dr']:.2f}"
        )


def make_folder(folder: Path, inputs: list[str]) -> None:
    """Make the output folder, or say why it cannot be one."""
    if any(Path(i).exists() and folder.exists() and folder.samefile(i) for i in inputs) or folder.is_file():
        raise InvalidInput(str(folder), "an output folder must not be a file")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(str(folder), "the output folder cannot be made", error.strerror) from error


def show_frontier(title: str, frontier: Frontier) -> None:
    """One row a candidate; a star marks those that no other beats in both PIL and DR."""
    rows = [
        ("*" if mark else "", type(c.method).__name__, c.method.settings(), *(c[key] for key in COLUMNS))
        for c, mark in zip(frontier.candidates, frontier.nondominated(), strict=True)
    ]
    table(title, ("", "method", "parameters", "PIL", "DBRL", "PRL", "ID", "DR", "SCORE"), rows, left=3)
    say("* no other candidate has both less information loss (PIL) and less disclosure risk (DR)")


def save(folder: Path, frontier: Frontier) -> None:
    """sweep.csv and, with matplotlib, map.png; says where."""
    write_text(folder / "sweep.csv", frontier.to_frame().to_csv(index=False))
    say(f"table: {folder / 'sweep.csv'}")
    try:
        write_bytes(folder / "map.png", as_png(frontier.plot()))
        say(f"figure: {folder / 'map.png'}")
    except MissingExtra as error:
        notes([str(error)])

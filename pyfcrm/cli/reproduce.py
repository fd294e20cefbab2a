"""pyfcrm reproduce: printed and measured values side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..arguments import whole_number
from ..errors import unknown_name
from ..files import write_text
from .options import Json, check_folder, make_folder, whole
from .show import document, progress, saved_figure, say, table

if TYPE_CHECKING:
    from ..studies import Outcome, Study


def run(
    *,
    study: Annotated[str, typer.Argument(help="example, s1, s2, s3, permutation, linkage, families or answers")],
    census: Annotated[str | None, typer.Option(help="the Census file, where sdcMicro is not installed")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="where the table and the figure go")] = None,
    seeds: Annotated[
        int | None, typer.Option(parser=whole, metavar="INTEGER", help="how many seeds to average over, 1, 2, ...")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run an experiment of the literature; printed and measured values side by side."""
    from ..studies import STUDIES

    if study not in STUDIES:
        raise unknown_name("reproduce", "study", study, STUDIES)
    asked = None if seeds is None else tuple(range(1, whole_number("reproduce", "seeds", seeds, low=1, high=1000) + 1))
    chosen = STUDIES[study]
    if output is None and not as_json:
        output = f"pyfcrm-reproduce-{study}"
    inputs = [census or os.environ.get("PYFCRM_CENSUS")]
    folder = None if output is None else check_folder(output, chosen.files, inputs)
    data = chosen.opened(census)
    with progress(chosen.title) as advance:
        made = chosen.reproduced(data, asked, advance)
    if as_json:
        head = {"study": study, "title": chosen.title, "seeds": made.seeds, "rows": made.rows}
        document({**head, **made.more, "notes": made.notes})
    else:
        _show(made)
    if folder is not None:
        saved = _save(chosen, made, folder)
        if not as_json:
            say(saved)
    if not made.holds:
        raise typer.Exit(1)  # a check did not hold


def _show(made: Outcome) -> None:
    for sheet in made.sheets:
        table(sheet.title, sheet.head, sheet.cells, sheet.left)
        if sheet.below:
            say(sheet.below)
        say()
    for line in made.notes:
        say("- " + line)


def _save(study: Study, made: Outcome, folder: Path) -> str:
    """The tables, and the figure where there is one to draw and matplotlib to draw it; says where they are."""
    import pandas as pd

    make_folder(folder)
    for name, rows in made.tables.items():
        digits = None if made.digits is None else f"%.{made.digits}f"
        write_text(folder / name, pd.DataFrame(rows).to_csv(index=False, float_format=digits))
    paths = ", ".join(str(folder / name) for name in made.tables)
    saved = f"{'table' if len(made.tables) == 1 else 'tables'}: {paths}"
    if made.figure is None:
        return saved
    from ..plots import course

    path, drawn = folder / f"{study.key}.png", made.figure
    drawn_too = saved_figure(path, lambda: course(drawn.rows, study.title, drawn.horizontal))
    return f"{saved}, figure: {path}" if drawn_too else saved

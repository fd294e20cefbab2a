"""pyfcrm reproduce permutation|linkage: a printed table and the same measured, quantity by quantity."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import typer

from .. import datasets
from ..experiments import Row, SideBySide
from ..files import write_text
from .folder import check_folder, make_folder
from .show import document, progress, say, table


def run_table(
    study: SideBySide, census: str | None, output: str | None, seeds: tuple[int, ...] | None, as_json: bool
) -> None:
    """Run a study of rows, show it, and save its table; exit status 1 where its targets are not met."""
    if output is None and not as_json:
        output = f"pyfcrm-reproduce-{study.key}"
    inputs = [census or os.environ.get("PYFCRM_CENSUS")]
    folder = None if output is None else check_folder(output, [f"{study.key}.csv"], inputs)
    frame = datasets.census(census) if study.needs_census else None
    used = study.seeds if seeds is None else seeds
    with progress(study.title) as advance:
        made = study.run(frame, used, advance)
    rows = [as_row(study, row) for row in made]
    said = [findings(study, made, used), *study.remarks]
    if as_json:
        document({"study": study.key, "title": study.title, "seeds": used, "rows": rows, "notes": said})
    else:
        show(study, rows, said)
    if folder is not None:
        import pandas as pd

        make_folder(folder)
        write_text(folder / f"{study.key}.csv", pd.DataFrame(rows).to_csv(index=False))
        if not as_json:
            say(f"table: {folder / study.key}.csv")
    if not study.holds(made):
        raise typer.Exit(1)  # a check did not hold


def as_row(study: SideBySide, row: Row) -> dict[str, Any]:
    """One row: setting, and for each quantity its printed value (None where there is none), its mean and spread."""
    flat: dict[str, Any] = {"setting": row.setting}
    for name in study.quantities:
        flat[f"{name}_printed"] = row.printed.get(name)
        flat |= {name: row.measured[name], f"{name}_spread": row.spread[name]}
    return flat


def show(study: SideBySide, rows: Iterable[dict[str, Any]], said: Iterable[str]) -> None:
    """The table, with a printed column for the quantities that were printed, and the notes under it."""
    rows = list(rows)
    printed = [name for name in study.quantities if any(row[f"{name}_printed"] is not None for row in rows)]
    head, keys = ["setting"], ["setting"]
    for name, words in study.quantities.items():
        if name in printed:
            head, keys = [*head, f"{words} printed"], [*keys, f"{name}_printed"]
        head, keys = [*head, words, "+-"], [*keys, name, f"{name}_spread"]
    table(study.title, tuple(head), [[figure(study, row[k]) for k in keys] for row in rows])
    say()
    for line in said:
        say("- " + line)


def figure(study: SideBySide, value: Any) -> Any:
    """Per cent with two digits as elsewhere, shares of 1 with four."""
    return f"{value:.4f}" if isinstance(value, float) and study.tolerance < 1 else value


def findings(study: SideBySide, rows: list[Row], seeds: tuple[int, ...]) -> str:
    """Whether the table counts as reproduced, from the numbers."""
    words = " and ".join(study.quantities[name] for name in study.targets)
    verdict = "within" if study.holds(rows) else "NOT within"
    return (
        f"Means over {len(seeds)} seeds ({seeds[0]} to {seeds[-1]}), +- their standard deviation. {words} differ from the printed "
        f"values by {study.farthest(rows):.3g} at most, {verdict} the target of {study.tolerance:g}."
    )

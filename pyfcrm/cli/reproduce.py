"""pyfcrm reproduce: printed and measured values side by side, setting by setting or quantity by quantity."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from .. import datasets
from ..arguments import whole_number
from ..data import kept_of, open_frame
from ..errors import MissingExtra, unknown_name
from ..files import write_bytes, write_text
from ..methods import FCRM
from ..plots import as_png, course
from ..studies import BEYOND as KEY
from ..studies import STUDIES, TABLES, Measured, Row, SideBySide, Study, rmse
from ..studies import run as run_study
from .options import check_folder, make_folder
from .reproduce_families import run_beyond
from .show import document, notes, progress, say, table

HIGH = 25.0  # per cent of the records, from which linkage is called high
HEAD = ("setting", "F.O. printed", "F.O.", "E_m/nV", "PIL printed", "PIL", "+-", "DBRL", "PRL", "ID",
        "DR printed", "DR stated", "DR halved", "SCORE printed", "SCORE")  # fmt: skip
KEYS = ("setting", "fo_printed", "fo", "em", "pil_printed", "pil", "pil_spread", "dbrl", "prl", "id",
        "dr_printed", "dr", "dr_half", "score_printed", "score")  # fmt: skip


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
    rows = [table_row(study, row) for row in made]
    said = [table_findings(study, made, used), *study.remarks]
    if as_json:
        document({"study": study.key, "title": study.title, "seeds": used, "rows": rows, "notes": said})
    else:
        show_table(study, rows, said)
    if folder is not None:
        import pandas as pd

        make_folder(folder)
        write_text(folder / f"{study.key}.csv", pd.DataFrame(rows).to_csv(index=False))
        if not as_json:
            say(f"table: {folder / study.key}.csv")
    if not study.holds(made):
        raise typer.Exit(1)  # a check did not hold


def table_row(study: SideBySide, row: Row) -> dict[str, Any]:
    """One row: setting, and for each quantity its printed value (None where there is none), its mean and spread."""
    flat: dict[str, Any] = {"setting": row.setting}
    for name in study.quantities:
        flat[f"{name}_printed"] = row.printed.get(name)
        flat |= {name: row.measured[name], f"{name}_spread": row.spread[name]}
    return flat


def show_table(study: SideBySide, rows: Iterable[dict[str, Any]], said: Iterable[str]) -> None:
    """The table, with a printed column for the quantities that were printed, and the notes under it."""
    rows = list(rows)
    printed = [name for name in study.quantities if any(row[f"{name}_printed"] is not None for row in rows)]
    head, keys = ["setting"], ["setting"]
    for name, words in study.quantities.items():
        if name in printed:
            head, keys = [*head, f"{words} printed"], [*keys, f"{name}_printed"]
        head, keys = [*head, words, "+-"], [*keys, name, f"{name}_spread"]
    table(study.title, tuple(head), [[table_figure(study, row[k]) for k in keys] for row in rows])
    say()
    for line in said:
        say("- " + line)


def table_figure(study: SideBySide, value: Any) -> Any:
    """Per cent with two digits as elsewhere, shares of 1 with four."""
    return f"{value:.4f}" if isinstance(value, float) and study.tolerance < 1 else value


def table_findings(study: SideBySide, rows: list[Row], seeds: tuple[int, ...]) -> str:
    """Whether the table counts as reproduced, from the numbers."""
    words = " and ".join(study.quantities[name] for name in study.targets)
    verdict = "within" if study.holds(rows) else "NOT within"
    return (
        f"Means over {len(seeds)} seeds ({seeds[0]} to {seeds[-1]}), +- their standard deviation. {words} differ from the printed "
        f"values by {study.farthest(rows):.3g} at most, {verdict} the target of {study.tolerance:g}."
    )


def run(key: str, census: str | None, output: str | None, seeds: int | None, as_json: bool) -> None:
    """Run a study, show it, and save its table and figure where a folder is given (or by default beside you)."""
    if key not in STUDIES and key not in TABLES and key != KEY:
        raise unknown_name("reproduce", "study", key, [*STUDIES, *TABLES, KEY])
    asked = None if seeds is None else tuple(range(1, whole_number("reproduce", "seeds", seeds, low=1, high=1000) + 1))
    if key == KEY:
        run_beyond(census, output, asked, as_json)
        return
    if key in TABLES:
        run_table(TABLES[key], census, output, asked, as_json)
        return
    study = STUDIES[key]
    used = study.seeds if asked is None else asked
    if output is None and not as_json:
        output = f"pyfcrm-reproduce-{key}"
    inputs = [census or os.environ.get("PYFCRM_CENSUS")]
    folder = None if output is None else check_folder(output, [f"{key}.csv", f"{key}.png"], inputs)
    frame = datasets.census(census) if study.data == "census" else datasets.example()
    with progress(study.title) as advance:
        measured = run_study(study, frame, used, advance)
    rows = [as_row(m) for m in measured]
    said = [settings_line(study, used), *findings(study, measured), *study.remarks, *kept_line(study, frame)]
    if as_json:
        document(
            {"study": key, "title": study.title, "seeds": used, "rows": rows, "rmse_pil": rmse(measured), "notes": said}
        )
    else:
        table(study.title, HEAD, [[_cell(row, k) for k in KEYS] for row in rows])
        say()
        for line in said:
            say("- " + line)
    if folder is not None:
        _save(study, measured, rows, folder, quiet=as_json)
    difference = rmse(measured)
    if study.target is not None and difference is not None and difference > study.target:
        raise typer.Exit(1)  # a check did not hold


def as_row(m: Measured) -> dict[str, Any]:
    """One row of the table; None where nothing was printed, or a method has no such value."""
    printed = m.setting.printed
    row: dict[str, Any] = {
        k: getattr(m, k) for k in ("pil", "pil_spread", "dbrl", "prl", "id", "dr", "dr_half", "score")
    }
    row |= {f"{k}_printed": None if printed is None else getattr(printed, k) for k in ("fo", "pil", "dr", "score")}
    return row | {"setting": m.setting.label, "fo": m.fo, "em": m.em}


def _cell(row: dict[str, Any], key: str) -> Any:
    """F.O. and E_m span many powers of ten."""
    value = row[key]
    return f"{value:.2g}" if key in ("fo", "fo_printed", "em") and value is not None else value


def settings_line(study: Study, seeds: tuple[int, ...]) -> str:
    """The settings the methods were run with, read off the study itself."""
    fcrm = next(s.method for s in study.settings if isinstance(s.method, FCRM))
    return (
        f"Settings: {'one joint FCRM' if fcrm.joint else 'one FCRM for each dependent attribute'}, "
        f"{'with' if fcrm.intercept else 'without'} an intercept, on raw values, m = {fcrm.m:g}, tolerance {fcrm.tol:g}, "
        f"at most {fcrm.max_iter} iterations, started by fuzzy c-means (m = 2, tolerance 1e-05, at most 100) from a random "
        f"membership; measures over the dependent attributes; means over seeds {', '.join(map(str, seeds))}; +- is PIL's "
        "standard deviation over them. F.O. is max|U'-U| at the end (largest over attributes), E_m/nV the objective over "
        "n times the attribute's variance (mean)."
    )


def kept_line(study: Study, frame: Any) -> list[str]:
    """What it means that a study's kept columns are amounts; nothing where they single out few records."""
    kept = kept_of(open_frame("reproduce", frame), study.settings[0].cases[0].independent)
    if not kept.too_many:
        return []
    return [
        f"Its independent columns, {', '.join(kept.columns)}, are amounts and leave as they came, as in the thesis: {kept.verdict()} "
        "No measure above counts this; it is a study and not a release."
    ]


def findings(study: Study, measured: list[Measured]) -> list[str]:
    """What the numbers say, from the numbers."""
    lines = []
    difference = rmse(measured)
    if difference is not None and study.target is not None:
        verdict = "within" if difference <= study.target else "NOT within"
        lines.append(
            f"PIL of the FCRM rows differs from the printed by {difference:.2f} (RMSE), {verdict} the target of {study.target:g}."
        )
    fcrm = [m for m in measured if isinstance(m.setting.method, FCRM)]
    if fcrm:
        low, high = min(fcrm, key=lambda m: m.dbrl), max(fcrm, key=lambda m: m.dbrl)
        verdict = "Record linkage is high" if high.dbrl >= HIGH else "Record linkage grows with the clusters"
        lines.append(
            f"{verdict}: by the stated formula DBRL links {low.dbrl:.0f} % of the records at {low.setting.label} and "
            f"{high.dbrl:.0f} % at {high.setting.label}, since FCRM picks each record's cluster by its own dependent value. The printed "
            "DR does not show this."
        )
    lines.append(
        "DR stated is the thesis's formula, 0.5 (DBRL + PRL)/2 + 0.5 ID, intervals of p % of a sd on either side. DR halved is half of "
        "it with intervals p % wide in all and DBRL averaged over the first 1 to 7 attributes: found by search to be close to the "
        "printed DR; no text says that it was computed so."
    )
    return lines


def _save(study: Study, measured: list[Measured], rows: list[dict[str, Any]], folder: Path, quiet: bool) -> None:
    import pandas as pd

    make_folder(folder)
    write_text(folder / f"{study.key}.csv", pd.DataFrame(rows)[list(KEYS)].to_csv(index=False))
    try:
        write_bytes(folder / f"{study.key}.png", as_png(course(figure_rows(measured), study.title, study.horizontal)))
    except MissingExtra as error:
        notes([str(error)])
        return
    if not quiet:
        say(f"table: {folder / study.key}.csv, figure: {folder / study.key}.png")


def figure_rows(measured: list[Measured]) -> list[dict[str, Any]]:
    """The rows that have a place on the axis; of S3 those of the first c."""
    placed = [m for m in measured if m.setting.x is not None and m.setting.method == measured[0].setting.method]
    if len(placed) <= 1:
        placed = [m for m in measured if m.setting.x is not None]
    rows: list[dict[str, Any]] = []
    for m in placed:
        printed = m.setting.printed
        row: dict[str, Any] = {"x": m.setting.x, "pil": m.pil, "dr": m.dr, "score": m.score}
        if printed is not None:
            row |= {"printed_pil": printed.pil, "printed_dr": printed.dr, "printed_score": printed.score}
        rows.append(row)
    return rows

"""pyfcrm reproduce beyond: every family on every file, and how far the goals are reached."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from ..files import write_text
from ..studies.families import KEY, QUANTITIES, TITLE, Measured, Row, run
from ..studies.family_files import File, frames, present
from ..studies.goals import HOLDS, Verdict, missed, verdicts
from .options import check_folder, make_folder
from .show import document, progress, say, table

HEAD = {
    "pil": "PIL", "dbrl": "DBRL", "prl": "PRL", "id": "ID", "dr": "DR", "score": "SCORE", "detection": "detection",
    "dbrl_leak": "DBRL leak", "prl_leak": "PRL leak", "id_leak": "ID leak", "dr_leak": "DR leak", "extremes": "extremes",
}  # fmt: skip
TABLES = ROWS, GOALS = (f"{KEY}.csv", f"{KEY}-goals.csv")
NO_CENSUS = (
    "There is no Census file here, so only the simulated files were run: give it with --census, or set PYFCRM_CENSUS, or "
    "install R with the package sdcMicro."
)
REMARKS = (
    "Independent columns are kept as amounts, as in the thesis: they leave as they came, nearly every record is unique on them, "
    "and no measure here counts that. These are studies and no releases.",
    "leak is the risk above its inference baseline: the same risk of a draw from a model of the dependent columns given the "
    "independent ones that has not seen the record. Below 0, X alone tells as much and more.",
    "extremes: attributes' largest and smallest values that one record alone has, and that can be read off the release, to "
    "0.001 standard deviations.",
    "detection is the cross-validated AUC of a classifier that tells release from original: 50 is perfect; below it, "
    "released records lie nearer to originals than those to each other.",
    "Releases are what protect() gives: integer columns are rounded. The goals were set on the Census file; the simulated "
    "files are held to those of S1.",
    "not reached is a miss that is known, with the reason; missed is one that is not, and ends with exit status 1.",
)


def run_beyond(census: str | None, output: str | None, seeds: tuple[int, ...] | None, as_json: bool) -> None:
    """Run the study, show it, and save its two tables; exit status 1 where a goal that should hold is missed."""
    if output is None and not as_json:
        output = f"pyfcrm-reproduce-{KEY}"
    census = census or os.environ.get("PYFCRM_CENSUS") or None
    folder = None if output is None else check_folder(output, list(TABLES), [census])
    data = frames(census)
    with progress("beyond the paper") as advance:
        measured = run(data, seeds, advance)
    made = verdicts(measured)
    said = [*([] if "census" in data else [NO_CENSUS]), _seeds_line(measured), *measured.left_out, *REMARKS]
    if as_json:
        document(_contents(measured, made, said))
    else:
        _show(present(data), measured, made, said)
    if folder is not None:
        _save(measured, made, folder)
        if not as_json:
            say(f"tables: {folder / ROWS}, {folder / GOALS}")
    if missed(made):
        raise typer.Exit(1)  # a check did not hold


def as_row(row: Row) -> dict[str, Any]:
    """One method on one file, flat: mean and spread of each quantity."""
    flat: dict[str, Any] = {"file": row.file, "setting": row.setting}
    for name in QUANTITIES:
        flat |= {name: row.mean[name], f"{name}_spread": row.spread[name]}
    return flat


def _show(files: Sequence[File], measured: Measured, made: list[Verdict], said: list[str]) -> None:
    for file in files:
        rows = [row for row in measured.rows if row.file == file.key]
        cells = [(row.setting, *(_cell(row, name) for name in HEAD)) for row in rows]
        table(f"{file.title}: mean (sd over seeds)", ("method", *HEAD.values()), cells)
        base = ", ".join(f"{key.upper()} {value:.2f}" for key, value in measured.inference[file.key].items())
        say(f"inference baseline: {base}")
        say()
    goals = [
        (one.goal, one.file, one.setting, one.limit, f"{one.value:.2f} ({one.spread:.2f})", _verdict(one))
        for one in made
    ]
    table("How far it must go", ("at most", "file", "of", "goal", "measured", "verdict"), goals, left=3)
    say()
    for line in [*_reasons(made), *said]:
        say("- " + line)


def _cell(row: Row, name: str) -> str:
    return f"{row.mean[name]:.2f} ({row.spread[name]:.2f})"


def _verdict(one: Verdict) -> str:
    return one.verdict if one.verdict == HOLDS else one.verdict.upper()


def _reasons(made: list[Verdict]) -> list[str]:
    """Why a goal is not reached, the same sentence once."""
    where: dict[str, list[str]] = {}
    for one in made:
        if one.why:
            where.setdefault(one.why, []).append(f"{one.goal} ({one.file})")
    return [f"Not reached: {'; '.join(goals)}. Why: {why}." for why, goals in where.items()]


def _seeds_line(measured: Measured) -> str:
    return f"Means over seeds {', '.join(map(str, measured.seeds))}; in brackets their standard deviation."


def _contents(measured: Measured, made: list[Verdict], said: list[str]) -> dict[str, Any]:
    return {
        "study": KEY,
        "title": TITLE,
        "seeds": measured.seeds,
        "rows": [as_row(row) for row in measured.rows],
        "inference": measured.inference,
        "constraints": [asdict(one) for one in measured.broken],
        "goals": [asdict(one) for one in made],
        "notes": said,
    }


def _save(measured: Measured, made: list[Verdict], folder: Path) -> None:
    import pandas as pd

    make_folder(folder)
    rows = pd.DataFrame([as_row(row) for row in measured.rows])
    write_text(folder / ROWS, rows.to_csv(index=False, float_format="%.4f"))
    write_text(folder / GOALS, pd.DataFrame([asdict(one) for one in made]).to_csv(index=False, float_format="%.4f"))

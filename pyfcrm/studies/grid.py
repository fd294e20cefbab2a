"""A study of methods: a declared grid of settings with the printed results beside them; its table, figure and findings
in words, all from its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import datasets
from ..data import open_frame, uniques_of
from ..methods import FCRM
from ..plans.limits import LIMITS
from ..progress import Progress
from .setting import Measured, Setting, measure
from .study import Figure, Outcome, Sheet, Study

HIGH = 25.0  # per cent of the records, from which linkage is called high
HEAD = ("setting", "F.O. printed", "F.O.", "E_m/nV", "PIL printed", "PIL", "+-", "DBRL", "PRL", "ID",
        "DR printed", "DR stated", "DR halved", "SCORE printed", "SCORE")  # fmt: skip
KEYS = ("setting", "fo_printed", "fo", "em", "pil_printed", "pil", "pil_spread", "dbrl", "prl", "id",
        "dr_printed", "dr", "dr_half", "score_printed", "score")  # fmt: skip


@dataclass(frozen=True)
class Grid(Study):
    """A grid, declared: which data, which settings, which seeds, and what a reader must know.

    data : "census" or "example"; target : the largest root mean square difference between measured and printed PIL
    (FCRM rows) at which the table counts as reproduced, None where it is not a target; remarks : said under the table.
    """

    data: str
    settings: tuple[Setting, ...]
    seeds: tuple[int, ...]
    remarks: tuple[str, ...]
    horizontal: str = "number of clusters c"
    target: float | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Its table and its figure."""
        return f"{self.key}.csv", f"{self.key}.png"

    def opened(self, census: str | None) -> Any:
        """The Census file or the small example, as a frame."""
        return datasets.census(census) if self.data == "census" else datasets.example()

    def reproduced(self, data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
        """Printed and measured side by side, one row a setting."""
        seeds = self.seeds if seeds is None else seeds
        return _outcome(self, data, seeds, run(self, data, seeds, progress))


def run(
    study: Grid, frame: Any, seeds: Iterable[int] | None = None, progress: Progress | None = None
) -> list[Measured]:
    """Every setting of the study with every seed on the columns of `frame` (a mapping from name to values).

    The methods work on the values as they are, without rounding, as the thesis's did. seeds : instead of the study's own.
    """
    seeds = tuple(study.seeds if seeds is None else seeds)
    columns = {name: np.asarray(frame[name], dtype=np.float64) for name in frame}
    rows = []
    for k, setting in enumerate(study.settings):
        if progress is not None:
            progress(k, len(study.settings), setting.label)
        rows.append(measure(setting, columns, seeds))
    if progress is not None:
        progress(len(study.settings), len(study.settings), "done")
    return rows


def rmse(measured: Iterable[Measured]) -> float | None:
    """Root mean square difference of measured and printed PIL over the FCRM rows that have a printed value."""
    rows = [m for m in measured if isinstance(m.setting.method, FCRM) and m.setting.printed is not None]
    differences = [m.pil - m.setting.printed.pil for m in rows if m.setting.printed is not None]
    return float(np.sqrt(np.mean(np.square(differences)))) if differences else None


def _outcome(study: Grid, frame: Any, seeds: tuple[int, ...], measured: list[Measured]) -> Outcome:
    """What came of a grid; it holds where PIL of the FCRM rows is as near to the printed as its target says."""
    rows, difference = [as_row(m) for m in measured], rmse(measured)
    return Outcome(
        seeds=seeds,
        rows=rows,
        sheets=(Sheet(study.title, HEAD, [[_cell(row, k) for k in KEYS] for row in rows]),),
        notes=(settings_line(study, seeds), *findings(study, measured), *study.remarks, *kept_line(study, frame)),
        tables={f"{study.key}.csv": [{k: row[k] for k in KEYS} for row in rows]},
        more={"rmse_pil": difference},
        figure=Figure(figure_rows(measured), study.horizontal),
        holds=study.target is None or difference is None or difference <= study.target,
    )


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


def settings_line(study: Grid, seeds: tuple[int, ...]) -> str:
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


def kept_line(study: Grid, frame: Any) -> list[str]:
    """What it means that a study's kept columns are amounts; nothing where they single out few records."""
    kept = uniques_of(open_frame("reproduce", frame), study.settings[0].cases[0].independent)
    if kept.share <= LIMITS["sample_uniques"].values[0]:
        return []
    return [
        f"Its independent columns, {', '.join(kept.columns)}, are amounts and released unchanged, as in the thesis. {kept.counted()} "
        "No measure above counts this; it is a study and not a release."
    ]


def findings(study: Grid, measured: list[Measured]) -> list[str]:
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

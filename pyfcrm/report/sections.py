"""The sections of a report: its measures with values, ranges, directions, chance and a sentence on each; each variable
of the two files, pictures, and the records that stand out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..data import Kept, checked, open_frame
from ..evaluation.at_risk import RecordsAtRisk
from ..evaluation.audit_result import Audit
from ..evaluation.changes import VariableChanges
from ..evaluation.report import Report
from ..measures.measure import READINGS
from ..plots import as_png, correlations, distributions, scatters
from .html import Section, figure, items, joined, number, paragraphs, part, table

FEW = 2.0  # ranges up to here need more decimals than per cent do
HEAD = ("measure", "on its range", "value", "by chance", "above chance", "range", "better")
MOST_RECORDS = 50
STATISTICS = ("mean", "sd", "min", "lower_quartile", "median", "upper_quartile", "max")


def summary(report: Report) -> Section:
    """The totals, each with a bar and its sentence."""
    rows = [row for row in report.rows() if row["part"] == "total"]
    inferred = {key: report.inference[key] for key in report.keys() if key in report.inference}  # noqa: SIM118
    head = HEAD if not inferred else (*HEAD[:5], "inference", "leak", *HEAD[5:])
    body = table(head, [_row(report, row, inferred) for row in rows], words=2)
    said = ["Per cent where the range ends at 100. The upright mark on a bar is what chance gives: protected records paired "
            "with originals at random."]  # fmt: skip
    if inferred:
        said.append(
            "Inference: the same risk for a draw from a model of the judged columns that leaves the record out. What "
            "lies above it, the leak, is the release's own; up to it, the explaining columns tell anyone."
        )
    return Section("Measures", body + paragraphs(said))


def details(report: Report) -> Section:
    """Every part of every measure."""
    rows = [
        (report.facts(row["measure"]).title, str(row["part"]), *_numbers(row))
        for row in report.rows()
        if row["part"] != "total"
    ]
    return Section(
        "Measures, part by part", table(("measure", "part", "value", "by chance", "above chance"), rows, words=2)
    )


def losses(report: Report) -> Section:
    """For those outside: what the release lost, and no word of risk by numbers."""
    kept = [row for row in report.rows() if report.facts(row["measure"]).kind == "loss" and _plain(row)]
    rows = [_lost(report, row) for row in kept]
    judged = [report.facts(key).title for key in report.keys() if report.facts(key).kind == "risk"]  # noqa: SIM118
    said = ["Per cent where the range ends at 100."]
    if judged:
        said.append(
            "Disclosure was judged too, and its figures stay with the producer of the file: " + "; ".join(judged) + "."
        )
    return Section("What the release lost", table((*HEAD[:3], *HEAD[5:]), rows, words=2) + paragraphs(said))


def _row(report: Report, row: Mapping[str, Any], inferred: Mapping[str, float]) -> Sequence[str]:
    facts = report.facts(row["measure"])
    cells: list[str] = [part("measure", facts.title, READINGS.get(row["measure"], "")), _bar(row), *_numbers(row)]
    if inferred:
        base = inferred.get(row["measure"])
        cells += [number(base), number(None if base is None else row["value"] - base)]
    return (*cells, f"{row['lower']:g} to {row['upper']:g}".replace("inf", "∞"), row["better"])


def _lost(report: Report, row: Mapping[str, Any]) -> Sequence[str]:
    if row["part"] != "total":
        return (str(row["part"]), "", _numbers(row)[0], "", "")
    cells = _row(report, row, {})
    return (*cells[:3], *cells[-2:])  # a loss has no chance baseline


def _plain(row: Mapping[str, Any]) -> bool:
    """A row of the whole file: a number by attribute could tell which of them is nearest to its original."""
    return row["part"] == "total" or row["measure"] == "pil"


def _numbers(row: Mapping[str, Any]) -> tuple[str, str, str]:
    digits = 2 if row["upper"] > FEW else 4
    return number(row["value"], digits), number(row["baseline"], digits), number(row["excess"], digits)


def _bar(row: Mapping[str, Any]) -> str:
    lower, upper = row["lower"], row["upper"]
    if not math.isfinite(upper) or row["value"] != row["value"]:
        return ""

    def place(value: float) -> float:
        return 100 * min(max((value - lower) / (upper - lower), 0.0), 1.0)

    return part("bar", place(row["value"]), None if row["baseline"] is None else place(row["baseline"]))


def leaving(kept: Kept | None) -> Section:
    """First of all: which columns leave as they came, and how many records are unique on them, in words."""
    if kept is None:
        lines: tuple[str, ...] = ("The records of the two files do not pair, so this was not looked at.",)
    else:
        lines = kept.sentences()
    return Section("What leaves as it came", part("kept", lines, kept is None or kept.too_many))


def variables(changes: VariableChanges) -> Section:
    """Each variable before and after."""
    rows = []
    for one in changes.variables:
        before, after = one.original, one.protected
        for which, what in (("original", before), ("protected", after)):
            last = which == "protected"
            cells = [number(getattr(what, name)) for name in STATISTICS]
            own = [number(one.changed if last else None), number(one.rank_correlation if last else None, 3)]
            rows.append((one.variable if not last else "", which, *cells, *own))
    head = ("variable", "file", *(name.replace("_", " ") for name in STATISTICS), "changed, %", "rank correlation")
    return Section("Variables before and after", table(head, rows, words=2))


def released(changes: VariableChanges) -> Section:
    """Each variable of the release: what whoever has the file can work out."""
    rows = [(one.variable, *(number(getattr(one.protected, name)) for name in STATISTICS)) for one in changes.variables]
    return Section("Variables of the release", table(("variable", *(n.replace("_", " ") for n in STATISTICS)), rows))


def pictures(original: Any, protected: Any, columns: tuple[str, ...]) -> Section:
    """Distributions, correlations and scatter plots, before and after. Needs the extra `plots`."""
    X, Z = (_file_numbers(frame, columns) for frame in (original, protected))
    drawn = [figure(as_png(distributions(X, Z, columns)), "Distribution of each variable, original and protected")]
    if len(columns) > 1:
        drawn.append(
            figure(as_png(correlations(X, Z, columns)), "Correlations, original, protected and their difference")
        )
        drawn.append(figure(as_png(scatters(X, Z, columns)), "The pairs that correlate most, original and protected"))
    return Section("Pictures", joined(drawn))


def at_risk(risk: RecordsAtRisk) -> Section:
    """The records that linkage finds, those that stand out most first."""
    linked = int(risk.linked.sum())
    said = [
        f"{linked} of {len(risk.record)} records are linked to their originals, by distance or by agreement ({risk.agreement})."
    ]
    if not linked:
        return Section("Records at risk", paragraphs(said))
    frame = risk.to_frame()
    rows = [
        (
            str(row["record"]),
            *(number(row[name], 3) for name in ("dbrl", "prl", "distance", "other_distance", "margin")),
        )
        for row in frame.head(MOST_RECORDS).to_dict("records")
    ]
    said.append(
        "1 is a link, 1/t one of t equally good ones. Distances are in standard deviations: to the own protected record, "
        "and to the nearest other; a wide margin means that the record stands alone. "
        "Records of a file are counted from 0, which is the first below the header."
    )
    if linked > MOST_RECORDS:
        said.append(f"The first {MOST_RECORDS} are shown; records_at_risk() lists them all.")
    head = ("record", "by distance", "by agreement", "own distance", "other distance", "margin")
    return Section("Records at risk", paragraphs(said) + table(head, rows))


def audited(audit: Audit) -> Section:
    """What releases of a random part tell of the records they were made of: the alarms, then every attack."""
    said = [
        f"{audit.members} of {audit.records} records were protected with {audit.method}, and judged beside the others; the mean of "
        f"{audit.repeats} such splits, per cent. Control: what the same attack gives where there is nothing to find.",
        *audit.said(),
    ]
    rows = [
        (one.attack, number(one.value), number(one.control), f"{number(one.lower)} to {number(one.upper)}")
        for one in audit.lines
    ]
    return Section("Audit", paragraphs(said) + table(("attack", "value", "control", "95 % interval"), rows))


def notes(lines: tuple[str, ...]) -> Section:
    """What was met on the way."""
    return Section("Notes", items(lines))


def _file_numbers(frame: Any, columns: tuple[str, ...]) -> np.ndarray:
    values = checked("report", open_frame("report", frame), columns)
    return values[np.isfinite(values).all(axis=1)]

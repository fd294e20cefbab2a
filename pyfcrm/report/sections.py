"""The sections of a report: its measures with values, ranges, directions, chance and a sentence on each; each variable
of the two files, pictures, and the records that stand out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..data import SampleUniques, checked, open_frame
from ..evaluation.at_risk import RecordsAtRisk
from ..evaluation.audit_result import Audit
from ..evaluation.changes import STATISTICS, VariableChanges
from ..evaluation.report import Report
from ..plots import as_png, attacks, correlations, distributions, scatters
from .html import Section, figure, items, joined, measure_table, number, paragraphs, part, short, table

FEW = 2.0  # ranges up to here need more decimals than per cent do
HEAD = ("measure", "on its range", "value", "by chance", "above chance", "range", "better")
MOST_RECORDS = 50
SHORTLY = {
    "dbrl": "Of 100 records an intruder who has the original values finds {:.1f} again by distance",
    "prl": "Of 100 records {:.1f} are found again by which values agree",
    "id": "Of 100 values {:.1f} lie within 1 to 10 per cent of a standard deviation of the original",
    "dr": "Disclosure risk (DR), which sums these up, is {:.1f} of 100",
}


def in_short(report: Report, audit: Audit | None) -> Section:
    """What a reader must take away, in sentences."""
    text_lines = [f"Information loss (PIL) is {report['pil']:.1f} of 100."] if "pil" in report.keys() else []  # noqa: SIM118
    for key, words in SHORTLY.items():
        row = next((one for one in report.rows() if one["measure"] == key and one["part"] == "total"), None)
        if row is not None:
            chance = "" if row["baseline"] is None else f"; by chance it would be {number(row['baseline'])}"
            text_lines.append(f"{words.format(row['value'])}{chance}.")
    if audit is not None:
        text_lines.append("The audit raises an alarm, below." if audit.alarms else "The audit raises no alarm.")
    return Section("In short", items(text_lines))


def attacked(report: Report) -> list[Section]:
    """What an intruder does who knows the method; nothing where the report was made without it."""
    keys = report.keys()
    if "linkage_informed" not in keys:
        return []
    text_lines = [
        f"An intruder who knows the method and its parameters links {number(report['linkage_informed'])} per cent of the records to "
        f"their originals; for {number(report['certain'])} per cent the method leaves one candidate only, so that the link is certain."
    ]
    if "dbrl" in keys:
        text_lines.append(f"By distance, without the method, {number(report['dbrl'])} per cent are linked.")
    if report.guessed_seed is not None:
        text_lines.append(
            "The release was made from a seed that can be guessed: who tries small whole numbers can undo it."
        )
    return [Section("Attacks by who knows the method", paragraphs(text_lines))]


def summary(report: Report) -> Section:
    """The totals, each with a bar and its sentence."""
    rows = [row for row in report.rows() if row["part"] == "total"]
    inferred = any(row["inference"] is not None for row in rows)
    head = HEAD if not inferred else (*HEAD[:5], "inference", "attributable", *HEAD[5:])
    body = measure_table(
        head, [(_row(report, row, inferred), report.facts(row["measure"]).reading) for row in rows], words=2
    )
    text_lines = ["Per cent where the range ends at 100. The upright mark on a bar is what chance gives: protected records paired "
            "with originals at random."]  # fmt: skip
    if inferred:
        text_lines.append(
            "Inference: the same risk of reference releases that do not use the record's own values. Attributable: "
            "the risk above that baseline, which the release causes; of sums of risks, component by component."
        )
    return Section("Measures", body + paragraphs(text_lines))


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
    rows = [
        (_lost(report, row), report.facts(row["measure"]).reading if row["part"] == "total" else "") for row in kept
    ]
    judged = [report.facts(key).title for key in report.keys() if report.facts(key).kind == "risk"]  # noqa: SIM118
    text_lines = ["Per cent where the range ends at 100."]
    if judged:
        text_lines.append(
            "Disclosure was judged too, and its figures stay with the producer of the file: " + "; ".join(judged) + "."
        )
    return Section(
        "What the release lost", measure_table((*HEAD[:3], *HEAD[5:]), rows, words=2) + paragraphs(text_lines)
    )


def _row(report: Report, row: Mapping[str, Any], inferred: bool) -> Sequence[str]:
    facts = report.facts(row["measure"])
    cells: list[str] = [part("strong", facts.title), _bar(row), *_numbers(row)]
    if inferred:
        cells += [number(row["inference"]), number(row["attributable"])]
    return (*cells, f"{row['lower']:g} to {row['upper']:g}".replace("inf", "∞"), row["better"])


def _lost(report: Report, row: Mapping[str, Any]) -> Sequence[str]:
    if row["part"] != "total":
        return (str(row["part"]), "", _numbers(row)[0], "", "")
    cells = _row(report, row, inferred=False)
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


def leaving(kept: SampleUniques | None) -> Section:
    """First of all: which columns leave as they came, and how many records are unique on them, in words."""
    if kept is None:
        lines: tuple[str, ...] = ("The records of the two files do not pair, so this was not looked at.",)
    else:
        lines = kept.sentences()
    return Section("What leaves as it came", part("kept", lines))


def variables(changes: VariableChanges) -> Section:
    """Each variable before and after, and how far its values are from the original's."""
    rows, moved = [], []
    for row in changes.variables:
        for file in ("original", "protected"):
            first = row["variable"] if file == "original" else ""
            rows.append((first, file, *(short(row[f"{name}_{file}"]) for name in STATISTICS)))
        moved.append((row["variable"], number(row["changed"]), number(row["rank_correlation"], 3)))
    head = ("variable", "file", *(name.replace("_", " ") for name in STATISTICS))
    text_lines = ["Of each variable, the values that are not their original's, and the correlation of the ranks before and after: 1 is the "
            "same order, 0 no order in common."]  # fmt: skip
    far = table(("variable", "values changed, %", "rank correlation"), moved)
    return Section("Variables before and after", table(head, rows, words=2) + paragraphs(text_lines) + far)


def released(changes: VariableChanges) -> Section:
    """Each variable of the release: what whoever has the file can work out."""
    rows = [(row["variable"], *(short(row[f"{name}_protected"]) for name in STATISTICS)) for row in changes.variables]
    return Section("Variables of the release", table(("variable", *(n.replace("_", " ") for n in STATISTICS)), rows))


def pictures(original: Any, protected: Any, columns: tuple[str, ...]) -> Section:
    """Distributions, correlations and scatter plots, before and after."""
    X, Z = (_file_numbers(frame, columns) for frame in (original, protected))
    drawn = [figure(as_png(distributions(X, Z, columns)), "Distribution of each variable, original and protected")]
    if len(columns) > 1:
        drawn.append(
            figure(as_png(correlations(X, Z, columns)), "Correlations, original, protected and their difference")
        )
        drawn.append(figure(as_png(scatters(X, Z, columns)), "The pairs that correlate most, original and protected"))
    return Section("Pictures", joined(drawn))


def at_risk(risk: RecordsAtRisk, by_position: bool = True) -> Section:
    """The records that linkage finds, those that stand out most first. by_position : whether they have no labels."""
    text_lines = [f"{risk.describe()}."]
    if not risk.linked.any():
        return Section("Records at risk", paragraphs(text_lines))
    frame = risk.to_frame()
    rows = [
        (
            str(int(row["record"]) + 1 if by_position else row["record"]),
            *(_linked(row[name]) for name in ("dbrl", "prl")),
            *(number(row[name], 3) for name in ("distance", "other_distance", "margin")),
        )
        for row in frame.head(MOST_RECORDS).to_dict("records")
    ]
    text_lines.append(
        "Linked: yes; or to one of several that are equally near. Distances are in standard deviations: to the own protected record, "
        "and to the nearest other; a wide margin means that the record stands alone. "
        + ("Record 1 is the first below the header." if by_position else "Records are named by the file's index.")
    )
    if risk.linked.sum() > MOST_RECORDS:
        text_lines.append(f"The first {MOST_RECORDS} are shown; records_at_risk() lists them all.")
    head = ("record", "by distance", "by agreement", "own distance", "other distance", "margin")
    return Section("Records at risk", paragraphs(text_lines) + table(head, rows))


def _linked(share: float) -> str:
    if not share > 0:
        return "no"
    return "yes" if share >= 1 else f"1 of {1 / share:.0f}"


def audited(audit: Audit) -> Section:
    """What releases of a random part tell of the records they were made of: the alarms, then every attack."""
    text_lines = [
        f"{audit.members} of {audit.records} records were protected with {audit.method}, and judged beside the others; the mean of "
        f"{audit.repeats} such splits, per cent. {audit.shadows} further releases train the attack by shadow releases. Control: what "
        "the same attack gives where there is nothing to find. Detection measures utility, and raises no alarm.",
        *audit.describe(),
    ]
    rows = [
        (one.attack, number(one.value), number(one.control), f"{number(one.lower)} to {number(one.upper)}")
        for one in audit.lines
    ]
    drawn = figure(as_png(attacks(audit.rows(), "")), "Each attack's value with its interval, and its control")
    return Section(
        "Audit", paragraphs(text_lines) + table(("attack", "value", "control", "95 % interval"), rows) + drawn
    )


def notes(lines: tuple[str, ...]) -> Section:
    """What was met on the way."""
    return Section("Notes", items(lines))


def _file_numbers(frame: Any, columns: tuple[str, ...]) -> np.ndarray:
    values = checked("report", open_frame("report", frame), columns)
    return values[np.isfinite(values).all(axis=1)]

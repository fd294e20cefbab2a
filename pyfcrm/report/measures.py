"""The measures of a report: values, ranges, directions, chance, and a sentence on each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..evaluating import Report
from ..measures.readings import READINGS
from .html import Section, number, paragraphs, table

FEW = 2.0  # ranges up to here need more decimals than per cent do
HEAD = ("measure", "", "value", "by chance", "above chance", "range", "better")


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
        (escape(report.facts(row["measure"]).title), escape(str(row["part"])), *_numbers(row))
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
    said = escape(READINGS.get(row["measure"], ""))
    name = f'<strong>{escape(facts.title)}</strong> <span class="said">{said}</span>'
    cells = [name, _bar(row), *_numbers(row)]
    if inferred:
        base = inferred.get(row["measure"])
        cells += [number(base), number(None if base is None else row["value"] - base)]
    return (*cells, f"{row['lower']:g} to {row['upper']:g}".replace("inf", "∞"), escape(row["better"]))


def _lost(report: Report, row: Mapping[str, Any]) -> Sequence[str]:
    if row["part"] != "total":
        return (escape(str(row["part"])), "", _numbers(row)[0], "", "")
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

    mark = "" if row["baseline"] is None else f'<b style="left:{place(row["baseline"]):.2f}%"></b>'
    return f'<span class="bar" aria-hidden="true"><i style="width:{place(row["value"]):.2f}%"></i>{mark}</span>'

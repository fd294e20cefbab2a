"""pyfcrm evaluate: two files in, the measures out."""

from __future__ import annotations

from ..evaluating import Report
from ..evaluating import evaluate as evaluate_frames
from ..files import read_table
from .options import chosen
from .show import busy, document, notes, table


def run(
    original: str,
    protected: str,
    columns: str | None,
    measures: str | None,
    missing: str,
    separator: str | None,
    decimal: str | None,
    as_json: bool,
) -> None:
    """Judge one file against another, as a table or as JSON."""
    wanted, keys = chosen(columns, "--columns"), chosen(measures, "--measures")
    before, after = read_table(original, separator, decimal), read_table(protected, separator, decimal)
    with busy(f"judging {len(after.frame)} records"):
        report = evaluate_frames(before.frame, after.frame, wanted, keys, missing=missing)
    said = [*before.notes, *after.notes, *report.notes]
    if as_json:
        document({"records": report.records, "columns": report.columns, "rows": report.rows(), "notes": said})
        return
    show_report(report)
    notes(said)


def show_report(report: Report) -> None:
    """Every measure with its parts, baseline and excess."""
    rows = []
    for row in report.rows():
        first = row["part"] == "total"
        name = report.facts(row["measure"]).title if first else f"  {row['part']}"
        better = f"{row['lower']:g} to {row['upper']:g}, {row['better']} is better" if first else ""
        rows.append([row["measure"] if first else "", name, row["value"], row["baseline"], row["excess"], better])
    title = f"{report.records} records, {len(report.columns)} columns; per cent; baseline: what chance gives"
    table(title, ("key", "measure", "value", "baseline", "excess", "range"), rows, left=2)

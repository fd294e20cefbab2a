"""pyfcrm evaluate: two files in, the measures out."""

from __future__ import annotations

import math
from typing import Any

from ..evaluating import Report
from ..evaluating import evaluate as evaluate_frames
from ..files import read_table
from .options import chosen
from .show import busy, document, notes, table

FEW = 2.0


def run(
    original: str,
    protected: str,
    columns: str | None,
    measures: str | None,
    keys: str | None,
    missing: str,
    separator: str | None,
    decimal: str | None,
    as_json: bool,
) -> None:
    """Judge one file against another, as a table or as JSON (where a range without an end has null for it)."""
    wanted, which = chosen(columns, "--columns"), chosen(measures, "--measures")
    of_keys = chosen(keys, "--keys")
    before, after = read_table(original, separator, decimal), read_table(protected, separator, decimal)
    with busy(f"judging {len(after.frame)} records"):
        report = evaluate_frames(before.frame, after.frame, wanted, which, of_keys, missing=missing)
    said = [*before.notes, *after.notes, *report.notes]
    if as_json:
        rows = [{name: _finite(value) for name, value in row.items()} for row in report.rows()]
        document({"records": report.records, "columns": report.columns, "rows": rows, "notes": said})
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
        # Two decimals are for per cent; what lies between 0 and 1 or 2 needs more.
        value = row["value"] if row["upper"] > FEW else f"{row['value']:.4f}"
        rows.append([row["measure"] if first else "", name, value, row["baseline"], row["excess"], better])
    per_cent = "per cent where the range ends at 100" if any(r["upper"] != 100 for r in report.rows()) else "per cent"
    title = f"{report.records} records, {len(report.columns)} columns; {per_cent}; baseline: what chance gives"
    table(title, ("key", "measure", "value", "baseline", "excess", "range"), rows, left=2)


def _finite(value: Any) -> Any:
    """JSON has no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

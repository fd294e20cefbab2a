"""pyfcrm evaluate: the verdict and the measures of two files."""

from __future__ import annotations

from ..data import uniques_between
from ..errors import Count, Note
from ..evaluation.report import UNITS, Report
from .options import Request
from .release import evaluation
from .show import document, kept_document, notes, print_line, progress, show_kept, table

FEW = 2.0
NAMES = ("keys", "strata", "targets", "domains", "weights")


def run(request: Request) -> int:
    """Evaluate a protected file against its original: a verdict, and the measures."""
    more = {name: getattr(request, name) for name in NAMES}
    in_memory = False if request.by_blocks else None
    with progress("judging") as advance:
        found = evaluation(request, advance, in_memory, request.threads, **more)
    report = found.report
    kept = report.kept
    if kept is None:
        kept = uniques_between("evaluate", found.original, found.releases[0], request.unknown or [])
    if request.json:
        seed = {} if report.guessed_seed is None else {"guessed_seed": report.guessed_seed}
        contents = {
            "verdict": report.verdict.document(),
            "records": report.records,
            "columns": report.columns,
            "rows": report.rows(),
            "kept": kept_document(kept),
            "notes": report.notes,
        }
        document(contents | seed)
    else:
        for line in report.verdict.lines():
            print_line(line)
        print_line()
        show_report(report)
        show_kept(kept)
        notes(report.notes)
        if report.guessed_seed is not None:
            notes([Note.of("risk", "the seed of the release is {seed}", seed=report.guessed_seed)])
    return int(request.check and not report.verdict.ok)


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
    per_cent = UNITS if any(r["upper"] != 100 for r in report.rows()) else "per cent"
    columns = Count(len(report.columns))
    title = f"{report.records} records, {columns} {columns:column|columns}; {per_cent}; baseline: what chance gives"
    table(title, ("key", "measure", "value", "baseline", "excess", "range"), rows, left=2)

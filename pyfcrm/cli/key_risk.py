"""pyfcrm key-risk: how easily the records of a file are found by keys, before anything is protected."""

from __future__ import annotations

from ..data.source import open_data
from ..evaluation.key_risk import COLUMNS, KeyRisk
from ..evaluation.key_risk import key_risk as key_risk_of
from .options import Request
from .show import document, notes, print_line, progress, table

SHOWN = 10


def run(request: Request) -> None:
    """The risk of each record by its keys: individual, household, SUDA and DIS."""
    original = open_data("key_risk", request.source, None, request.separator, request.decimal)
    with progress("looking at keys") as advance:
        found = key_risk_of(
            original, request.keys, request.weights, request.household, request.form or "approx",
            scoring=request.scoring, fraction=request.fraction, progress=advance,
        )  # fmt: skip
    if request.json:
        document(
            {
                "keys": found.keys,
                "form": found.form,
                "scoring": found.scoring,
                "expected": found.expected,
                "global_risk": found.global_risk,
                "global_household_risk": found.global_household_risk,
                "rows": found.to_frame().to_dict("records"),
                "notes": original.notes,
            }
        )
        return
    for sentence in found.describe():
        print_line(sentence)
    _show(found)
    notes(original.notes)


def _show(found: KeyRisk) -> None:
    """The records of the largest individual risk, then of the largest DIS."""
    frame = found.to_frame().sort_values(["individual", "dis"], ascending=False, kind="stable").head(SHOWN)
    rows = [
        [str(label), *(f"{value:.4f}" if name in ("individual", "household", "dis") else f"{value:g}"
                       for name, value in zip(COLUMNS, row, strict=True))]
        for label, *row in frame.itertuples()
    ]  # fmt: skip
    table(f"the {len(rows)} records of the largest risk; record from 0", ("record", *COLUMNS), rows)

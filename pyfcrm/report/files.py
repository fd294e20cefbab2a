"""What a report says of the two files: each variable, pictures, and the records that stand out."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from ..comparing import VariableChanges
from ..linking import RecordsAtRisk
from ..plots import as_png, correlations, distributions, scatters
from ..table import Kept, checked, open_frame
from .html import Section, figure, items, number, paragraphs, table

MOST_RECORDS = 50
STATISTICS = ("mean", "sd", "min", "lower_quartile", "median", "upper_quartile", "max")


def leaving(kept: Kept | None) -> Section:
    """First of all: which columns leave as they came, and how many records are unique on them, in words."""
    if kept is None:
        lines: tuple[str, ...] = ("The records of the two files do not pair, so this was not looked at.",)
    else:
        lines = kept.sentences()
    many = " many" if kept is None or kept.too_many else ""
    return Section("What leaves as it came", f'<div class="kept{many}">{paragraphs(lines)}</div>')


def variables(changes: VariableChanges) -> Section:
    """Each variable before and after."""
    rows = []
    for one in changes.variables:
        before, after = one.original, one.protected
        for which, what in (("original", before), ("protected", after)):
            last = which == "protected"
            cells = [number(getattr(what, name)) for name in STATISTICS]
            own = [number(one.changed if last else None), number(one.rank_correlation if last else None, 3)]
            rows.append((escape(one.variable) if not last else "", which, *cells, *own))
    head = ("variable", "file", *(name.replace("_", " ") for name in STATISTICS), "changed, %", "rank correlation")
    return Section("Variables before and after", table(head, rows, words=2))


def released(changes: VariableChanges) -> Section:
    """Each variable of the release: what whoever has the file can work out."""
    rows = [
        (escape(one.variable), *(number(getattr(one.protected, name)) for name in STATISTICS))
        for one in changes.variables
    ]
    return Section("Variables of the release", table(("variable", *(n.replace("_", " ") for n in STATISTICS)), rows))


def pictures(original: Any, protected: Any, columns: tuple[str, ...]) -> Section:
    """Distributions, correlations and scatter plots, before and after. Needs the extra `plots`."""
    X, Z = (_numbers(frame, columns) for frame in (original, protected))
    drawn = [figure(as_png(distributions(X, Z, columns)), "Distribution of each variable, original and protected")]
    if len(columns) > 1:
        drawn.append(
            figure(as_png(correlations(X, Z, columns)), "Correlations, original, protected and their difference")
        )
        drawn.append(figure(as_png(scatters(X, Z, columns)), "The pairs that correlate most, original and protected"))
    return Section("Pictures", "\n".join(drawn))


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
            escape(str(row["record"])),
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


def notes(lines: tuple[str, ...]) -> Section:
    """What was met on the way."""
    return Section("Notes", items(lines))


def _numbers(frame: Any, columns: tuple[str, ...]) -> np.ndarray:
    values = checked("report", open_frame("report", frame), columns)
    return values[np.isfinite(values).all(axis=1)]

"""PIL by domain: what each region, sex or branch loses, in a release that serves the whole file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..data import Frame
from ..data.check import require_columns
from ..data.codes import Coding, single_values
from ..data.pairs import Pair, TwoFiles
from ..errors import InvalidInput, Note
from ..measures import MEASURES
from ..measures.measure import Part
from ..progress import within
from ..types import Rows
from .judge import EvaluateRequest
from .report import Report

FEWEST = 10  # records of a domain that is judged: of fewer, the variances of PIL's statistics are not known


def with_domains(report: Report, before: Frame, both: TwoFiles, asked: EvaluateRequest) -> Report:
    """The report with PIL of every level of `asked.domains` as parts of `pil`: their mean, the worst, and each.

    before, both : the original and the judged columns of the two files. A level is taken from the original; its records
    are those that pair. Levels of fewer than 10 records, in any column, are left out, and counted in a note. Source:
    Domingo-Ferrer, Mateo-Sanz and Sebé, subdomain-level probabilistic measures. Raises InvalidInput where records do not
    pair.
    """
    if not asked.domains:
        return report
    if both.rows is None:
        raise InvalidInput("evaluate", "records must pair, by index or by position, for domains", "they do not")
    levels, most, parts = list(_levels(before, both, asked)), 0, list[Part]()
    for k, (name, rows) in enumerate(levels):
        told, w = within(asked.progress, k, len(levels), "judging domains"), both.pair.weights
        pair = Pair(both.pair.X.taken(rows), both.pair.Z.taken(rows), weights=None if w is None else w[rows])
        least = int(pair.cells.min())
        most = max(most, least)
        if least >= FEWEST:
            parts.append(Part(name, MEASURES["pil"].result(pair, {}, asked.engine, told).total))
    if not parts:
        rule = f"a domain must have at least {FEWEST} records"
        raise InvalidInput("evaluate", rule, f"at most {most}")
    worst = max(parts, key=lambda part: part.value)
    mean = float(np.mean([part.value for part in parts]))
    lines = (Part("domains, mean", mean), Part(f"domains, worst: {worst.name}", worst.value), *parts)
    pil, few = report.results["pil"], len(levels) - len(parts)
    said = "{count} of {total} domains {count:has|have} fewer than {fewest} records and {count:is|are} not judged"
    note = (Note.of("left_out", said, asked.domains, count=few, total=len(levels), fewest=FEWEST),) if few else ()
    results = {**report.results, "pil": replace(pil, parts=(*pil.parts, *lines))}
    return replace(report, results=results, notes=(*report.notes, *note))


def _levels(before: Frame, both: TwoFiles, asked: EvaluateRequest) -> Iterator[tuple[str, Rows]]:
    """Each level by its name, as column=value, and where its judged records stand in the pair."""
    assert both.rows is not None
    require_columns("evaluate, domains", before, asked.domains)
    for name in asked.domains:
        places, values = before.distinct(name)
        with single_values("evaluate", f"domain column `{name}`"):
            codes = Coding().codes(places, values)[both.rows[0]]
        here = places[both.rows[0]]
        for code in np.unique(codes):
            rows = np.flatnonzero(codes == code)
            label = "missing" if code < 0 else values[here[rows[0]]]
            yield f"{name}={label}", rows

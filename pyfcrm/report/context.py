"""What a report contains, as plain data for its template: the decision, facts of the release, and the evidence."""

import math
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from ..data import Frame, checked
from ..data.tally import FEWEST
from ..errors import flagged, lines
from ..evaluation.encoded_files import plain_cells
from ..evaluation.records_at_risk import records_at_risk
from ..evaluation.report import Report, floor_sentence
from ..evaluation.risk.linked_records import RecordsAtRisk
from ..evaluation.utility.panel.estimand import RELATIONS
from ..evaluation.variable_changes import variable_changes
from ..evaluation.verdict.decision import Test, Verdict, figure
from ..evaluation.verdict.release_tests import TESTS
from ..measures import MEASURES
from ..numerics.location import location
from ..plans.limits import P_VALUE, UTILITY
from ..plans.tables import columns_table
from ..plots import along, as_png, distributions
from ..protection.codebook import describe_variables, released_relations
from ..protection.protect import Protected

TITLES = {key: test.title for key, test in TESTS.items()} | {UTILITY: "Utility panel"}
PUBLIC_TESTS = ("sample_uniques", "key_risk", "seed", "ledger")
OMITTED = (
    "Results that are computed from the original's confidential values are omitted: the guarantee does not cover them."
)
OUTCOMES = {
    "pass": "This release meets all limits.",
    "hold": "This release does NOT meet the limits: {tests}.",
    "not examined": "This release is not fully examined: {tests} {verb} missing.",
}
PLACES = {
    "unprotected": "variables", "edits": "variables", "sample_uniques": "unchanged", "key_risk": "unchanged",
    "replicated": "audit", "risk": "risk", "linkage": "risk", "totals": "utility", "audit": "audit", UTILITY: "utility",
}  # fmt: skip
"""The section with the evidence of each test."""
NO_SEED = "none: the whole state of the generator is in the manifest"
MAX_RECORDS = 10
PER_PAGE = 12  # distributions of a page, whose text has 8 points in print


def decision(report: Report, form: str) -> dict[str, Any]:
    """Page 1: the verdict as one sentence, and its tests, the worst first; the external form has no figures."""
    verdict, inside = report.verdict, form == "internal"
    rows = test_rows(verdict)
    named = [
        f"{row['title'].lower()} {row['found']} (limit {row['limit']})"
        if inside and row["found"]
        else row["title"].lower()
        for row in rows
        if row["status"] == verdict.status
    ]
    text = OUTCOMES[verdict.status].format(
        tests="; ".join(named) or "every test", verb="are" if len(named) > 1 else "is"
    )
    return {
        "status": verdict.status,
        "sentence": text,
        "headline": verdict.headline,
        "product": verdict.product,
        "product_limits": verdict.product_limits,
        "tests": rows,
    }


def without_original(context: dict[str, Any], guarantee: str) -> dict[str, Any]:
    """The facts that differ in an external page without anything that is computed from the original's confidential values."""
    return {
        "status": "guarantee",
        "sentence": guarantee,
        "headline": OMITTED,
        "tests": [row for row in context["tests"] if row["key"] in PUBLIC_TESTS],
        "public_utility": [],
    }


def test_rows(verdict: Verdict) -> list[dict[str, Any]]:
    """The tests that apply, the worst first: key, title, status, limit, found with its units, reason."""
    return [test_row(test) for test in verdict.applicable]


def test_row(test: Test) -> dict[str, Any]:
    """One test of a verdict, with its title, and with units beside the figures."""
    figures = map(with_unit, test.found, test.unit)
    return {**test.row(), "title": TITLES.get(test.key, test.key), "found": ", ".join(figures)}


def with_unit(value: float, unit: str) -> str:
    """A quantity of a test, or its limit, with its unit, such as "5 points" or "1 record"."""
    noun = unit.removesuffix("s") if value == 1 else unit
    return figure(value, unit) + f" {noun}" * (unit not in ("", "%", P_VALUE))


def release_facts(original: Frame, report: Report, released: Protected | None) -> dict[str, Any]:
    """The parts of both forms: confidential columns, and labels."""
    return {
        "confidential": released.roles.dependent if released is not None else report.columns,
        "labels": original.column_labels or ({} if released is None else released.labels),
    }


def public_facts(protected: Frame, report: Report, released: Protected | None) -> dict[str, Any]:
    """The further parts of the external form: rounded utility, and what released values alone give."""
    plain = plain_cells(protected)
    return {
        "public_utility": [] if report.utility is None else report.utility.public_rows(),
        "statistics": released_statistics(protected, report.columns),
        "codebook": [] if released is None else describe_variables(plain, released),
        "relations": [] if released is None else released_relations(plain, released),
    }


def released_statistics(protected: Frame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Mean, sd and quartiles of the released values of each column; quartiles beyond which there are at least 10 records."""
    rows = []
    for name in columns:
        values = checked("report", protected, [name])[:, 0]
        observed = values[np.isfinite(values)]
        if len(observed) < FEWEST:
            continue
        quartiles: list[float | None] = [None, None, None]
        if len(observed) > 4 * FEWEST:
            quartiles = [float(value) for value in np.percentile(observed, [25, 50, 75])]
        where = location(observed[:, None])
        mean = float(where.origin[0] + where.offset[0])
        rows.append({"variable": name, "figures": [mean, float(where.sd[0]), *quartiles]})
    return rows


def with_mean_changes(variables: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The variables with the change of the mean in standard errors, of the records that have the variable."""
    rows = []
    for row in variables:
        error = row["sd_original"] / math.sqrt(max(row["records"], 1)) or math.nan
        rows.append({**row, "moved": (row["mean_protected"] - row["mean_original"]) / error})
    return rows


def measure_rows(report: Report) -> list[dict[str, Any]]:
    """The totals of all measures, with title, reading, kind, and the length of a bar."""
    rows = []
    for row in report.rows():
        facts = MEASURES[row["measure"]]
        if row["part"] == "total":
            rows.append({
                **row, "bar": along(row, "value"), "mark": along(row, "baseline"),
                "title": facts.title, "reading": facts.reading, "kind": facts.kind,
            })  # fmt: skip
    return rows


def evidence(
    original: Frame,
    protected: Frame,
    report: Report,
    released: Protected | None,
    at_risk: RecordsAtRisk | None,
) -> dict[str, Any]:
    """The further parts of the internal form: utility by group, risks, audit, records at risk, pictures, settings, notes."""
    columns, notes = report.columns, [*(released.notes if released else ()), *report.notes]
    changes = variable_changes(original, protected, columns) if columns else None
    # A measure of pairs is undefined where the method's releases have no records that pair.
    paired = any(MEASURES[key].paired and not math.isnan(result.total) for key, result in report.results.items())
    risk = at_risk or (records_at_risk(original, protected, columns) if columns and paired else None)
    rows = [] if risk is None else risk.to_frame().head(MAX_RECORDS).to_dict("records")
    settings: dict[str, Any] = {}
    if released is not None:
        roles = {f"{role} columns": names for role, names in columns_table(released.roles).items()}
        seed = released.seed if isinstance(released.seed, int) else NO_SEED
        settings = {"method": released.method, **released.method.parameters(), "seed": seed}
        settings |= {key: value for key, value in {**roles, **released.options.given("audit")}.items() if value}
    measured = measure_rows(report)
    parts = {
        "losses": [row for row in measured if row["kind"] == "loss"],
        "risks": [row for row in measured if row["kind"] != "loss"],
        "variables": [] if changes is None else with_mean_changes(changes.variables),
        "parts": _parts(report),
        "floor": floor_sentence(report),
        "at_risk": risk,
        "risk_rows": rows,
        "by_position": original.index() is None,
        "groups": group_tables(report),
        "relations": relation_rows(report),
        "figures": _figures(original, protected, columns),
        "settings": {key: words(value) for key, value in settings.items()},
        "notes": [flagged(note) for note in lines(dict.fromkeys(notes))],
    }
    return {**parts, "sections": section_numbers(report, parts), "places": PLACES}


def section_numbers(report: Report, parts: dict[str, Any]) -> dict[str, int | None]:
    """The numbers of the sections that have content, from 2, as page 1 is the decision; None for the others."""
    has_content = {
        "unchanged": report.kept is not None,
        "utility": report.utility is not None or parts["losses"] or parts["groups"],
        "variables": parts["variables"] or parts["figures"],
        "risk": parts["risks"] or parts["at_risk"] is not None or report.guessed_seed is not None,
        "audit": report.audit is not None,
        "settings": parts["settings"],
        "notes": parts["notes"],
        "parts": parts["parts"],
    }
    present = [section for section, content in has_content.items() if content]
    numbers: dict[str, int | None] = dict.fromkeys(has_content)
    for number, section in enumerate(present, start=2):
        numbers[section] = number
    return numbers


def relation_rows(report: Report) -> list[dict[str, Any]]:
    """The relations of the original with the per cent of the records of each file that keep them."""
    if report.utility is None:
        return []
    return [
        {"words": estimate.kind, "original": 100 * estimate.original, "released": 100 * estimate.released}
        for estimate in report.utility.estimates
        if estimate.family == RELATIONS
    ]


def words(value: Any) -> str:
    """A setting as text."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def group_tables(report: Report) -> list[dict[str, Any]]:
    """Levels of each categorical column with PIL and the changes of its means in standard errors, one by measured column."""
    losses, tables = {row["part"]: row["value"] for row in report.rows() if row["measure"] == "pil"}, []
    for by, means in groupby(report.groups, attrgetter("domain")):
        levels = groupby(means, attrgetter("level"))
        rows = [(level, losses.get(f"{by}={level}"), list(of_level)) for level, of_level in levels]
        tables.append({"by": by, "columns": report.columns, "rows": rows})
    return tables


def _parts(report: Report) -> list[dict[str, Any]]:
    """The parts of each measure, of each copy too; not of measures that are themselves listed, nor of the groups."""
    groups = {f"{mean.domain}={mean.level}" for mean in report.groups}
    known = {*report.keys(), "total", *groups}
    return [row for row in report.rows() if row["part"] not in known]


def _figures(original: Frame, protected: Frame, columns: tuple[str, ...]) -> list[bytes]:
    """The distributions of the columns, original and protected, as PNG pictures."""
    parts = [columns[k : k + PER_PAGE] for k in range(0, len(columns), PER_PAGE)]
    return [
        as_png(distributions(finite_values(original, part), finite_values(protected, part), part)) for part in parts
    ]


def finite_values(frame: Frame, columns: Sequence[str]) -> np.ndarray:
    """The records that have a number in each column."""
    values = checked("report", frame, columns)
    return values[np.isfinite(values).all(axis=1)]

"""report_page(): an evaluation as one HTML page, for those inside an agency or for those outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..arguments import choice
from ..data import SampleUniques, open_frame, uniques_between
from ..errors import Count, Note
from ..evaluation.at_risk import records_at_risk
from ..evaluation.audit_result import Audit
from ..evaluation.changes import variable_changes
from ..evaluation.copies import is_copies
from ..evaluation.report import Report
from .filing import Filing, heading, verdict_block
from .html import Section, document, joined, paragraphs, part, table
from .sections import (
    at_risk,
    attacked,
    audited,
    details,
    in_short,
    leaving,
    losses,
    notes,
    pictures,
    released,
    summary,
    variables,
)

FIRST = "changes by variable, pictures and records at risk are of the first of {copies} copies; measures are of all together"
FORMS = ("internal", "external")
WARNING = (
    "Internal: it holds original values, records that can be found again, and how the release was made. It must not "
    "leave the agency."
)


@dataclass(frozen=True)
class Making:
    """How a release was made, for the internal form.

    method : its name; parameters, facts : by name, such as the seed and the roles; about : what the method does, in words,
    which the external form may say too.
    """

    method: str
    about: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def report_page(
    original: Any,
    protected: Any,
    report: Report,
    form: str = "internal",
    *,
    making: Making | None = None,
    title: str = "A protected file, judged",
    more: tuple[Section, ...] = (),
    audit: Audit | None = None,
    unknown: tuple[str, ...] = (),
    filing: Filing | None = None,
) -> str:
    """The page's text: self-contained, with figures embedded, no script and no address of another page.

    original, protected : the frames that `report` judged, protected also a sequence of copies; form : "internal", with everything,
    or "external", with what the release lost and what the release itself holds: no risk by numbers, no original value, no
    seed, no parameter, no record; making : how the release was made; more : sections for the internal form; audit : of the
    method, which the internal form shows; unknown : columns of which no intruder knows the values; filing : files and
    decision, of which the external form has the release's digest alone. Both forms begin with the verdict of `report`, then
    what leaves as it came, and how many records are unique on it: as `report.kept` has it, else as the two files show it.
    Raises InvalidInput or InvalidParameter; MissingExtra for the internal form without matplotlib.
    """
    choice("report_page", "form", form, FORMS)
    if is_copies(protected):
        if len(protected) > 1:
            report = replace(report, notes=(*report.notes, Note.of("chosen", FIRST, copies=len(protected))))
        protected = protected[0]
    columns = Count(len(report.columns))
    lead = f"{report.records} records, {columns} {columns:column|columns} judged."
    sections = _external if form == "external" else _internal
    result = sections(original, protected, report, making)
    result.insert(0, leaving(report.kept or _kept(original, protected, unknown)))
    if form == "internal":
        result[1:1] = [in_short(report, audit)]
        place = [section.title for section in result].index("Measures") + 1
        result[place:place] = [*attacked(report), *([] if audit is None else [audited(audit)])]
        result += more
    top = [verdict_block(report.verdict, form, filing), *([] if filing is None else [heading(filing, form)])]
    return document(title, lead, result, joined(top))


def _kept(original: Any, protected: Any, unknown: tuple[str, ...]) -> SampleUniques | None:
    return uniques_between("report", open_frame("report", original), open_frame("report", protected), unknown)


def _internal(original: Any, protected: Any, report: Report, making: Making | None) -> list[Section]:
    sections = [Section("For whom", part("warning", WARNING)), summary(report)]
    sentences = [*(making.notes if making else ()), *report.notes]
    if report.columns:
        changes = variable_changes(original, protected, report.columns)
        sections += [variables(changes), pictures(original, protected, report.columns)]
        sentences += changes.notes
        if any(report.facts(key).paired for key in report.keys()):  # noqa: SIM118
            risk = records_at_risk(original, protected, report.columns)
            sections.append(at_risk(risk, open_frame("report", original).index() is None))
    sections.append(details(report))
    if making is not None:
        sections.append(_built(making))
    return [*sections, notes(tuple(dict.fromkeys(sentences)))] if sentences else sections


def _external(original: Any, protected: Any, report: Report, making: Making | None) -> list[Section]:
    sections = []
    if making is not None and making.about:
        sections.append(Section("Protection", paragraphs([f"{making.about[:1].upper()}{making.about[1:]}."])))
    sections.append(losses(report))
    if report.columns:
        changes = variable_changes(original, protected, report.columns)
        sections.append(released(changes))
    return sections


def _built(making: Making) -> Section:
    rows = [("method", making.method), *making.parameters.items(), *making.facts.items()]
    cells = [(str(name), _words(value)) for name, value in rows]
    return Section("How it was made", table(("what", "value"), cells, words=2))


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

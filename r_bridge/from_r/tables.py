"""What R calls for tables about a file or a release. Each answers with its rows, and with the text that Python prints."""

from __future__ import annotations

from typing import Any

import pandas as pd

import pyfcrm as pf
from pyfcrm.arguments import names
from pyfcrm.data.roles import LISTS, SINGLE

from .arguments import Answer, answered, roles_of, words_of
from .calls import protected_of
from .frames import as_sent, frame_of, table_of


def _table(found: Any, rows: pd.DataFrame | None = None, **more: Any) -> Answer:
    frame = found.to_frame() if rows is None else rows
    cells: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")  # type: ignore[assignment]
    return {"rows": table_of(cells) if cells else [], "text": str(found), **more}


@answered
def suggest_roles(sent: Answer) -> Answer:
    """pf.suggest_roles. The names of each role, and a row with the reason for each column."""
    found = pf.suggest_roles(frame_of(as_sent(sent)))
    return _table(found, roles={role: list(found.columns(role)) for role in (*LISTS, *SINGLE)}, choice=found.choice)


@answered
def codebook(sent: Answer, facts: Answer) -> Answer:
    """pf.codebook of a release whose origin R keeps."""
    found = pf.codebook(protected_of([frame_of(as_sent(sent))], facts))
    return _table(found, json=found.to_json(), html=found.to_html())


@answered
def records_at_risk(before: Answer, after: Answer, options: Answer) -> Answer:
    """pf.records_at_risk, one row a linked record."""
    X, Z, words = _pair("records_at_risk", before, after, options)
    found = pf.records_at_risk(X, Z, **words)
    return _table(found, found.to_frame().reset_index(drop=True))


@answered
def variable_changes(before: Answer, after: Answer, options: Answer) -> Answer:
    """pf.variable_changes, one row a variable."""
    X, Z, words = _pair("variable_changes", before, after, options)
    return _table(pf.variable_changes(X, Z, **words))


@answered
def analyse(before: Answer, after: Answer, options: Answer) -> Answer:
    """pf.analyse, one row a coefficient."""
    X, Z, words = _pair("analyse", before, after, options)
    return _table(pf.analyse(X, Z, **words))


@answered
def dependence_test(before: Answer, after: Answer, options: Answer, roles: Answer) -> Answer:
    """pf.dependence_test, one row a statistic."""
    X, Z, words = _pair("dependence_test", before, after, options)
    found = pf.dependence_test(X, Z, roles_of(roles), **words)
    return _table(found, p_value=found.p_value, attribute=found.attribute, kind=found.kind)


def _pair(verb: str, before: Answer, after: Answer, options: Answer) -> tuple[Any, Any, Answer]:
    words = words_of(options)
    if "columns" in words:
        words["columns"] = names(verb, "columns", words["columns"]) or None
    X, Z = as_sent(before), as_sent(after)
    for table in (X, Z):
        table.require(verb, words.get("columns") or ())
    return frame_of(X), frame_of(Z), words

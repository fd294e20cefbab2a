"""The variables of a request: its frame by encoded numbers, what is refused or noted of doubtful columns, and missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..constraints import constrained_columns
from ..data import Frame, VariableDescription
from ..data.codes import MISSING
from ..data.column_facts import MAX_DISTINCT
from ..data.encoded import EncodedFrame
from ..data.encoding import SEVERAL_FORMS, Encodings, cell_encodings, encodings
from ..data.predictors import is_categorical
from ..data.roles import PUBLIC
from ..data.tally import FEWEST
from ..errors import InvalidInput, InvalidParameter, Note
from ..methods.work import CellWork, FileWork
from .request import ProtectRequest, keeps_signs

PROPOSED = "{remark}"
DOUBTFUL = "the kind of {columns} is uncertain and was inferred: {kinds} (declare it in `variables`)"
STRICT = "the kind of these columns is uncertain: declare them in `variables`"
MOSTLY_DISTINCT = (
    "column `{name}` is text of which more than half of the values differ, which would be released verbatim: "
    "declare kind category, or make it an identifier"
)


def described_frame(request: ProtectRequest, frame: Frame) -> EncodedFrame:
    """The frame of a request by its variables. Raises InvalidInput or InvalidParameter for declarations that it cannot have."""
    roles = request.roles
    constrained = [name for name in constrained_columns(request.constraints) if name in frame.names]
    names = [*roles.independent, *roles.dependent, *constrained]
    declared = request.options.variables
    if isinstance(declared, Mapping):  # a step before may have dropped columns
        declared = {name: variable for name, variable in declared.items() if name in frame.names}
        if request.method.makes_new_file():  # a generator also gets the columns without a role
            names += [name for name in declared if declared[name].missing_codes]
    signs = False
    if request.method.replaces_numbers():
        signs = keeps_signs(request.method, roles)
    inferred = None
    if request.facts.privacy is not None:
        inferred = [name for name in names if name not in roles.dependent]
    found = encodings("protect", frame, declared, names, signs=signs, constrained=constrained, inferred=inferred)
    return EncodedFrame(frame, found)


def checked_variables(
    request: ProtectRequest, frame: EncodedFrame, notes: list[Note], *, is_wide: bool = False
) -> None:
    """Refuses columns that cannot be protected as they are, and notes doubtful ones. Raises InvalidInput.

    is_wide : the frame has a column for each member of a unit. Whether the values of a text repeat is asked of the file's column.
    """
    found = frame.encodings
    declared = request.options.variables or {}
    if isinstance(declared, str) or request.facts.privacy is not None:
        return
    roles = request.roles
    of_numbers = request.method.replaces_numbers()
    for name in roles.dependent:
        if name not in found.variables:
            continue
        description = found.variables[name]
        if (
            of_numbers
            and frame.kind(name) == "text"
            and name not in found
            and description.kind in ("date", "count", "amount")
        ):
            what = "dates" if description.kind == "date" else "numbers"
            raise InvalidInput("protect", SEVERAL_FORMS.format(name=name, what=what), description.reason)
        is_declared = name in declared and declared[name].kind == "category"
        if request.facts.masks != "keys" and not (is_declared or is_wide) and _is_mostly_distinct(frame, name):
            raise InvalidInput("protect", MOSTLY_DISTINCT.format(name=name), "a text column")
    if not of_numbers:
        return
    with_role = {*roles.independent, *roles.dependent}
    uncertain = [
        description
        for description in found.variables.columns
        if description.name in with_role
        and _is_uncertain(description)
        and not (description.name in declared and declared[description.name].kind is not None)
    ]
    proposed = [
        description
        for description in found.variables.columns
        if description.name in with_role and description.proposed_missing_codes
    ]
    if request.options.strict and (uncertain or proposed):
        names = [description.name for description in (*uncertain, *proposed)]
        raise InvalidInput("protect", STRICT, ", ".join(dict.fromkeys(names)))
    notes += found.notes
    notes += [Note.of("doubtful", PROPOSED, remark=each.remark) for each in proposed]
    if uncertain:
        notes.append(_doubtful_note(uncertain))


def _doubtful_note(uncertain: Sequence[VariableDescription]) -> Note:
    """The note on uncertain kinds, with the format of dates and of numbers in text."""
    kinds = list[str]()
    for each in uncertain:
        words = [each.name, each.kind]
        if each.format:
            words.append(each.format)
        kinds.append(" ".join(words))
    return Note.of("doubtful", DOUBTFUL, [each.name for each in uncertain], kinds=", ".join(kinds))


def _is_uncertain(description: VariableDescription) -> bool:
    """Whether the kind that is released is doubtful; a role decides for identifiers, and text stays a category."""
    return description.doubtful_kind and description.kind not in ("identifier", "category", "other")


def _is_mostly_distinct(frame: EncodedFrame, name: str) -> bool:
    """Whether more than half of the values of a text column differ."""
    if frame.kind(name) != "text" or frame.encoding(name) is not None or frame.source is not None:
        return False
    if not is_categorical(frame, name):  # numbers with a remark in some cells, which are refused by cell
        return False
    places, values = frame.distinct(name)
    known = int((places != MISSING).sum())
    return known >= FEWEST and len(values) > MAX_DISTINCT * known


def require_synthetic(request: ProtectRequest, frame: Frame) -> None:
    """Raises InvalidParameter where a public file would have columns of the respondents unmodified.

    Ids are new, and periods say nothing of a respondent; nor does a column of one value.
    """
    roles = request.roles
    if roles.product != PUBLIC or request.method.makes_new_file():
        return
    exempt = (*roles.identifiers, *roles.ids, roles.time)
    untreated = [name for name in frame.names if request.method.treating(name, roles) is None and name not in exempt]
    unmodified = [name for name in untreated if len(np.unique(frame.codes(name))) > 1]
    if unmodified:
        rule = (
            'must be "research" where columns are released unmodified: make these dependent or drop them as identifiers, '
            "since a public file has no column that is a respondent's own"
        )
        raise InvalidParameter("protect", "product", rule, unmodified)


def for_method(request: ProtectRequest, frame: EncodedFrame) -> Frame:
    """The frame as the method of a request computes with it: numbers; or cells and whole files, with gaps at codes of missing values."""
    if request.method.replaces_numbers():
        return frame
    if isinstance(request.work, CellWork | FileWork):
        return EncodedFrame(frame.original, cell_encodings(frame.original, frame.encodings))
    return frame.original


def with_missing(request: ProtectRequest, frame: EncodedFrame) -> ProtectRequest:
    """The request with what is done with incomplete records, where the caller left it open; also in its steps."""
    if request.options.missing is not None:
        return request
    with_role = {*request.roles.independent, *request.roles.dependent}
    has_codes = any(
        frame.encodings.variables[name].missing_codes or _has_ranges(frame, name) or frame.unreadable(name).any()
        for name in frame.encodings.variables
        if name in with_role
    )
    is_filled = has_codes or request.roles.product == PUBLIC
    missing = "protect" if is_filled and request.facts.privacy is None and frame.source is None else "refuse"
    steps = tuple(step.with_options(missing=missing) for step in request.steps)
    return replace(request.with_options(missing=missing), steps=steps)


def _has_ranges(frame: Frame, name: str) -> bool:
    """Whether an SPSS or Stata file declares values of a column missing, single ones or a range."""
    return bool(frame.missing_ranges.get(name) or frame.missing_values.get(name))


def wide_variables(encoded: Encodings, columns: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The declarations of the columns of a wide file. columns : of each variable, its columns in the wide file."""
    declared = dict[str, Any]()
    for name, wide in columns.items():
        if name in encoded:
            declared |= dict.fromkeys(wide, encoded[name].of_numbers())
    return declared

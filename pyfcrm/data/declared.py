"""The descriptions of columns with what a user declares of them: declared fields go before what the values show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InvalidParameter, unknown_name
from ..types import Array, Codes
from .check import is_numeric
from .codes import MISSING
from .date_forms import is_date_format, is_time_format, step_of_written
from .frame import Frame, FrameView
from .inferred import described
from .number_kinds import decimals_of, multiple_of, share_of, sign_of, step_of_codes
from .number_text import NumberForm
from .tally import FEWEST, Tally
from .variable import ALL, OF_NUMBERS, Variable, plain_value
from .variables import VariableDescription

DECLARED = "declared"
NOT_INFERRED = "nothing is inferred from its values"
NO_PROPOSED_CODES: Mapping[str, Any] = {"proposed_missing_codes": (), "remark": ""}
"""The fields of a description without codes that are proposed."""


class WithoutCodes(FrameView):
    """A frame whose codes of missing values are gaps. codes : by column, the cells that mean missing."""

    def __init__(self, original: Frame, codes: Mapping[str, Sequence[Any]]) -> None:
        super().__init__(original)
        self._missing = codes

    def missing_codes(self, name: str) -> tuple[Any, ...]:
        """See Frame.missing_codes."""
        return (*self.original.missing_codes(name), *self._missing.get(name, ()))

    def values(self, name: str) -> Array:
        """See Frame.values."""
        values = self.original.values(name)
        if name in self._missing:
            values[np.isin(values, numbers_among(self._missing[name]))] = np.nan
        return values

    def distinct(self, name: str, owner: str = "frame") -> tuple[Codes, list[Any]]:
        """See Frame.distinct."""
        places, values = self.original.distinct(name, owner)
        return without_codes(places, values, self._missing.get(name, ()))

    def codes(self, name: str) -> Codes:
        """See Frame.codes."""
        return self.distinct(name)[0] if name in self._missing else self.original.codes(name)


def without_missing_codes(owner: str, frame: Frame, declared: Any) -> Frame:
    """The frame with gaps at declared codes of missing values. Raises InvalidInput for a column that does not exist.

    declared : variables by column; None and "numbers" declare no code.
    """
    if not isinstance(declared, Mapping):
        return frame
    codes = dict[str, Sequence[Any]]()
    for name, variable in declared.items():
        if name not in frame.names:
            raise unknown_name(owner, "column in `variables`", name, frame.names)
        if variable.missing_codes:
            codes[name] = missing_cells(frame, name, variable.missing_codes)
    return WithoutCodes(frame, codes) if codes else frame


def without_codes(places: Codes, values: list[Any], missing: Collection[Any]) -> tuple[Codes, list[Any]]:
    """Places (n,) of cells among different values, and these values, where some of them are missing. See Frame.distinct."""
    kept = [place for place, value in enumerate(values) if value not in missing]
    if len(kept) == len(values):
        return places, values
    new_places = np.full(len(values) + 1, MISSING)
    new_places[kept] = np.arange(len(kept))
    return new_places[places], [values[place] for place in kept]


def missing_cells(frame: Frame, name: str, codes: Sequence[Any]) -> tuple[Any, ...]:
    """The cells of a column that codes of missing values stand for: in text, 9 also stands for "9"."""
    if frame.kind(name) not in ("text", "category"):
        return tuple(codes)
    return tuple(dict.fromkeys([*codes, *map(str, codes)]))


def described_columns(
    owner: str,
    frame: Frame,
    declared: Mapping[str, Variable],
    names: Sequence[str],
    inferred: Collection[str] | None = None,
) -> list[VariableDescription]:
    """The descriptions of some columns. inferred : those whose values may be read, None for all. Raises InvalidParameter."""
    codes = {
        name: missing_cells(frame, name, variable.missing_codes)
        for name, variable in declared.items()
        if variable.missing_codes
    }
    readable = WithoutCodes(frame, codes) if codes else frame
    descriptions = list[VariableDescription]()
    for name in names:
        if inferred is None or name in inferred:
            found = described(readable, name)
        else:
            found = _by_type(frame, name)
        if name in declared:
            found = merged(owner, readable, found, declared[name])
        descriptions.append(found)
    return descriptions


def _by_type(frame: Frame, name: str) -> VariableDescription:
    """The description of a column whose values are not read."""
    kind = "amount" if is_numeric(frame, name) else "other"
    return VariableDescription(
        name=name,
        label=frame.column_labels.get(name) or "",
        kind=kind,
        value_labels=frame.value_labels.get(name, {}),
        reason=NOT_INFERRED,
    )


def merged(owner: str, frame: Frame, found: VariableDescription, variable: Variable) -> VariableDescription:
    """A description with the declared fields, and those that follow from them. Raises InvalidParameter."""
    kind = variable.kind or _implied_kind(found, variable)
    changes: dict[str, Any] = {"kind": kind, "declaration": variable}
    if variable.missing_codes:
        changes |= {"missing_codes": variable.missing_codes, **NO_PROPOSED_CODES}
    if variable.label is not None:
        changes["label"] = variable.label
    if variable.format is not None:
        changes["format"] = variable.format
        if kind == "date":
            changes["step"] = step_of_written(variable.format)
    if variable.kind is not None or kind != found.kind:
        changes |= {"reason": DECLARED, "doubtful_kind": False, **NO_PROPOSED_CODES}
    elif variable.codes is not None:  # of a column that has this kind by its values too
        changes |= NO_PROPOSED_CODES
    if variable.format is None and not _same_format(kind, found.kind):
        changes |= {"format": None, "step": None}
    description = replace(found, **changes)
    if kind == "codes":
        return _with_codes(owner, frame, description, variable)
    if kind in OF_NUMBERS:
        return _with_decimals(frame, description, variable)
    return description


def _same_format(kind: str, former: str) -> bool:
    """Whether the format that was found for one kind also belongs to another."""
    numeric = (*OF_NUMBERS, "codes")
    return kind == former or (kind in numeric and former in numeric)


def _implied_kind(found: VariableDescription, variable: Variable) -> str:
    """The kind that other declared fields show, else the one that was found."""
    if variable.format is not None:
        of_numbers = NumberForm.of(variable.format) is not None
        if of_numbers:
            return found.kind if found.kind in (*OF_NUMBERS, "codes") else "amount"
        if is_date_format(variable.format):
            return "time" if is_time_format(variable.format) else "date"
    if variable.codes is not None and found.kind != "category":
        return "category" if any(isinstance(code, str) for code in variable.codes) else "codes"
    if (variable.bounds is not None or variable.decimals is not None) and found.kind not in OF_NUMBERS:
        return "amount"
    return found.kind


def _with_codes(owner: str, frame: Frame, description: VariableDescription, variable: Variable) -> VariableDescription:
    """The description of codes: the declared ones, else the values of at least 10 records."""
    if variable.codes is not None:
        return replace(description, values=variable.codes, step=None, decimals=None)
    if description.values and description.step is not None:
        return description
    tally = _tally(frame, description)
    if not len(tally.frequent):
        rule = f"must declare `codes` of `{description.name}`, as no value has {FEWEST} records"
        raise InvalidParameter(owner, f"variables.{description.name}", rule, "codes")
    values = tuple(plain_value(value) for value in tally.frequent.tolist())
    return replace(description, values=values, step=step_of_codes(tally.frequent))


def _with_decimals(frame: Frame, description: VariableDescription, variable: Variable) -> VariableDescription:
    """The description of a count or an amount: its decimals and sign."""
    changes: dict[str, Any] = {"values": (), "step": None}
    tally = _tally(frame, description) if description.reason != NOT_INFERRED else Tally.of(np.empty(0))
    if tally.records >= FEWEST and description.reason == DECLARED:
        decimals = 0 if description.kind == "count" else decimals_of(tally)
        changes |= {"decimals": decimals, "multiple_of": multiple_of(tally, decimals)}
        changes |= {"sign": sign_of(tally), "share_of": share_of(tally)}
    if description.kind == "count":
        changes["decimals"] = 0
    if variable.decimals is not None:
        changes |= {"decimals": None if variable.decimals == ALL else variable.decimals, "multiple_of": None}
    return replace(description, **changes)


def _tally(frame: Frame, description: VariableDescription) -> Tally:
    """The numbers of a column of numbers, or of text in a declared form; none of another column."""
    name = description.name
    if is_numeric(frame, name):
        return Tally.of(frame.values(name))
    form = None if description.format is None else NumberForm.of(description.format)
    if form is None:
        return Tally.of(np.empty(0))
    places, values = frame.distinct(name)
    counts = np.bincount(places + 1, minlength=len(values) + 1)[1:]
    return Tally.of(np.array([form.number(str(value)) for value in values], dtype=np.float64), counts)


def numbers_among(values: Iterable[Any]) -> Array:
    """The numbers among some values, as (k,) float64."""
    plain = [plain_value(value) for value in values]
    return np.array([value for value in plain if value is not None and not isinstance(value, str)], dtype=np.float64)

"""What a user declares of a column: its kind, codes, codes of missing values, bounds, decimals, format and label."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..arguments import choice, items, real_number, whole_number
from ..errors import InvalidParameter, unknown_name
from .date_forms import is_date_format
from .number_text import FORMS, NumberForm

KINDS = ("category", "codes", "count", "amount", "date", "duration", "time", "identifier")
"""The kinds of columns that can be declared."""
OF_CODES = ("category", "codes")
OF_NUMBERS = ("count", "amount")
MAX_DECIMALS = 15
NONE, ALL = "none", "all"  # words that switch a rule off
NUMBERS = "numbers"  # in place of declarations: real numbers without codes, bounds and rounding
OPEN = (None, NONE, math.inf, -math.inf)  # an end of bounds that does not limit

Value = str | int | float
Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Variable:
    """What a column may contain. A field that is left out is inferred from the column.

    Parameters
    ----------
    kind : str, optional
        "category", "codes", "count", "amount", "date", "duration", "time" or "identifier".
    codes : sequence of numbers or texts, optional
        The values that a category or a column of codes may have.
    missing_codes : sequence of numbers or texts, optional
        The values that mean missing, such as 99999.
    bounds : pair of numbers or "none", optional
        The smallest and the largest permitted amount, None for no limit; "none" for no limits at all.
    decimals : int or "all", optional
        Decimals of an amount; "all" for no rounding.
    format : str, optional
        Of dates such as "%Y%m", and of numbers in text 1234.56 as the file writes it, such as "1.234,56 EUR".
    label : str, optional
        The label of the column.

    Raises
    ------
    InvalidParameter
        Where a field breaks its rule, or does not belong to the kind.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.Variable("codes", codes=range(1, 7)).codes
    (1, 2, 3, 4, 5, 6)
    """

    kind: str | None = None
    codes: tuple[Value, ...] | None = None
    missing_codes: tuple[Value, ...] = ()
    bounds: Bounds | str | None = None
    decimals: int | str | None = None
    format: str | None = None
    label: str | None = None

    def __init__(
        self,
        kind: str | None = None,
        *,
        codes: Any = None,
        missing_codes: Any = (),
        bounds: Any = None,
        decimals: Any = None,
        format: str | None = None,
        label: str | None = None,
    ) -> None:
        declared = {
            "kind": None if kind is None else choice("Variable", "kind", kind, KINDS),
            "codes": None if codes is None else _values("codes", codes),
            "missing_codes": _values("missing_codes", missing_codes),
            "bounds": _bounds(bounds),
            "decimals": _decimals(decimals),
            "format": _text("format", format),
            "label": _text("label", label),
        }
        vars(self).update(declared)
        self._check_kind()
        self._check_codes()
        self._check_format()

    def _check_kind(self) -> None:
        """Raises InvalidParameter for a field that the kind has not."""
        belongs = {"codes": OF_CODES, "bounds": OF_NUMBERS, "decimals": OF_NUMBERS}
        for name, kinds in belongs.items():
            value = getattr(self, name)
            if value is not None and self.kind not in (None, *kinds):
                raise InvalidParameter(
                    "Variable", name, f"belongs to kind {' or '.join(kinds)}, not {self.kind}", value
                )

    def _check_codes(self) -> None:
        """Raises InvalidParameter for a code that also means missing, and for no code at all."""
        if self.codes is None:
            return
        if not self.codes:
            raise InvalidParameter("Variable", "codes", "must have at least one value", self.codes)
        both = [code for code in self.codes if code in self.missing_codes]
        if both:
            raise InvalidParameter("Variable", "codes", "must not have a value of missing_codes", both[0])
        if self.kind == "codes" and any(isinstance(code, str) for code in self.codes):
            raise InvalidParameter("Variable", "codes", "must be numbers (texts are of kind category)", self.codes)

    def _check_format(self) -> None:
        """Raises InvalidParameter for a format that neither dates nor numbers have."""
        if self.format is None:
            return
        if self.kind in ("date", "time"):
            known = is_date_format(self.format)
            rule = "must be a form of dates, such as %Y%m or %d.%m.%Y"
        elif self.kind in (None, *OF_NUMBERS, "codes"):
            known = NumberForm.of(self.format) is not None or (self.kind is None and is_date_format(self.format))
            rule = f"must be 1234.56 as the file writes it, such as {' or '.join(list(FORMS)[:3])}"
        else:
            known = False
            rule = f"belongs to dates and to numbers, not to kind {self.kind}"
        if not known:
            raise InvalidParameter("Variable", "format", rule, self.format)

    def table(self) -> dict[str, Any]:
        """The declared fields as a table of TOML, where "none" stands for an open end of bounds.

        Returns
        -------
        dict
            By field; a field that was left out is not in it.
        """
        table = {field.name: getattr(self, field.name) for field in fields(self)}
        if isinstance(self.bounds, tuple):
            table["bounds"] = [NONE if end is None else end for end in self.bounds]
        for name in ("codes", "missing_codes"):
            table[name] = None if not table[name] else list(table[name])
        return {name: value for name, value in table.items() if value is not None}


def variables_from(owner: str, tables: Any) -> dict[str, Variable]:
    """The declarations of tables `[variables.NAME]` by column.

    Raises InvalidParameter and InvalidInput for what is no table of a Variable; the message names the column.
    """
    if not isinstance(tables, Mapping):
        raise InvalidParameter(owner, "variables", "must be tables by column", tables)
    known = [field.name for field in fields(Variable)]
    declared = dict[str, Variable]()
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise InvalidParameter(owner, f"variables.{name}", "must be a table", table)
        for key in table:
            if key not in known:
                raise unknown_name(owner, f"field of [variables.{name}]", key, known)
        try:
            declared[name] = Variable(**table)
        except InvalidParameter as error:
            raise InvalidParameter(owner, f"variables.{name}.{error.name}", error.rule, error.value) from error
    return declared


def declared_variables(owner: str, variables: Any) -> Any:
    """The declarations by column, of variables or of tables of their fields; None and "numbers" stay. Raises InvalidParameter."""
    if variables is None or (isinstance(variables, str) and variables == NUMBERS):
        return variables
    if not isinstance(variables, Mapping):
        rule = 'must be declarations by the names of columns, or "numbers"'
        raise InvalidParameter(owner, "variables", rule, variables)
    tables = {name: table for name, table in variables.items() if not isinstance(table, Variable)}
    return {**variables, **variables_from(owner, tables)} or None


def plain_value(value: Any) -> Value | None:
    """A code as text, int or float, a whole float as int; None for what can be no code, such as NaN."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    number = float(value)
    if not math.isfinite(number):
        return None
    if isinstance(value, numbers.Integral):
        return int(value)
    return int(number) if number.is_integer() else number


def _values(name: str, listed: Any) -> tuple[Value, ...]:
    """Codes as a tuple of different values; a single value counts as a list of one."""
    single = isinstance(listed, str) or plain_value(listed) is not None
    several = (listed,) if single else items(listed)
    if several is None:
        raise InvalidParameter("Variable", name, "must be a list of numbers or texts", listed)
    codes = dict[Value, None]()
    for item in several:
        code = plain_value(item)
        if code is None:
            raise InvalidParameter("Variable", name, "must hold finite numbers or texts only", item)
        if code in codes:
            raise InvalidParameter("Variable", name, "must name a value once", item)
        codes[code] = None
    return tuple(codes)


def _bounds(bounds: Any) -> Bounds | str | None:
    """The two ends, None for an open one; "none" and None unchanged."""
    if bounds is None or (isinstance(bounds, str) and bounds == NONE):
        return bounds
    ends = None if isinstance(bounds, str) else items(bounds)
    if ends is None or len(ends) != 2:
        rule = 'must be two numbers, the smallest and the largest value, None for no limit; or "none"'
        raise InvalidParameter("Variable", "bounds", rule, bounds)
    low, high = (None if end in OPEN else real_number("Variable", "bounds", end) for end in ends)
    if low is not None and high is not None and low > high:
        raise InvalidParameter("Variable", "bounds", "must have the smallest value first", bounds)
    return low, high


def _decimals(decimals: Any) -> int | str | None:
    """The number of decimals; "all" and None unchanged."""
    if decimals is None or (isinstance(decimals, str) and decimals == ALL):
        return decimals
    if isinstance(decimals, str):
        raise InvalidParameter("Variable", "decimals", 'must be a whole number, or "all"', decimals)
    return whole_number("Variable", "decimals", decimals, low=0, high=MAX_DECIMALS)


def _text(name: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise InvalidParameter("Variable", name, "must be a text", value)
    return value

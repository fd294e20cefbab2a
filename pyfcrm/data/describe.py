"""describe(): what each column of a file may contain, as its values show and a user declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from .check import is_numeric
from .declared import described_columns
from .encoding import encodings
from .frame import Frame, open_data
from .variable import ALL, NONE, NUMBERS, Variable, declared_variables
from .variables import Variables

REAL_NUMBERS = Variable("amount", bounds=NONE, decimals=ALL)


def describe(data: Any, *, variables: Mapping[str, Variable] | Literal["numbers"] | None = None) -> Variables:
    """Describe what each column of a microdata file may contain.

    The description is private: the smallest and the largest value of a column may belong to one respondent. Nothing else
    depends on fewer than 10 records. It does not depend on the order of the records, nor on the library of the frame.

    Categories: text, booleans, levels, and numbers of which nearly all have value labels. Codes: whole numbers of which 99 per cent
    are among at most 20 values of at least 10 records each. Counts: other whole numbers, none negative. Amounts: other numbers.
    Dates: dates and times, formats of SPSS and Stata, whole numbers YYYYMM or YYYYMMDD, years with quarters or months as fractions,
    text in one order of day, month and year. Times of day: their types, and whole numbers HHMM or HHMMSS of several hours.
    Identifiers: text whose values all differ, and such whole numbers that count up by 1 or are named as identifiers. "Nearly all" is 99
    per cent of the records, and all but 10; so a single odd value changes neither kind nor decimals.

    Parameters
    ----------
    data : DataFrame, Table or path
        Of pandas, polars or arrow, or a file; it is not changed.
    variables : mapping or "numbers", optional
        What columns may contain, a Variable by name, as `protect` takes it; the rest is inferred. Codes of missing values are
        missing. "numbers" describes every numeric column as a real number.

    Returns
    -------
    Variables
        A description of each column, by name; `to_toml()` has them as declarations.

    Raises
    ------
    InvalidInput
        For what is no frame, has no record, or two columns of one name; for a declaration of a column that is not there, or of
        a kind that its cells cannot have.
    InvalidParameter
        If a declaration breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.describe(pf.datasets.survey())["wage"].kind
    'count'
    """
    frame = open_data("describe", data)
    declared = declared_variables("describe", variables)
    if declared == NUMBERS:
        declared = {name: REAL_NUMBERS for name in frame.names if _is_plain_number(frame, name)}
    declared = declared or {}
    encodings("describe", frame, declared, list(declared))  # refuses what the cells cannot be
    return Variables(tuple(described_columns("describe", frame, declared, frame.names)))


def _is_plain_number(frame: Frame, name: str) -> bool:
    """Whether a column is numbers without value labels."""
    return is_numeric(frame, name) and not frame.value_labels.get(name)

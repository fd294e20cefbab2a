"""The description of a file's columns: what each may contain, as a table, a data frame, or tables of TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomli_w

from ..display import Result, View
from ..errors import InvalidInput, shortened, unknown_name
from .variable import ALL, OF_NUMBERS, Value, Variable, variables_from

if TYPE_CHECKING:
    import pandas as pd

MAX_LISTED = 12  # values of a column in a table
NOT_NEGATIVE = "not negative"
NOT_POSITIVE = "not positive"


@dataclass(frozen=True, kw_only=True)
class VariableDescription:
    """What a column may contain, as found in the file.

    `low` and `high` are private: they may be values of one respondent, and are shown to the owner of the file only. All other fields
    depend on at least 10 records each, or on the types and labels of the file.

    Parameters
    ----------
    name : str
        The column.
    label : str
        Its label in an SPSS, Stata or SAS file; else empty.
    kind : str
        "category", "codes", "count", "amount", "date", "duration", "time", "identifier", or "other" for types that no method protects.
    values : tuple
        Of a category its levels, of codes its values, of at least 10 records each, without proposed codes of missing values.
    value_labels : mapping
        The labels of single values, as the file has them.
    low, high : number or str, optional
        The smallest and the largest value, without codes of missing values; private.
    missing_codes : tuple
        The values that the file declares missing: single values, and the labelled ones of a range.
    proposed_missing_codes : tuple
        Values that look like codes of missing values. They are not used unless they are declared.
    decimals : int, optional
        Of nearly all numbers; None where they have no fixed number of decimals, or for other kinds.
    multiple_of : float, optional
        What nearly all numbers of a count or an amount are multiples of, such as 5, or 1/12 in years; else None.
    sign : str
        "not negative" or "not positive" if nearly all numbers are; else empty.
    share_of : int, optional
        1 or 100 if no number is larger, at least 10 records have it, and nearly all numbers are not negative, as shares are; else None.
    step : int or str, optional
        The step of whole codes, or of dates: "day", "month", "quarter" and so on.
    format : str, optional
        Of dates in numbers and text, and of numbers in text; a print format of SPSS or Stata; else None.
    reason : str
        Why the column has this kind.
    doubtful_kind : bool
        Whether a person must confirm the kind.
    remark : str
        A sentence on proposed codes of missing values; else empty.
    declaration : Variable, optional
        What a user declared of the column.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.describe(pf.datasets.survey())["region"].values
    ('East', 'North', 'South', 'West')
    """

    name: str
    label: str = ""
    kind: str
    values: tuple[Any, ...] = ()
    value_labels: Mapping[Any, str]
    low: Any = None
    high: Any = None
    missing_codes: tuple[Value, ...] = ()
    proposed_missing_codes: tuple[Value, ...] = ()
    decimals: int | None = None
    multiple_of: float | None = None
    sign: str = ""
    share_of: int | None = None
    step: int | str | None = None
    format: str | None = None
    reason: str
    doubtful_kind: bool = False
    remark: str = ""
    declaration: Variable | None = None

    @property
    def doubtful(self) -> bool:
        """Whether a person must confirm the kind, or that values are codes of missing values."""
        return self.doubtful_kind or bool(self.proposed_missing_codes)

    @property
    def explanation(self) -> str:
        """The reason and the remark in words; the remark alone where the kind is certain."""
        if not self.remark:
            return self.reason
        if not self.doubtful_kind:
            return self.remark
        return f"{self.reason}; {self.remark}"

    def declared(self) -> Variable:
        """The description as a declaration, which a person may change; declared bounds stay.

        Returns
        -------
        Variable
            Without the sign, and without proposed codes of missing values.
        """
        bounds = None
        decimals: int | str | None = None
        if self.kind in OF_NUMBERS:
            # A declared number of decimals switches the grid off.
            decimals = self.decimals if self.multiple_of is None else None
            if self.declaration is not None:
                bounds = self.declaration.bounds
                decimals = ALL if self.declaration.decimals == ALL else decimals
        return Variable(
            kind=None if self.kind == "other" else self.kind,
            codes=self.values if self.kind == "codes" and self.values else None,
            missing_codes=self.missing_codes,
            bounds=bounds,
            decimals=decimals,
            format=self.format,
            label=self.label if self.label.strip() else None,
        )

    def domain(self) -> str:
        """The values, with their labels, or the range as a text.

        Returns
        -------
        str
            Empty for identifiers, and where nothing is known.
        """
        if self.kind in ("category", "codes") and self.values:
            labels = {value: self.value_labels.get(value, "") for value in self.values}
            if not any(labels.values()):
                return _listed(self.values)
            texts = [f"{_figure(value)} ({label})" if label else value for value, label in labels.items()]
            return _listed(tuple(texts))
        if self.low is None or self.kind == "identifier":
            return ""
        return f"{_figure(self.low)} to {_figure(self.high)}"


@dataclass(frozen=True, repr=False)
class Variables(Result, Mapping[str, VariableDescription]):
    """The descriptions of the columns of a file, by name.

    Parameters
    ----------
    columns : tuple of VariableDescription
        In the order of the file.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> described = pf.describe(pf.datasets.survey())
    >>> described["age"].values
    (25, 35, 45, 55, 65, 75)
    """

    columns: tuple[VariableDescription, ...]

    def __getitem__(self, name: str) -> VariableDescription:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (column.name for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The columns that a person must confirm."""
        return tuple(column.name for column in self.columns if column.doubtful)

    def rows(self) -> list[dict[str, Any]]:
        """The descriptions as plain data.

        Returns
        -------
        list of dict
            One for each column, with every field.
        """
        return [
            {
                "column": column.name,
                "label": column.label,
                "kind": column.kind,
                "values": [_plain(value) for value in column.values],
                "value_labels": {str(value): text for value, text in column.value_labels.items()},
                "low": _plain(column.low),
                "high": _plain(column.high),
                "missing_codes": list(column.missing_codes),
                "proposed_missing_codes": list(column.proposed_missing_codes),
                "decimals": column.decimals,
                "multiple_of": column.multiple_of,
                "sign": column.sign,
                "step": column.step,
                "format": column.format,
                "doubtful": column.doubtful,
                "reason": column.explanation,
            }
            for column in self.columns
        ]

    def to_frame(self) -> pd.DataFrame:
        """The descriptions as a pandas data frame, lists as texts.

        Returns
        -------
        pandas.DataFrame
            One row for each column.
        """
        import pandas as pd

        texts = (
            "column",
            "label",
            "kind",
            "values",
            "missing_codes",
            "proposed_missing_codes",
            "sign",
            "step",
            "format",
        )
        columns: dict[str, list[Any]] = {name: [] for name in texts}
        for column in self.columns:
            columns["column"].append(column.name)
            columns["label"].append(column.label)
            columns["kind"].append(column.kind)
            columns["values"].append(column.domain())
            columns["missing_codes"].append(_listed(column.missing_codes))
            columns["proposed_missing_codes"].append(_listed(column.proposed_missing_codes))
            columns["sign"].append(column.sign)
            columns["step"].append("" if column.step is None else str(column.step))
            columns["format"].append(column.format or "")
        frame = pd.DataFrame(columns, dtype=str)
        frame["decimals"] = pd.array([column.decimals for column in self.columns], dtype="Int64")
        frame["multiple_of"] = pd.array([column.multiple_of for column in self.columns], dtype="Float64")
        frame["doubtful"] = [column.doubtful for column in self.columns]
        frame["reason"] = pd.Series([column.explanation for column in self.columns], dtype=str)
        return frame

    def to_toml(self) -> str:
        """The descriptions as declarations, one table [variables.NAME] for each column.

        Returns
        -------
        str
            TOML, with the reason of each doubtful column as a comment.
        """
        parts = list[str]()
        for column in self.columns:
            table = ""
            if column.doubtful:
                table += f"# doubtful: {shortened(column.explanation)}\n"
            table += tomli_w.dumps({"variables": {column.name: {}}})  # the heading
            for key, value in column.declared().table().items():
                table += _line(key, value)
            if column.proposed_missing_codes:
                table += f"# missing_codes = {list(column.proposed_missing_codes)}\n"
            parts.append(table)
        return "\n".join(parts)

    @staticmethod
    def from_toml(text: str) -> dict[str, Variable]:
        """Declarations in TOML, as `to_toml()` writes them and a person has changed them.

        Parameters
        ----------
        text : str
            Tables [variables.NAME].

        Returns
        -------
        dict of str to Variable
            By column.

        Raises
        ------
        InvalidInput
            For what is no TOML, or has other tables.
        InvalidParameter
            For a field that breaks its rule; the message names the column.

        Examples
        --------
        >>> import pyfcrm as pf
        >>> pf.Variables.from_toml("variables.wage.missing_codes = [99999]")["wage"].missing_codes
        (99999,)
        """
        return read_variables(text, "Variables.from_toml")

    def _view(self) -> View:
        rows = list[tuple[str, ...]]()
        for column in self.columns:
            kind = f"{column.kind} ?" if column.doubtful else column.kind
            decimals = "" if column.decimals is None else str(column.decimals)
            missing = _listed(column.missing_codes)
            rows.append((column.name, kind, column.domain(), missing, decimals, column.label))
        columns: tuple[str, ...] = ("column", "kind", "values", "missing", "decimals", "label")
        if not any(column.label for column in self.columns):
            columns = columns[:-1]
            rows = [row[:-1] for row in rows]
        sentences = [f"? {column.name}: {column.explanation}" for column in self.columns if column.doubtful]
        return View("Variables", columns, rows, sentences, words=4)


def read_variables(text: str, owner: str = "variables") -> dict[str, Variable]:
    """The declarations of TOML tables [variables.NAME], as `Variables.to_toml` writes them, by column.

    Raises InvalidInput for what is no TOML or has other tables, InvalidParameter for a field that breaks its rule.
    """
    try:
        contents = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(owner, "must be TOML with tables [variables.NAME]", str(error)) from error
    return declarations_of(contents, owner)


def declarations_of(contents: Mapping[str, Any], owner: str) -> dict[str, Variable]:
    """The declarations of tables [variables.NAME], by column. Raises InvalidInput or InvalidParameter."""
    for key in contents:
        if key != "variables":
            raise unknown_name(owner, "table", key, ["variables"])
    return variables_from(owner, contents.get("variables", {}))


def _line(key: str, value: Any) -> str:
    """A line of TOML; tomli_w would write each item of a list on a line of its own."""
    if not isinstance(value, list):
        return tomli_w.dumps({key: value})
    items = [tomli_w.dumps({key: item}).removeprefix(f"{key} = ").rstrip("\n") for item in value]
    return f"{key} = [{', '.join(items)}]\n"


def _listed(values: tuple[Any, ...]) -> str:
    """Values between commas; more than two whole numbers that follow each other as "1 to 6"."""
    if len(values) > 2 and all(type(value) is int for value in values):
        successive = range(values[0], values[0] + len(values))
        if list(values) == list(successive):
            return f"{_figure(values[0])} to {_figure(values[-1])}"
    text = ", ".join(_figure(value) for value in values[:MAX_LISTED])
    more = len(values) - MAX_LISTED
    return f"{text} and {more} more" if more > 0 else text


def _figure(value: Any) -> str:
    """A value as text, numbers without needless digits."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """A value of JSON and TOML; dates and other objects as text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)

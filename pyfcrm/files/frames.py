"""read_table() as users call it: a file as a frame of pandas."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from . import read
from .paths import Path

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: Path, separator: str | None = None, decimal: str | None = None) -> pd.DataFrame:
    """Read a file of any format that goes in, as a data frame.

    The frame is what `protect_file` and the command line see of the file, so the same method and seed give the same
    numbers. To write a release with unchanged labels and unprotected cells, use `protect_file`.

    Parameters
    ----------
    path : str or path
        CSV (.csv, .txt, .tsv), Parquet (.parquet, .pq), Excel (.xlsx, the first sheet), SPSS (.sav, .zsav), Stata (.dta)
        or SAS (.sas7bdat, .xpt).
    separator : str, optional
        One character between the cells of a CSV file; found if not given.
    decimal : {".", ","}, optional
        The decimal mark of a CSV file; found if not given.

    Returns
    -------
    pandas.DataFrame
        In a CSV file a column is int64 if every cell is a plain integer (Int64 where some are missing), float64 if
        every cell is a number or missing, and text otherwise; numbers with leading zeros are codes, and stay text. In text
        an empty cell is missing, as pandas has it, and "NA" is not: R's read.csv does so with na.strings = "".
        Labels of SPSS, Stata and SAS files are in `frame.attrs`: "column_labels", by column, and
        "variable_value_labels", by column and value, named as pyreadstat's writers name them.

    Raises
    ------
    InvalidInput
        If the file is not a table; the sentence says what is wrong, and where.
    InvalidParameter
        If an argument is of no use.
    MissingExtra
        If the format needs a package that is not installed.

    Warns
    -----
    UserWarning
        What had to be guessed, such as commas that were read as decimal marks, and what is not in the frame, such as
        the reasons why values are missing.

    Examples
    --------
    >>> frame = pf.read_table("people.csv")  # doctest: +SKIP
    """
    table = read.read_table(path, separator, decimal)
    for note in table.notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    if table.labels is not None:
        table.frame.attrs["column_labels"] = dict(table.labels.columns)
        table.frame.attrs["variable_value_labels"] = {name: dict(v) for name, v in table.labels.values.items()}
    return table.frame

"""An agency's own R function on a pandas frame, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfcrm.rstream import RStream

from ..columns import Columns
from ..frames import from_frame, to_frame
from .apart import apart

if TYPE_CHECKING:
    import pandas as pd


def run_r(
    frame: pd.DataFrame,
    function: str,
    code: Sequence[Path | str] | Path | str,
    *,
    stream: int | RStream | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Any:
    """Call an R function of a data frame, in an R of its own: code that ends R ends nothing else.

    Parameters
    ----------
    frame : DataFrame
        Its first argument. The index does not cross.
    function : str
        Its name, in `code` or in an attached package.
    code : path, or a sequence of paths
        R files, evaluated anew in an environment of their own.
    stream : int or RStream, optional
        A seed for set.seed, or a stream, which is not moved; what the call draws from.
    arguments : mapping, optional
        Its other arguments by name: numbers, words, flags, arrays, lists of words.

    Returns
    -------
    object
        A DataFrame where R returns one; else an array, a list of words, a dict or a list. What R warns of becomes an
        RWarning each; what it says by message() is in the reply of `apart().call`.

    Raises
    ------
    RError
        With R's own words; REnded where the code called quit() or died.
    RUnavailable, MissingExtra
        Where there is no R, or no rpy2.
    """
    value = apart().call(function, {"": from_frame(frame)} | dict(arguments or {}), code, stream).value
    return to_frame(value) if isinstance(value, Columns) else value

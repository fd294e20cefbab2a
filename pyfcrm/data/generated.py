"""Records of a third-party generator, conformed to the columns and types of the frame that it was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidInput, Note, one_line
from ..types import Array
from .check import is_numeric
from .fitting import FitNotes, in_column_types
from .frame import Frame, open_frame

NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "boolean")  # pandas' names for kinds of contents
TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def training_frame(frame: Frame, rows: Any, dropped: tuple[str, ...]) -> Any:
    """A pandas frame of the records `rows` (n,), without the columns `dropped`, its index counting from 0."""
    result = frame.taken(np.flatnonzero(rows))
    result = result.to_pandas() if hasattr(result, "to_pandas") else result
    result = result.loc[:, [name for name in result.columns if str(name) not in dropped]].reset_index(drop=True)
    result.attrs = {}
    return result


def conformed(owner: str, generated: Any, training: Any, notes: list[Note]) -> Any:
    """Generated records as a pandas frame with the columns, order and types of the `training` frame.

    Raises InvalidInput for another number of records, other columns, or values that do not fit their types.
    """
    import pandas as pd

    generated = generated[0] if isinstance(generated, tuple) and generated else generated
    frame, labels = open_frame("External", training), list(training.columns)
    if not isinstance(generated, pd.DataFrame):
        try:
            generated = pd.DataFrame(np.asarray(generated), columns=labels)
        except (TypeError, ValueError) as error:
            rule = f"the generator must return a data frame, or an array with {len(labels)} columns"
            raise InvalidInput(owner, rule, type(generated).__name__) from error
    generated = generated.set_axis([str(label) for label in generated.columns], axis=1).reset_index(drop=True)
    if sorted(generated.columns) != sorted(frame.names):
        rule = f"the generator must return the columns of its training file, {', '.join(frame.names)}"
        raise InvalidInput(owner, rule, ", ".join(generated.columns) or "none")
    if len(generated) != len(training):
        raise InvalidInput(owner, "the generator must return as many records as are requested", f"{len(generated)}")
    columns, fits = dict[Any, Any](), FitNotes(frame.names)
    for label, name, dtype in zip(labels, frame.names, training.dtypes, strict=True):
        values = generated[name]
        if is_numeric(frame, name):
            columns[label] = _numbers(owner, frame, name, values=values, dtype=dtype, fits=fits)
        elif frame.kind(name) == "date" and pd.api.types.infer_dtype(values, skipna=True) in NUMBERS:
            raise InvalidInput(owner, f"column `{name}` must come back as dates", "numbers")  # of what unit?
        else:
            columns[label] = _others(owner, name, values, dtype)
    notes += fits.notes()
    return pd.DataFrame(columns)


def _numbers(owner: str, frame: Frame, name: str, *, values: Any, dtype: Any, fits: FitNotes) -> Any:
    """A column of numbers in its own type: whole where that is, within its limits, missing where that can be."""
    import pandas as pd

    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers")
        numbers: Array = pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(owner, f"column `{name}` must come back as numbers", one_line(str(error))) from error
    if np.isinf(numbers).any():
        raise InvalidInput(owner, f"column `{name}` must come back finite", "an infinite value")
    gaps = np.isnan(numbers)
    if gaps.any() and isinstance(dtype, np.dtype) and dtype.kind in "iu":
        rule = f"column `{name}` must come back without missing values"
        raise InvalidInput(owner, rule, f"{int(gaps.sum())} of them")
    known = np.where(gaps, 0.0, numbers)[:, None]
    Z = in_column_types(frame, [name], known, np.ones(len(gaps), dtype=bool), fits)
    column = pd.Series(pd.array(Z[:, 0], dtype="float64").astype(dtype))
    return column.mask(gaps) if gaps.any() else column


def _others(owner: str, name: str, values: Any, dtype: Any) -> Any:
    """A column of any other type in this type, if no value is lost."""
    truths = dtype == np.dtype(bool)  # to which anything can be cast: "False" is a text, and so true
    known = values.map(lambda value: TRUTHS.get(str(value).casefold())) if truths else values
    try:
        column = known.astype("boolean" if truths else dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(owner, f"column `{name}` must come back as {dtype}", one_line(str(error))) from error
    lost = int((column.isna() & (values.notna() | truths)).sum())
    if lost:
        raise InvalidInput(owner, f"column `{name}` must come back with values that it can have", f"{lost} others")
    return column.astype(dtype)


def to_library(frame: Frame, generated: Any) -> Any:
    """A pandas frame in the library and the types of an opened frame."""
    library = type(frame.frame).__module__.partition(".")[0]
    if library == "polars":
        import polars as pl

        result = pl.from_pandas(generated)
        return result.cast({name: frame.frame.schema[name] for name in result.columns})
    if library == "pyarrow":
        import pyarrow as pa

        fields = [frame.frame.schema.field(str(name)).remove_metadata() for name in generated.columns]
        table = pa.Table.from_pandas(generated, schema=pa.schema(fields), preserve_index=False)
        return table.replace_schema_metadata(None)
    return generated

"""Records from a generator, put into the columns and types of the frame that it saw."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidInput, Note, one_line
from .fitting import cut_at_limits, rounded
from .frame import Frame, open_frame

NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "boolean")  # as pandas calls what a column holds
TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def seen(door: Frame, rows: Any, dropped: tuple[str, ...]) -> Any:
    """A pandas frame of the records `rows` (n,), without the columns `dropped`, its index counting from 0."""
    frame = open_frame("External", door.reshaped({}, {}, np.flatnonzero(rows))).frame
    to_pandas = getattr(frame, "to_pandas", None)
    frame = frame if to_pandas is None else to_pandas()
    frame = frame.loc[:, [name for name in frame.columns if str(name) not in dropped]].reset_index(drop=True)
    frame.attrs = {}
    return frame


def as_seen(owner: str, made: Any, frame: Any, notes: list[Note]) -> Any:
    """What a generator made, as a pandas frame with the columns, order and types of the `frame` that it saw.

    Raises InvalidInput for anything that is not as many records of these columns, or does not fit their types.
    """
    import pandas as pd

    made = made[0] if isinstance(made, tuple) and made else made
    names = list(frame.columns)
    if not isinstance(made, pd.DataFrame):
        made = _of_array(owner, made, names)
    made = made.set_axis([str(name) for name in made.columns], axis=1).reset_index(drop=True)
    wanted = [str(name) for name in names]
    if sorted(made.columns) != sorted(wanted):
        rule = f"the generator must give the columns that it saw, {', '.join(wanted)}"
        raise InvalidInput(owner, rule, ", ".join(made.columns) or "none")
    if len(made) != len(frame):
        raise InvalidInput(owner, "the generator must give as many records as are asked for", f"{len(made)}")
    door, everyone = open_frame("External", frame), np.ones(len(frame), dtype=bool)
    columns = {}
    for name, column in zip(names, wanted, strict=True):
        kind, values = door.kind(column), made[column]
        if kind in ("float", "integer"):
            columns[name] = _numbers(owner, door, column, values, everyone, notes)
        else:
            if kind == "date" and pd.api.types.infer_dtype(values, skipna=True) in NUMBERS:
                raise InvalidInput(owner, f"column `{column}` must come back as dates", "numbers")  # of what unit?
            columns[name] = _others(owner, column, values, frame[name].dtype)
    return pd.DataFrame(columns)[names]


def _of_array(owner: str, made: Any, names: list[Any]) -> Any:
    import pandas as pd

    try:
        table = np.asarray(made)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] != len(names):
        rule = f"the generator must give a data frame, or an array with {len(names)} columns"
        raise InvalidInput(owner, rule, type(made).__name__ if table.ndim != 2 else f"{table.shape[1]} columns")
    return pd.DataFrame(table, columns=names)


def _numbers(owner: str, door: Frame, name: str, values: Any, everyone: Any, notes: list[Note]) -> Any:
    """A column of numbers in its own type: whole where that is, and within its limits; missing where that can be."""
    import pandas as pd

    try:
        made = _floats(pd.to_numeric(values))
    except (TypeError, ValueError) as error:
        raise InvalidInput(owner, f"column `{name}` must come back as numbers", one_line(str(error))) from error
    if np.isinf(made).any():
        raise InvalidInput(owner, f"column `{name}` must come back finite", "an infinite value")
    dtype = door.frame[name].dtype if name in door.frame.columns else door.frame.iloc[:, door.names.index(name)].dtype
    gaps = np.isnan(made)
    if gaps.any() and isinstance(dtype, np.dtype) and dtype.kind in "iu":
        raise InvalidInput(
            owner, f"column `{name}` must come back without missing values", f"{int(gaps.sum())} of them"
        )
    filled = np.where(gaps, 0.0, made)[:, None]
    filled = cut_at_limits(door, [name], [name], rounded(door, [name], filled, notes), everyone, notes)[:, 0]
    column = pd.array(filled, dtype="float64").astype(dtype)
    return pd.Series(column).mask(gaps) if gaps.any() else pd.Series(column)


def _floats(values: Any) -> Any:
    """Numbers (n,) as float64, a missing one as NaN. Raises TypeError for complex ones."""
    if np.iscomplexobj(values):
        raise TypeError("complex numbers")
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def _others(owner: str, name: str, values: Any, dtype: Any) -> Any:
    """A column of anything else in its own type, nothing being lost."""
    truths = dtype == np.dtype(bool)  # to which anything can be cast: "False" is a text, and so true
    known = values.map(lambda value: TRUTHS.get(str(value).casefold())) if truths else values
    try:
        made = known.astype("boolean" if truths else dtype)
    except (TypeError, ValueError) as error:
        rule = f"column `{name}` must come back as {dtype}"
        raise InvalidInput(owner, rule, one_line(str(error))) from error
    lost = int((made.isna() & (values.notna() | truths)).sum())
    if lost:
        rule = f"column `{name}` must come back with values that it can have"
        raise InvalidInput(owner, rule, f"{lost} others")
    return made.astype(dtype)


def like(door: Frame, frame: Any) -> Any:
    """A pandas frame in the library and the types of an opened one."""
    module = type(door.frame).__module__.partition(".")[0]
    if module == "polars":
        import polars as pl

        made = pl.from_pandas(frame)
        return made.cast({name: door.frame.schema[name] for name in made.columns})
    if module == "pyarrow":
        import pyarrow as pa

        fields = [door.frame.schema.field(str(name)).remove_metadata() for name in frame.columns]
        return pa.Table.from_pandas(frame, schema=pa.schema(fields), preserve_index=False).replace_schema_metadata(None)
    return frame

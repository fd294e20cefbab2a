"""The index of a pandas frame: no release has it, so what it holds must be known."""

from typing import Any

import numpy as np
from narwhals.dependencies import is_pandas_dataframe

from ..errors import InvalidInput, Note
from ..types import Rows
from .frame import Frame, open_frame
from .roles import Roles

RENUMBERED = "the release numbers its records 0, 1, 2, ...: the index of the frame has gaps or another order, and is not released"
UNDECLARED = (
    "the index would be released, and must be 0, 1, 2, ...: drop it by reset_index(drop=True){dropped}, or make it a column "
    "with a role by reset_index()"
)
BY_ROLE = ", or name it among the identifiers"


def without_index(owner: str, frame: Frame, roles: Roles) -> tuple[Frame, tuple[Note, ...]]:
    """The frame with the index 0, 1, 2, ..., and a note where whole numbers without a name were replaced.

    An index whose names are all identifiers becomes columns, which are dropped as such.
    Raises InvalidInput for any other index: names, texts and dates.
    """
    if not is_pandas_dataframe(frame.frame):
        return frame, ()
    import pandas as pd

    index = frame.frame.index
    names = [name for name in index.names if name is not None]
    if not names and frame.index() is None:
        return frame, ()
    if not names and pd.api.types.is_integer_dtype(index.dtype):
        renumbered = open_frame(owner, frame.frame.reset_index(drop=True)).with_labels_of(frame)
        return renumbered, (Note.of("recoded", RENUMBERED),)
    if len(names) == index.nlevels and {*map(str, names)} <= {*roles.identifiers}:
        columns = frame.frame.reset_index(allow_duplicates=True)
        return open_frame(owner, columns).with_labels_of(frame), ()
    shown = "an index named " + ", ".join(f"`{name}`" for name in names) if names else f"an index of {index.dtype}"
    raise InvalidInput(owner, UNDECLARED.format(dropped=BY_ROLE if names else ""), shown)


def released_rows(original: Frame, released: Any) -> Rows | None:
    """The position in the original of each record (N,) of a release that has its index; None for all in order, or not known.

    original : a frame whose index is 0, 1, 2, ...
    """
    if not is_pandas_dataframe(released):
        return None
    rows: Rows = released.index.to_numpy(dtype=np.int64)
    return None if np.array_equal(rows, np.arange(original.records)) else rows

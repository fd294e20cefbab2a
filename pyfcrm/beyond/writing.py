"""A release written some records at a time, to a file that appears whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.atomic import Pending
from ..files.parquet import trimmed
from ..progress import Progress
from ..table import Roles, open_frame, rounded, within_types
from .flow import Flow
from .keeping import BlockKeeper
from .parquet import Source

Array = NDArray[np.float64]
ROUNDED = "rounded, being integer columns: "


def write_release(
    source: Source,
    output: Pending,
    roles: Roles,
    values: Iterator[Array],
    round_integers: bool,
    notes: list[str],
    progress: Progress | None = None,
    keep: BlockKeeper | None = None,
) -> None:
    """The source's records with the protected values (in blocks, for the complete records in order) put in.

    Identifiers are dropped, other columns pass through, types stay; the file carries Arrow's types and no metadata of
    the source. notes : gets what was rounded, cut, or left as it was; keep : moves the values to keep constraints.
    """
    import pyarrow.parquet as pq

    said, flow, done, same, complete = Tally(), Flow(values, len(roles.dependent)), 0, 0, 0
    writer = None
    try:
        for table in source.tables():
            released, protected, unchanged = _released(table, roles, flow, round_integers, said, keep)
            schema = released.schema
            if writer is None:
                writer = pq.ParquetWriter(output.temporary.path, schema, use_dictionary=_repeating(schema))
            writer.write_table(released)
            same, complete, done = same + unchanged, complete + protected, done + table.num_rows
            if progress is not None:
                progress(done, source.n, "writing")
    finally:
        if writer is not None:
            writer.close()
    notes.extend(keep.notes() if keep is not None else ())
    notes.extend(said.texts(roles.dependent))
    if same:
        notes.append(f"{same} of {complete} records leave with every dependent value as it was")


def _repeating(schema: Any) -> list[str]:
    """The columns worth a dictionary: protected numbers hardly ever repeat, and trying takes most of the time."""
    import pyarrow as pa

    return [field.name for field in schema if not pa.types.is_floating(field.type)]


def _released(
    table: Any, roles: Roles, flow: Flow, round_integers: bool, said: Tally, keep: BlockKeeper | None
) -> tuple[Any, int, int]:
    """The table's release, how many records of it are protected, and how many of these are as they were."""
    import pyarrow as pa

    from ..table.arrow_bare import bare_table

    door = open_frame("protect", table)
    before = {name: door.values(name) for name in (*roles.independent, *roles.dependent)}
    rows = ~np.any([np.isnan(column) for column in before.values()], axis=0)
    Z, heard = flow.take(int(rows.sum())).copy(), list[str]()
    Z = Z if keep is None else keep.kept(table, Z, rows, heard)
    if round_integers:
        for j, name in enumerate(roles.dependent):  # one by one, so that each is named once for all blocks
            Z[:, [j]] = rounded(door, [name], Z[:, [j]], heard)
    Z = within_types(door, roles.dependent, Z, rows, heard, floats=not round_integers)
    said.hear(heard)
    Y = np.column_stack([before[name][rows] for name in roles.dependent])
    unchanged = int(np.all(np.isclose(Y, Z, rtol=1e-9, atol=0.0), axis=1).sum())
    columns = {}
    for j, name in enumerate(roles.dependent):
        columns[name] = np.full(table.num_rows, np.nan)
        columns[name][rows] = Z[:, j]
    released = door.replaced(columns, rows, roles.identifiers, floats=not round_integers)
    arrays = [trimmed(pa, released.column(name)) for name in released.column_names]
    fields = [field.with_type(array.type) for field, array in zip(released.schema, arrays, strict=True)]
    return bare_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields))), len(Z), unchanged


class Tally:
    """Notes of many blocks as those of one file: columns named once, counts added up."""

    def __init__(self) -> None:
        self._rounded: set[str] = set()
        self._counts: dict[str, int] = {}

    def hear(self, texts: Sequence[str]) -> None:
        """Notes of one block, about one column each: of rounding, or starting with a count."""
        for text in texts:
            if text.startswith(ROUNDED):
                self._rounded.add(text.removeprefix(ROUNDED))
            else:
                count, rest = text.split(" ", 1)
                self._counts[rest] = self._counts.get(rest, 0) + int(count)

    def texts(self, names: Sequence[str]) -> list[str]:
        """The notes; names : the columns in their order."""
        listed = [name for name in names if name in self._rounded]
        counts = [f"{count} {rest}" for rest, count in self._counts.items()]
        return [ROUNDED + ", ".join(listed), *counts] if listed else counts

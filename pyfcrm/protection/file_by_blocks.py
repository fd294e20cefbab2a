"""protect() of Parquet files larger than memory, and of frames on a cluster; a release is written some records at a
time, to a file that appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..constraints import Constraint
from ..constraints.enforce_by_blocks import BlockEnforcer, block_enforcer, require_columns_of
from ..data import Frame, Roles, open_frame, rounded, within_types
from ..data.blocks import Rebatched, Sample, pieces
from ..data.load_by_blocks import load_complete_records
from ..data.records import MemoryRecords
from ..engine import Engine, Local, one_blas_thread
from ..errors import InvalidInput, InvalidParameter
from ..files.atomic import Pending, appearing
from ..files.manifest import require_new
from ..files.parquet import Source, source, trimmed
from ..files.paths import Path, check_output
from ..methods import Method
from ..progress import Progress
from ..rstream import RStream
from ..types import Array
from .methods_by_blocks import release, require_supported, watched

ROUNDED = "rounded, being integer columns: "
EXTENSIONS = ("parquet", "pq")


def write_release(
    source: Source,
    output: Pending,
    roles: Roles,
    values: Iterator[Array],
    round_integers: bool,
    notes: list[str],
    progress: Progress | None = None,
    keep: BlockEnforcer | None = None,
) -> None:
    """The source's records with the protected values (in blocks, for the complete records in order) put in.

    Identifiers are dropped, other columns pass through, types stay; the file carries Arrow's types and no metadata of
    the source. notes : gets what was rounded, cut, or left as it was; keep : moves the values to keep constraints.
    """
    import pyarrow.parquet as pq

    said, flow, done, same, complete = RoundingSummary(), Rebatched(values, len(roles.dependent)), 0, 0, 0
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
    table: Any, roles: Roles, flow: Rebatched, round_integers: bool, said: RoundingSummary, keep: BlockEnforcer | None
) -> tuple[Any, int, int]:
    """The table's release, how many records of it are protected, and how many of these are as they were."""
    import pyarrow as pa

    from ..files.arrow_bare import bare_table

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


class RoundingSummary:
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


def protect_file(
    path: Path,
    output: Path | None,
    method: Method,
    roles: Roles,
    stream: RStream,
    named: Callable[[str], str],
    missing: str,
    round_integers: bool,
    engine: Engine,
    progress: Progress | None,
    bystanders: Callable[[Frame], list[str]],
    limits: tuple[Constraint, ...] = (),
    overwrite: bool = False,
) -> tuple[str, list[str]]:
    """Protect a Parquet file or folder into a Parquet file; the output's path, and the notes.

    The numbers are those of a frame in memory with the same stream, to 1e-10. Memory holds some blocks of records;
    the disk, beside the output, 8 bytes a value in a file without a name. named : notes with columns by
    name; bystanders : notes on columns without a role; limits : constraints to keep, by a pass of their own.
    """
    require_supported(method)
    if output is None:
        rule = 'must be the path of a .parquet file where a path is protected (output="out.parquet")'
        raise InvalidParameter("protect", "output", rule, output)
    data = source("protect", path)
    target = output_path(output, data.name, data.paths, overwrite)
    require_columns_of("protect", limits, data, roles)
    wanted = [*roles.independent, *roles.dependent]
    folder = os.path.dirname(os.path.realpath(target))
    also = (*roles.identifiers, *roles.unknown)
    taken = load_complete_records("protect", data, wanted, also, missing, folder, progress)
    notes: list[str] = []
    if taken.rows.n < taken.records:
        left = taken.records - taken.rows.n
        notes.append(f"{left} of {taken.records} records have missing values and are left as they are")
    keep = block_enforcer("protect", limits, data, roles, missing, round_integers, progress)
    with one_blas_thread():
        blocks = pieces(taken.rows, engine)
        s, t = len(roles.independent), len(roles.dependent)
        file = Sample(watched(engine, progress, method, t), blocks, taken.rows, s, t, folder)
        made = release(method, file, stream, lambda text: notes.append(named(text)))
        values = made.blocks(pieces(taken.rows, Local()))
        with appearing(output, overwrite=overwrite) as pending:
            write_release(data, pending, roles, values, round_integers, notes, progress, keep)
    taken.rows.close()
    return target, [*notes, *bystanders(open_frame("protect", data.first()))]


def protect_arrays(
    method: Method, X: Array, Y: Array, stream: RStream, note: Callable[[str], None], engine: Engine
) -> Array:
    """method.protect(X, Y, stream, note) by sums over blocks, on whatever engine; equal to 1e-10."""
    require_supported(method)
    rows = MemoryRecords(np.hstack([X, Y]))
    with one_blas_thread():
        file = Sample(engine, pieces(rows, engine), rows, X.shape[1], Y.shape[1])
        made = release(method, file, stream, note)
        return np.vstack(list(made.blocks(pieces(rows, Local()))))


def output_path(output: Path, source: str, paths: tuple[str, ...], overwrite: bool) -> str:
    """The output as a string. Raises InvalidInput for one that must not be written, or replaced."""
    target = check_output(output, paths, EXTENSIONS)
    if os.path.isdir(source) and os.path.dirname(os.path.realpath(target)) == os.path.realpath(source):
        raise InvalidInput(target, "an output must not lie in the folder that is protected", source)
    require_new(target, overwrite)
    return target

"""protect() of Parquet files larger than memory, and of frames on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..constraints import Constraint
from ..engine import Engine, Local, one_blas_thread
from ..errors import InvalidInput, InvalidParameter
from ..files.atomic import appearing
from ..files.manifest import require_new
from ..files.paths import Path, check_output
from ..methods import Method
from ..progress import Progress
from ..rstream import RStream
from ..table import Opened, Roles, open_frame
from .blocks import pieces
from .file import File
from .intake import take_in
from .keeping import block_keeper, require_columns_of
from .parquet import source
from .release import release, require_supported
from .rows import ArrayRows
from .watching import watched
from .writing import write_release

Array = NDArray[np.float64]
EXTENSIONS = ("parquet", "pq")


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
    bystanders: Callable[[Opened], list[str]],
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
    taken = take_in("protect", data, wanted, also, missing, folder, progress)
    notes: list[str] = []
    if taken.rows.n < taken.records:
        left = taken.records - taken.rows.n
        notes.append(f"{left} of {taken.records} records have missing values and are left as they are")
    keep = block_keeper("protect", limits, data, roles, missing, round_integers, progress)
    with one_blas_thread():
        blocks = pieces(taken.rows, engine)
        s, t = len(roles.independent), len(roles.dependent)
        file = File(watched(engine, progress, method, t), blocks, taken.rows, s, t, folder)
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
    rows = ArrayRows(np.hstack([X, Y]))
    with one_blas_thread():
        file = File(engine, pieces(rows, engine), rows, X.shape[1], Y.shape[1])
        made = release(method, file, stream, note)
        return np.vstack(list(made.blocks(pieces(rows, Local()))))


def output_path(output: Path, source: str, paths: tuple[str, ...], overwrite: bool) -> str:
    """The output as a string. Raises InvalidInput for one that must not be written, or replaced."""
    target = check_output(output, paths, EXTENSIONS)
    if os.path.isdir(source) and os.path.dirname(os.path.realpath(target)) == os.path.realpath(source):
        raise InvalidInput(target, "an output must not lie in the folder that is protected", source)
    require_new(target, overwrite)
    return target

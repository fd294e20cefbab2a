"""protect_file(): a file in, its release out, in the same format."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import flag
from ..data import Roles
from ..engine import Engine
from ..files import Table, check_output, read_table, write_table
from ..files.atomic import appearing
from ..files.labelled import loses
from ..files.manifest import require_new
from ..files.paths import Path, extension
from ..methods import Method
from ..progress import Progress
from ..rstream import RStream
from .protect import Protected, protect


def protect_file(
    source: Path,
    output: Path,
    method: Method,
    roles: Roles,
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    strata: Any = None,
    separator: str | None = None,
    decimal: str | None = None,
    disarm: bool = False,
    overwrite: bool = False,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Protected:
    """Protect a CSV, Parquet, SPSS, Stata or SAS file that fits in memory, and write its release.

    source, output : paths; the output's extension says its format. Cells that are not protected leave as they came, and
    labels with them; separator, decimal : of a CSV file, found if not given; disarm : in CSV, text that a
    spreadsheet would run as a formula gets an apostrophe in front; overwrite : whether an output that exists is
    replaced; the rest as in protect().
    The output appears whole or not at all, and never replaces the source.
    Raises InvalidInput or InvalidParameter. Returns Protected, whose notes are also the reader's and the writer's.
    """
    check_output(output, [source])
    require_new(output, flag("protect_file", "overwrite", overwrite))
    table = read_table(source, separator, decimal)
    released = protect(
        table.frame,
        method,
        roles,
        seed,
        constraints=constraints,
        missing=missing,
        strata=strata,
        engine=engine,
        progress=progress,
    )
    with appearing(output, overwrite=overwrite) as pending:
        said = write_release(released, table, pending, disarm=disarm)
    return replace(released, notes=[*table.notes, *released.notes, *said])


def write_release(released: Protected, table: Table, output: Path, *, disarm: bool = False) -> list[str]:
    """Write what protect() made of a table's frame; notes on what the output's format could not keep."""
    rows = protected_rows(released, table)
    write_table(released.frame, output, table, released.roles.dependent, rows, disarm=disarm)
    return loses(extension(str(output)), table.labels)


def protected_rows(released: Protected, table: Table) -> NDArray[np.bool_]:
    """(n,) True for the released records that were complete, and so protected; a method may release fewer than came."""
    wanted = [*released.roles.independent, *released.roles.dependent]
    complete = table.frame[wanted].notna().all(axis=1)
    return np.asarray(complete.loc[released.frame.index].to_numpy(dtype=bool))

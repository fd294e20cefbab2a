"""protect() of a Parquet file by strata: each of them in memory, the release in the file's own order."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from ..constraints.enforce_by_blocks import block_enforcer, require_columns_of
from ..data import Frame, open_frame
from ..data.blocks import require_room
from ..data.load_by_blocks import load_complete_records
from ..data.records import SortedDiskRecords
from ..data.strata import Numbering, Strata
from ..engine import is_cluster
from ..errors import InvalidParameter
from ..files.atomic import appearing
from ..files.parquet import Source, source
from ..files.paths import Path
from ..methods.method import FrameMethod
from ..progress import Progress, tell
from ..types import Codes
from .file_by_blocks import output_path, write_release
from .run import ProtectRequest
from .strata import run_strata


def protect_strata(
    path: Path,
    output: Path | None,
    asked: ProtectRequest,
    bystanders: Callable[[Frame], list[str]],
    overwrite: bool = False,
) -> tuple[str, list[str]]:
    """Protect a Parquet file or folder stratum by stratum into a Parquet file; the output's path, and the notes.

    The release is that of a frame in memory with the same stream and strata, to the last bit. Memory holds the largest
    stratum and 32 bytes a record; the disk, beside the output, 16 bytes a value in files without a name.
    """
    _require_numbers(asked)
    if output is None:
        rule = 'must be the path of a .parquet file where a path is protected (output="out.parquet")'
        raise InvalidParameter("protect", "output", rule, output)
    data, roles, notes = source("protect", path), asked.roles, list[str]()
    target = output_path(output, data.name, data.paths, overwrite)
    wanted, folder = [*roles.independent, *roles.dependent], os.path.dirname(os.path.realpath(target))
    require_columns_of("protect", asked.limits, data, roles)
    also = (*roles.identifiers, *roles.unknown, *asked.strata)
    taken = load_complete_records("protect", data, wanted, also, asked.missing, folder, asked.progress)
    try:
        if taken.rows.n < taken.records:
            left = taken.records - taken.rows.n
            notes.append(f"{left} of {taken.records} records have missing values and are left as they are")
        limits = ("protect", asked.limits, data, roles, asked.missing, asked.round_integers, asked.progress)
        keep = block_enforcer(*limits)
        strata = Strata.of(asked.strata, _codes(data, asked.strata, wanted, asked.missing, asked.progress))
        require_room("protect", strata, len(wanted))
        sorted_rows = SortedDiskRecords(taken.rows, strata, folder)
    finally:
        taken.rows.close()
    said = run_strata(asked, strata, sorted_rows.read, sorted_rows.write)
    values = sorted_rows.in_order(len(roles.dependent))
    notes += said
    with appearing(output, overwrite=overwrite) as pending:
        write_release(data, pending, roles, values, asked.round_integers, notes, asked.progress, keep)
    return target, [*notes, *bystanders(open_frame("protect", data.first()))]


def _require_numbers(asked: ProtectRequest) -> None:
    if isinstance(asked.method, FrameMethod):
        rule = "must give numbers for numbers where a file is protected (read the file into a frame for this one)"
        raise InvalidParameter("protect", "method", rule, str(asked.method))
    if is_cluster(asked.engine) and not asked.method.by_blocks:
        rule = f"must be local for {asked.method}, which compares records with each other"
        raise InvalidParameter("protect", "engine", rule, "a cluster")


def _codes(data: Source, strata: tuple[str, ...], wanted: list[str], missing: str, progress: Progress | None) -> Codes:
    """(n,) the complete records' strata."""
    numbering, parts, seen = Numbering("protect", strata, missing), list[Codes](), 0
    for table in data.tables(list(dict.fromkeys([*strata, *wanted]))):
        door = open_frame("protect", table)
        codes = numbering.codes(door)
        gaps = np.any([np.isnan(door.values(name)) for name in wanted], axis=0)
        parts.append(codes[~gaps])
        seen += door.records
        tell(progress, seen, data.n, "finding the strata")
    return np.concatenate(parts)

"""Where a release goes: nowhere, its frame being handed over; or to a file, found good before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..data import Frame, Roles
from ..data.source import is_path
from ..errors import InvalidInput, InvalidParameter, Note
from ..files import Table, check_output, write_table
from ..files.atomic import atomic_files, writing
from ..files.formats import WRITTEN
from ..files.labelled import loses
from ..files.parquet import ParquetWriter, to_frame
from ..files.paths import PARQUET, Path, check_new, copy_paths, extension, parquet_files, path_text
from .release import Sink


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a release goes. output : None for nowhere; overwrite : whether a file that exists is replaced; disarm : in CSV,
    text that a spreadsheet would run as a formula gets an apostrophe in front; pending : files on their way, one a copy,
    where `output` is not what they are called by."""

    output: Path | None = None
    pending: Sequence[Path] = ()
    overwrite: bool = False
    disarm: bool = False

    def outputs(self, copies: int) -> list[Path]:
        """The files of so many copies."""
        if self.output is None:
            return []
        return list(self.pending) or copy_paths(self.output, copies)


def require_output(given: Any, to: Destination, copies: int = 1) -> None:
    """Raises InvalidInput or InvalidParameter for an output that must not be written, or replaced: before any work.

    given : what is protected: a frame, whose release is none of a file, or the path of one, whose release is; or it opened.
    """
    path, output = given.path if isinstance(given, Frame) else given if is_path(given) else None, to.output
    if path is None:
        if output is not None:
            rule = "must be left out where a frame is protected: the result holds the release"
            raise InvalidParameter("protect", "output", rule, output)
        return
    if output is None:
        if isinstance(given, Frame) and given.source is None:
            return
        rule = 'must be the path of a file where a file is protected (output="out.parquet")'
        raise InvalidParameter("protect", "output", rule, output)
    for one in to.outputs(copies):
        require_target(path_text("protect", path), one, to.overwrite)
    if isinstance(given, Frame):
        require_format(given, output)


def require_target(source: str, output: Path, overwrite: bool) -> None:
    """Raises InvalidInput for a path that a release of the file or folder `source` must not go to."""
    target = check_output(output, parquet_files(source))
    if os.path.isdir(source) and os.path.dirname(os.path.realpath(target)) == os.path.realpath(source):
        raise InvalidInput(target, "an output must not lie in the folder that is protected", source)
    check_new(target, overwrite)


def require_format(opened: Frame, output: Path) -> None:
    """Raises InvalidInput where what is read by blocks would go to a file that is not written so."""
    check_output(output, (), WRITTEN if opened.source is None else PARQUET)


@contextmanager
def written(opened: Frame, roles: Roles, to: Destination) -> Iterator[Sink]:
    """What takes the released records and writes them; the file appears whole at the end, or not at all."""
    assert to.output is not None
    with atomic_files([to.output], overwrite=to.overwrite) as [pending], writing(pending.name):
        if opened.table is not None:
            table = opened.table
            yield lambda frame: write_release(frame, table, roles, pending, disarm=to.disarm)
        elif extension(os.fspath(to.output)) not in PARQUET:
            yield lambda frame: write_table(to_frame(frame), pending, disarm=to.disarm)
        else:
            with ParquetWriter(pending.temporary) as writer:
                yield writer.write


def write_release(frame: Any, table: Table, roles: Roles, output: Path, *, disarm: bool = False) -> None:
    """Write what protect() made of a table's frame: what is not protected as it came, with its labels."""
    write_table(frame, output, table, roles.dependent, disarm=disarm)


def not_kept(opened: Frame, output: Path) -> list[Note]:
    """What the output's format cannot keep of the file."""
    return loses(extension(os.fspath(output)), None if opened.table is None else opened.table.labels)

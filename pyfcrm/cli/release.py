"""A file and its release as a command names them, with what the manifest of the release states."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arguments import whole_number
from ..data import Frame, Roles, is_numeric, open_frame
from ..files.paths import Path, copy_paths
from ..protection.options import MAX_COPIES
from ..protection.protect import Protected
from ..trust.verify import recorded_release
from .options import Request


def release_paths(request: Request) -> Sequence[Path]:
    """The path of each copy."""
    copies = getattr(request, "copies", 1)
    return copy_paths(request.protected, whole_number("evaluate", "copies", copies, low=1, high=MAX_COPIES))


def open_pair(
    request: Request, owner: str, *, whole: bool | None = None
) -> tuple[Frame, tuple[Frame, ...], Protected | None]:
    """The original, the copies of the release, and the release as its manifest describes it, None without a manifest.

    whole : as in open_data.
    """
    paths = release_paths(request)
    recorded = None if request.manifest is None else recorded_release(request.manifest, paths, request.original)
    before, *after = (request.opened(owner, path, whole=whole) for path in (request.original, *paths))
    if recorded is not None:
        recorded = replace(recorded, frame=after[0], more=tuple(after[1:]))
        if recorded.options.missing == "drop" and before.source is None:
            before = _released_records(owner, before, recorded.roles, after[0].records)
    return before, tuple(after), recorded


def _released_records(owner: str, original: Frame, roles: Roles, count: int) -> Frame:
    """The records without missing values, which a release with missing="drop" has, so that both files pair by position."""
    names = [*filter(lambda name: is_numeric(original, name), roles.independent), *roles.dependent]
    complete = np.all([original.codes(name) >= 0 for name in names], axis=0)
    if complete.sum() != count:
        return original
    records = original.taken(np.flatnonzero(complete))
    if original.table is not None:  # of pandas, whose index would pair the records
        records = records.reset_index(drop=True)
    opened = open_frame(owner, records).with_labels_of(original)
    opened.notes = original.notes
    return opened

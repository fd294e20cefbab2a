"""A file and its release as a command names them, with what the manifest of the release states."""

from collections.abc import Sequence
from dataclasses import replace

from ..arguments import whole_number
from ..data import Frame
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
        after = [copy.of_rows(rows) for copy, rows in zip(after, recorded.rows, strict=True)]
        recorded = replace(recorded, frame=after[0], more=tuple(after[1:]))
    return before, tuple(after), recorded

"""A release as its manifest describes it, and made again from the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data import Roles
from ..data.source import open_data
from ..data.structure import NOT_ROWS, Structure
from ..engine import Engine
from ..errors import InvalidInput, shown
from ..files.manifest import digests_of, manifest_of, read_json
from ..files.paths import Path, path_text
from ..methods import External, Method
from ..methods.text import method_of
from ..progress import Progress
from ..protection.file import protect_file
from ..protection.protect import Protected
from ..rstream import RStream

RULE = "a manifest must be JSON with a state or a seed, as pyfcrm protect --manifest writes it"
UNREADABLE = "the manifest does not say how the release was made as this version of pyfcrm understands it"
FROM_ELSEWHERE = "a generator from elsewhere made the release with random numbers of its own: it cannot be made again"
# Of protect_file(), by the names that a manifest has.
OPTIONS = (
    "constraints",
    "missing",
    "allow_unprotected",
    "strata",
    "structure",
    "weights",
    "preserve",
    "disarm",
    "copies",
)


def start_of(manifest: str, found: Mapping[str, Any]) -> int | RStream:
    """Where a release started: the integer, or the state of the whole generator. found : what the manifest holds.

    Raises InvalidInput where it holds neither.
    """
    if found.get("state") is not None:
        start = RStream.from_r_state(found["state"])
        start.fresh = found.get("fresh") is True
        return start
    seed = found.get("seed")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InvalidInput(manifest, RULE)
    return seed


def made_again(
    manifest: str,
    found: Mapping[str, Any],
    original: Path,
    output: Path,
    engine: Engine,
    progress: Progress | None = None,
) -> Protected:
    """The release that the manifest speaks of, made of `original` and written to `output`.

    manifest : its path, for messages; found : what it holds. Raises InvalidInput or InvalidParameter.
    """
    if found["method"] == External.__name__:
        raise InvalidInput(manifest, FROM_ELSEWHERE)
    method, roles, options = _description(manifest, found)
    whole = None if found.get("by_blocks") is None else not found["by_blocks"]
    door = open_data("verify", original, whole, found.get("separator"), found.get("decimal"))
    start = start_of(manifest, found)
    return protect_file(door, output, method, roles, start, engine=engine, progress=progress, **options)


def released_by(manifest: str, releases: Sequence[Path], original: str | None = None) -> Protected:
    """A release as its manifest describes it: roles, method, seed and options are known, its values are in its files.

    releases : the path of each copy. Raises InvalidInput where the manifest is of another release or original.
    """
    paths = [path_text("release", path) for path in releases]
    found, *_ = [manifest_of(manifest, path, original) for path in paths]
    method, roles, options = _description(manifest, found)
    return Protected(
        None,
        found.get("notes") or [],
        method,
        roles,
        start_of(manifest, found),
        paths[0],
        tuple(paths[1:]),
        options=options,
    )


def _description(manifest: str, found: Mapping[str, Any]) -> tuple[Method, Roles, dict[str, Any]]:
    """Method, roles and further arguments of protect_file(), as a manifest has them. Raises InvalidInput."""
    parameters, roles = found.get("parameters"), found.get("roles")
    if not isinstance(parameters, Mapping) or not isinstance(roles, Mapping):
        raise InvalidInput(manifest, UNREADABLE)
    digests, copies = digests_of(found, "output"), found.get("copies") or 1
    if len(digests) != copies:
        raise InvalidInput(
            manifest, "a manifest must hold the SHA-256 of each copy", f"{len(digests)} of {shown(copies)}"
        )
    if found["method"] == External.__name__:  # its name only: a manifest runs no command
        name = str(parameters.get("generator"))
        method: Method = External([name], name=name)
    else:
        method = method_of("manifest", {"name": found["method"], **parameters})
    options = {name: found[name] for name in OPTIONS if found.get(name) is not None}
    if isinstance(options.get("structure"), list):
        options["structure"] = Structure.of(options["structure"])
    try:
        return method, Roles(**roles), options
    except TypeError as error:
        raise InvalidInput(manifest, UNREADABLE) from error


def accepted(given: str | None) -> Any:
    """What a structure that is named stands for: "find", or the proposals in a file that `pyfcrm structure --json` wrote."""
    if given in (None, "find"):
        return given
    found = read_json(given, "structure", NOT_ROWS)
    if not isinstance(found.get("rows"), list):
        raise InvalidInput(given, NOT_ROWS)
    return Structure.of(found["rows"])

"""A manifest: the private record of how one release was made, which tells that release from any other by its digest.

Release and manifest get their names one after the other, the release first. A run that is killed in between leaves the
manifest whole under a temporary name: `unfinished` sees that, and `settle` gives it its name, or removes it where the
release beside it is another. So the manifest of an earlier release is there as long as that release is.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from ..errors import InvalidInput
from .atomic import PRIVATE, Pending, appear, remove_dead, synchronise_folder, write_bytes
from .paths import Path, check_new, check_output, copy_paths, parquet_files, path_text
from .temporary import OF_MANIFEST, alone_in, dead

PACKAGES = ("numpy", "scipy", "numba", "pandas")
NOT_ONE = "a manifest must be JSON, as pyfcrm protect --manifest writes it"
SHOWN = 16  # digits of a digest in a message


def digest(path: str) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; of a folder, that of its Parquet files' names and digests.

    A folder's: one line a file, in the order in which they are read (by name, hidden files left out): the SHA-256 of
    the file in hexadecimal, two spaces, the file's name, a line feed; and of these lines the SHA-256. So
    `cd FOLDER && sha256sum *.parquet | sha256sum` gives it too, for names that sort as bytes do.
    Raises InvalidInput where it cannot be read.
    """
    try:
        if not os.path.isdir(path):
            return _of_file(path)
        whole = hashlib.sha256()
        for one in parquet_files(path):
            whole.update(f"{_of_file(one)}  ".encode() + os.fsencode(os.path.basename(one)) + b"\n")
        return whole.hexdigest()
    except OSError as error:
        raise InvalidInput(path, "the file must be readable", error.strerror) from error


def _of_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stamp(path: str) -> list[tuple[int, int, int]]:
    """What tells that a file, or one in a folder of Parquet files, was written to meanwhile: by file inode, size, time."""
    try:
        found = [os.stat(one) for one in (parquet_files(path) if os.path.isdir(path) else [path])]
    except OSError:  # reading it says why
        return []
    return [(one.st_ino, one.st_size, one.st_mtime_ns) for one in found]


def write_manifest(path: Path, contents: Mapping[str, Any], others: Iterable[Path | None] = ()) -> None:
    """Write a private record of a run as JSON, readable by its owner alone from the start.

    contents : names to numbers, words, lists and mappings; numpy scalars and arrays are taken, and a
    number that is not finite becomes null. others : inputs and outputs of the run, which it must not replace.
    """
    check_output(path, others)
    write_bytes(path, _json(contents), mode=PRIVATE)


class Release:
    """A release on its way, with its manifest where one is asked for. outputs : where to write it, a file a copy; pages :
    what appears with it."""

    def __init__(self, outputs: Sequence[Pending]) -> None:
        self.outputs = tuple(outputs)
        self.contents: Mapping[str, Any] = {}
        self.pages: list[Pending] = []

    def beside(self, path: Path, data: bytes, mode: int) -> None:
        """A further file, written now, that appears with the release or not at all."""
        self.pages.append(Pending(path, mode))
        self.pages[-1].write(data)

    def close(self) -> None:
        """Whatever is temporary, removed."""
        for one in (*self.outputs, *self.pages):
            one.close()

    def describe(self, contents: Mapping[str, Any]) -> None:
        """What the manifest says, besides digests, versions, platform and time."""
        self.contents = contents


@contextmanager
def releasing(
    output: Path, manifest: Path | None, source: Path, overwrite: bool, copies: int = 1, before: object = None
) -> Iterator[Release]:
    """A release to be written and described; all files appear at the end, or none, and what stood there stays.

    copies : of several the files are those of `copy_paths`; before : the `stamp` of the source from before it was read.
    Raises InvalidInput where one cannot be written, or exists and `overwrite` is False, and where the source changed.
    """
    with ExitStack() as files:
        made = Release([Pending(path, overwrite=overwrite) for path in copy_paths(output, copies)])
        files.callback(made.close)
        yield made
        if before is not None and stamp(path_text("protect", source)) != before:
            raise InvalidInput(path_text("protect", source), "the file must not change while it is protected")
        for one in (*made.outputs, *made.pages):
            one.synchronise()
        record = None
        if manifest is not None:
            record = Pending(manifest, PRIVATE, overwrite, OF_MANIFEST)
            files.callback(record.close)
            record.write(_json({**made.contents, **_facts(made, path_text("protect", source), record)}))
            record.synchronise()
        appear(*made.outputs, *made.pages, *([] if record is None else [record]))


def _facts(made: Release, source: str, record: Pending) -> dict[str, Any]:
    release = made.outputs[-1]  # renamed last: where it is in place, all copies are
    digests = [digest(one.temporary.path) for one in made.outputs]
    return {
        "sha256": {"input": digest(source), "output": digests if len(digests) > 1 else digests[0]},
        "versions": versions(made.contents.get("pyfcrm")),
        "platform": platform.platform(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        # Percent-encoded, from the manifest's folder: for a run that finds the two parted.
        "place": {
            "manifest": quote(os.fsencode(os.path.basename(record.target))),
            "output": quote(os.fsencode(os.path.relpath(release.target, record.folder))),
        },
    }


def versions(own: str | None) -> dict[str, str | None]:
    """What numbers may depend on, by name. own : the version of pyfcrm."""
    return {"pyfcrm": own, "python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def require_new(path: Path, overwrite: bool) -> None:
    """Settle what dead runs left in the folder of an output, and refuse one that exists unless it is to be replaced."""
    settle(os.path.dirname(os.path.realpath(path_text("output", path))))
    check_new(path, overwrite)


def settle(folder: str) -> None:
    """Remove what dead runs left in a folder; a manifest whose release is in place gets its name."""
    remove_dead(folder)
    with dead(folder, manifests=True) as left:
        for path in left:
            manifest, release, known = _waiting(path)
            with alone_in([folder, os.path.dirname(release)]), suppress(OSError):
                if known and _digest(release) == known:
                    os.replace(path, manifest)
                    synchronise_folder(folder)
                else:
                    os.unlink(path)


def unfinished(manifest: str, release: str) -> bool:
    """Whether a run was killed after it wrote this release, and before this manifest of it was in place."""
    target = os.path.realpath(manifest)
    with dead(os.path.dirname(target), manifests=True) as left:
        waiting = [_waiting(path) for path in left]
    return any(known and (named, known) == (target, _digest(release)) for named, _, known in waiting)


def _waiting(path: str) -> tuple[str, str, str]:
    """Of a dead run's manifest: where it was to go, its release, and that one's digest; "" where it is not whole."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        place, folder = found["place"], os.path.dirname(path)
        manifest, release = (os.fsdecode(unquote_to_bytes(str(place[key]))) for key in ("manifest", "output"))
        target = os.path.join(folder, os.path.basename(manifest))  # in this folder, whatever it says
        return target, os.path.realpath(os.path.join(folder, release)), str(digests_of(found, "output")[-1])
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return path, path, ""


def digests_of(found: Mapping[str, Any], key: str) -> list[str]:
    """What a manifest has for the SHA-256 of its "input" or "output", one a copy; none where it has no digest."""
    digests = found.get("sha256")
    known = digests.get(key) if isinstance(digests, Mapping) else None
    listed: list[Any] = known if isinstance(known, list) else [known]
    return listed if all(isinstance(one, str) for one in listed) else []


def shown_digests(known: Sequence[str]) -> str:
    """The first digits of one digest, or of each copy's."""
    return " or ".join(f"{one[:SHOWN]}..." for one in known)


def _digest(path: str) -> str | None:
    try:
        return digest(path)
    except InvalidInput:
        return None


def read_record(path: str) -> Mapping[str, Any]:
    """What a private record of a run holds, whatever that is. Raises InvalidInput where it is no JSON by name."""
    return read_json(path, "manifest", NOT_ONE)


def read_json(path: str, what: str, rule: str) -> Mapping[str, Any]:
    """What a file of JSON by name holds. Raises InvalidInput, with `rule`, where it is none."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise InvalidInput(path, f"the {what} could not be read", error.strerror) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(path, rule) from error
    if not isinstance(found, Mapping):
        raise InvalidInput(path, rule)
    return found


def read_manifest(path: str) -> Mapping[str, Any]:
    """What `pyfcrm protect --manifest` wrote. Raises InvalidInput for anything else."""
    found = read_record(path)
    if not isinstance(found.get("method"), str):
        raise InvalidInput(path, NOT_ONE)
    return found


def manifest_of(path: str, release: str, original: str | None = None) -> Mapping[str, Any]:
    """The manifest at `path`, which must speak of this very release, and of this original where one is given.

    Raises InvalidInput, in one sentence: where a run was killed before the release's manifest was in place, where it is
    of another release or original, and where it is none.
    """
    if unfinished(path, release):
        rule = (
            f"the run that wrote {release} was killed before its manifest was in place; "
            "the next pyfcrm protect into this folder puts it there"
        )
        raise InvalidInput(path, rule)
    found = read_manifest(path)
    for what, file, key in (("release", release, "output"), ("original", original, "input")):
        if file is None:
            continue
        known = digests_of(found, key)
        if not known:
            raise InvalidInput(path, f"a manifest must hold the SHA-256 of its {what} (protect again to have one)")
        now = digest(file)
        if now not in known:
            rule = f"the manifest is of another {what} than {file}: its SHA-256 must be {shown_digests(known)}"
            raise InvalidInput(path, rule, f"{now[:SHOWN]}...")
    return found


def _json(contents: Mapping[str, Any]) -> bytes:
    return (json.dumps(_plain(contents), indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _plain(value: Any) -> Any:
    """`value` in JSON's own types."""
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)

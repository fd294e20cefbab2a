"""The manifest: the private provenance record of one release, which it identifies by its digest.

It is written last, with the digests of the release. A run that is killed between release and manifest leaves a release
without its manifest: an earlier manifest there has another digest and is refused.
"""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, BinaryIO

from pydantic_core import to_jsonable_python
from threadpoolctl import threadpool_info

from ..errors import InvalidInput, refusing
from .atomic import PRIVATE, Pending, atomic_files
from .paths import Path, copy_paths, parquet_files, path_text

PACKAGES = ("numpy", "scipy", "numba", "pandas")
NOT_ONE = "a manifest must be JSON, as pyfcrm protect --manifest writes it"
NO_DIGESTS = "a manifest must hold the SHA-256 of its input and output (protect again to have one)"
NO_VERSIONS = "a manifest must hold versions by name, as pyfcrm protect --manifest writes it"
SHOWN = 16  # digits of a digest in a message


def digest(path: str) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; of a folder, that of its Parquet files' names and digests.

    A folder's digest is the SHA-256 of one line for each file, in the order of reading (by name, without hidden files).
    A line has the file's SHA-256 in hexadecimal, two spaces, its name, a line feed. So `cd FOLDER && sha256sum
    *.parquet | sha256sum` gives it too, for names that sort as bytes do. Raises InvalidInput where it cannot be read.
    """
    try:
        if os.path.isdir(path):
            lines = (f"{digest(file)}  {os.path.basename(file)}\n" for file in parquet_files(path))
            return hashlib.sha256(b"".join(map(os.fsencode, lines))).hexdigest()
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InvalidInput(path, "the file must be readable", error.strerror) from error


def has_text(path: str, text: str) -> bool:
    """Whether a text, in UTF-8, is in the bytes of a file. Raises InvalidInput where it cannot be read."""
    with refusing(path, "the file must be readable"), open(path, "rb") as file:
        return text.encode("utf-8") in file.read()


def stamp(path: str) -> list[tuple[int, int, int]]:
    """Inode, size and time of a file, or of each in a folder of Parquet files: they differ once it was written to."""
    try:
        stats = [os.stat(file) for file in parquet_files(path)]
    except OSError:  # reading it says why
        return []
    return [(file.st_ino, file.st_size, file.st_mtime_ns) for file in stats]


@contextmanager
def releasing(
    output: Path, manifest: Path | None, source: Path, *, overwrite: bool, copies: int = 1, before: object = None
) -> Iterator[tuple[list[Pending], dict[str, Any]]]:
    """The files of a release to be written, one a copy, and the contents of its manifest to be set.

    At the end all files get their names, with those that were added to the list; the manifest comes last, with digests,
    versions, platform and time. copies : of several the files are those of `copy_paths`; before : the `stamp` of the source
    from before it was read. Raises InvalidInput where one cannot be written, or exists and `overwrite` is False, and where
    the source changed.
    """
    original, contents = path_text("protect", source), dict[str, Any]()
    with atomic_files(copy_paths(output, copies), overwrite=overwrite) as files:
        outputs = tuple(files)
        yield files, contents
        if before is not None and stamp(original) != before:
            raise InvalidInput(original, "the file must not change while it is protected")
        if manifest is not None:
            digests = [digest(file.temporary) for file in outputs]
            contents |= {
                "sha256": {"input": digest(original), "output": digests if len(digests) > 1 else digests[0]},
                "versions": versions(),
                "platform": platform.platform(),
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
            }
            text = json.dumps(json_value(contents), indent=2, ensure_ascii=False)
            files.append(Pending(manifest, PRIVATE))
            files[-1].write(f"{text}\n".encode())


def versions() -> dict[str, str]:
    """Software and hardware on which numbers may depend, by name.

    These are packages, the processor that numba compiles for, and the kernels of BLAS.
    """
    from llvmlite.binding import get_host_cpu_name

    from .. import __version__

    libraries = [one for one in threadpool_info() if one["user_api"] == "blas"]
    return {
        "pyfcrm": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "processor": os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name(),
        "blas": ", ".join(sorted({f"{one['internal_api']} {one.get('architecture')}" for one in libraries})),
    }


def compare_digest(contents: Mapping[str, Any], what: str, file: str) -> tuple[bool, str]:
    """Whether a file is the "release" or the "original" of a manifest that was read, and the outcome as a sentence."""
    known, now = contents["sha256"]["output" if what == "release" else "input"], digest(file)
    if now not in known:
        digests = " or ".join(f"{digest[:SHOWN]}..." for digest in known)
        rule = f"its SHA-256 is {now[:SHOWN]}..., not {digests}"
        return False, f"{file} is not the {what} of the manifest: {rule}"
    which = f"{what}, copy {known.index(now) + 1} of {len(known)}," if len(known) > 1 else what
    return True, f"{file} is the {which} of the manifest (SHA-256 {now[:SHOWN]}...)"


def read_document(path: str, what: str, rule: str, load: Callable[[BinaryIO], Any] = json.load) -> Mapping[str, Any]:
    """The contents of a file of JSON or TOML. what : the file, for messages. Raises InvalidInput, with `rule`, where it is none."""
    try:
        with open(path, "rb") as file:
            contents = load(file)
    except OSError as error:
        raise InvalidInput(path, f"the {what} could not be read", error.strerror) from error
    except (ValueError, RecursionError) as error:  # also integers of thousands of digits
        raise InvalidInput(path, rule, str(error)) from error
    if not isinstance(contents, Mapping):
        raise InvalidInput(path, rule)
    return contents


def read_manifest(path: str) -> dict[str, Any]:
    """The contents of a manifest, with a list of digests of its input and its output. Raises InvalidInput for any other file."""
    contents = read_document(path, "manifest", NOT_ONE)
    if not (contents.get("method") or contents.get("step")):
        raise InvalidInput(path, NOT_ONE)
    digests = contents.get("sha256")
    digests = digests if isinstance(digests, Mapping) else {}
    listed = {key: value if isinstance(value, list) else [value] for key, value in digests.items()}
    for key in ("input", "output"):
        if not listed.get(key) or not all(isinstance(digest, str) for digest in listed[key]):
            raise InvalidInput(path, NO_DIGESTS)
    if not isinstance(contents.get("versions") or {}, Mapping):
        raise InvalidInput(path, NO_VERSIONS)
    return {**contents, "sha256": listed}


def json_value(value: Any) -> Any:
    """A value in JSON's own types: numpy scalars and arrays are converted, and a number that is not finite becomes null."""

    def converted(other: Any) -> Any:
        return other.tolist() if hasattr(other, "tolist") else str(other)

    return to_jsonable_python(value, inf_nan_mode="null", fallback=converted)


def file_digests(files: Any) -> tuple[str, str]:
    """Names and SHA-256 of a release or of its copies. files : the path of each and where its bytes are."""
    return ", ".join(map(os.path.basename, files)), ", ".join(map(digest, files.values()))

"""Files that appear whole or not at all."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ..errors import InvalidInput
from .paths import Path, check_output

_PUBLIC = 0o666  # less the umask, as for any new file
_PRIVATE = 0o600


def write_bytes(path: Path, data: bytes, *, mode: int = _PUBLIC) -> None:
    """Write `data` to `path`: the file there is either the old one or the whole new one.

    A temporary file in the same folder is written, synchronised and renamed; it is removed on any failure.
    mode : permissions of the new file, less the umask; they hold from the moment it is created.
    Raises InvalidInput where the file cannot be written.
    """
    text = check_output(path, extensions=None)
    target = os.path.realpath(text)  # a link keeps pointing at its file
    temporary = os.path.join(os.path.dirname(target), f".pyfcrm-{secrets.token_hex(8)}.tmp")
    try:
        try:
            _write_synchronised(temporary, data, mode)
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise InvalidInput(text, "the file could not be written", error.strerror or str(error)) from error
    _synchronise_folder(os.path.dirname(target))


def write_text(path: Path, text: str, *, mode: int = _PUBLIC) -> None:
    """Write `text` as UTF-8, line ends as they are; otherwise as `write_bytes`."""
    write_bytes(path, text.encode("utf-8"), mode=mode)


def write_manifest(path: Path, contents: Mapping[str, Any], others: Iterable[Path | None] = ()) -> None:
    """Write a private record of a run as JSON, readable by its owner alone from the start.

    contents : names to numbers, words, lists and mappings; numpy scalars and arrays are taken, and a
    number that is not finite becomes null. others : inputs and outputs of the run, which it must not replace.
    """
    check_output(path, others, extensions=None)
    write_text(path, json.dumps(_plain(contents), indent=2, ensure_ascii=False) + "\n", mode=_PRIVATE)


def _write_synchronised(path: str, data: bytes, mode: int) -> None:
    # O_EXCL: never through a link that someone else put there.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _synchronise_folder(folder: str) -> None:
    """Make the renaming itself durable, where the system can (Windows cannot)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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

"""The ledger's file: entries with a seal, read and written under a lock that excludes other processes."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ...errors import InvalidInput
from ...files.atomic import PRIVATE, write_bytes
from ...files.paths import LEDGER_KEY
from .entry import Entry

KEY_BYTES = 32
BROKEN = "a ledger must be as pyfcrm wrote it, with its key beside it (restore both files, or begin another ledger)"


@contextmanager
def locked(path: str) -> Iterator[bytes]:
    """The key of a ledger, which is written where neither file exists; a lock excludes other processes meanwhile.

    Windows has no such lock. Raises InvalidInput where the files cannot be written.
    """
    with _refusing(path):
        exists = os.path.exists(path)
        if exists and not os.path.exists(path + LEDGER_KEY):
            raise InvalidInput(path, BROKEN, "no key")
        file = os.fdopen(os.open(path + LEDGER_KEY, os.O_RDWR | os.O_CREAT, PRIVATE), "r+b")
    with file:
        with _refusing(path):
            with suppress(ImportError):
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX)
            key = file.read()
            if not key and not os.path.exists(path):
                key = secrets.token_bytes(KEY_BYTES)
                file.write(key)
                file.flush()
                write(path, key, [])
        yield key


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    """Around work on a ledger's files: an error of the system is an InvalidInput."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(path, "a ledger must be writable, and its key too", error.strerror) from error


def read(path: str, key: bytes) -> list[Entry]:
    """The entries of a ledger. Raises InvalidInput where it is damaged or forged."""
    try:
        with open(path, encoding="utf-8") as file:
            contents = json.load(file)
        releases = contents["releases"]
        if len(key) != KEY_BYTES or not hmac.compare_digest(contents["hmac"], _seal(releases, key)):
            raise ValueError
        return [Entry.from_document(release) for release in releases]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(path, BROKEN) from error


def write(path: str, key: bytes, entries: Sequence[Entry]) -> None:
    """The ledger's file with these entries and their seal, written whole or not at all."""
    releases = [entry.document() for entry in entries]
    contents = json.dumps({"releases": releases, "hmac": _seal(releases, key)}, indent=1)
    write_bytes(path, contents.encode(), mode=PRIVATE)


def _seal(entries: Any, key: bytes) -> str:
    """HMAC of all entries: a changed ledger does not pass for one that pyfcrm wrote."""
    return hmac.digest(key, json.dumps(entries, sort_keys=True).encode(), "sha256").hex()

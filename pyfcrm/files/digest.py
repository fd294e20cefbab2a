"""SHA-256 of what a run read and wrote."""

from __future__ import annotations

import hashlib
import os

from ..errors import InvalidInput
from .paths import parquet_files


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

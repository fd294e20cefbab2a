"""Hierarchies of values in the CSV form of ARX: semicolons, no header, a row for each value, from the value to the most general group."""

import csv

from ..errors import InvalidInput
from .paths import NOT_READ, Path, path_text

SEPARATOR = ";"


def read_hierarchy(path: Path) -> list[list[str]]:
    """The rows of the file, without empty lines. Raises InvalidInput."""
    name = path_text("recode_search", path)
    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            return [row for row in csv.reader(file, delimiter=SEPARATOR) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(name, NOT_READ, str(error)) from error

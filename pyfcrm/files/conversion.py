"""Errors of the system, of pyarrow and of the calendar as InvalidInput."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from zoneinfo import ZoneInfoNotFoundError

from ..errors import InvalidInput, PyfcrmError
from .child import first_line


@contextmanager
def refusing(owner: str, rule: str = "the file could not be written") -> Iterator[None]:
    """Errors of the system, of pyarrow and of the calendar as InvalidInput with the rule."""
    try:
        yield
    except Exception as error:
        is_pyarrow = any(kind.__name__ == "ArrowException" for kind in type(error).__mro__)
        expected = is_pyarrow or isinstance(error, ValueError | OverflowError | OSError | ZoneInfoNotFoundError)
        if isinstance(error, PyfcrmError) or not expected:
            raise
        number = getattr(error, "errno", None)
        raise InvalidInput(owner, rule, os.strerror(number) if number else first_line(error)) from error


def converting(owner: str, column: str) -> AbstractContextManager[None]:
    """Errors in converting the values of a column as InvalidInput that names it."""
    return refusing(
        owner, f"column `{column}` must have values that can be converted, such as dates of years 1 to 9999"
    )

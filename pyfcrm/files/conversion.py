"""The one place where errors of pyarrow and of the calendar become InvalidInput."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from zoneinfo import ZoneInfoNotFoundError

from ..errors import InvalidInput, PyfcrmError
from .child import first_line


@contextmanager
def refusing(owner: str, rule: str) -> Iterator[None]:
    """Errors of pyarrow, of the calendar and of the system as InvalidInput with the rule."""
    try:
        yield
    except Exception as error:
        is_pyarrow = any(kind.__name__ == "ArrowException" for kind in type(error).__mro__)
        expected = is_pyarrow or isinstance(error, ValueError | OverflowError | OSError | ZoneInfoNotFoundError)
        if isinstance(error, PyfcrmError) or not expected:
            raise
        raise InvalidInput(owner, rule, first_line(error)) from error


def converting(owner: str, column: str) -> AbstractContextManager[None]:
    """Errors in converting the values of a column as InvalidInput that names it."""
    return refusing(
        owner, f"column `{column}` must have values that can be converted, such as dates of years 1 to 9999"
    )

"""What can go wrong on the way to R, as the package's own errors."""

from __future__ import annotations

from pyfcrm.errors import PyfcrmError


class RUnavailable(PyfcrmError):
    """R cannot be used here and now; the message says why, and what mends it."""


class RError(PyfcrmError):
    """R stopped with an error.

    called : the R function; text : R's own words.
    """

    def __init__(self, called: str, text: str) -> None:
        self.called, self.text = called, text
        super().__init__(f"R's {called}: {text}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.called, self.text)


class RWarning(UserWarning):
    """A warning of R's, in R's own words."""

"""R's random streams in Python: the same seed gives the same numbers, to the last bit."""

from .stream import R_INTEGER, RStream, as_stream

__all__ = ["R_INTEGER", "RStream", "as_stream"]

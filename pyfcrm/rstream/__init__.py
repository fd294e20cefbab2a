"""R's random streams in Python: the same seed gives the same numbers, to the last bit."""

from .plain import R_INTEGER
from .stream import RStream, as_stream

__all__ = ["R_INTEGER", "RStream", "as_stream"]

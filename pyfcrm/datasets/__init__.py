"""Data sets: five simulated files, and the Census file where the user has it."""

from .census import census
from .census_like import COLUMNS as CENSUS_COLUMNS
from .census_like import census_like
from .simulated import accounts, enterprises, example
from .survey import survey

__all__ = [
    "CENSUS_COLUMNS",
    "accounts",
    "census",
    "census_like",
    "enterprises",
    "example",
    "survey",
]

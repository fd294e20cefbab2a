"""Data sets: five simulated files, and the Census file where the user has it."""

from .census_file import COLUMNS as CENSUS_COLUMNS
from .census_file import census, census_like
from .simulated import accounts, enterprises, example, survey

__all__ = [
    "CENSUS_COLUMNS",
    "accounts",
    "census",
    "census_like",
    "enterprises",
    "example",
    "survey",
]

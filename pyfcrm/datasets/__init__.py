"""Data to try things on: seven files simulated here, and the Census file where the user has it."""

from .businesses import balances, sales
from .census import census
from .census_like import COLUMNS as CENSUS_COLUMNS
from .census_like import census_like
from .simulated import accounts, enterprises, example
from .survey import survey

__all__ = [
    "CENSUS_COLUMNS",
    "accounts",
    "balances",
    "census",
    "census_like",
    "enterprises",
    "example",
    "sales",
    "survey",
]

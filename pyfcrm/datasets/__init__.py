"""Data to try things on: two simulated here, and the Census file where the user has it."""

from .census import census
from .census_like import COLUMNS as CENSUS_COLUMNS
from .census_like import census_like
from .example import example

__all__ = ["CENSUS_COLUMNS", "census", "census_like", "example"]

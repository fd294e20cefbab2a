"""Figures of results. Only this module imports matplotlib."""

from .before_after import distributions
from .maps import AXES, risk_utility_map
from .results import attacks, measures
from .style import as_png

__all__ = [
    "AXES",
    "as_png",
    "attacks",
    "distributions",
    "measures",
    "risk_utility_map",
]

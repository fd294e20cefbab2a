"""Figures of results. Only this module imports matplotlib."""

from .charts import distributions, measures
from .maps import AXES, risk_utility_map
from .style import as_png

__all__ = [
    "AXES",
    "as_png",
    "distributions",
    "measures",
    "risk_utility_map",
]

"""Figures of results. Only this module imports matplotlib."""

from .charts import along, distributions, measures
from .maps import AXES, LOSSES, risk_utility_map
from .style import as_png

__all__ = [
    "AXES",
    "LOSSES",
    "along",
    "as_png",
    "distributions",
    "measures",
    "risk_utility_map",
]

"""The compiled form of univariate.best_sizes."""

from ...engine.compile import compiled
from .univariate import best_sizes

compiled_best_sizes = compiled(best_sizes)

"""Partitions of records into groups of at least k, as (n,) int64 labels from 0."""

from .mdav import mdav_groups, vmdav_groups
from .univariate import first_component, optimal_groups, ranked_groups, sum_of_zscores

__all__ = [
    "first_component",
    "mdav_groups",
    "optimal_groups",
    "ranked_groups",
    "sum_of_zscores",
    "vmdav_groups",
]

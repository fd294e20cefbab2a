"""Records into groups of at least k: microaggregation's partitions, as (n,) int64 labels counted from 0."""

from .mdav import mdav_groups, parts_note
from .univariate import component_groups, optimal_groups, ranked_groups, zscore_groups
from .vmdav import vmdav_groups

__all__ = [
    "component_groups",
    "mdav_groups",
    "optimal_groups",
    "parts_note",
    "ranked_groups",
    "vmdav_groups",
    "zscore_groups",
]

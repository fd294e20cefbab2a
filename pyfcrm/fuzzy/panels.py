"""Memberships in panels of 256 records, so that compiled loops run over consecutive numbers."""

import numpy as np

from ..numerics.box_tree import in_blocks
from ..types import Array

PANEL = 256  # records of a panel
ERROR_FLOOR = 1e-100  # the thesis's replacement for an error of zero


def to_panels(U: Array) -> Array:
    """A membership (n, c) as (n / 256 rounded up, c, 256), 0 beyond the last record."""
    return in_blocks(U, PANEL, fill=0.0)


def from_panels(panels: Array, n: int) -> Array:
    """A membership (n, c) from its panels (n / 256 rounded up, c, 256)."""
    return np.ascontiguousarray(by_cluster(panels, n).T)


def by_cluster(panels: Array, n: int) -> Array:
    """A membership (c, n) from its panels: the panels of a cluster one after the other, cut after n records."""
    return panels.transpose(1, 0, 2).reshape(panels.shape[1], -1)[:, :n]

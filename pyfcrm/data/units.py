"""The units that records belong to: persons observed repeatedly, or households."""

import numpy as np

from ..types import Codes, Rows
from .frame import Frame
from .roles import Roles


def unit_codes(frame: Frame, roles: Roles, rows: Rows, *, whole_households: bool = False) -> Codes | None:
    """Codes (n,) from 0 of the unit of some records, of the household where there is no unit; None without both.

    A record without an id is a unit of its own. whole_households : whether a household goes before the units within it.
    """
    name = roles.unit or roles.household
    if whole_households:
        name = roles.household or roles.unit
    if name not in frame.names:
        return None
    codes = frame.codes(name)[rows]
    alone = codes < 0
    codes = np.where(alone, codes.max(initial=0) + np.cumsum(alone), codes)
    return np.unique(codes, return_inverse=True)[1]


def name_of_joint_unit(roles: Roles) -> str | None:
    """The column of ids of units whose records belong together: households, or persons where these are observed repeatedly."""
    return roles.unit if roles.time is not None else roles.household or roles.unit

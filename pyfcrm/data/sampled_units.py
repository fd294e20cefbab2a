"""The sampling units of records, and a frame with columns of their effects."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..types import Array, Codes, Mask
from .codes import crossed
from .frame import Frame, FrameView
from .roles import Roles

DIGITS = 3  # decimals of ratios of weights, which files have rounded


def sampled_units(frame: Frame, roles: Roles) -> Codes | None:
    """The primary sampling unit (n,) of each record, from 0; None where the frame has none, so that each record is one.

    Codes of units count within strata. A missing code is a unit of its own. Without units, replicate weights of a known type identify them:
    the records of a unit have the same ratios of replicate weights to the weight.
    """
    names = [name for name in (roles.sampling_stratum, roles.psu) if name is not None]
    if roles.psu is None:
        names = [] if roles.replicate_type is None else list(roles.replicate_weights)
    if not names or not {*names} <= {*frame.names}:
        return None
    if names == list(roles.replicate_weights):
        return _units_of_replicates(frame, roles)
    units = np.zeros(frame.records, dtype=np.int64)
    for name in names:
        units = crossed(units, frame.codes(name))
    return np.unique(units, return_inverse=True)[1]


def _units_of_replicates(frame: Frame, roles: Roles) -> Codes:
    """The units (n,), from 0, by ratios of replicate weights to the weight, to DIGITS decimals."""
    replicates = frame.matrix(roles.replicate_weights)
    weights = np.ones(frame.records) if roles.weight is None else frame.values(roles.weight)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.round(replicates / weights[:, None], DIGITS)
    return np.unique(ratios, axis=0, return_inverse=True)[1].reshape(-1)


class WithNumbers(FrameView):
    """A frame in memory with further columns of numbers, none missing."""

    def __init__(self, original: Frame, numbers: Mapping[str, Array]) -> None:
        super().__init__(original)
        self._numbers = numbers
        self.names = [*original.names, *numbers]

    def kind(self, name: str) -> str:
        """See Frame.kind."""
        return "float" if name in self._numbers else self.original.kind(name)

    def values(self, name: str) -> Array:
        """See Frame.values."""
        return self._numbers[name] if name in self._numbers else self.original.values(name)

    def unreadable(self, name: str) -> Mask:
        """See Frame.unreadable."""
        return np.zeros(self.records, dtype=bool) if name in self._numbers else self.original.unreadable(name)

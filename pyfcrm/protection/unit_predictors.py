"""Effects of sampling units as further predictors, so that a release differs between units as the original does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..data import Frame
from ..data.predictors import is_safe
from ..data.preserved_totals import Contributions
from ..data.roles import plain_roles
from ..data.sampled_units import WithNumbers, sampled_units
from ..errors import Note
from ..numerics.sorting import normal_scores
from ..numerics.unit_effects import level_indicators, residual_scores, unit_effects
from ..types import Array, Codes, Mask
from .request import ProtectRequest

ADDED = "the effects of sampling units on {columns} are predictors of the design, so that standard errors of the sampling design hold"
WITHOUT = (
    "{count} of {total} sampling units, small or with an unsafe total, have no effect of their own: variances between units "
    "are too small"
)
WITHOUT_EFFECTS = (
    "the method does not know sampling units, so that standard errors of the sampling design become too small: Calibrated() "
    "keeps them nearly"
)


def with_unit_effects(request: ProtectRequest, frame: Frame, notes: list[Note]) -> tuple[ProtectRequest, Frame]:
    """The request and a coded frame in memory with the effects of sampling units among the predictors.

    Of each dependent column on which they differ; of a category on each frequent level, beyond the numbers, which are drawn
    first. Units have an effect under the rules by
    which levels of a predictor have a column. request : whose categories are positions of levels in the frame.
    Draws: a normal number for each unit and effect.
    """
    roles = request.roles
    units = sampled_units(frame, roles)
    if units is None:
        return request, frame
    if frame.source is not None:
        notes.append(Note.of("answers", WITHOUT_EFFECTS))
        return request, frame
    used = _units_with_effects(request, frame, units)
    X = frame.matrix(roles.independent)
    numbers = frame.matrix([name for name in roles.dependent if name not in request.categories])
    X_and_numbers = np.hstack([X, normal_scores(numbers)])
    effects = dict[str, Array]()
    affected = dict[str, str]()
    for column, name, y in _outcomes(request, frame):
        given = X_and_numbers if column in request.categories else X
        effect = unit_effects(residual_scores(y, given), units, used, request.stream)
        if effect is not None and used.any():
            effects[name] = effect
            affected[name] = column
    if not effects:
        return request, frame
    notes.append(Note.of("chosen", ADDED, list(dict.fromkeys(affected.values()))))
    if not used.all():
        notes.append(Note.of("answers", WITHOUT, count=int((~used).sum()), total=len(used)))
    work = replace(plain_roles(roles), independent=(*roles.independent, *effects))
    return replace(request, roles=work, unit_effects=affected), WithNumbers(frame, effects)


def _units_with_effects(request: ProtectRequest, frame: Frame, units: Codes) -> Mask:
    """The units (u,) of at least 10 records of which no confidential total discloses a contribution."""
    numbers = [name for name in request.roles.dependent if name not in request.categories]
    sizes = np.abs(np.nan_to_num(frame.matrix(numbers)))
    order = np.argsort(units, kind="stable")
    ends = np.cumsum(np.bincount(units))
    return np.array([is_safe(Contributions.of(sizes[rows])) for rows in np.split(order, ends[:-1])])


def _outcomes(request: ProtectRequest, frame: Frame) -> Iterator[tuple[str, str, Array]]:
    """Of each dependent number, and of each frequent level of a category: the column, the name of its effect, its values (n,)."""
    for column in request.roles.dependent:
        values = frame.values(column)
        if column not in request.categories:
            yield column, f"units: {column}", values
            continue
        for level, indicator in level_indicators(values):
            yield column, f"units: {column}, level {level + 1:g}", indicator

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
from ..numerics.unit_effects import residual_scores, unit_effects
from ..types import Array, Codes, Mask
from .request import ProtectRequest

ADDED = "the effects of sampling units on {columns} are predictors of the design, so that standard errors of the sampling design hold"
WITHOUT = (
    "{count} of {total} sampling units, small or with an unsafe total, have no effect of their own: variances between units "
    "are too small"
)
NO_UNITS = "the file has no sampling units, by `psu` or `sampling_stratum` of the roles: the basis is flexible"
WITHOUT_EFFECTS = (
    'the method does not know sampling units, so that standard errors of the sampling design become too small: Calibrated(basis="design") '
    "keeps them nearly"
)
MAX_LEVELS = 5  # of a category, the most frequent, whose shares units have effects on


def with_unit_effects(request: ProtectRequest, frame: Frame, notes: list[Note]) -> tuple[ProtectRequest, Frame]:
    """The request and a coded frame in memory with the effects of sampling units among the predictors.

    Of each dependent column of which they differ; of a category of each frequent level. Units have an effect under the rules by
    which levels of a predictor have a column. request : whose categories are positions of levels in the frame.
    Draws: a normal number for each unit and effect.
    """
    roles = request.roles
    units = sampled_units(frame, roles)
    if units is None or frame.source is not None:
        notes.append(Note.of("chosen", NO_UNITS))
        return request, frame
    used = _units_with_effects(request, frame, units)
    X = frame.matrix(roles.independent)
    effects = dict[str, Array]()
    affected = list[str]()
    for column, name, y in _outcomes(request, frame):
        effect = unit_effects(residual_scores(y, X), units, used, request.stream)
        if effect is not None and used.any():
            effects[name] = effect
            affected.append(column)
    if not effects:
        return request, frame
    notes.append(Note.of("chosen", ADDED, list(dict.fromkeys(affected))))
    if not used.all():
        notes.append(Note.of("answers", WITHOUT, count=int((~used).sum()), total=len(used)))
    work = replace(plain_roles(roles), independent=(*roles.independent, *effects))
    return replace(request, roles=work), WithNumbers(frame, effects)


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
        levels, counts = np.unique(values[np.isfinite(values)], return_counts=True)
        frequent = levels[np.argsort(-counts, kind="stable")][:MAX_LEVELS]
        if len(levels) == 2:
            frequent = frequent[:1]
        for level in frequent.tolist():
            yield (
                column,
                f"units: {column}, level {level + 1:g}",
                np.where(np.isfinite(values), values == level, np.nan),
            )

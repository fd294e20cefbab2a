"""The test `order`: what the order of the released records tells of confidential values."""

import numpy as np

from ...data.units import unit_codes
from ...plans.limits import LIMITS
from ...protection.order_dependence import LEVEL, order_dependence
from .examined_release import ExaminedRelease
from .outcomes import NO_ROLES, Measured, NotApplicable, NotExamined, Outcome

FEW = "fewer than 30 records that pair, or no confidential column varies beyond the predictors"
RANDOM = "the records are in a random order, which tells nothing of them"
KEY = "order"


def order(release: ExaminedRelease) -> Outcome:
    """The part of the original values that the order of the release explains beyond the predictors, if it is not chance.

    A random order of protect() tells nothing: what it seems to explain is chance.
    """
    if release.is_new_file:
        return NotApplicable()
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if release.rows is None:
        return NotExamined(release.no_pairs)
    if release.shuffled and release.protected.rows is not None:  # protect() drew the order and numbers the records
        return Measured((0.0,), RANDOM)
    old, new = release.rows
    places = old[np.argsort(new)]  # original rows in the order of the release
    [least] = release.request.limits.get(KEY, LIMITS[KEY].values)
    strata = release.request.options.strata or ()
    predictors = tuple(dict.fromkeys((*release.predictors, *strata)))
    found = order_dependence(
        release.original,
        predictors,
        release.compared,
        places,
        unit=unit_codes(release.original, release.roles, places, whole_households=True),
        least=least,
    )
    if found is None:
        return NotApplicable(FEW)
    reason = f"the order of the records explains {found.explained:.1f} % of `{found.column}` beyond the predictors"
    if found.p_value is not None:  # it is computed only for what explains more than the limit
        if found.p_value <= LEVEL:
            reason += f" (p {found.p_value:.2g})"
        else:
            reason += f", by chance (p above {LEVEL})"
    return Measured((found.beyond_chance,), reason)

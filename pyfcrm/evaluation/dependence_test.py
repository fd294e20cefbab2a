"""dependence_test(): whether released records depend on their own originals beyond the predictors."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ..arguments import whole_number
from ..data import Roles, as_roles, is_numeric, paired_rows
from ..data.check import require_columns
from ..data.sampled_units import sampled_units
from ..data.units import unit_codes
from ..data.variable import Variable
from ..errors import InvalidInput
from ..methods.gaps import gap_indicators
from ..protection.protected import Protected
from ..rstream import RStream, as_stream
from .auditing.audited_file import FEWEST
from .auditing.dependence import Dependence, dependence
from .auditing.own_record_statistics import PERMUTATIONS
from .columns import many_level_codes, predictors
from .encoded_files import opened_files
from .systematic_sample import systematic_sample

SAMPLE = 20_000  # records at most: a random sample of a larger file


def dependence_test(
    original: Any,
    released: Any,
    roles: Roles | None = None,
    permutations: int = PERMUTATIONS,
    seed: int | RStream | None = 1,
    *,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
) -> Dependence:
    """Test whether released records depend on their own original records beyond the predictors.

    Parameters
    ----------
    original, released : DataFrame, Table, path or Protected
        Two files whose records pair as in `evaluate`; of more than 20,000, a random sample is compared.
    roles : Roles, optional
        The independent columns are the predictors, the dependent ones that are numbers are compared. Records of a `unit`,
        else of a `household`, are permuted together. None: those of the result of `protect`.
    permutations : int
        How many; the least p-value is 1 / (permutations + 1).
    seed : int or RStream, optional
        Of the permutations; None takes the system's entropy.
    variables : mapping or "numbers", optional
        What columns of the original may contain, a Variable by name; the rest is inferred, as `describe` shows. Codes of missing values
        are gaps, dates are days. "numbers" takes numeric columns as they are. None: as the result of `protect` has it.

    Returns
    -------
    Dependence
        `p_value`, `attribute` and `kind`; to_frame() has every statistic.

    Raises
    ------
    InvalidInput
        If a column is not there, records do not pair, or fewer than 20 pair.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    Released rows are permuted within blocks of records near in the predictors, after a flexible regression on these and on
    which released cells are missing. It has levels of each predictor with at most n / 10 values, and powers. Where it finds
    p <= .05, gradient-boosted trees with out-of-fold predictions complete it, and their p-value counts. If an attribute
    often equals a predictor, or a regression on predictors, such values count by their ranks only: they disclose what the
    predictors do. The statistics are covariances of ranks, close values, equal digits, ratios of two attributes, whole
    records, and the 1 % of largest
    units. Ranks and last digits of a released column are compared with every other column of the original too. The
    p-value is of their maximum. One record alone is never significant: its block has at most 11 others.
    Under a method that perturbs the record's own values, dependence is by design. Source: own; after Shah and Peters
    (2020), Westfall and Young (1993).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.census_like(n=300, seed=1)
    >>> roles = pf.Roles(["EMCONTRB"], ["WSALVAL", "ERNVAL"])
    >>> copied = pf.protect(frame, pf.IPSO("C"), roles, seed=1).frame.assign(ERNVAL=frame["ERNVAL"])
    >>> pf.dependence_test(frame, copied, roles).p_value
    0.005
    """
    if roles is None and isinstance(released, Protected):
        roles = released.roles
    roles = as_roles("dependence_test", roles)
    stream = as_stream(seed)
    k = whole_number("dependence_test", "permutations", permutations, low=19, high=10_000)
    before, after = opened_files("dependence_test", original, released, variables)
    require_columns("dependence_test", before, (*roles.independent, *roles.dependent))
    require_columns("dependence_test", after, roles.dependent)
    names = [name for name in roles.dependent if is_numeric(before, name) and is_numeric(after, name)]
    if not names:
        raise InvalidInput("dependence_test", "needs at least one dependent column that holds numbers", roles.dependent)
    rows = paired_rows(before, after)
    if rows is None or len(rows[0]) < FEWEST:
        count = "they do not" if rows is None else len(rows[0])
        raise InvalidInput("dependence_test", f"records must pair, at least {FEWEST} of them", count)
    unit = unit_codes(before, roles, rows[0])
    chosen = systematic_sample(np.zeros(len(rows[0]), dtype=np.int64), unit, stream, SAMPLE)
    old, new = rows[0][chosen], rows[1][chosen]
    X = predictors(before, roles.independent, old)[0]
    Y, Z = before.matrix(names)[old], after.matrix(names)[new]
    # Which cells of the release are missing is known, as predictors are.
    X = np.hstack([X, gap_indicators(np.isnan(Z))])
    codes = many_level_codes(before, roles.independent, old)
    sampling_units = sampled_units(after, roles)
    return dependence(
        X,
        Y,
        Z,
        names,
        stream,
        codes=codes,
        k=k,
        unit=unit_codes(before, roles, old),
        sampling_unit=None if sampling_units is None else sampling_units[new],
    )

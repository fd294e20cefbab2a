"""dependence_test(): whether released records depend on their own originals beyond the predictors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import whole_number
from ..data import Frame, Roles, as_roles, is_numeric, open_data, paired_rows
from ..data.check import require_columns
from ..display import Result, View
from ..errors import InvalidInput
from ..rstream import RStream, as_stream
from ..types import Array, Codes, Rows
from .audit_file import FEWEST, systematic_sample
from .judge import MANY_LEVELS, predictors
from .own_record import PERMUTATIONS, adjusted_p_values, own_record_statistics, significance, standardised, word_of

SAMPLE = 20_000  # records at most: a random sample of a larger file


@dataclass(frozen=True, repr=False)
class Dependence(Result):
    """Own-record dependence of a release: the most significant statistic; to_frame() has all.

    Parameters
    ----------
    p_value : float
        How likely a release that does not use the records' own values has as large a statistic of any kind.
    attribute, kind : str
        Of the most significant statistic: "ranks", "values", "digits", "ratios", "records" or "largest units".
    lines : tuple of tuple
        Attribute, kind, standardised statistic and adjusted p-value of each statistic.
    records : int
        How many records were compared.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> 0 < pf.dependence_test(frame, released.frame, roles, permutations=99).p_value <= 1
    True
    """

    p_value: float
    attribute: str
    kind: str
    lines: tuple[tuple[str, str, float, float], ...]
    records: int

    def rows(self) -> list[dict[str, Any]]:
        """Every statistic.

        Returns
        -------
        list of dict
            attribute, kind, statistic (in standard deviations under permutation) and p_value, adjusted for all statistics.
        """
        return [dict(zip(("attribute", "kind", "statistic", "p_value"), line, strict=True)) for line in self.lines]

    def describe(self) -> str:
        """The result in words.

        Returns
        -------
        str
            One sentence.
        """
        return (
            f"the most significant dependence is in {self.kind} of {self.attribute}: p = {self.p_value:.3g} over all statistics "
            "together"
        )

    def _view(self) -> View:
        return View(
            f"Own-record dependence of {self.records:,} released records: p = {self.p_value:.3g}",
            ("attribute", "kind", "statistic", "p value"),
            sorted(self.lines, key=lambda line: (line[3], -line[2])),
            [self.describe()],
            words=2,
        )


def dependence_test(
    original: Any, released: Any, roles: Roles, permutations: int = PERMUTATIONS, seed: int | RStream | None = 1
) -> Dependence:
    """Test whether released records depend on their own original records beyond the predictors.

    Parameters
    ----------
    original, released : DataFrame, Table or path
        Two files whose records pair, by a pandas index or by position; of more than 20,000, a random sample is compared.
    roles : Roles
        The independent columns are the predictors, the dependent ones that are numbers are compared. Records of a `unit`,
        else of a `household`, are permuted together.
    permutations : int
        How many; the least p-value is 1 / (permutations + 1).
    seed : int or RStream, optional
        Of the permutations; None takes the system's entropy.

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
    Released rows are permuted within blocks of records near in the predictors, after a flexible regression on these. If
    an attribute often equals a predictor, or a regression on predictors, such values count by their ranks only: they
    disclose what the predictors do. Such relations with curves, or of less than a third of the records, are not found,
    and may look like dependence. The statistics are covariances of ranks, close values, equal digits, ratios of two
    attributes, whole records, and the 1 % of largest units. The p-value is of their maximum. Under a method that
    perturbs the record's own values, dependence is by design. Source: own; after Shah and Peters (2020), Westfall and
    Young (1993).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.census_like(n=300, seed=1)
    >>> roles = pf.Roles(["EMCONTRB"], ["WSALVAL", "ERNVAL"])
    >>> copied = pf.protect(frame, pf.IPSO("C"), roles, seed=1).frame.assign(ERNVAL=frame["ERNVAL"])
    >>> pf.dependence_test(frame, copied, roles).p_value
    0.005
    """
    roles, stream = as_roles("dependence_test", roles), as_stream(seed)
    k = whole_number("dependence_test", "permutations", permutations, low=19, high=10_000)
    before, after = (open_data("dependence_test", side, whole=True) for side in (original, released))
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
    return dependence(X, Y, Z, names, stream, k=k, unit=unit_codes(before, roles, old))


def unit_codes(frame: Frame, roles: Roles, rows: Rows) -> Codes | None:
    """(n,) codes from 0 of the unit, or household, of some rows; None without."""
    name = roles.unit or roles.household
    if name not in frame.names:
        return None
    return np.unique(frame.codes(name)[rows], return_inverse=True)[1]


def with_levels(names: Sequence[str], categories: Sequence[str], Y: Array, Z: Array) -> tuple[list[str], Array, Array]:
    """Originals Y and released values Z (n, t) with the codes of categories as a 0/1 column for each level, behind the numbers;
    also the names of the columns. Categories of many levels are left out."""
    sides = list(zip(names, Y.T, Z.T, strict=True))
    columns = [side for side in sides if side[0] not in categories]
    for name, y, z in (side for side in sides if side[0] in categories):
        levels = np.unique(y[~np.isnan(y)])
        if len(levels) <= MANY_LEVELS:
            columns += [(f"{name}, level {level + 1:g}", y == level, z == level) for level in levels]
    Y, Z = (np.column_stack([np.empty((len(Y), 0)), *(column[k] for column in columns)]) for k in (1, 2))
    return [name for name, _, _ in columns], Y, Z


def dependence(X: Array, Y: Array, Z: Array, names: Sequence[str], stream: RStream, **options: Any) -> Dependence:
    """The test of predictors X (n, s), originals Y and released values Z (n, t), NaN for missing. options : of
    `own_record_statistics`."""
    statistics = own_record_statistics(X, Y, Z, names, stream, **options)
    if not statistics:
        return Dependence(1.0, "none", "none", (), len(X))
    lines = tuple(
        (attribute, word_of(kind), float(standardised(values)[0]), float(p))
        for ((attribute, kind), values), p in zip(statistics.items(), adjusted_p_values(statistics), strict=True)
    )
    best = lines[int(np.argmax([significance(label[0], values) for label, values in statistics.items()]))]
    return Dependence(best[3], *best[:2], lines, len(X))

"""Own-record dependence of a release: the test of all statistics together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Result, View
from ...rstream import RStream
from ...types import Array
from ..columns import MANY_LEVELS
from .own_record_statistics import adjusted_p_values, own_record_statistics, significance, standardised, word_of


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

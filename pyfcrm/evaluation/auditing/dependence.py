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

TREES_BELOW = 0.05  # p-value up to which trees are fitted: they take longer, and the test holds nothing above it


@dataclass(frozen=True, repr=False)
class Dependence(Result):
    """Own-record dependence of a release: the most significant statistic; to_frame() has all.

    Parameters
    ----------
    p_value : float
        How likely a release that does not use the records' own values has as large a statistic of any kind.
    attribute, kind : str
        Of the most significant statistic: "ranks", "values", "digits", "ratios", "records" or "largest units". The attribute is
        "rent, by the record's own wage" where a released column depends on another column of the original.
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
    """Names, originals and released values of columns (n, u): the numbers, then a 0/1 column for each level of the categories.

    Y, Z : (n, t), with codes in the columns of categories, NaN for missing. Categories of many levels are left out.
    """
    kept = list[tuple[str, Array, Array]]()
    levels = list[tuple[str, Array, Array]]()
    for name, y, z in zip(names, Y.T, Z.T, strict=True):
        if name not in categories:
            kept.append((name, y, z))
            continue
        codes = np.unique(y[~np.isnan(y)])
        if len(codes) <= MANY_LEVELS:
            levels += [(f"{name}, level {code + 1:g}", y == code, z == code) for code in codes]
    columns = [*kept, *levels]
    none = np.empty((len(Y), 0))
    before = np.column_stack([none, *(y for _, y, _ in columns)])
    after = np.column_stack([none, *(z for _, _, z in columns)])
    return [name for name, _, _ in columns], before, after


def dependence(X: Array, Y: Array, Z: Array, names: Sequence[str], stream: RStream, **options: Any) -> Dependence:
    """The test of predictors X (n, s), originals Y and released values Z (n, t), NaN for missing.

    options : those of `own_record_statistics`. Where the p-value is at most TREES_BELOW, it is that given the predictions of trees.
    """
    statistics = own_record_statistics(X, Y, Z, names, stream, trees_below=TREES_BELOW, **options).statistics
    if not statistics:
        return Dependence(p_value=1.0, attribute="none", kind="none", lines=(), records=len(X))
    lines = list[tuple[str, str, float, float]]()
    for ((attribute, kind), values), p in zip(statistics.items(), adjusted_p_values(statistics), strict=True):
        lines.append((attribute, word_of(kind), float(standardised(values)[0]), float(p)))
    most = int(np.argmax([significance(attribute, values) for (attribute, _), values in statistics.items()]))
    attribute, kind, _, p_value = lines[most]
    return Dependence(p_value=p_value, attribute=attribute, kind=kind, lines=tuple(lines), records=len(X))

"""Microaggregation: records in groups of at least k, each value replaced by its group's mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import at_most_records
from ..data.roles import Roles
from ..engine import Local
from ..engine.engines import side_by_side
from ..errors import Count, Note
from ..linkage.informed import Attack, NearestCentroid, RankWindows, same_ranks
from ..types import Array, Integers
from .facts import Facts
from .grouping.mdav import mdav_groups, vmdav_groups
from .grouping.univariate import first_component, optimal_groups, ranked_groups, sum_of_zscores
from .method import Method
from .parameter import BLOCKS, as_blocks, indices, param
from .work import NumberWork, Run

GROUPED_APART = "attributes were grouped apart: a value is shared by its group, a whole record need not be"
NOT_LISTED = "{attributes}: in none of the blocks given, so grouped as one more, with k={k}"
KINDS: dict[str, Callable[[Array, int, str | None, Run], Integers]] = {
    "mdav": lambda A, k, scale, run: mdav_groups(A, k, scale, note=run.note, on_step=run.tracker.step),
    "vmdav": lambda A, k, scale, run: vmdav_groups(A, k, scale, on_step=run.tracker.step),
    "zscores": lambda A, k, scale, run: ranked_groups(sum_of_zscores(A), k),
    "pca": lambda A, k, scale, run: ranked_groups(first_component(A, scale), k),
    "individual": lambda A, k, scale, run: ranked_groups(A[:, 0], k),
    "optimal": lambda A, k, scale, run: optimal_groups(A[:, 0], k),
}
SEPARATE = ("individual", "optimal")  # each attribute on its own


@dataclass(frozen=True)
class Microaggregation(Method):
    """Groups of at least k records, each released with its group's means. Means are kept; no draws are made.

    X is not used.

    Parameters
    ----------
    k : int
        The least size of a group.
    kind : str
        "mdav": groups of k around far records, the last to 2k - 1. "vmdav": k to 2k - 1 if records lie close. "zscores"
        and "pca": k along the sum of z-scores or the first principal component, the last k + n mod k. Each attribute
        separately: "individual" (k successive values, the last k + n mod k) and "optimal" (the least within-group sum
        of squares).
    scale : {"variance", None}
        "variance" divides squared differences by each attribute's variance, as sdcMicro does, and takes the components
        of the correlations. None keeps raw units, as the papers do. Only for mdav, vmdav and pca.
    blocks : mapping or list, optional
        Attributes grouped apart, each block with its own k: {("v1", "v2"): 3, "v3": 8} or [(["v1", "v2"], 3), ("v3", 8)], kept
        as the second form. Columns are dependent ones; those in no block form one more, with k.

    Raises
    ------
    InvalidParameter
        By `protect` too, where k or the blocks do not fit the file.

    Notes
    -----
    The independent attributes have no influence.

    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Domingo-Ferrer and Torra (2005); Solanas and Martinez-Balleste (2006); Hansen and Mukherjee (2003); Defays and
    Nanopoulos (1993).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.Microaggregation(5), roles)
    >>> len(released.frame.drop_duplicates(["DEPOSITS", "DEBT"])) <= 20
    True
    """

    k: int = param(low=1, example=4, dial=(2, 1000), help="the least size of a group", unit="records")
    kind: str = param("mdav", words=KINDS, help="how records are grouped")
    scale: str | None = param(
        "variance",
        words=("variance",),
        only=("kind", ("mdav", "vmdav", "pca")),
        help="what squared differences are divided by; None keeps raw units",
    )
    blocks: Any = param(
        None,
        requirement=BLOCKS,
        check=as_blocks,
        help="attributes grouped apart, each block with its own k; None groups all together",
    )

    about = "groups of at least k records, each released with its group's means"
    term = "microaggregation"
    source = "Domingo-Ferrer and Torra (2005)"
    group = "perturb"

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="perturb",
            pairs="always",
            keeps="",
            averages=True,
            reissues_values=self.k == 1,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(self._attack,),
            seed_probe="release",
        )

    @property
    def _attack(self) -> Attack:
        """The nearest group, or where attributes are grouped one by one, the groups in which a value may lie."""
        if self.kind in SEPARATE:
            return RankWindows(same_ranks, "nearest in the group's interval on every attribute")
        return NearestCentroid(self.kind == "zscores" or self.scale is not None)

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        n, t = Y.shape
        blocks = self._blocks(t, run)
        if self.kind in SEPARATE:
            blocks = [([j], k) for columns, k in blocks for j in columns]
        for _, k in blocks:
            at_most_records("Microaggregation", "k", k, n)
        Z = np.empty_like(Y)

        def fill(i: int) -> str:
            (columns, k), part = blocks[i], replace(run, tracker=run.tracker.part(i, len(blocks)))
            part.tracker.step(0, 1)
            labels = KINDS[self.kind](Y[:, columns], k, self.scale, part)
            Z[:, columns] = group_means(Y[:, columns], labels)
            return _sizes(np.bincount(labels))

        threads = run.engine if self.kind in SEPARATE else Local(1)
        columns_by_sizes: dict[str, list[int]] = {}
        for (columns, _), sizes in zip(blocks, side_by_side(fill, len(blocks), n, threads), strict=True):
            columns_by_sizes.setdefault(sizes, []).extend(columns)
        for sizes, columns in columns_by_sizes.items():
            which = "" if len(columns) == t else "{attributes}: "
            run.note(Note.of("group_sizes", which + "{sizes}", columns if which else (), sizes=sizes))
        if len(blocks) > 1:
            run.note(Note.of("group_sizes", GROUPED_APART))
        return Z

    def _blocks(self, t: int, run: Run) -> list[tuple[list[int], int]]:
        """Each block as indices of attributes and its k. Attributes in no block form one more, with the method's k."""
        blocks = [(indices("Microaggregation", columns, run.names), k) for columns, k in self.blocks or ()]
        rest = [j for j in range(t) if all(j not in columns for columns, _ in blocks)]
        if blocks and rest:
            run.note(Note.of("group_sizes", NOT_LISTED, rest, k=self.k))
        return [*blocks, (rest, self.k)] if rest else blocks


def _sizes(sizes: Integers) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    count = f"{len(sizes)} {Count(len(sizes)):group|groups}"
    return f"{count} of {low}{'' if low == high else f' to {high}'} {Count(high):record|records}"


def group_means(Y: Array, labels: Integers) -> Array:
    """Y (n, t) with every value replaced by its group's mean; labels (n,) from 0, none skipped.

    A group of one value keeps it to the last digit, since differences from the group's first record are averaged.
    """
    sizes, out = np.bincount(labels), np.empty_like(Y)
    for j, y in enumerate(Y.T):
        first = np.empty(len(sizes))
        first[labels[::-1]] = y[::-1]
        out[:, j] = (first + np.bincount(labels, weights=y - first[labels]) / sizes)[labels]
    return out

"""Microaggregation: records in groups of at least k, each value replaced by its group's mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arguments import at_most_records
from ..engine import Engine
from ..errors import Count, Note
from ..linkage.informed import Attack, NearestCentroid, RankWindows, same_ranks
from ..progress import OnStep, ProgressTracker, Reporter, discard
from ..rstream import RStream
from ..types import Array, Integers
from .columns import RULE, as_blocks, bound_blocks, resolved, write_blocks
from .grouping import component_groups, mdav_groups, optimal_groups, parts_note, vmdav_groups, zscore_groups
from .grouping.means import group_means, run_means, run_sizes
from .method import Threaded
from .parameter import param, rules

# What groups records by (n, p) attributes at a time, and then each attribute on its own.
TOGETHER: dict[str, Callable[[Array, int, Microaggregation, OnStep], Integers]] = {
    "mdav": lambda A, k, m, on_step: mdav_groups(A, k, m.scale, on_step),
    "vmdav": lambda A, k, m, on_step: vmdav_groups(A, k, m.gamma, m.scale, on_step),
    "zscores": lambda A, k, m, on_step: zscore_groups(A, k),
    "pca": lambda A, k, m, on_step: component_groups(A, k, m.scale),
}
APART = ("individual", "optimal")
GROUPED_APART = "attributes were grouped apart: a value is shared by its group, a whole record need not be"
LABELS = TOGETHER | {"optimal": lambda A, k, m, on_step: optimal_groups(A[:, 0], k)}


@dataclass(frozen=True)
class Microaggregation(Threaded):
    """Groups of at least k records, each released with its group's means. Means are kept; no draws are made.

    Parameters
    ----------
    k : int
        The least size of a group.
    kind : str
        "mdav" (groups of k around far records, the last to 2k - 1), "vmdav" (k to 2k - 1 wherever records lie close),
        "zscores" and "pca" (k along the sum of z-scores or the first principal component, the last k + n mod k), or,
        each attribute on its own, "individual" (k successive values, the last k + n mod k) and "optimal" (the least
        within-group sum of squares).
    scale : {"variance", None}
        "variance" divides squared differences by each attribute's variance, as sdcMicro does, and takes the components
        of the correlations; None keeps raw units, as the papers do. Only mdav, vmdav and pca heed it.
    blocks : str, mapping or list, optional
        Attributes grouped apart, each block with its own k: "{v1,v2}:3,{v3,v4}:8", {("v1", "v2"): 3} or [(["v1",
        "v2"], 3), ["v3", "v4"]], kept as the first form. Columns are dependent ones, by name or by position from 1
        ("#1" in a text); those in no block make one more, with k.
    gamma : float
        How readily V-MDAV's groups grow.

    Raises
    ------
    InvalidParameter
        By `protect` too, where k or the blocks do not fit the file.

    Notes
    -----
    The independent attributes are not looked at.

    Seed: tells nothing, as nothing is drawn.

    References
    ----------
    Domingo-Ferrer and Torra (2005); Solanas and Martinez-Balleste (2006); Hansen and Mukherjee (2003); Defays and
    Nanopoulos (1993).
    """

    k: int = field(metadata=rules(low=1, dial=(2, 1000), help="the least size of a group", unit="records"))
    kind: str = param("mdav", words=(*TOGETHER, *APART), help="how records are grouped")
    scale: str | None = param(
        "variance",
        words=("variance",),
        only=("kind", ("mdav", "vmdav", "pca")),
        help="what squared differences are divided by; None keeps raw units",
    )
    blocks: Any = param(
        None,
        said=RULE.removeprefix("must be "),
        check=lambda owner, _, value: write_blocks(as_blocks(owner, value)),
        help="attributes grouped apart, each block with its own k; None groups all together",
    )
    gamma: float = param(0.2, low=0, only=("kind", ("vmdav",)), help="how readily groups grow beyond k")

    about = "groups of at least k records, each released with its group's means"
    source = "Domingo-Ferrer and Torra (2005)"
    undone_by_seed = False
    masks = "perturb"

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: the nearest group, or where attributes are grouped one by one, those a value may lie in."""
        if self.kind in TOGETHER:
            return (NearestCentroid(self.kind == "zscores" or self.scale is not None),)
        return (RankWindows(same_ranks, "nearest in the group's interval on every attribute"),)

    def bound(self, independent: Sequence[str], dependent: Sequence[str]) -> Microaggregation:
        """See Method.bound."""
        if self.blocks is None:
            return self
        return replace(self, blocks=bound_blocks("Microaggregation", self.blocks, dependent))

    def protect(
        self, X: Array, Y: Array, stream: RStream, note: Reporter = discard, engine: Engine | None = None
    ) -> Array:
        """See Threaded.protect."""
        n, t = Y.shape
        Z = np.empty_like(Y)
        blocks = [(list(range(t)), self.k)] if self.blocks is None else self._blocks(t, note)
        pieces = [(piece, k) for columns, k in blocks for piece in self._pieces(columns)]
        for _, k in pieces:
            at_most_records("Microaggregation", "k", k, n)
        made: dict[str, list[int]] = {}  # the attributes, by what is to be said of their groups
        for (piece, _), sizes in zip(pieces, self._fill(Y, pieces, Z, note, engine), strict=True):
            made.setdefault(sizes, []).extend(piece)
        if self.kind == "mdav" and (cut := parts_note(n, self.k)):
            note(cut)
        for sizes, columns in made.items():
            which = "" if len(columns) == t else "{attributes}: "
            note(Note.of("group_sizes", which + "{sizes}", columns if which else (), sizes=sizes))
        if len(pieces) > 1:
            note(Note.of("group_sizes", GROUPED_APART))
        return Z

    def _pieces(self, columns: list[int]) -> list[list[int]]:
        return [columns] if self.kind in TOGETHER else [[j] for j in columns]

    def _fill(
        self, Y: Array, pieces: list[tuple[list[int], int]], Z: Array, note: Reporter, engine: Engine | None
    ) -> list[str]:
        """Z (n, t) gets the means of each piece, attributes with their k; returns what is to be said of its groups."""
        if self.kind == "individual":
            run_means(Y, [(j, k) for piece, k in pieces for j in piece], Z, ProgressTracker.of(note).step, engine)
            return [_sizes(run_sizes(len(Y), k)) for _, k in pieces]
        said = []
        for done, (piece, k) in enumerate(pieces):
            on_step = ProgressTracker.of(note).part(done, len(pieces)).step
            on_step(0, 1)
            labels = LABELS[self.kind](Y[:, piece], k, self, on_step)
            Z[:, piece] = group_means(Y[:, piece], labels)
            said.append(_sizes(np.bincount(labels)))
        return said

    def _blocks(self, t: int, note: Reporter) -> list[tuple[list[int], int]]:
        blocks = resolved("Microaggregation", self.blocks, self.k, t)
        if len(blocks) > len(as_blocks("Microaggregation", self.blocks)):
            said = "{attributes}: in none of the blocks given, so grouped as one more, with k={k}"
            note(Note.of("group_sizes", said, blocks[-1][0], k=self.k))
        return blocks


def _sizes(sizes: Integers) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    count = f"{len(sizes)} {Count(len(sizes)):group|groups}"
    return f"{count} of {low}{'' if low == high else f' to {high}'} {Count(high):record|records}"

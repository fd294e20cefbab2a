"""Linkage of two files of any size on this machine: in memory, or by pairs of blocks of records, with equal links.

By blocks, each pair of blocks is linked as in memory. An original is lost once any protected record is closer (or weighs
more) than its own; ties add up over blocks.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from math import comb

import numpy as np

from ..data.blocks import most_records, pieces, small
from ..data.pairs import Pair
from ..data.records import Records
from ..engine import Engine, on_this_machine
from ..engine.threads import Watched
from ..errors import InvalidInput, Note
from ..numerics.design_by_blocks import location
from ..numerics.location import scores, standardise
from ..progress import OnStep, Progress, ProgressTracker, report_progress
from ..types import TIE, Array, Index, Mask
from .agreement import Agreement, Comparison, Patterns, own_patterns
from .nearest import groups, nearest_share, share_with_gaps
from .pairs import Pairs, shared_codes
from .probabilistic import Linkage, fitted, probabilistic_linkage, require_few_attributes

BLOCK_VALUES = 1 << 21  # of one file in a block; linking two blocks holds about twenty times as many
ONLY_PROTECTED = -2  # code of a value that only the protected file has; -1 is only in the original
Link = Callable[[Array, Array, Index], Array]
"""Shares (a,) of originals (a, p) among protected records (N, p), from (a,) the rows of their own records."""


@dataclass(frozen=True)
class Linker:
    """Linkage of one pair of files. progress : called after each pair of blocks."""

    pair: Pair
    engine: Engine
    progress: Progress | None = None

    @property
    def in_memory(self) -> bool:
        """Whether all records are linked at once. Raises InvalidInput for missing cells in files beyond memory."""
        n, p = self.pair.n, 2 * self.pair.p
        if not self.pair.gaps:
            return small(n, p)
        if not self.pair.in_memory and n > most_records(p):
            rule = "records with missing values are linked in memory only (judge strata, or columns without gaps)"
            raise InvalidInput("evaluate", rule, f"{n} records by blocks")
        return True

    def nearest(self) -> tuple[Array, int]:
        """(n,) nearest_share of the standardised files; and the number of blocks."""
        local = Watched(on_this_machine(self.engine), ProgressTracker("", progress=self.progress))
        if not self.in_memory:
            return nearest_share_by_blocks(self.pair.rows, self._on_step, local)
        X, Z = self.pair.arrays()
        if self.pair.gaps:
            return share_with_gaps(X, Z, local), 1
        return nearest_share(standardise(X), standardise(Z), engine=local), 1

    def chance(self) -> float:
        """The expected share by distance if records are paired at random."""
        if not self.pair.gaps:
            return 1 / self.pair.n
        X, _ = self.pair.arrays()
        return sum(len(group.rows) / len(group.candidates) for group in groups(X)) / self.pair.n

    def probabilistic(self, agreement: Agreement) -> tuple[Linkage, int]:
        """See probabilistic_linkage; and the number of blocks."""
        if not self.in_memory:
            X, local = self.pair.X, on_this_machine(self.engine)
            sd = location(local, pieces(X, local), X.n, 0, X.p).sd
            return linkage_by_blocks(self.pair.rows, agreement.width(sd), self._on_step)
        return probabilistic_linkage(*self.pair.arrays(), agreement), 1

    def _on_step(self, done: int, most: int) -> None:
        report_progress(self.progress, done, most, "two blocks of records at a time")


def by_blocks_note(key: str, blocks: int) -> tuple[Note, ...]:
    """The note on a measure whose records were linked by several blocks."""
    if blocks <= 1:
        return ()
    wording = (
        f"{key}: linked by {{count}} blocks of records, two at a time, with the same links as in memory. "
        "For similar files the time grows with the square of their length"
    )
    return (Note.of("by_blocks", wording, count=blocks),)


def nearest_share_by_blocks(rows: Records, on_step: OnStep, engine: Engine) -> tuple[Array, int]:
    """linkage.nearest.nearest_share of the standardised halves of `rows`, (n,); and the number of blocks.

    rows : the original's p columns, then the protected ones; on_step : called with (done, total); engine : a local one.
    Memory holds two blocks and 20 bytes a record. Time grows with n^2 / BLOCK_VALUES.
    """
    n, p = rows.n, rows.p // 2
    blocks = pieces(rows, engine)
    x, z = location(engine, blocks, n, 0, p), location(engine, blocks, n, p, 2 * p)

    def link(X: Array, Z: Array, own: Index) -> Array:
        return nearest_share(scores(X, x), scores(Z, z), own, engine=engine)

    places = block_places(rows)
    return 1 / ties_by_blocks(rows, places, link, counter(on_step, comb(len(places) + 1, 2))), len(places)


def linkage_by_blocks(rows: Records, width: Array, on_step: OnStep) -> tuple[Linkage, int]:
    """linkage.probabilistic.probabilistic_linkage of the halves of `rows`, and the number of blocks.

    rows : the original's p columns, then the protected ones, p <= 63; width : (p,) largest difference of values that agree;
    on_step : called with (done, total). Memory holds two blocks and 50 bytes a record. Time grows with n^2 where
    values agree; with exact agreement (width 0), records that share no value with the other file cost nothing.
    """
    n, p = rows.n, rows.p // 2
    require_few_attributes(p)
    share, kept = np.full(n, 1.0 / n), np.ones(n, bool)
    used: Records = rows
    if not width.any():
        used, kept = with_shared_values(rows, on_step)
    places, others = block_places(used), n - used.n
    step = counter(on_step, len(places) ** 2 + comb(len(places) + 1, 2))
    patterns = count_by_blocks(used, places, width, n, step)
    fit, weight = fitted(patterns, p, n)

    def link(A: Array, B: Array, own: Index) -> Array:
        return Pairs(Comparison(A, B, width), own).link(patterns, weight)

    ties = ties_by_blocks(used, places, link, step)
    if others:
        own = np.empty(used.n)
        for where in places:
            A, B = np.hsplit(used.read(where), 2)
            own[where] = weight[np.searchsorted(patterns.codes, own_patterns(Comparison(A, B, width)))]
        none = weight[0]  # of the pattern 0, which occurs and comes first
        ties += np.where(own - none <= TIE * np.abs(own), others, 0)
        ties[none - own > TIE * abs(none)] = np.inf
    share[kept] = 1 / ties
    if used is not rows:
        used.close()
    return Linkage(**vars(fit), share=share), len(places)


def counter(on_step: OnStep, total: int) -> Callable[[], None]:
    """A function that reports one more of `total` steps at each call."""
    done = count(1)
    on_step(0, total)
    return lambda: on_step(next(done), total)


def block_places(rows: Records) -> list[slice]:
    """The blocks of records whose halves have at most BLOCK_VALUES values each."""
    blocks = -(-rows.n // max(1, BLOCK_VALUES // (rows.p // 2)))
    return [slice(k * rows.n // blocks, (k + 1) * rows.n // blocks) for k in range(blocks)]


def ties_by_blocks(rows: Records, places: Sequence[slice], link: Link, step: Callable[[], None]) -> Array:
    """(n,) protected records that tie with each original's own for the best link; infinite where another one is better."""
    ties, within = np.empty(rows.n), np.empty(rows.n)
    with np.errstate(divide="ignore"):
        for where in places:
            X, Z = np.hsplit(rows.read(where), 2)
            ties[where] = within[where] = 1 / link(X, Z, np.arange(len(X)))
            step()
        for pair in combinations(places, 2):
            records = np.r_[pair]
            left = np.flatnonzero(np.isfinite(ties[records]))
            if len(left):
                X, Z = np.hsplit(np.concatenate([rows.read(where) for where in pair]), 2)
                ties[records[left]] += 1 / link(X[left], Z, left) - within[records[left]]
            step()
    return np.rint(ties)


def with_shared_values(rows: Records, on_step: OnStep) -> tuple[Records, Mask]:
    """The records that share a value with the other file, as codes of their values; and (n,) which these are.

    The codes are on disk beside the file; a value that only one file has gets a code that the other file lacks.
    """
    p, n = rows.p // 2, rows.n
    codes, kept = Records.empty(n, 2 * p, on_disk=True, dtype=np.int32), np.zeros(n, np.bool_)
    for j in range(p):
        a, b, _ = shared_codes(rows.column(j)[:, 0], rows.column(p + j)[:, 0])
        kept |= (a >= 0) | (b >= 0)
        codes.A[:, j], codes.A[:, p + j] = a, np.where(b < 0, ONLY_PROTECTED, b)
        on_step(0, 1)
    records = codes.taken(np.flatnonzero(kept))
    codes.close()
    return records, kept


def count_by_blocks(rows: Records, places: Sequence[slice], width: Array, n: int, step: Callable[[], None]) -> Patterns:
    """The patterns of n^2 pairs: those of `rows` by pairs of blocks; all others agree nowhere."""
    counts = Counter({0: n * n - rows.n**2})
    for first in places:
        A, _ = np.hsplit(rows.read(first), 2)
        for second in places:
            patterns = Pairs(Comparison(A, np.hsplit(rows.read(second), 2)[1], width)).count()
            counts.update(dict(zip(patterns.codes.tolist(), patterns.counts.tolist(), strict=True)))
            step()
    return Patterns.of(counts)

"""Linkage of the records of two files of any size: in memory, by pairs of blocks of records, or on a cluster. Equal links.

By blocks, an original is lost as soon as one protected record anywhere is closer (or weighs more) than its own; the ties of
the others add up. Each pair of blocks is linked as in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, count, pairwise
from typing import Any

import numpy as np

from ..data.blocks import most_records, pieces, small
from ..data.pairs import Pair
from ..data.records import Records
from ..engine import Added, Engine, is_cluster, on_this_machine
from ..engine.threads import Watched
from ..errors import InvalidInput, Note
from ..numerics.design_by_blocks import location
from ..numerics.location import scores, standardise
from ..progress import OnStep, Progress, ProgressTracker, report_progress
from ..types import TIE, Array, Index, Mask
from .agreement import Agreement, Comparison, Patterns, own_patterns
from .nearest import nearest_share
from .pairs import Pairs
from .probabilistic import Linkage, fitted, probabilistic_linkage, require_few_attributes
from .with_gaps import groups, share_with_gaps

BLOCK_VALUES = 1 << 21  # of one file in a block; linking two blocks holds about twenty times as many
CLUSTER_BLOCKS = 8  # of originals; each is compared with the whole protected file
ONLY_ORIGINAL, ONLY_PROTECTED = -1, -2  # codes of a value that only one of the files has
Link = Callable[[Array, Array, Index], Array]
"""Shares (a,) of originals (a, p) among protected records (N, p); (a,) are the places of their own records."""


@dataclass(frozen=True)
class Linker:
    """Linkage of one pair of files. progress : called after two blocks at a time."""

    pair: Pair
    engine: Engine
    progress: Progress | None = None

    @property
    def in_memory(self) -> bool:
        """Whether all records are linked at once. Raises InvalidInput for gaps in files beyond memory."""
        n, p = self.pair.n, 2 * self.pair.p
        if not self.pair.gaps:
            return small(n, p) or (is_cluster(self.engine) and n <= most_records(p))
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
        X, Z = standardise(X), standardise(Z)
        cluster = is_cluster(self.engine)
        return nearest_on_cluster(self.engine, X, Z) if cluster else nearest_share(X, Z, engine=local), 1

    def chance(self) -> float:
        """The mean share by distance if records are paired at random."""
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
        link = partial(linkage_on_cluster, self.engine) if is_cluster(self.engine) else probabilistic_linkage
        return link(*self.pair.arrays(), agreement=agreement), 1

    def _on_step(self, done: int, most: int) -> None:
        report_progress(self.progress, done, most, "two blocks of records at a time")


def by_blocks_note(key: str, blocks: int) -> tuple[Note, ...]:
    """The note on a measure whose records were linked by more than one block."""
    if blocks <= 1:
        return ()
    wording = (
        f"{key}: linked by {{count}} blocks of records, two at a time, with the links that all at once would give; "
        "where files are alike the time grows with the square of their length"
    )
    return (Note.of("by_blocks", wording, count=blocks),)


def nearest_share_by_blocks(rows: Records, on_step: OnStep, engine: Engine) -> tuple[Array, int]:
    """linkage.nearest.nearest_share of the standardised halves of `rows`, (n,); and the number of blocks.

    rows : the original's p columns, then the protected ones; on_step : called with (done, of how many); engine : a local one.
    Memory holds two blocks and 20 bytes a record. Time grows with n^2 / BLOCK_VALUES.
    """
    n, p = rows.n, rows.p // 2
    blocks = pieces(rows, engine)
    x, z = location(engine, blocks, n, 0, p), location(engine, blocks, n, p, 2 * p)

    def link(X: Array, Z: Array, own: Index) -> Array:
        return nearest_share(scores(X, x), scores(Z, z), own, engine=engine)

    places = block_places(rows)
    return _share(ties_by_blocks(rows, places, link, counter(on_step, _pairs_of(places)))), len(places)


def linkage_by_blocks(rows: Records, width: Array, on_step: OnStep) -> tuple[Linkage, int]:
    """linkage.probabilistic.probabilistic_linkage of the halves of `rows`, and the number of blocks.

    rows : the original's p columns, then the protected ones, p <= 63; width : (p,) largest difference of values that agree;
    on_step : called with (done, of how many). Memory holds two blocks and 50 bytes a record. Time grows with n^2 where
    values agree; with exact agreement (width 0), records that share no value with the other file cost nothing.
    """
    n, p = rows.n, rows.p // 2
    require_few_attributes(p)
    share, kept = np.full(n, 1.0 / n), np.ones(n, bool)
    used: Records = rows
    if not width.any():
        used, kept = with_shared_values(rows, on_step)
    places, others = block_places(used), n - used.n
    step = counter(on_step, len(places) ** 2 + _pairs_of(places))
    patterns = count_by_blocks(used, places, width, n, step)
    fit, weight = fitted(patterns, p, n)
    own = np.empty(used.n)

    def link(A: Array, B: Array, place: Index) -> Array:
        return Pairs(Comparison(A, B, width), place).link(patterns, weight)

    ties = ties_by_blocks(used, places, link, step)
    if others:
        for where in places:
            comparison = Comparison(*_halves(used, where), width)
            own[where] = weight[np.searchsorted(patterns.codes, own_patterns(comparison))]
        none = weight[0]  # of the pattern 0, which comes first, and occurs
        heavier = none - own > TIE * abs(none)
        as_heavy = ~heavier & (own - none <= TIE * np.abs(own))
        ties = np.where(heavier, 0, np.where(as_heavy & (ties > 0), ties + others, ties))
    share[kept] = _share(ties)
    if used is not rows:
        used.close()
    return Linkage(fit.m, fit.u, fit.prevalence, fit.iterations, fit.converged, share), len(places)


def counter(on_step: OnStep, total: int) -> Callable[[], None]:
    """A function that reports one more of `total` steps whenever it is called."""
    done = count(1)
    on_step(0, total)
    return lambda: on_step(next(done), total)


def block_places(rows: Records) -> list[slice]:
    """The blocks of records whose halves have at most BLOCK_VALUES values each."""
    blocks = -(-rows.n // max(1, BLOCK_VALUES // (rows.p // 2)))
    return [slice(k * rows.n // blocks, (k + 1) * rows.n // blocks) for k in range(blocks)]


def _pairs_of(places: Sequence[slice]) -> int:
    return len(places) * (len(places) + 1) // 2


def _halves(rows: Records, where: slice) -> tuple[Array, Array]:
    """The originals (b, p) and their protected records (b, p) of a block."""
    A, p = rows.read(where), rows.p // 2
    return np.ascontiguousarray(A[:, :p]), np.ascontiguousarray(A[:, p:])


def ties_by_blocks(rows: Records, places: Sequence[slice], link: Link, step: Callable[[], None]) -> Index:
    """(n,) protected records that tie with each original's own for the best link, 0 where another one is better."""
    ties, within = np.zeros(rows.n, np.int64), np.zeros(rows.n, np.int32)
    for where in places:
        X, Z = _halves(rows, where)
        ties[where] = within[where] = _ties(link(X, Z, np.arange(len(X))))
        step()
    for first, second in combinations(places, 2):
        records = np.concatenate([np.arange(where.start, where.stop) for where in (first, second)])
        left = np.flatnonzero(ties[records] > 0)
        if len(left):
            X, Z = map(np.concatenate, zip(_halves(rows, first), _halves(rows, second), strict=True))
            found, known = _ties(link(X[left], Z, left)), records[left]
            ties[known] = np.where(found > 0, ties[known] + found - within[known], 0)
        step()
    return ties


def _ties(share: Array) -> Index:
    """t from shares of 1/t, and 0 from 0."""
    return np.where(share > 0, np.rint(1.0 / np.where(share > 0, share, 1.0)), 0.0).astype(np.int64)


def _share(ties: Index) -> Array:
    """1/t from t, and 0 from 0."""
    return np.where(ties > 0, 1.0 / np.maximum(ties, 1), 0.0)


def with_shared_values(rows: Records, on_step: OnStep) -> tuple[Records, Mask]:
    """Records as codes of their values, those only that share a value with the other file; and (n,) which these are.

    Memory holds some 50 bytes a record; the disk, 24 bytes a value at most.
    """
    from .subset_kernels import encode

    p, n = rows.p // 2, rows.n
    codes, kept = Records.empty(n, 2 * p, on_disk=True, dtype=np.int32), np.zeros(n, np.bool_)
    a_codes, b_codes = np.empty((2, n), np.int32)
    for j in range(p):
        a, b = rows.column(j)[:, 0], rows.column(p + j)[:, 0]
        encode(a, np.argsort(a), b, np.argsort(b), a_codes, b_codes)
        kept |= (a_codes >= 0) | (b_codes >= 0)
        codes.A[:, j] = np.where(a_codes < 0, ONLY_ORIGINAL, a_codes)
        codes.A[:, p + j] = np.where(b_codes < 0, ONLY_PROTECTED, b_codes)
        on_step(0, 1)
    records = codes.taken(np.flatnonzero(kept))
    codes.close()
    return records, kept


@dataclass(frozen=True)
class Counts(Added):
    """Pairs of some originals with all protected records that show each pattern; width : see Comparison.

    A block is (protected (N, p), originals (b, p), number of the first original).
    """

    width: Array

    def part(self, block: tuple[Array, Array, int]) -> Counter[int]:
        """See engine.Kernel."""
        B, A, _ = block
        patterns = Pairs(Comparison(A, B, self.width)).count()
        return Counter(dict(zip(patterns.codes.tolist(), patterns.counts.tolist(), strict=True)))


def count_by_blocks(rows: Records, places: Sequence[slice], width: Array, n: int, step: Callable[[], None]) -> Patterns:
    """The patterns of n^2 pairs: those of `rows`, by two blocks at a time, while all others agree nowhere."""
    kernel, counts = Counts(width), Counter({0: n * n - rows.n**2})
    for first in places:
        A, _ = _halves(rows, first)
        for second in places:
            counts = kernel.add(counts, kernel.part((_halves(rows, second)[1], A, 0)))
            step()
    return _patterns(counts)


def _patterns(counts: Counter[int]) -> Patterns:
    codes = np.array(sorted(code for code, count in counts.items() if count), dtype=np.int64)
    return Patterns(codes, np.array([counts[code] for code in codes.tolist()], dtype=np.int64))


@dataclass(frozen=True)
class Shares:
    """nearest_share of some originals; blocks as for Counts."""

    def part(self, block: tuple[Array, Array, int]) -> Array:
        """See engine.Kernel."""
        Z, X, first = block
        return nearest_share(X, Z, np.arange(first, first + len(X)))

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return np.concatenate([a, b])


def nearest_on_cluster(engine: Engine, X: Array, Z: Array) -> Array:
    """As linkage.nearest.nearest_share: each worker searches for some of the originals."""
    return engine.total(Shares(), _held(engine, X, Z))


def linkage_on_cluster(engine: Engine, X: Array, Z: Array, agreement: Agreement) -> Linkage:
    """As linkage.probabilistic.probabilistic_linkage: workers count, which is most of the work; links are found here."""
    comparison = agreement.comparison(X, Z)
    patterns = _patterns(engine.total(Counts(comparison.width), _held(engine, comparison.A, comparison.B)))
    fit, weight = fitted(patterns, X.shape[1], len(X))
    share = Pairs(comparison).link(patterns, weight)
    return Linkage(fit.m, fit.u, fit.prevalence, fit.iterations, fit.converged, share)


def _held(engine: Any, X: Array, Z: Array) -> list[Any]:
    """The blocks of originals, each with the whole protected file, held by the cluster."""
    cuts = np.linspace(0, len(X), min(CLUSTER_BLOCKS, len(X)) + 1).astype(int).tolist()
    held = engine.hold(X[start:stop] for start, stop in pairwise(cuts))
    whole = engine.hold([Z])[0]
    return [(whole, block, start) for start, block in zip(cuts, held, strict=False)]

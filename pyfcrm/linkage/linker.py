"""Linkage of two files of any size on this machine: at once, or two blocks of records at a time, with equal links.

An original is not linked if any protected record, of any block, is closer (or weighs more) than its own. Ties with its own
record add up over the pairs of blocks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, product
from math import comb

import numpy as np

from ..data.blocks import Records, most_records, small
from ..data.pairs import Pair
from ..engine import Engine, on_this_machine
from ..engine.engines import Watched
from ..errors import InvalidInput, Note
from ..numerics.location import comparable, location_of_columns, scores
from ..progress import Progress, ProgressTracker, report_progress, within
from ..types import TIE, Array, Index, Mask
from .agreement import Agreement, Comparison, Patterns
from .nearest import groups, nearest_share
from .nearest_blocks import nearest_share_by_blocks
from .pairs import Pairs
from .probabilistic import EMFit, Linkage, fitted

MOST_ATTRIBUTES = 63  # the bits of an agreement pattern
BLOCK_VALUES = 1 << 21  # of one file in a block; linking two blocks holds about twenty times as many
PAIRS = "pairs of records"
Link = Callable[[Array, Array, Index], Array]
"""Gives the shares (a,) of originals (a, p) among protected records (N, p), with the rows (a,) of their own records."""


@dataclass(frozen=True)
class Blocks:
    """Paired records in blocks that are linked two at a time."""

    rows: Records
    """The original columns, then the protected ones: (n, 2 p)."""
    values: int
    """Most values of one file in a block."""

    @cached_property
    def places(self) -> list[slice]:
        """The blocks of records."""
        n = self.rows.n
        count = -(-n // max(1, self.values // (self.rows.p // 2)))
        return [slice(k * n // count, (k + 1) * n // count) for k in range(count)]

    def read(self, *places: slice) -> list[Array]:
        """The originals (b, p) and the protected records (b, p) of some blocks together."""
        return np.hsplit(np.concatenate([self.rows.read(block) for block in places]), 2)

    def count(self, width: Array, n: int, progress: Progress | None) -> Patterns:
        """The agreement patterns of n^2 pairs. Pairs with a record that is not in `rows` agree nowhere.

        width : (p,) largest difference of values that agree.
        """
        agree_nowhere = Patterns(codes=np.zeros(1, np.int64), counts=np.array([n * n - self.rows.n**2]))
        parts = [agree_nowhere]
        for done, (first, second) in enumerate(product(self.places, self.places)):
            report_progress(progress, done, len(self.places) ** 2, PAIRS)
            originals, _ = self.read(first)
            _, released = self.read(second)
            parts.append(Pairs(Comparison(originals, released, width)).count())
        return Patterns.total(parts)

    def ties(self, link: Link, progress: Progress | None) -> Array:
        """Numbers (n,) of protected records that tie with each original's own for the best link; infinite if another is better.

        A share of 1/t among some records is t ties there, a share of 0 infinitely many. An original is compared with its own
        block, then with its own and each other block together: the ties of that block are the difference.
        """
        ties = np.empty(self.rows.n)
        steps = comb(len(self.places) + 1, 2)
        with np.errstate(divide="ignore"):
            for done, block in enumerate(self.places):
                report_progress(progress, done, steps, PAIRS)
                X, Z = self.read(block)
                ties[block] = 1 / link(X, Z, np.arange(len(X)))
            # Two blocks together: what ties beyond each original's own block is added.
            within_block = ties.copy()
            for done, pair in enumerate(combinations(self.places, 2), len(self.places)):
                report_progress(progress, done, steps, PAIRS)
                records = np.r_[pair]  # positions of the records of both blocks
                linked = np.flatnonzero(np.isfinite(ties[records]))  # among these, those not linked to another record
                if len(linked):
                    X, Z = self.read(*pair)
                    ties[records[linked]] += 1 / link(X[linked], Z, linked) - within_block[records[linked]]
        return np.rint(ties)


@dataclass(frozen=True)
class NearestLinks:
    """Links by distance."""

    share: Array
    """Shares (n,), as of `nearest_share`."""
    chance: float
    """The expected mean share if protected records are paired with originals at random."""
    blocks: int
    """Number of blocks of records."""


@dataclass(frozen=True)
class Linker:
    """Linkage of one pair of files."""

    pair: Pair
    """The files, paired by position."""
    engine: Engine
    """Its threads are used where they are on this machine."""
    progress: Progress | None = None
    """Called after each pair of blocks."""

    @property
    def values(self) -> int:
        """Values of one file that are linked at once. Raises InvalidInput for missing cells in files beyond memory."""
        n = self.pair.n
        p = self.pair.p
        if not self.pair.gaps:
            return n * p if small(n, 2 * p) else BLOCK_VALUES
        if not self.pair.in_memory and n > most_records(2 * p):
            rule = "records with missing values are linked in memory only (judge strata, or columns without gaps)"
            raise InvalidInput("evaluate", rule, f"{n} records by blocks")
        return n * p

    def nearest(self) -> NearestLinks:
        """Links by distance between the standardised files.

        A record with missing cells is linked by its observed columns, among the protected records that have all of them.
        """
        pair = self.pair
        tracker = ProgressTracker(PAIRS, progress=self.progress)
        local = Watched(on_this_machine(self.engine), tracker)
        blocks = Blocks(pair.rows, self.values)
        x, z = comparable(
            location_of_columns(map(pair.X.column, range(pair.X.p))),
            location_of_columns(map(pair.Z.column, range(pair.Z.p))),
        )

        if not pair.gaps and len(blocks.places) > 1:
            share = nearest_share_by_blocks(
                pair.rows,
                blocks.places,
                (partial(scores, location=x), partial(scores, location=z)),
                engine=local,
                done=partial(report_progress, tracker.follow, label=PAIRS),
            )
            return NearestLinks(share, chance=1 / pair.n, blocks=len(blocks.places))
        X, Z = pair.arrays()
        X = scores(X, x)
        Z = scores(Z, z)
        if not pair.gaps:
            report_progress(tracker.follow, 0, 1, PAIRS)
            share = nearest_share(X, Z, np.arange(pair.n), engine=local)
            return NearestLinks(share, chance=1 / pair.n, blocks=1)
        share = np.empty(pair.n)
        chance = 0.0  # expected number of links of a random pairing: of each record 1 by its candidates
        for group in groups(X):
            originals, candidates = group.of(X, Z)
            share[group.rows] = nearest_share(originals, candidates, group.own, engine=local)
            chance += len(group.rows) / len(group.candidates)
        return NearestLinks(share, chance=chance / pair.n, blocks=1)

    def probabilistic(self, agreement: Agreement, fit: EMFit | None = None, most: int | None = None) -> Linkage:
        """The originals linked to the protected records of largest weight, of 1 to 63 attributes.

        agreement : when two values agree; fit : of m and u, None to estimate it by EM; most : iterations of EM, None for
        100 000. Weights equal to 1e-12 relative are ties. Memory holds two blocks and 50 bytes a record. Time grows with n^2
        where values agree; with exact agreement, records that share no value with the other file cost nothing.
        Source: Fellegi and Sunter (1969); thesis 2.4.2.
        """
        X = self.pair.X
        n = X.n
        p = X.p
        if p > MOST_ATTRIBUTES:
            raise InvalidInput("prl", f"takes at most {MOST_ATTRIBUTES} attributes", p)
        width = agreement.width(location_of_columns(map(X.column, range(p))).sd)
        # 1. The records to compare. With exact agreement, those that share no value with the other file agree nowhere: they
        # are only counted.
        rows: Records = self.pair.rows
        shared = np.ones(n, bool)
        if not width.any():
            rows, shared = with_shared_values(rows, on_disk=n * p > self.values)
        blocks = Blocks(rows, self.values)
        # 2. The patterns of all n^2 pairs, m and u by EM, and the weight of each pattern: by attribute log(m / u) where it
        # agrees, log((1 - m) / (1 - u)) where it does not.
        patterns = blocks.count(width, n, within(self.progress, 0, 2))
        fit, weight = fitted(patterns, p, n, fit, most)

        # 3. Each original's ties: the protected records with the weight of its own one, infinitely many where one has more.
        def link(A: Array, B: Array, own: Index) -> Array:
            """Shares by the weights of the patterns."""
            return Pairs(Comparison(A, B, width, own)).link(patterns, weight)

        ties = blocks.ties(link, within(self.progress, 1, 2))
        others = n - rows.n
        if others:
            # The other protected records agree nowhere with these originals: they tie, or are better.
            nowhere = weight[0]  # of the pattern 0, which occurs and comes first
            own = _own_weights(rows, patterns, weight)
            ties += np.where(own - nowhere <= TIE * np.abs(own), others, 0)
            ties[nowhere - own > TIE * abs(nowhere)] = np.inf
        # 4. Shares 1/t. An original that shares no value agrees nowhere, and ties with all n protected records.
        share = np.full(n, 1.0 / n)
        share[shared] = 1 / ties
        return Linkage(
            m=fit.m,
            u=fit.u,
            prevalence=fit.prevalence,
            iterations=fit.iterations,
            converged=fit.converged,
            share=share,
            blocks=len(blocks.places),
        )


def _own_weights(rows: Records, patterns: Patterns, weight: Array) -> Array:
    """The weights (b,) of the pairs of each original and its own record, which agree where values are equal.

    rows : (b, 2 p), paired records; patterns, weight : of all pairs.
    """
    p = rows.p // 2
    agrees = np.array([rows.column(j)[:, 0] == rows.column(p + j)[:, 0] for j in range(p)])  # (p, b)
    bit_of_attribute = 1 << np.arange(p)
    own_pattern = bit_of_attribute @ agrees
    return weight[np.searchsorted(patterns.codes, own_pattern)]


def by_blocks_note(key: str, blocks: int) -> tuple[Note, ...]:
    """The note on a measure whose records were linked by several blocks."""
    if blocks <= 1:
        return ()
    wording = (
        f"{key}: linked by {{count}} blocks of records, with the same links as in memory; the time may grow with the square of "
        "their length"
    )
    return (Note.of("by_blocks", wording, count=blocks),)


def with_shared_values(rows: Records, *, on_disk: bool) -> tuple[Records, Mask]:
    """The records that share a value with the other file, as codes of their values; and a mask (n,) of these.

    rows : (n, 2 p), paired records; on_disk : whether the codes are written to disk. A value that only one file has gets a
    code below 0 that the other file lacks.
    """
    n = rows.n
    p = rows.p // 2
    codes = Records.empty(n, 2 * p, on_disk=on_disk, dtype=np.int32)
    has_shared_value = np.zeros(n, np.bool_)
    for j in range(p):
        original = rows.column(j)[:, 0]
        released = rows.column(p + j)[:, 0]
        in_both = np.intersect1d(original, released)
        values = np.append(in_both, np.nan)  # so that a place beyond the last value is no error, and equals nothing
        for column, x, only_here in ((j, original, -1), (p + j, released, -2)):
            place = np.searchsorted(values, x)
            shared = values[place] == x
            codes.A[:, column] = np.where(shared, place, only_here)
            has_shared_value |= shared
    return codes.taken(np.flatnonzero(has_shared_value)), has_shared_value

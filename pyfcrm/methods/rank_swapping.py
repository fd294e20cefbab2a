"""Rank swapping: values trade places with others of nearby rank (Moore 1996), as mu-Argus or as sdcMicro does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import floor

import numpy as np

from ..engine import Engine, Local
from ..errors import Note
from ..linkage.informed import Attack, RankWindows, ranks_within
from ..numerics.sorting import ordered
from ..progress import ProgressTracker, Reporter, discard
from ..rstream import R_INTEGER, RStream, taus88
from ..types import Array, Integers
from .method import Threaded
from .parameter import param

Ranked = tuple[Integers, Array, list[Note]]
"""The order of an attribute, its values in it, and what is to be said of them."""

MOST_COMPARISONS = 200_000_000  # half a second; mu-Argus's sort needs n^2 / 2 where a value is very frequent
STAY = "{count} of {total} records {count:keeps all its|keep all their} values: equal values swapped, or none was free to swap with"
IN_FILE_ORDER = "mu-Argus's sort would be too slow on these values: equal ones were taken in file order, not in its own"
IN_THREADS = 10_000  # records from which attributes are swapped side by side
FLOAT32_WHOLE = 1 << 23  # above it sdcMicro's 32-bit ranks are no longer exact


@dataclass(frozen=True)
class RankSwapping(Threaded):
    """Each attribute by itself: every value swaps with one whose rank is near, so margins are kept exactly.

    Parameters
    ----------
    p : float
        The window, in per cent of n, above 0 and at most 100; 15 where nothing is given, our choice, towards the upper
        end of the 2 to 20 that Nin, Herranz and Torra (2008) look at: small windows hardly stop record linkage.
    form : {"argus", "sdcmicro"}
        "argus", mu-Argus's: a partner i + 1 + floor(w U), w = floor(n p / 100), or the free one nearest below it, or
        else above it: ranks move by w at most, or by 1 where w is 0. "sdcmicro", sdcMicro's rankSwap with P = p / 100
        and no top or bottom groups: a free partner at random among those at most n P - 1 ranks away, highest values
        first.

    Notes
    -----
    A value without a free partner stays. X is not used.

    Draws: "argus": one uniform for each rank not yet swapped, lowest first, column by column. "sdcmicro": its
    generator is taus88, seeded by the integer that the stream was seeded with (which of its numbers were taken before
    does not matter), else by one drawn from the stream.

    Seed: undoes it: the method is its own inverse, and run again on the release gives the original. The second form
    can be undone without, as all 2^32 seeds of taus88 can be tried.

    References
    ----------
    Moore (1996); mu-Argus; sdcMicro 5.8.0.
    """

    p: float = param(
        15.0,
        above=0,
        high=100,
        dial=(0.1, 100),
        said="in (0, 100], per cent of n",
        help="how far apart in rank two values may be to swap; 15 is towards the upper end of the literature's 2 to 20",
        unit="per cent of the records",
    )
    form: str = param("argus", words=("argus", "sdcmicro"), help="after the program that does it so")

    about = "each value swaps with another whose rank is within p per cent of n: margins are kept"
    source = "Moore (1996)"
    reissues_values = True
    undone_by_seed = True
    masks = "perturb"

    @property
    def weak_generator(self) -> bool:
        """See Method.weak_generator."""
        return self.form == "sdcmicro"

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: values move within a window of ranks, which p tells."""
        return (RankWindows(partial(_REACHES[self.form], self.p)),)

    def guesser(self, X: Array, Y: Array) -> Callable[[RStream], Array]:
        """See Method.guesser: the first attribute is made by itself, before the others."""
        n = len(Y)
        order, values, _ = (_argus_ranked if self.form == "argus" else _sdcmicro_ranked)(Y[:, 0])
        width, reach = max(_argus_width(self.p, n), 1), _sdcmicro_reach(n, self.p)

        def guess(stream: RStream) -> Array:
            argus = self.form == "argus"
            drawn = _argus_partners(n, width, stream) if argus else _sdcmicro_partners(reach, stream.seed or 0)
            column = np.empty((n, 1))
            column[order, 0] = values[next(drawn)]
            return column

        return guess

    def protect(
        self, X: Array, Y: Array, stream: RStream, note: Reporter = discard, engine: Engine | None = None
    ) -> Array:
        """See Threaded.protect."""
        released = _FORMS[self.form](Y, self.p, stream, note, engine)
        stay = int((released == Y).all(axis=1).sum())
        if stay:
            note(Note.of("left_as_is", STAY, count=stay, total=len(Y)))
        return released


def argus_swap(Y: Array, p: float, stream: RStream, note: Reporter = discard, engine: Engine | None = None) -> Array:
    """Y (n, t) swapped within p per cent of n as mu-Argus does it. engine : for threads."""
    n = len(Y)
    width = _argus_width(p, n)
    if width < 1:
        said = "{p:g} per cent of {total} records is less than one rank: neighbours in rank were swapped"
        note(Note.of("chosen", said, total=n, p=p))
        width = 1
    return _exchanged(Y, _argus_partners(n, width, stream), _argus_ranked, note, engine)


def sdcmicro_swap(Y: Array, p: float, stream: RStream, note: Reporter = discard, engine: Engine | None = None) -> Array:
    """Y (n, t) swapped with P = p / 100 as sdcMicro's rankSwap does it. engine : for threads."""
    seed = stream.seed
    if seed is None:
        seed = int(stream.sample_int(R_INTEGER, 1)[0])
        note(Note.of("chosen", "sdcMicro's generator was seeded with one integer drawn from the stream"))
    reach = _sdcmicro_reach(len(Y), p)
    if not (reach > np.arange(len(Y)) + 1).any():
        said = "{p:g} per cent of {total} records is less than two ranks: sdcMicro's form swaps nothing"
        note(Note.of("left_as_is", said, total=len(Y), p=p))
    return _exchanged(Y, _sdcmicro_partners(reach, seed), _sdcmicro_ranked, note, engine)


@dataclass(frozen=True)
class _Exchange:
    """An engine's kernel whose blocks are attributes: (j, who swaps with whom by rank). Its sum is what is to be said."""

    Y: Array
    released: Array
    ranked: Callable[[Array], Ranked]

    def part(self, block: tuple[int, Integers]) -> list[Note]:
        j, partner = block
        order, values, said = self.ranked(self.Y[:, j])
        column = np.empty(len(order))
        column[order] = values[partner]
        self.released[:, j] = column
        return said

    def add(self, a: list[Note], b: list[Note]) -> list[Note]:
        return a + b


def _exchanged(
    Y: Array, partners: Iterator[Integers], ranked: Callable[[Array], Ranked], note: Reporter, engine: Engine | None
) -> Array:
    """Y (n, t), every value in its partner's place. Partners are drawn in turn while other attributes are sorted."""
    n, t = Y.shape
    released = np.empty_like(Y)
    if t:
        runs = Local(1) if n < IN_THREADS else engine or Local()
        for text in runs.total(_Exchange(Y, released, ranked), zip(_told(t, note), partners, strict=False)):
            note(text)
    return released


def _told(t: int, note: Reporter) -> Iterator[int]:
    """The attributes by number, each told of when its turn comes."""
    for j in range(t):
        ProgressTracker.of(note).step(j, t)
        yield j


def _argus_partners(n: int, width: int, stream: RStream) -> Iterator[Integers]:
    """The partners (n,) in one attribute after another, without end: only those asked for are drawn."""
    from .rank_swapping_kernels import argus_partners

    while True:
        partner = np.empty(n, np.int64)
        # How many are needed shows only on the way.
        stream.skip(argus_partners(stream.copy().runif(n), width, partner))
        yield partner


def _sdcmicro_partners(reach: Integers, seed: int) -> Iterator[Integers]:
    """As _argus_partners."""
    from .rank_swapping_kernels import sdcmicro_partners

    state = taus88.seeded(seed)
    while True:
        partner = np.empty(len(reach), np.int64)
        state = sdcmicro_partners(reach, *state, partner)
        yield partner


def _argus_ranked(y: Array) -> Ranked:
    """Ascending; equal values in the order mu-Argus's quicksort leaves them in, so that its releases are met exactly."""
    order, values = ordered(y)
    if (values[1:] > values[:-1]).all():
        return order, values, []  # without ties every sort agrees
    from .rank_swapping_kernels import argus_order

    as_argus, sorted_by_argus = np.arange(len(y)), y.copy()
    if argus_order(sorted_by_argus, as_argus, MOST_COMPARISONS):
        return as_argus, sorted_by_argus, []
    return order, values, [Note.of("approximated", IN_FILE_ORDER)]


def _sdcmicro_ranked(y: Array) -> Ranked:
    """Descending; equal values in file order."""
    order, values = ordered(-y)
    return order, -values, []


def _sdcmicro_reach(n: int, p: float) -> Integers:
    """(n,): the partners of rank j lie below reach[j] = min(n, int(j + n P)), in sdcMicro's 32-bit numbers."""
    P: np.floating = np.float32(p / 100) if n < FLOAT32_WHOLE else np.float64(p / 100)
    reach = np.arange(n).astype(P.dtype) + P.dtype.type(n) * P
    return np.minimum(reach.astype(np.int64), n)


def _argus_width(p: float, n: int) -> int:
    return floor(n * p / 100 + 1e-9)  # n p / 100 may round to just below a whole number


def _argus_window(p: float, n: int) -> tuple[Integers, Integers]:
    """The first and the last rank (n,) that the value of each rank can move to."""
    return ranks_within(max(_argus_width(p, n), 1), n)


def _sdcmicro_window(p: float, n: int) -> tuple[Integers, Integers]:
    """As _argus_window; descending or ascending is all one."""
    return ranks_within(int((_sdcmicro_reach(n, p) - 1 - np.arange(n)).max(initial=0)), n)


_REACHES = {"argus": _argus_window, "sdcmicro": _sdcmicro_window}
_FORMS: dict[str, Callable[[Array, float, RStream, Reporter, Engine | None], Array]] = {
    "argus": argus_swap,
    "sdcmicro": sdcmicro_swap,
}

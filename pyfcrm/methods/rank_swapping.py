"""Rank swapping: values swap with others of near rank (Moore 1996), as in mu-Argus or as in sdcMicro."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import floor

import numpy as np

from ..data.roles import Roles
from ..engine.engines import side_by_side
from ..errors import Note
from ..linkage.informed import RankWindows, ranks_within
from ..numerics.sorting import ordered, stable_order
from ..rstream import R_INTEGER, RStream, taus88
from ..types import Array, Integers
from .extremes import Extremes, original_extremes
from .facts import Facts
from .method import Method
from .parameter import param
from .work import NumberWork, Run

MAX_COMPARISONS = 200_000_000  # half a second; mu-Argus's sort needs n^2 / 2 where a value is very frequent
STAY = "{count} of {total} records {count:keeps all its|keep all their} values: equal values swapped, or none was free to swap with"
IN_FILE_ORDER = "mu-Argus's sort would be too slow on these values: equal ones were taken in file order, not in its own"
NEIGHBOURS = "{p:g} per cent of {total} records is less than one rank: neighbours in rank were swapped"
FLOAT32_WHOLE = 1 << 23  # above it sdcMicro's 32-bit ranks are no longer exact


@dataclass(frozen=True)
class RankSwapping(Method):
    """Each attribute separately: every value swaps with one of near rank, so that margins are preserved exactly.

    Parameters
    ----------
    p : float
        The window, in per cent of n, above 0 and at most 100. The default of 15 is our choice, near the upper end of
        the 2 to 20 of Nin, Herranz and Torra (2008): small windows hardly prevent record linkage.
    form : {"argus", "sdcmicro"}
        "argus", mu-Argus's: a partner i + 1 + floor(w U), w = floor(n p / 100), or the free one nearest below it, or
        else above it: ranks move by w at most, or by 1 where w is 0. "sdcmicro", sdcMicro's rankSwap with P = p / 100
        and no top or bottom groups: a free partner at random among those at most n P - 1 ranks away, highest values
        first.

    Notes
    -----
    A value without a free partner stays. X is not used.

    Draws: "argus": one uniform for each rank not yet swapped, lowest first, column by column. "sdcmicro": its generator
    is taus88. The stream's seed, an integer, seeds it, however many numbers were drawn before; without one, an integer
    is drawn from the stream.

    Seed: undoes it: the method is its own inverse, and run again on the release gives the original. The second form
    can be undone without, as all 2^32 seeds of taus88 can be tried.

    References
    ----------
    Moore (1996); mu-Argus; sdcMicro 5.8.0.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.RankSwapping(40), roles)
    >>> sorted(released.frame["DEBT"]) == sorted(frame["DEBT"])  # margins are kept
    True
    """

    p: float = param(
        15.0,
        above=0,
        high=100,
        dial=(0.1, 100),
        help="how far apart in rank two values may be to swap; 15 is towards the upper end of the literature's 2 to 20",
        unit="per cent of the records",
    )
    form: str = param("argus", words=("argus", "sdcmicro"), help="after the program that does it so")

    about = "each value swaps with another whose rank is within p per cent of n: margins are kept"
    term = "rank swapping"
    source = "Moore (1996)"
    group = "perturb"

    def extremes(self, y: Array) -> Extremes | None:
        """See Method.extremes: the original margin."""
        return partial(original_extremes, y)

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        # Values move within a window of ranks that p determines.
        within_window = RankWindows(partial(_window, self.form, self.p))
        return Facts(
            masks="perturb",
            pairs="always",
            keeps="",
            averages=True,
            reissues_values=True,
            undone_by_seed=True,
            weak_generator=self.form == "sdcmicro",
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(within_window,),
            seed_probe="release",
        )

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """See Method.guesser: the first attribute is released first."""
        order, _ = self._order(Y[:, 0])

        def guess(stream: RStream) -> Array:
            column = np.empty((len(Y), 1))
            column[order, 0] = Y[order[next(self._partners(len(Y), stream, run))], 0]
            return column

        return guess

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        n, t = Y.shape
        partners = self._partners(n, run.stream, run)
        released = np.empty_like(Y)
        orders = side_by_side(lambda j: self._order(Y[:, j]), t, n, run.engine)
        for j, (order, as_in_program) in enumerate(orders):
            run.tracker.step(j, t)
            released[order, j] = Y[order[next(partners)], j]
            if not as_in_program:
                run.note(Note.of("approximated", IN_FILE_ORDER))
        if stay := int((released == Y).all(axis=1).sum()):
            run.note(Note.of("left_as_is", STAY, count=stay, total=n))
        return released

    def _order(self, y: Array) -> tuple[Integers, bool]:
        """The order of an attribute (n,), and whether ties are in the program's own order.

        "argus": ascending, equal values in the order of mu-Argus's quicksort, so that its releases are reproduced exactly.
        "sdcmicro": descending, equal values in file order.
        """
        if self.form == "sdcmicro":
            return stable_order(-y), True
        order, values = ordered(y)
        if (values[1:] > values[:-1]).all():
            return order, True  # without ties every sort agrees
        from .rank_swapping_kernels import argus_order

        as_argus = np.arange(len(y))
        if argus_order(y.copy(), as_argus, MAX_COMPARISONS):
            return as_argus, True
        return order, False

    def _partners(self, n: int, stream: RStream, run: Run) -> Iterator[Integers]:
        """The partners (n,) of all ranks in one attribute after another, drawn as they are needed."""
        return (_argus_partners if self.form == "argus" else _sdcmicro_partners)(n, self.p, stream, run)


def _argus_partners(n: int, p: float, stream: RStream, run: Run) -> Iterator[Integers]:
    from .rank_swapping_kernels import argus_partners

    width = _argus_width(p, n)
    if width < 1:
        run.note(Note.of("chosen", NEIGHBOURS, total=n, p=p))
    while True:
        partner = np.empty(n, np.int64)
        # The number of uniforms needed is known only afterwards.
        stream.skip(argus_partners(stream.copy().runif(n), max(width, 1), partner))
        yield partner


def _sdcmicro_partners(n: int, p: float, stream: RStream, run: Run) -> Iterator[Integers]:
    from .rank_swapping_kernels import sdcmicro_partners

    seed = stream.seed
    if seed is None:
        seed = int(stream.sample_int(R_INTEGER, 1)[0])
        run.note(Note.of("chosen", "sdcMicro's generator was seeded with one integer drawn from the stream"))
    reach, state = _sdcmicro_reach(n, p), taus88.seeded(seed)
    while True:
        partner = np.empty(n, np.int64)
        state = sdcmicro_partners(reach, *state, partner)
        yield partner


def _sdcmicro_reach(n: int, p: float) -> Integers:
    """Reach (n,): the partners of rank j lie below reach[j] = min(n, int(j + n P)), in sdcMicro's 32-bit numbers."""
    number: type[np.floating] = np.float32 if n < FLOAT32_WHOLE else np.float64
    reach = np.arange(n).astype(number) + number(n) * number(p / 100)
    return np.minimum(reach.astype(np.int64), n)


def _argus_width(p: float, n: int) -> int:
    return floor(n * p / 100 + 1e-9)  # n p / 100 may round to just below a whole number


def _window(form: str, p: float, n: int) -> tuple[Integers, Integers]:
    """The first and the last rank (n,) that the value of each rank can move to; the same for descending and ascending ranks."""
    if form == "argus":
        return ranks_within(max(_argus_width(p, n), 1), n)
    return ranks_within(int((_sdcmicro_reach(n, p) - 1 - np.arange(n)).max(initial=0)), n)

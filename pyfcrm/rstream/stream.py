"""R's random streams in Python: the same seed gives the same numbers, to the last bit.

R's default generators are meant: Mersenne-Twister, normals by Inversion, sampling by Rejection (R >= 3.6).
The draws are in `plain`.
"""

from __future__ import annotations

import math
import secrets
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import flag, whole_number
from ..display import Shown, View
from ..errors import InvalidParameter
from ..types import Array, Integers
from .plain import (
    R_INTEGER,
    R_KIND,
    R_SAMPLE_MOST,
    STATE_WORDS,
    count,
    normals,
    sample_hashed,
    sample_pool,
    sample_replacing,
    uniforms,
    valid_state,
)

COMPILED_ABOVE = 100_000  # draws; below it loading the compiled code, in half a second, costs more than it saves
COMPILED_WHEN_LOADED = 4_000
R_NA = 2**31  # as a word: R's integers have no -2147483648


class RStream(Shown):
    """One of R's random streams, at a position that every draw advances.

    A stream is mutable and belongs to one thread; `copy` gives another thread its own.

    Parameters
    ----------
    seed : int, optional
        What R's set.seed takes, a whole number from -2147483647 to 2147483647: 32 bits, which can all be tried. None
        fills all 624 words of the generator from the system's entropy, which nobody can try.

    Raises
    ------
    InvalidParameter
        For a seed that R refuses, or one that is not whole.

    References
    ----------
    R's RNG.c, snorm.c, qnorm.c and unique.c; Matsumoto and Nishimura (1998).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.RStream(1).runif(1)  # set.seed(1); runif(1)
    array([0.26550866])
    """

    seed: int | None
    """Its seed; None when its state came from the system's entropy or from R."""
    fresh: bool
    """Whether its whole state came from the system's entropy."""
    _words: np.random.MT19937
    """The generator, whose outputs of 32 bits the draws use."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = None if seed is None else whole_number("RStream", "seed", seed, low=-R_INTEGER, high=R_INTEGER)
        self.fresh = seed is None
        key = _entropy() if self.seed is None else _seeded(self.seed)
        self._words = _generator(key, STATE_WORDS)  # all words used: the first draw renews them

    @classmethod
    def from_r_state(cls, state: Sequence[int] | NDArray[Any]) -> RStream:
        """The stream that R's .Random.seed stands at.

        Parameters
        ----------
        state : sequence of int, length 626
            10403, the position from 1 to 624, and 624 words as R's signed integers.

        Returns
        -------
        RStream
            Its next draw is R's next.

        Raises
        ------
        InvalidParameter
            Where the state is of another generator or could not be R's.
        """
        kind_position_words = valid_state(state)
        stream = cls.__new__(cls)
        stream.seed = None
        stream.fresh = False
        stream._words = _generator(kind_position_words[2:].astype(np.uint32), int(kind_position_words[1]))
        return stream

    def to_r_state(self) -> NDArray[np.int32]:
        """R's .Random.seed after the same draws.

        Returns
        -------
        ndarray of int32, shape (626,)
            Signed integers, to be assigned in R's global environment.
        """
        state: Any = self._words.state["state"]
        key = np.asarray(state["key"], dtype=np.uint32)
        return np.concatenate([np.array([R_KIND, state["pos"]], dtype=np.int32), key.view(np.int32)])

    def copy(self) -> RStream:
        """An independent stream at the same position.

        Returns
        -------
        RStream
            Its draws do not move this one.
        """
        return deepcopy(self)

    __copy__ = copy

    def skip(self, n: int) -> None:
        """Advance past n uniforms without making them.

        Parameters
        ----------
        n : int
            How many; a normal takes two.
        """
        self._words.random_raw(count("skip", "n", n), output=False)

    def _view(self) -> View:
        """The stream as text, without seed and state: either of them undoes a protection."""
        origin = "from a whole state" if self.seed is None else "seeded"
        return View(f"<RStream {origin}>")

    def runif(self, n: int) -> Array:
        """R's runif(n).

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        ndarray, shape (n,)
            Uniforms, never 0 or 1.
        """
        return uniforms(self._words, count("runif", "n", n))

    def rnorm(self, n: int) -> Array:
        """R's rnorm(n).

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        ndarray, shape (n,)
            Standard normals, two uniforms each.
        """
        return self._compiled(normals, count("rnorm", "n", n))

    def runif_matrix(self, n: int, k: int) -> Array:
        """R's matrix(runif(n * k), n, k).

        Parameters
        ----------
        n, k : int
            Rows and columns.

        Returns
        -------
        ndarray, shape (n, k)
            Uniforms, filled by columns.
        """
        return self.runif(n * k).reshape((n, k), order="F")

    def rnorm_matrix(self, n: int, k: int) -> Array:
        """R's matrix(rnorm(n * k), n, k).

        Parameters
        ----------
        n, k : int
            Rows and columns.

        Returns
        -------
        ndarray, shape (n, k)
            Standard normals, filled by columns.
        """
        return self.rnorm(n * k).reshape((n, k), order="F")

    def sample_int(self, n: int, size: int | None = None, replace: bool = False) -> Integers:
        """R's sample.int(n, size, replace), which is sample(n, size, replace).

        Parameters
        ----------
        n : int
            The values are 1 to n.
        size : int, optional
            How many; None for all of them.
        replace : bool
            Whether a value may come again.

        Returns
        -------
        ndarray of int64, shape (size,)
            From 1 to n.

        Raises
        ------
        InvalidParameter
            When more than n are requested without replacement.
        """
        n = whole_number("RStream.sample_int", "n", n, low=0, high=R_SAMPLE_MOST)
        size = n if size is None else count("sample_int", "size", size)
        replace = flag("RStream.sample_int", "replace", replace)
        if size > n and (n == 0 or not replace):
            rule = f"must be at most n = {n}" + (" when drawing without replacement" if n else "")
            raise InvalidParameter("RStream.sample_int", "size", rule, size)
        bits = math.ceil(math.log2(n)) if n else 0  # as in R_unif_index, by floating numbers too
        if n > 1e7 and not replace and size <= n / 2:  # sample.int's useHash
            return sample_hashed(self._words, size, n, bits)
        if replace or size < 2:
            return sample_replacing(self._words, size, n, bits)
        return self._compiled(sample_pool, size, n)

    sample = sample_int  # in R both are one for a whole number

    def _compiled(self, draw: Callable[..., NDArray[Any]], size: int, *arguments: int) -> NDArray[Any]:
        """The draws of a function of `plain`, with compiled loops where there are many of them."""
        loaded = f"{__package__}.kernels" in sys.modules
        if size <= (COMPILED_WHEN_LOADED if loaded else COMPILED_ABOVE):
            return draw(self._words, size, *arguments)
        from . import kernels

        return draw(self._words, size, *arguments, kernels)


def _seeded(seed: int) -> NDArray[np.uint32]:
    """The 624 words that set.seed(seed) leaves: R's RNG_Init.

    A linear congruential generator runs 50 steps, then fills the state: 625 words, of which the first is the position, which
    R overwrites. So 51 words are left out.
    """
    word = seed % 2**32
    words = list[int]()
    for _ in range(51 + STATE_WORDS):
        word = (69069 * word + 1) % 2**32
        words.append(word)
    return np.array(words[51:], dtype=np.uint32)


def _entropy() -> NDArray[np.uint32]:
    """A whole state of 624 words from the system's entropy.

    It is drawn again, once in millions of times, if R would show a word as NA, or if all bits that the generator uses are 0.
    """
    while True:
        words = np.frombuffer(secrets.token_bytes(4 * STATE_WORDS), dtype=np.uint32)
        if words[1:].any() and not (words == R_NA).any():
            return words.copy()


def _generator(key: NDArray[np.uint32], position: int) -> np.random.MT19937:
    """A Mersenne twister with the state `key` (624,), of which `position` words are used."""
    words = np.random.MT19937(0)
    words.state = {"bit_generator": "MT19937", "state": {"key": key.tolist(), "pos": position}}  # a list is read faster
    return words


def as_stream(seed: int | RStream | None) -> RStream:
    """The stream of a `seed` argument: a stream is used itself, and advanced; an integer or None makes a new one."""
    return seed if isinstance(seed, RStream) else RStream(seed)


def own_copy(start: Any) -> Any:
    """A seed, or a tuple of seeds, that draws elsewhere do not advance: a stream is copied, an integer returned."""
    if isinstance(start, tuple):
        return tuple(own_copy(part) for part in start)
    if isinstance(start, RStream):
        return start.copy()
    return start


class _SeedField:
    """A field with the seed of a result. Each reading of a stream gives a new copy, so that all repeat the result.

    A descriptor: Python calls these methods when the field is declared, read and set.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        """Chooses the attribute that stores the seed, from the field's name."""
        self.attribute = f"_{name}"

    def __get__(self, result: Any, owner: type | None = None) -> Any:
        """The stored seed, a stream as a new copy."""
        if result is None:  # dataclass() reads the default from the class: there is none
            raise AttributeError(self.attribute)
        return own_copy(result.__dict__[self.attribute])

    def __set__(self, result: Any, start: Any) -> None:
        """Stores a copy, so that later draws from the caller's stream do not change it."""
        result.__dict__[self.attribute] = own_copy(start)


def seed_field() -> Any:
    """A required field of a dataclass for a seed, or several. Each reading of it starts anew."""
    return _SeedField()

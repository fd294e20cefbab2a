"""A stable radix sort of floats. numpy's stable sort gives the same order.

A float's key is a whole number of 64 bits in the order of the floats. A word is half key and half position in the file. The
uppermost 32 of the bits in which keys differ are sorted first, by three digits of 11 bits. Few values share them: insertion
orders these or, if they are many, a sort by the lower bits, then again by the upper ones.
Source: Knuth (1998), The Art of Computer Programming 3, 5.2.5.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from ..types import Array, Integers

Words = NDArray[np.uint64]

ZERO = np.uint64(0)
ONE = np.uint64(1)
HALF = np.uint64(32)  # bits of half a word
LOWER = np.uint64(0xFFFFFFFF)  # the lower half of a word
SIGN = np.uint64(1 << 63)  # the sign bit of a float
DIGIT_BITS = 11  # of a digit of the radix sort
DIGITS = 3  # of half a word: 33 bits, the uppermost of which is 0
BUCKETS = 1 << DIGIT_BITS  # values of a digit
LAST_BUCKET = np.uint64((1 << DIGIT_BITS) - 1)
MOVES = 8  # of a value, on average, until insertion is given up


@compiled
def sort_stably(x: Array, order: Integers, ranked: Array) -> None:
    """Fills order (n,) with the positions of x (n,) in ascending order, equal ones in file order; ranked (n,) with x[order]."""
    n = x.size
    bits = x.view(np.uint64)
    least = _key(bits[0])
    most = least
    for i in range(n):
        least = min(least, _key(bits[i]))
        most = max(most, _key(bits[i]))
    below = ZERO  # bits of the keys' differences that do not fit into half a word
    while (most - least) >> below > LOWER:
        below += ONE

    # By the upper bits. Few values share them, and insertion orders these.
    words = np.empty(n, np.uint64)
    spare = np.empty(n, np.uint64)
    for i in range(n):
        words[i] = ((_key(bits[i]) - least) >> below) << HALF | np.uint64(i)
    words, spare = _sorted(words, spare)
    _read(words, x, order, ranked)
    if below == ZERO or _inserted(order, ranked, MOVES * n):
        return

    # Many share them: by the lower bits first, then by the upper ones, which keeps the order of equal ones.
    rest = (ONE << below) - ONE
    for i in range(n):
        words[i] = ((_key(bits[i]) - least) & rest) << HALF | np.uint64(i)
    words, spare = _sorted(words, spare)
    for i in range(n):
        place = words[i] & LOWER
        words[i] = ((_key(bits[place]) - least) >> below) << HALF | place
    words, spare = _sorted(words, spare)
    _read(words, x, order, ranked)


@compiled
def _key(bits: Any) -> Any:
    """A float's bits as a whole number that rises with the float; -0.0 has the key of 0.0.

    The bits of positive floats rise with them: the sign bit puts these above all negative ones. Those of negative floats
    fall: all bits are inverted.
    """
    if bits & SIGN == ZERO or bits == SIGN:
        return bits | SIGN
    return ~bits


@compiled
def _sorted(words: Words, spare: Words) -> tuple[Words, Words]:
    """The words sorted by their upper halves, and the array that is now free; both arrays are overwritten.

    A radix sort: by each digit in turn, the least significant first.
    """
    n = words.size
    counts = np.zeros((DIGITS, BUCKETS), np.uint32)
    for i in range(n):
        for d in range(DIGITS):
            counts[d, _digit(words[i], d)] += np.uint32(1)
    for d in range(DIGITS):
        starts = counts[d]
        if starts[_digit(words[0], d)] == n:
            continue  # all words have this digit
        # Counts become the places at which the words of each bucket start.
        start = np.uint32(0)
        for b in range(BUCKETS):
            count = starts[b]
            starts[b] = start
            start = np.uint32(start + count)
        for i in range(n):
            b = _digit(words[i], d)
            spare[starts[b]] = words[i]
            starts[b] += np.uint32(1)
        words, spare = spare, words
    return words, spare


@compiled
def _digit(word: Any, d: int) -> Any:
    """Digit d of the upper half of a word, from 0 for the least significant."""
    return (word >> (HALF + np.uint64(DIGIT_BITS * d))) & LAST_BUCKET


@compiled
def _read(words: Words, x: Array, order: Integers, ranked: Array) -> None:
    """Fills order (n,) with the positions in the words' lower halves, and ranked (n,) with the values there."""
    for r in range(words.size):
        place = words[r] & LOWER
        order[r] = place
        ranked[r] = x[place]


@compiled
def _inserted(order: Integers, ranked: Array, most: int) -> bool:
    """Sorts `ranked` (n,), and `order` with it, by insertion; False, and unfinished, after `most` moves."""
    moves = 0
    for r in range(1, ranked.size):
        value = ranked[r]
        place = order[r]
        s = r
        while s > 0 and ranked[s - 1] > value:
            ranked[s] = ranked[s - 1]
            order[s] = order[s - 1]
            s -= 1
        if s < r:
            ranked[s] = value
            order[s] = place
            moves += r - s
            if moves > most:
                return False
    return True

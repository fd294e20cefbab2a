"""Rank swapping once more, by plain loops: the twins of the compiled kernels, quadratic and obvious.

Written from how mu-Argus and sdcMicro describe and order their swaps; ranks run from 0.
"""

import numpy as np


def words(a, b, c):
    """taus88 in binary strings: each component drops its low bits, moves up and takes in a word of its own bits."""
    state = [a, b, c]
    shape = [(31, 13, 12), (29, 2, 4), (28, 3, 17)]  # bits kept, tap, shift: L'Ecuyer (1996), table 1
    while True:
        for i, (kept, tap, shift) in enumerate(shape):
            bits = f"{state[i]:032b}"
            tapped = f"{int((bits + '0' * tap)[-32:], 2) ^ state[i]:032b}"
            low = tapped[: 32 - (kept - shift)].rjust(32, "0")
            moved = (bits[:kept] + "0" * (32 - kept) + "0" * shift)[-32:]
            state[i] = int(moved, 2) ^ int(low, 2)
        yield state[0] ^ state[1] ^ state[2]


def argus_partners(n, width, uniform):
    """A partner i + 1 + floor(width U), moved left to a free rank above i, else right to one within the width."""
    partner = [None] * n
    for i in range(n):
        if partner[i] is not None:
            continue
        u = int(uniform() * 2**31) / 2**31
        expected = min(i + 1 + int(width * u), n - 1)
        left = [j for j in range(i + 1, expected + 1) if partner[j] is None]
        right = [j for j in range(expected, min(n - 1, i + width) + 1) if partner[j] is None]
        j = left[-1] if left else right[0] if right else i
        partner[i], partner[j] = j, i
    return [j for j in partner if j is not None]


def sdcmicro_partners(n, P, draws):
    """A free rank at random among those above j and below j + nP, in 32-bit numbers."""
    return partners_within([min(n, int(np.float32(j) + np.float32(n) * np.float32(P))) for j in range(n)], draws)


def partners_within(reach, draws):
    """A free rank at random among those above j and below reach[j]."""
    partner = list(range(len(reach)))
    swapped = [False] * len(reach)
    for j in range(len(reach)):
        if swapped[j]:
            continue
        free = [k for k in range(j + 1, reach[j]) if not swapped[k]]
        if free:
            unit = np.float32(next(draws) / 2**32)
            k = free[min(int(unit * np.float32(len(free))), len(free) - 1)]
            partner[j], partner[k] = k, j
            swapped[j] = swapped[k] = True
    return partner


def argus_order(values):
    """The order mu-Argus's quicksort leaves: first value as pivot, small ones from the left, large ones from the right."""

    def ordered(items):
        if len(items) < 2:
            return items
        pivot, rest = items[0], items[1:]
        left, right = 0, len(rest)
        while left < right:
            if rest[left][0] <= pivot[0]:
                left += 1
            elif rest[right - 1][0] >= pivot[0]:
                right -= 1
            else:
                rest[left], rest[right - 1] = rest[right - 1], rest[left]
                left, right = left + 1, right - 1
        low = rest[:left]
        # The pivot trades places with the last small one, which so comes first.
        low = [low[-1], *low[:-1]] if low else low
        return [*ordered(low), pivot, *ordered(rest[left:])]

    return [i for _, i in ordered([(v, i) for i, v in enumerate(values)])]

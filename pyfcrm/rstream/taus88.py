"""L'Ecuyer's three-component Tausworthe generator taus88, seeded as sdcMicro's rank swapping seeds it."""

State = tuple[int, int, int]
"""The three components, each of 32 bits."""

WORD = 0xFFFFFFFF  # the lowest 32 bits
SECOND = 613566701  # sdcMicro's initial second component
THIRD = 858993401  # and its third one
LEAST = 1 << 19  # the first component must exceed this to be in its cycle


def seeded(seed: int) -> State:
    """The state that follows from a seed, taken modulo 2^32.

    Ones are appended in binary to a seed that is too small, so that 0, 1, 3, 7 ... give one stream.
    """
    first = seed & WORD
    while first <= LEAST:
        first = 2 * first + 1
    return first, SECOND, THIRD


def step(a: int, b: int, c: int) -> State:
    """The next state; its word is the exclusive or of the three components, 32 bits. Source: L'Ecuyer (1996)."""
    a = (((a & 0xFFFFFFFE) << 12) & WORD) ^ ((((a << 13) & WORD) ^ a) >> 19)
    b = (((b & 0xFFFFFFF8) << 4) & WORD) ^ ((((b << 2) & WORD) ^ b) >> 25)
    c = (((c & 0xFFFFFFF0) << 17) & WORD) ^ ((((c << 3) & WORD) ^ c) >> 11)
    return a, b, c

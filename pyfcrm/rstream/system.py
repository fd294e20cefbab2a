"""Noise from the operating system's generator, for a differential privacy guarantee: no seed repeats it, it is not stored."""

import secrets

import numpy as np
from scipy.special import ndtri

from ..types import Array


def fresh_normals(n: int, t: int) -> Array:
    """Independent standard normals (n, t), each the quantile of a uniform of 53 random bits.

    The uniforms are midpoints (bits + 1/2) / 2^53 of equal intervals, so that none is 0 or 1.
    """
    bits = np.frombuffer(secrets.token_bytes(8 * n * t), dtype=np.uint64) >> np.uint64(11)
    return np.asarray(ndtri((bits + 0.5) * 2.0**-53)).reshape(n, t)


def discrete_gaussian(scale: int) -> int:
    """A draw from the integers x with probabilities in proportion to exp(-x^2 / (2 scale^2)), exactly; scale at least 1.

    Only integers are compared, so that no rounding changes a probability. Source: Canonne, Kamath and Steinke (2020),
    algorithms 1 to 3, with t = floor(scale) + 1.
    """
    t = scale + 1
    variance = scale * scale
    # Rejection: x from a discrete Laplace law of scale t is accepted with probability
    # exp(-(|x| - variance / t)^2 / (2 variance)).
    while True:
        x = _discrete_laplace(t)
        # The exponent times t^2 / t^2: both of its parts are whole numbers.
        if _exponential((abs(x) * t - variance) ** 2, 2 * variance * t * t):
            return x


def _discrete_laplace(t: int) -> int:
    """An integer x with probability in proportion to exp(-|x| / t)."""
    while True:
        # |x| = remainder + t rounds: a remainder below t has probability in proportion to exp(-remainder / t), a number of
        # rounds to exp(-rounds).
        remainder = secrets.randbelow(t)
        if not _exponential(remainder, t):
            continue
        rounds = 0
        while _exponential(1, 1):
            rounds += 1
        size = remainder + t * rounds
        negative = secrets.randbelow(2)
        if size == 0 and negative:
            continue  # else zero, which has no sign, would count twice
        return -size if negative else size


def _exponential(a: int, b: int) -> bool:
    """True with probability exp(-a / b), for whole numbers a >= 0 and b > 0."""
    # Every whole 1 in a / b is a trial with probability exp(-1), until the rest is at most 1.
    while a > b:
        if not _exponential(1, 1):
            return False
        a -= b
    # With g = a / b, of trials with probabilities g, g/2, g/3 ... the first failure is number k with probability
    # g^(k-1) / (k-1)! - g^k / k!. The sum over odd k is the series of exp(-g).
    k = 1
    while secrets.randbelow(b * k) < a:
        k += 1
    return k % 2 == 1

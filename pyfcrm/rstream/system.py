"""Noise from the operating system's generator, for a differential privacy guarantee: no stream repeats it, nothing keeps it."""

import secrets

import numpy as np
from scipy.special import ndtri

from ..types import Array


def fresh_normals(n: int, t: int) -> Array:
    """Independent standard normals (n, t), each by inversion of 53 random bits."""
    bits = np.frombuffer(secrets.token_bytes(8 * n * t), dtype=np.uint64) >> np.uint64(11)
    return np.asarray(ndtri((bits + 0.5) * 2.0**-53)).reshape(n, t)


def discrete_gaussian(scale: int) -> int:
    """A draw from the integers x with probabilities in proportion to exp(-x^2 / (2 scale^2)), exactly.

    Only integers are compared, so that no rounding changes a probability. Source: Canonne, Kamath and Steinke (2020),
    algorithms 1 to 3.
    """
    t = scale + 1
    variance = scale * scale
    # Rejection: x from a discrete Laplace law of scale t is accepted with probability
    # exp(-(|x| - variance / t)^2 / (2 variance)).
    while True:
        x = _discrete_laplace(t)
        if _exponential((abs(x) * t - variance) ** 2, 2 * variance * t * t):
            return x


def _discrete_laplace(t: int) -> int:
    """An integer x with probability in proportion to exp(-|x| / t)."""
    while True:
        # |x| = remainder + t rounds, the remainder in proportion to exp(-remainder / t), the rounds to exp(-rounds).
        remainder = secrets.randbelow(t)
        if not _exponential(remainder, t):
            continue
        rounds = 0
        while _exponential(1, 1):
            rounds += 1
        size = remainder + t * rounds
        negative = secrets.randbelow(2)
        if size or not negative:  # else zero would count twice
            return -size if negative else size


def _exponential(a: int, b: int) -> bool:
    """True with probability exp(-a / b), for whole numbers a >= 0 and b > 0."""
    # exp(-a / b) is a power of exp(-1) times exp(-rest), with a rest of at most 1.
    while a > b:
        if not _exponential(1, 1):
            return False
        a -= b
    # With g = a / b, the first failure of trials with probabilities g, g/2, g/3 ... has an odd number with probability exp(-g).
    k = 1
    while secrets.randbelow(b * k) < a:
        k += 1
    return k % 2 == 1

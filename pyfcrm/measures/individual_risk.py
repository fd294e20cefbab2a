"""The risk of a record by its keys: how many records agree with it, in the file and in the population, and what follows.

Letters as in Franconi and Polettini (2004): f_k records of the file agree with record k on the keys. F_k of the
population do, estimated by the sum of weights. The individual risk is the expectation of 1/F_k.
"""

import numpy as np

from ..data.agreeing import agreeing_weight
from ..data.codes import MISSING
from ..types import Array, Codes

TERMS = 80  # of the series: from f = 20 or 1 - p <= 1/2 on, what follows is below 1e-17
STEPPED = 20  # the largest f that is reached by steps from f = 1


def frequencies(K: Codes, weights: Array | None = None) -> tuple[Array, Array]:
    """f_k and F_k of each record, as sdcMicro's freqCalc has them.

    Parameters
    ----------
    K : ndarray of int, shape (n, q)
        Coded keys; -1 is missing, and agrees with anything.
    weights : ndarray, shape (n,), optional
        Survey weights; None counts records.

    Returns
    -------
    fk, Fk : ndarray, shape (n,)
        Records that agree with each, itself included, and the sum of their weights.

    Notes
    -----
    With two keys or more, a complete record does not count records that miss all keys.

    References
    ----------
    Templ, Kowarik and Meindl (2015), sdcMicro's freqCalc.
    """
    w = np.ones(len(K)) if weights is None else weights
    fk = np.rint(agreeing_weight(K, np.ones(len(K))))
    Fk = agreeing_weight(K, w)
    if K.shape[1] > 1:
        missing = K == MISSING
        misses_all = missing.all(axis=1)
        complete = ~missing.any(axis=1)
        fk[complete] -= misses_all.sum()
        Fk[complete] -= w[misses_all].sum()
    return fk, Fk


def individual_risk(f: Array, F: Array, form: str = "approx") -> Array:
    """The expectation of 1/F given f, where F - f is negative binomial with p = f / F.

    Parameters
    ----------
    f, F : ndarray, shape (n,)
        Records that agree in the file, whole numbers from 1, and in the population.
    form : {"approx", "exact"}
        "approx" takes p / (f - 1 + p) for f > 2; "exact" the expectation itself, whatever f.

    Returns
    -------
    ndarray, shape (n,)
        Above 0 and at most 1. Where F is below f, as of weights below 1, the population is the file, and the risk 1/f.

    Notes
    -----
    The expectation is p/f 2F1(1, 1; f + 1; 1 - p), which has no cancelling terms. For f = 1 and 2 both forms are it.

    References
    ----------
    Franconi and Polettini (2004); Benedetti, Capobianchi and Franconi (1998).
    """
    p = f / np.maximum(F, f)
    if form == "exact":
        return _expectation(f, p)
    return np.where(f > 2, p / (f - 1 + p), _expectation(np.minimum(f, 2), p))


def _expectation(f: Array, p: Array) -> Array:
    """The expectation p/f times the sum over m of m! f! / (f + m)! (1 - p)^m, which is p/f 2F1(1, 1; f + 1; 1 - p).

    For small f and p the sum converges slowly: steps from f = 1 are used instead.
    """
    x = 1 - p
    term = np.ones_like(p)
    total = np.ones_like(p)
    for m in range(TERMS):
        term = term * x * (m + 1) / (f + m + 1)
        total += term
    risk = p / f * total
    slow = (f < STEPPED) & (x > 0.5)
    if slow.any():
        risk[slow] = _by_steps(f[slow], p[slow])
    return np.minimum(risk, 1.0)


def _by_steps(f: Array, p: Array) -> Array:
    """The expectation by steps: r_1 = -p log p / (1 - p), r_(k+1) = p (1/k - r_k) / (1 - p).

    A step multiplies errors by p / (1 - p), which is below 1 for p < 1/2.
    """
    r = -p * np.log(p) / (1 - p)
    for k in range(1, int(f.max())):
        r = np.where(k < f, p * (1 / k - r) / (1 - p), r)
    return r


def household_risk(risk: Array, household: Codes) -> Array:
    """The risk that one at least of a household's records is found, 1 - prod(1 - r), for each of its records.

    Parameters
    ----------
    risk : ndarray, shape (n,)
        Individual risks.
    household : ndarray of int, shape (n,)
        Codes; a record without one (-1) is a household of its own.

    Returns
    -------
    ndarray, shape (n,)
        From 0 to 1.

    References
    ----------
    Templ, Kowarik and Meindl (2015), sdcMicro's hierarchical risk.
    """
    without = household == MISSING
    codes = np.where(without, household.max() + 1 + np.cumsum(without), household)
    _, place = np.unique(codes, return_inverse=True)
    none_found = np.ones(int(place.max()) + 1)  # the probability for each household
    np.multiply.at(none_found, place, 1 - risk)
    return 1 - none_found[place]

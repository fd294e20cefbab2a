"""SUDA2: records that are unique on few keys, scored by how many such sets of keys there are and how small they are."""

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np

from ..data.codes import crossed_with
from ..errors import InvalidInput
from ..progress import Progress, report_progress
from ..types import Array, Codes, Mask

MOST_KEYS = 16  # all their subsets are examined
FRACTION = 0.01  # the sampling fraction, for DIS
MOST_BITS = 8 * 2**30  # one for each record and subset: 1 GB


def suda(K: Codes, scoring: str = "elliot", progress: Progress | None = None) -> Array:
    """The SUDA score of each record: the sum over its minimal sample uniques of a weight that falls with their size.

    Parameters
    ----------
    K : ndarray of int, shape (n, q)
        Coded keys; -1 is missing, which is equal to nothing and part of no unique set.
    scoring : {"elliot", "ihsn"}
        Of a minimal sample unique of k of q keys: (q - k)!, or (2^(q-k) - 1) k! (q - k)! / q!.
    progress : callable, optional
        Called with the number of subsets done.

    Returns
    -------
    ndarray, shape (n,)
        0 for a record without a minimal sample unique. A set of keys is one where no other record has its values, and some
        other record has those of any smaller set within it.

    Raises
    ------
    InvalidInput
        For more than 16 keys, or too many records for that many.

    References
    ----------
    Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008).
    """
    return suda_by_key(K, scoring, progress)[0]


def suda_by_key(K: Codes, scoring: str = "elliot", progress: Progress | None = None) -> tuple[Array, Array]:
    """The scores (n,) of `suda`, with the same arguments, and the contribution (q,) of each key, per cent.

    The contribution is the share of the sum of all scores that comes from minimal sample uniques with the key. As each set
    counts for all of its keys, contributions add up to more than 100. They are 0 where nothing is unique.
    Source: sdcMicro's suda2, attribute_contributions.
    """
    n, q = K.shape
    if q > MOST_KEYS or n * 2**q > MOST_BITS:
        rule = f"SUDA looks at every subset of the keys: at most {MOST_KEYS}, and fewer of so many records"
        raise InvalidInput("key_risk", rule, f"{q} keys, {n} records")
    # A subset of the keys is a whole number of q bits. The records that are unique on it are packed, 8 in a byte: row
    # `subset` of `unique`. A record has a minimal sample unique where it is unique on a subset, and on no smaller one in it.
    weights = _weights(q, scoring)
    scores = np.zeros(n)
    contributions = np.zeros(q)
    unique = np.zeros((2**q, (n + 7) // 8), dtype=np.uint8)
    one_group = np.zeros(n, np.int64)  # on the empty subset, which comes first, all records are equal
    without_empty_subset = islice(_uniques(K, one_group), 1, None)
    for done, (subset, unique_on_subset) in enumerate(without_empty_subset):
        keys = [j for j in range(q) if subset >> j & 1]
        # A record that is unique on any smaller subset is also unique on one that has just one key less.
        unique_on_fewer = np.zeros(unique.shape[1], dtype=np.uint8)
        for j in keys:
            unique_on_fewer |= unique[subset ^ (1 << j)]
        packed = np.packbits(unique_on_subset)
        unique[subset] = packed
        is_minimal = np.unpackbits(packed & ~unique_on_fewer, count=n)
        scores += weights[len(keys)] * is_minimal
        contributions[keys] += weights[len(keys)] * is_minimal.sum()
        if done % 64 == 0:
            report_progress(progress, done, 2**q, "subsets of keys")
    total = float(scores.sum())
    return scores, 100 * contributions / total if total > 0 else contributions


def dis(K: Codes, scores: Array) -> Array:
    """The DIS score: the SUDA score as an estimate of the probability that a match of the record is correct.

    Parameters
    ----------
    K : ndarray of int, shape (n, q)
        Coded keys.
    scores : ndarray, shape (n,)
        Of `suda`.

    Returns
    -------
    ndarray, shape (n,)
        From 0, where the score is 0, to 1.

    Notes
    -----
    The sampling fraction f is 0.01, sdcMicro's default. With U unique records, P in pairs: DIS = U f / (U f + P (1 - f)).
    A record of score s has DIS score 1 / (1 + (U / DIS - U) / (s^g A)), g = 1 + (8 - q) / 20, A the sum over scores of s^-g.
    A missing key is a value of its own here.

    References
    ----------
    Elliot (2000); Skinner and Elliot (2002); sdcMicro's disScore, which forgets unique records that share a place of its hash.
    """
    scored = scores > 0
    result = np.zeros(len(scores))
    if not scored.any():
        return result
    counts = np.unique(K, axis=0, return_counts=True)[1]
    U = float((counts == 1).sum())
    P = 2.0 * float((counts == 2).sum())
    share = U * FRACTION / (U * FRACTION + P * (1 - FRACTION))
    power = scores[scored] ** (1 + (8 - K.shape[1]) / 20)
    result[scored] = 1 / (1 + (U / share - U) / (power * (1 / power).sum()))
    return result


def _weights(q: int, scoring: str) -> list[float]:
    """Weights (q + 1) of a minimal sample unique, by its size k from 0; see `suda`."""
    if scoring == "elliot":
        return [float(math.factorial(q - k)) for k in range(q + 1)]
    # k! (q - k)! / q! is one over the binomial coefficient.
    return [(2.0 ** (q - k) - 1) / math.comb(q, k) for k in range(q + 1)]


def _uniques(K: Codes, codes: Codes, subset: int = 0) -> Iterator[tuple[int, Mask]]:
    """A subset of keys and its extensions by keys of K (n, q), as bits, with the records (n,) that are unique on each.

    Every subset comes after the subsets of itself. codes : (n,), equal for records with equal values of `subset`; -1 for
    records that miss one. The last key is left out first, then added.
    """
    if not K.shape[1]:
        known = codes >= 0
        counts = np.bincount(codes[known], minlength=1)
        yield subset, known & (counts[np.maximum(codes, 0)] == 1)
        return
    others = K[:, :-1]
    last = K[:, -1]
    bit_of_last = 1 << others.shape[1]
    yield from _uniques(others, codes, subset)
    yield from _uniques(others, crossed_with(codes, last), subset | bit_of_last)

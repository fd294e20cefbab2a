"""Records that agree with each record on coded keys, where a missing value agrees with anything."""

import numpy as np

from ..types import Array, Codes, Integers
from .codes import MISSING, combinations


def agreeing(K: Codes) -> Integers:
    """Numbers (n,) of records, itself included, that agree with each record on every key; K (n, q) codes.

    A missing value (-1) agrees with anything, since an intruder cannot exclude the record.
    Source: Templ, Kowarik and Meindl (2015), sdcMicro's freqCalc.
    """
    return np.rint(agreeing_weight(K, np.ones(len(K)))).astype(np.int64)


def agreeing_weight(K: Codes, weights: Array) -> Array:
    """Sums (n,) of the weights (n,) of the records that `agreeing` counts."""
    rows, row_of_record = np.unique(K, axis=0, return_inverse=True)
    weight_of_row = np.bincount(row_of_record, weights=weights, minlength=len(rows))
    # Rows are compared by the patterns of their observed keys: two rows agree if the keys observed in both are equal.
    patterns, pattern_of_row = np.unique(rows != MISSING, axis=0, return_inverse=True)
    total = np.zeros(len(rows))
    for a, observed in enumerate(patterns):
        queries = pattern_of_row == a
        for b, observed_in_others in enumerate(patterns):
            others = pattern_of_row == b
            keys = observed & observed_in_others
            total[queries] += _matches(rows[queries][:, keys], rows[others][:, keys], weight_of_row[others])
    return total[row_of_record]


def _matches(queries: Codes, others: Codes, weights: Array) -> Array:
    """Sums (a,) of the weights (b,) of the rows of `others` (b, k) that equal each row of `queries` (a, k)."""
    codes = combinations(np.vstack([queries, others]))  # one code for each combination of values
    weight_of_code = np.bincount(codes[len(queries) :], weights=weights, minlength=int(codes.max()) + 1)
    return np.asarray(weight_of_code[codes[: len(queries)]])

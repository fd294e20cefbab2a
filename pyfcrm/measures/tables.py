"""Utility of categories: how far one-way and two-way tables of a release are from the original's."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..data.codes import crossed
from ..types import Array, Codes
from .measure import Part, Parts, measure


def distance(before: Codes, after: Codes) -> float:
    """Total variation distance, per cent, of the frequencies of codes (n,) and (N,), -1 for missing."""
    size = int(max(before.max(), after.max())) + 2
    shares: list[Array] = [np.bincount(codes + 1, minlength=size) / len(codes) for codes in (before, after)]
    return 50 * float(np.abs(shares[0] - shares[1]).sum())


@measure(
    key="tables",
    title="Tables: total variation distance of two-way tables, mean",
    reading="Share of records that would have to change cells until each table of two categories is the original's; mean.",
    kind="loss",
    source="Raab, Nowok and Dibben (2021)",
    needs="keys",
    identity=0.0,
)
def tables(K: Codes, L: Codes, first: int | None = None, names: Sequence[str] = ()) -> Parts:
    """Total variation distance, per cent, of the tables of two categories, mean over them; of one column its own.

    Parameters
    ----------
    K : ndarray of int, shape (n, q)
        Codes of the categories of the original; -1 is missing, a value of its own.
    L : ndarray of int, shape (N, q)
        Those of the release, which need no pairing.
    first : int, optional
        Only tables with one of the first columns count; None for all tables.
    names : sequence of str, optional
        The columns' names for the parts; numbers from 1 by default.

    Returns
    -------
    Parts
        Half the sum of absolute differences of the shares. Parts: by column its own table ("1"), then by pair of columns
        ("1 x 2").

    References
    ----------
    The distance is standard; of tables in synthetic data: Raab, Nowok and Dibben (2021).
    """
    q = K.shape[1]
    first, names = q if first is None else first, names or [str(a + 1) for a in range(q)]
    alone = [Part(names[a], distance(K[:, a], L[:, a])) for a in range(first)]
    pairs = []
    for a, b in combinations(range(q), 2):
        if a < first:
            both = crossed(np.append(K[:, a], L[:, a]), np.append(K[:, b], L[:, b]))
            pairs.append(Part(f"{names[a]} x {names[b]}", distance(*np.split(both, [len(K)]))))
    return Parts(float(np.mean([part.value for part in pairs or alone])), tuple(alone + pairs))

"""Utility of categories: how far one-way and two-way tables of a release are from the original's."""

from itertools import combinations

import numpy as np

from ..data.attributes import KeyCodes
from ..data.codes import crossed
from ..types import Array, Codes
from .measure import Part, Parts, keys_measure


def distance(before: Codes, after: Codes) -> float:
    """Total variation distance, per cent, of the frequencies of codes (n,) and (N,), -1 for missing.

    That is half the sum of the absolute differences of the shares.
    """
    size = int(max(before.max(), after.max())) + 2  # the codes, and missing
    share_before: Array = np.bincount(before + 1, minlength=size) / len(before)
    share_after: Array = np.bincount(after + 1, minlength=size) / len(after)
    return 50 * float(np.abs(share_before - share_after).sum())


@keys_measure(
    key="tables",
    title="Tables: total variation distance of two-way tables, mean",
    reading="Share of records that would have to change cells until each table of two categories is the original's; mean.",
    kind="loss",
    source="Raab, Nowok and Dibben (2021)",
    identity=0.0,
)
def tables(keys: KeyCodes) -> Parts:
    """Total variation distance, per cent, of the tables of two categories, mean over them; of one column its own.

    Parameters
    ----------
    keys : KeyCodes
        Codes of the categories; a missing value is a value of its own. Only tables with one of the judged columns count.

    Returns
    -------
    Parts
        Half the sum of absolute differences of the shares. Parts: by column its own table ("1"), then by pair of columns
        ("1 x 2").

    References
    ----------
    The distance is standard; of tables in synthetic data: Raab, Nowok and Dibben (2021).
    """
    K = keys.K  # codes of the original, (n, q)
    L = keys.L  # and of the release, (N, q)
    q = K.shape[1]
    judged = q if keys.judged is None else keys.judged
    names = keys.names or [str(a + 1) for a in range(q)]
    alone = [Part(names[a], distance(K[:, a], L[:, a])) for a in range(judged)]
    pairs = []
    for a, b in combinations(range(q), 2):
        if a >= judged:
            continue
        # The cell of the table of columns a and b that each record of either file is in.
        cells = crossed(np.append(K[:, a], L[:, a]), np.append(K[:, b], L[:, b]))
        before, after = np.split(cells, [len(K)])
        pairs.append(Part(f"{names[a]} x {names[b]}", distance(before, after)))
    return Parts(float(np.mean([part.value for part in pairs or alone])), (*alone, *pairs))

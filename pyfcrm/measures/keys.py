"""Measures of key variables: records that agree with each record, released sample uniques, and k-anonymity."""

import math

from ..data.agreeing import agreeing
from ..data.attributes import KeyCodes
from .measure import Part, Parts, keys_measure

SMALL = (3, 5)  # sizes of groups below which records are counted
K_LEVELS = (2, 3, 5)  # k for which violations of k-anonymity are counted


@keys_measure(
    key="uniques",
    title="Records unique on the key attributes",
    reading="Share of records that nobody else shares the key attributes with.",
    source="Willenborg and de Waal (2001); Templ, Kowarik and Meindl (2015)",
)
def uniques(keys: KeyCodes) -> Parts:
    """Share of released records that are unique in the release on the keys, per cent.

    Parameters
    ----------
    keys : KeyCodes
        Coded keys of the original and of the release; a missing value agrees with anything.

    Returns
    -------
    Parts
        The share. Parts: unique, and in groups of fewer than 3 and 5, in the release and in the original.

    Notes
    -----
    Perturbed keys create uniques that correspond to no respondent: compare with the original's value.

    References
    ----------
    Willenborg and de Waal (2001); Templ, Kowarik and Meindl (2015).
    """
    parts = []
    for which, codes in (("released", keys.L), ("original", keys.K)):
        sizes = agreeing(codes)
        parts.append(Part(f"unique, {which}", 100 * float((sizes == 1).mean())))
        parts += [Part(f"fewer than {k} alike, {which}", 100 * float((sizes < k).mean())) for k in SMALL]
    return Parts(parts[0].value, tuple(parts))


@keys_measure(
    key="k_anonymity",
    title="k-anonymity on the key attributes: the smallest group, records",
    reading="The size of the smallest group of records with the same key attributes; 1 is a person alone.",
    better="higher",
    source="Samarati and Sweeney (1998)",
    lower=1.0,
    upper=math.inf,
)
def k_anonymity(keys: KeyCodes) -> Parts:
    """The largest k for which the release is k-anonymous: the fewest records that agree with some record on its keys.

    Parameters
    ----------
    keys : KeyCodes
        Coded keys of the original and of the release; a missing value agrees with anything.

    Returns
    -------
    Parts
        k. Parts: the same of the original, and for k = 2, 3, 5 how many records violate k-anonymity in each.

    References
    ----------
    Samarati and Sweeney (1998); the counts are those sdcMicro prints.
    """
    sizes = {"released": agreeing(keys.L), "original": agreeing(keys.K)}
    parts = [Part(f"k, {which}", float(size.min())) for which, size in sizes.items()]
    for k in K_LEVELS:
        for which, size in sizes.items():
            count = float((size < k).sum())
            parts.append(
                Part(f"records violating {k}-anonymity, {which}", count, range=(0.0, math.inf), better="lower")
            )
    return Parts(parts[0].value, tuple(parts))

"""Attribute disclosure by counting: replicated uniques, and targets that released keys disclose.

Letters as in Raab, Nowok and Dibben (2024): d_q and s_q records of original and release have the keys q. d_tq and s_tq
of them have the value t of the target. The attack of all four measures looks a record up by its keys.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ..data.attributes import KeyCodes, KeysAndTargets
from ..data.codes import combinations
from ..types import Array, Codes, Mask
from .measure import Part, Parts, keys_measure, targets_measure

RAAB = "Raab, Nowok and Dibben (2024)"


@dataclass(frozen=True)
class Counts:
    """Counts (n,) for the keys q and the target t of each original record."""

    one_value: Mask
    """Whether d_tq = d_q: all originals with the keys have the record's value."""
    s: Codes
    """s_q, the released records with the keys."""
    s_t: Codes
    """s_tq, those of them with the record's value."""
    one_released_value: Mask
    """Whether s_tq = s_q for some t: all released records with the keys have one value."""
    released_share: Array
    """The share of released records with t."""
    p_all_own_value: Array
    """The probability that s_q released records drawn at random all have t."""
    p_all_one_value: Array
    """The probability that they all have the same value."""

    @property
    def matched(self) -> Mask:
        """Mask (n,) of the originals whose keys a released record has."""
        return self.s > 0

    @property
    def disclosed(self) -> Mask:
        """Mask (n,) of the originals whose keys lead to released records of their own value only."""
        return self.matched & (self.s_t == self.s)


def counts(known: KeysAndTargets, j: int) -> Counts:
    """The counts of target j."""
    # By record, the number of its combination of keys (q) and of its target's value (t). An underscore marks the release.
    # Missing, -1, is a value of its own.
    q, q_ = known.combinations()
    t = known.targets[j].before + 1
    t_ = known.targets[j].after + 1

    # Records by keys.
    keys = int(max(q.max(), q_.max())) + 1
    d = np.bincount(q, minlength=keys)
    s = np.bincount(q_, minlength=keys)

    # Records by keys and value: each combination that occurs is a cell.
    values = int(max(t.max(), t_.max())) + 1
    _, cells = np.unique(np.concatenate([q * values + t, q_ * values + t_]), return_inverse=True)
    own, released = np.split(cells, [len(q)])
    size = int(cells.max()) + 1
    d_t = np.bincount(own, minlength=size)
    s_t = np.bincount(released, minlength=size)

    # Keys with a value that all of their released records have.
    has_value_of_all = s_t[released] == s[q_]  # by released record
    one_released_value = np.zeros(keys, dtype=bool)
    one_released_value[q_[has_value_of_all]] = True
    margin = np.bincount(t_, minlength=values)
    p_own, p_one = _probabilities_of_one_value(margin, s[q], t)
    return Counts(
        one_value=d_t[own] == d[q],
        s=s[q],
        s_t=s_t[own],
        one_released_value=one_released_value[q],
        released_share=margin[t] / len(t_),
        p_all_own_value=p_own,
        p_all_one_value=p_one,
    )


def _probabilities_of_one_value(margin: Codes, sizes: Codes, t: Codes) -> tuple[Array, Array]:
    """Probabilities (n,) that released records drawn at random all have the value t, and that they all have one value.

    margin : (values,), released records of each value; sizes : (n,), numbers of records drawn. A hypergeometric law: of a
    value that m of N records have, all k drawn have it with probability C(m, k) / C(N, k).
    """
    own = np.empty(len(t))
    one = np.empty(len(t))
    for k in np.unique(sizes):
        by_value = np.exp(_log_choose(margin, k) - _log_choose(margin.sum(), k))
        rows = sizes == k
        own[rows] = by_value[t[rows]]
        one[rows] = by_value.sum()
    return own, one


def _log_choose(n: Codes, k: int) -> Array:
    """The logarithm of the binomial coefficient n over k, -inf where k > n."""
    inside = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(np.maximum(n - k, 0) + 1.0)
    return np.where(k > n, -np.inf, inside)


@keys_measure(
    key="rep_u",
    title="Replicated uniques: unique on the keys in both files",
    reading="Share of records that are unique on the keys in the original, and whose keys one released record has.",
    source=RAAB,
)
def rep_u(keys: KeyCodes) -> Parts:
    """Replicated uniques: records unique on the keys in the original, whose keys one released record has, per cent.

    Parameters
    ----------
    keys : KeyCodes
        Coded keys of the original and of the release; a missing value is a value of its own.

    Returns
    -------
    Parts
        100 #{q: d_q = 1 and s_q = 1} / n. Parts: UiO, the records unique in the original, and UiS, of the released ones.

    References
    ----------
    Raab, Nowok and Dibben (2024).
    """
    codes = combinations(np.vstack([keys.K, keys.L]))
    q, q_ = np.split(codes, [len(keys.K)])
    size = int(codes.max()) + 1
    d = np.bincount(q, minlength=size)
    s = np.bincount(q_, minlength=size)
    unique = d[q] == 1
    parts = (
        Part("unique in the original", 100 * float(unique.mean()), better="neither"),
        Part("unique in the release", 100 * float((s[q_] == 1).mean()), better="neither"),
    )
    return Parts(100 * float((unique & (s[q] == 1)).sum()) / len(q), parts)


@targets_measure(
    key="disco",
    title="DiSCO: keys that disclose the target, correctly, in the release",
    reading="Share of records whose keys lead to released records of one value of the target, and that is the true one.",
    source=RAAB,
)
def disco(known: KeysAndTargets, j: int) -> Parts:
    """DiSCO: records whose keys lead, in the release, only to their own value of the target, per cent.

    Parameters
    ----------
    known : KeysAndTargets
        Keys and targets of both files, which need no pairing.
    j : int
        Which target, from 0.

    Returns
    -------
    Parts
        100 sum of d_tq over s_q > 0 and s_tq = s_q, by n. Parts: Dorig, the same of the original itself (d_tq = d_q).

    Notes
    -----
    The baseline is the value expected if the released targets are permuted at random.

    References
    ----------
    Raab, Nowok and Dibben (2024).
    """
    of_target = counts(known, j)
    name = known.targets[j].name
    value = 100 * float(of_target.disclosed.mean())
    chance = 100 * float((of_target.matched * of_target.p_all_own_value).mean())
    original = Part(f"{name}, one value in the original", 100 * float(of_target.one_value.mean()), better="neither")
    return Parts(value, (Part(name, value, chance), original), chance)


@targets_measure(
    key="dcap",
    title="Correct attribution probability of the target by the keys",
    reading="The chance that a released record with a record's keys has its value of the target; 0 where there is none.",
    source=f"Taub et al. (2018); {RAAB}",
)
def dcap(known: KeysAndTargets, j: int) -> Parts:
    """The correct attribution probability of the original records, per cent.

    Parameters
    ----------
    known : KeysAndTargets
        Keys and targets of both files, which need no pairing.
    j : int
        Which target, from 0.

    Returns
    -------
    Parts
        100 sum over s_q > 0 of (s_tq / s_q) d_tq, by n: a record whose keys the release has not counts 0.

    Notes
    -----
    The baseline is the value expected if the released targets are permuted at random.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018); Raab, Nowok and Dibben (2024).
    """
    of_target = counts(known, j)
    value = 100 * float((of_target.s_t / np.maximum(of_target.s, 1)).mean())
    chance = 100 * float((of_target.matched * of_target.released_share).mean())
    return Parts(value, (Part(known.targets[j].name, value, chance),), chance)


@targets_measure(
    key="tcap",
    title="Targeted correct attribution probability",
    reading="Of the records whose keys lead to one value of the target, the share for which it is the true one.",
    source=f"Little, Allmendinger and Elliot (2025); {RAAB}",
)
def tcap(known: KeysAndTargets, j: int) -> Parts:
    """TCAP in its three definitions, per cent; the value is the largest, which is the conditional one.

    Parameters
    ----------
    known : KeysAndTargets
        Keys and targets of both files, which need no pairing.
    j : int
        Which target, from 0.

    Returns
    -------
    Parts
        The largest. Parts: certain, matched, conditional.

    Notes
    -----
    certain : of the records whose keys the release has, those whose keys lead to their own value alone in both files;
    matched : of the same, those whose keys lead to their own value alone in the release; conditional : as matched, of the
    records whose keys lead to one value in the release. The baseline is the expected numerator by the expected denominator
    if the released targets are permuted at random.

    References
    ----------
    Little, Allmendinger and Elliot (2025); Raab, Nowok and Dibben (2024).
    """
    of_target = counts(known, j)
    disclosed = of_target.disclosed
    matched = of_target.matched
    one_value = of_target.one_value
    # Expected numbers if the released targets are permuted: matched records whose keys lead to their own value alone, and
    # those whose keys lead to one value.
    own_value_by_chance = matched * of_target.p_all_own_value
    one_value_by_chance = matched * of_target.p_all_one_value
    name = known.targets[j].name
    certain = Part(
        f"{name}, certain",
        _ratio(disclosed & one_value, matched),
        _ratio(own_value_by_chance * one_value, matched),
    )
    of_matched = Part(
        f"{name}, matched",
        _ratio(disclosed, matched),
        _ratio(own_value_by_chance, matched),
    )
    conditional = Part(
        f"{name}, conditional",
        _ratio(disclosed, of_target.one_released_value),
        _ratio(own_value_by_chance, one_value_by_chance),
    )
    parts = (certain, of_matched, conditional)
    worst = max(parts, key=lambda part: part.value)
    return Parts(worst.value, parts, worst.baseline)


def _ratio(part: Array | Mask, whole: Array | Mask) -> float:
    """The sum of `part` by that of `whole`, both (n,), per cent; 0 where `whole` is 0."""
    return 100 * float(part.sum()) / float(whole.sum()) if whole.any() else 0.0

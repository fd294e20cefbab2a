"""RAPID: records whose target an intruder finds, by a model fitted to the release or by looking up the keys in it."""

from collections.abc import Iterator

import numpy as np

from ..data.attributes import KeysAndTargets
from ..types import Array, Codes
from .attackers import LOOK_UP, MODEL, features, forest_classes, forest_numbers, looked_up, no_value, shares_within
from .measure import Part, Parts, targets_measure

NEAR = 0.05  # largest difference of a correct guess, in standard deviations or relative to the value
OF_VALUE = "within 5 % of the value"


@targets_measure(
    key="rapid",
    title="RAPID: targets found in the release, by a model or by looking the keys up",
    reading="Share of records whose target is found, numbers within 5 per cent of a standard deviation. A model fitted "
    "to the release, or a look-up of the keys: the larger share counts.",
    source="Templ, Thees and Müller (2026); the look-up is own",
)
def rapid(known: KeysAndTargets, j: int) -> Parts:
    """Share of original records whose target is found from their keys: within 5 per cent of its sd, or the category, per cent.

    Parameters
    ----------
    known : KeysAndTargets
        Keys and targets of both files, which need no pairing.
    j : int
        Which target, from 0.

    Returns
    -------
    Parts
        The larger of two attackers'. Parts: the model, a forest fitted to the release, which predicts the originals;
        the look-up, a random released record with the same keys. For numbers, both also within 5 per cent of the value,
        the paper's tolerance.

    Notes
    -----
    Originals without a value are left out. The baseline is the share of correct guesses if the guesses are permuted at random;
    of the look-up, if the released targets are. Where columns are released unchanged, a model alone misses disclosure that
    the look-up finds.

    References
    ----------
    Templ, Thees and Müller (2026), whose attacker is the model; the look-up is own.
    """
    # An underscore marks the release.
    target = known.targets[j]
    X, Z = features(known)
    q, q_ = known.combinations()
    has_value = target.before >= 0 if target.numbers is None else ~np.isnan(target.numbers[0])
    if not has_value.any():
        return no_value("rapid", target.name)
    keys = (X[has_value], Z)
    codes = (q[has_value], q_)
    if target.numbers is not None:
        y, z = target.numbers
        hits = _hits_of_numbers(y[has_value], z, keys, codes)
    else:
        hits = _hits_of_classes(target.before[has_value], target.after, keys, codes)
    parts = [Part(f"{target.name}, {attack}", 100 * value, 100 * chance) for attack, value, chance in hits]
    worst = max((part for part in parts if OF_VALUE not in part.name), key=lambda part: part.value)
    return Parts(worst.value, tuple(parts), worst.baseline)


Hits = Iterator[tuple[str, float, float]]
"""Name of each attack, share of correct guesses and share by chance."""


def _hits_of_numbers(y: Array, z: Array, keys: tuple[Array, Array], codes: tuple[Codes, Codes]) -> Hits:
    """Correct guesses of a target of numbers, by both attacks and within both widths.

    y (n,), z (N,) : the target in both files; keys : those of both files as numbers; codes : their combinations.
    """
    X, Z = keys
    q, q_ = codes
    guess = forest_numbers(Z, z, X)
    sd = float(np.std(y, ddof=1)) if len(y) > 1 else 0.0
    found = np.isin(q, q_)
    share_found = float(found.mean())
    for label, width in (("", np.full(len(y), NEAR * sd)), (f", {OF_VALUE}", NEAR * np.abs(y))):
        low = y - width
        high = y + width
        if guess is not None:
            right = float(((guess >= low) & (guess <= high)).mean())
            yield MODEL + label, right, _share_inside(guess, low, high)
        right = float(shares_within(q, low, high, q_, z).mean())
        # A random released value, for the records whose keys the release has.
        chance = _share_inside(z, low[found], high[found]) * share_found if share_found else 0.0
        yield LOOK_UP + label, right, chance


def _hits_of_classes(t: Codes, t_: Codes, keys: tuple[Array, Array], codes: tuple[Codes, Codes]) -> Hits:
    """Correct guesses of a target of classes, by both attacks.

    t (n,), t_ (N,) : the target's classes in both files; keys, codes : as for numbers.
    """
    X, Z = keys
    q, q_ = codes
    guesses = {MODEL: forest_classes(Z, t_, X), LOOK_UP: looked_up(q_, t_, q)}
    for name, guess in guesses.items():
        if guess is None:
            continue
        # By chance, a guess is right with probability sum over classes of (share of originals) (share of guesses).
        size = int(max(t.max(), guess.value.max())) + 2  # classes, and -1 for no guess
        share_of_class = np.bincount(t + 1, minlength=size) / len(t)
        share_of_guesses = np.bincount(guess.value + 1, minlength=size) / len(guess.value)
        yield name, float((guess.value == t).mean()), float(share_of_class @ share_of_guesses)


def _share_inside(values: Array, low: Array, high: Array) -> float:
    """The share of all pairs of an interval, from `low` to `high` (n,), and a value (N,) that are inside; NaN never is."""
    at = np.sort(values[~np.isnan(values)])
    inside = np.searchsorted(at, high, "right") - np.searchsorted(at, low, "left")
    return float(inside.mean()) / len(values)

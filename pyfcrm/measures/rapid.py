"""RAPID: records whose target an intruder finds, by a model learned from the release or by looking up the keys in it."""

from collections.abc import Iterator

import numpy as np

from ..data.attributes import KeysAndTargets
from ..types import Array, Codes
from .attackers import LOOK_UP, MODEL, features, forest_classes, forest_numbers, looked_up, no_value, shares_within
from .measure import Part, Parts, targets_measure

NEAR = 0.05  # of a standard deviation, or of the value
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
    target, (X, Z), (q, q_) = known.targets[j], features(known), known.combinations()
    rows = target.before >= 0 if target.numbers is None else ~np.isnan(target.numbers[0])
    if not rows.any():
        return no_value("rapid", target.name)
    if target.numbers is not None:
        y, z = target.numbers
        hits = _hits_of_numbers(y[rows], z, (X[rows], Z), (q[rows], q_))
    else:
        hits = _hits_of_classes(target.before[rows], target.after, (X[rows], Z), (q[rows], q_))
    parts = [Part(f"{target.name}, {attack}", 100 * value, 100 * chance) for attack, value, chance in hits]
    worst = max((part for part in parts if OF_VALUE not in part.name), key=lambda part: part.value)
    return Parts(worst.value, tuple(parts), worst.baseline)


Hits = Iterator[tuple[str, float, float]]
"""Name of each attack, share of correct guesses and share by chance."""


def _hits_of_numbers(y: Array, z: Array, keys: tuple[Array, Array], codes: tuple[Codes, Codes]) -> Hits:
    """y (n,), z (N,) : the target in both files; keys : as numbers; codes : combinations of keys."""
    guess = forest_numbers(keys[1], z, keys[0])
    sd = float(np.std(y, ddof=1)) if len(y) > 1 else 0.0
    for label, width in (("", np.full(len(y), NEAR * sd)), (f", {OF_VALUE}", NEAR * np.abs(y))):
        low, high = y - width, y + width
        if guess is not None:
            right = float(((guess >= low) & (guess <= high)).mean())
            yield MODEL + label, right, _share_inside(guess, low, high)
        found = np.isin(codes[0], codes[1])
        right, chance = float(shares_within(codes[0], low, high, codes[1], z).mean()), float(found.mean())
        yield LOOK_UP + label, right, chance and _share_inside(z, low[found], high[found]) * chance


def _hits_of_classes(t: Codes, t_: Codes, keys: tuple[Array, Array], codes: tuple[Codes, Codes]) -> Hits:
    """t (n,), t_ (N,) : the target's classes in both files; the others as for numbers."""
    guesses = {MODEL: forest_classes(keys[1], t_, keys[0]), LOOK_UP: looked_up(codes[1], t_, codes[0])}
    for name, guess in guesses.items():
        if guess is not None:
            width = int(max(t.max(), guess.value.max())) + 2
            shares = [np.bincount(classes + 1, minlength=width) / len(classes) for classes in (t, guess.value)]
            yield name, float((guess.value == t).mean()), float(shares[0] @ shares[1])


def _share_inside(values: Array, low: Array, high: Array) -> float:
    """Of all pairs of an interval and a value, NaN where it is missing, the share inside."""
    at = np.sort(values[~np.isnan(values)])
    inside = np.searchsorted(at, high, "right") - np.searchsorted(at, low, "left")
    return float(inside.mean()) / len(values)

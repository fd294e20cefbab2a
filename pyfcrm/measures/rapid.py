"""RAPID: whose target an intruder reads off a release, by a model learned from it or by looking the keys up in it."""

from __future__ import annotations

import numpy as np

from ..data.attributes import Attribute, KeysAndTargets
from ..types import Array, Codes
from .attackers import (
    LOOK_UP,
    MODEL,
    features,
    forest_classes,
    forest_numbers,
    looked_up,
    no_model,
    no_value,
    shares_within,
)
from .measure import Facts, Part, Parts, TargetMeasure

NEAR = 0.05  # of a standard deviation, or of the value
OF_VALUE = "within 5 % of the value"


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
        The larger of two attackers'. Parts: the model, a forest learned from the release, which predicts the originals; the
        look-up, which takes one of the released records with the same keys at random; of numbers both within 5 per cent
        of the value too, the paper's own tolerance.

    Notes
    -----
    Originals without a value are not judged. The baseline is what the same guesses hit when they are handed round at random;
    of the look-up, when the released targets are. Where columns leave as they came, a model alone passes files that the
    look-up reads like a book.

    References
    ----------
    Templ, Thees and Müller (2026), whose attacker is the model; the look-up is own.
    """
    target, (X, Z), (q, q_) = known.targets[j], features(known), known.combinations()
    if target.numbers is not None:
        return _numbers(target.name, *target.numbers, (X, Z), (q, q_))
    return _categories(target, (X, Z), (q, q_))


def _numbers(name: str, y: Array, z: Array, XZ: tuple[Array, Array], keys: tuple[Codes, Codes]) -> Parts:
    rows = ~np.isnan(y)
    if not rows.any():
        return Parts(0.0, (), 0.0, (no_value("rapid", name),))
    X, y, q = XZ[0][rows], y[rows], keys[0][rows]
    sd = float(np.std(y, ddof=1)) if len(y) > 1 else 0.0
    widths = {"": np.full(len(y), NEAR * sd), f", {OF_VALUE}": NEAR * np.abs(y)}
    said = forest_numbers(XZ[1], z, X)
    parts, given = [], np.sort(z[~np.isnan(z)])
    for label, width in widths.items():
        low, high = y - width, y + width
        if said is not None:
            hits = float(((said >= low) & (said <= high)).mean())
            parts.append(
                Part(f"{name}, {MODEL}{label}", 100 * hits, 100 * _inside(np.sort(said), low, high, len(said)))
            )
        hits, there = float(shares_within(q, low, high, keys[1], z).mean()), np.isin(q, keys[1])
        chance = _inside(given, low[there], high[there], len(z)) * float(there.mean())
        parts.append(Part(f"{name}, {LOOK_UP}{label}", 100 * hits, 100 * chance))
    return _worse([part for part in parts if OF_VALUE not in part.name], parts, said is None)


def _categories(target: Attribute, XZ: tuple[Array, Array], keys: tuple[Codes, Codes]) -> Parts:
    rows, t_ = target.before >= 0, target.after
    name = target.name
    if not rows.any():
        return Parts(0.0, (), 0.0, (no_value("rapid", name),))
    t, guess = target.before[rows], forest_classes(XZ[1], t_, XZ[0][rows])
    parts = []
    if guess is not None:
        parts.append(Part(f"{name}, {MODEL}", 100 * float((guess.value == t).mean()), 100 * _same(t, guess.value)))
    value = looked_up(keys[0][rows], keys[1], t_).value
    parts.append(Part(f"{name}, {LOOK_UP}", 100 * float((value == t).mean()), 100 * _same(t, value)))
    return _worse(parts, parts, guess is None)


def _worse(counted: list[Part], parts: list[Part], alone: bool) -> Parts:
    worst = max(counted, key=lambda part: part.value)
    return Parts(worst.value, tuple(parts), worst.baseline, (no_model("rapid"),) if alone else ())


def _inside(at: Array, low: Array, high: Array, of: int) -> float:
    """Of all pairs of an interval and one of the `of` values, sorted in `at` where known, the share inside."""
    if not len(low):
        return 0.0
    return float((np.searchsorted(at, high, "right") - np.searchsorted(at, low, "left")).mean()) / of


def _same(t: Codes, guess: Codes) -> float:
    """Of all pairs of a true class and a guess the share that is equal."""
    width = int(max(t.max(), guess.max())) + 2
    return float(
        (np.bincount(t + 1, minlength=width) / len(t)) @ (np.bincount(guess + 1, minlength=width) / len(guess))
    )


RAPID = TargetMeasure(
    Facts(
        key="rapid",
        title="RAPID: targets read off the release, by a model or by looking the keys up",
        reading=(
            "Share of records whose target is found within 5 per cent of a standard deviation, by a model learned "
            "from the release or by looking the keys up in it, whichever finds more."
        ),
        kind="risk",
        source="Templ, Thees and Müller (2026); the look-up is own",
    ),
    rapid,
)

"""ALC, the anonymity loss coefficient: how much the release improves an intruder's guesses of a target."""

import math
from typing import Any

import numpy as np

from ..data.attributes import KeysAndTargets
from ..types import Array, Codes
from .attackers import LOOK_UP, MODEL, Attacker, Guess, features, forest_classes, looked_up, no_value
from .measure import Part, Parts, targets_measure
from .propensity import folds_by_value

LEAST = 1e-4  # recall at which the PRC is 0
FEWEST = 20  # attacked records at least: the precision of fewer is unreliable


def prc(precision: Array, recall: Array) -> Array:
    """P (1 - (log10 R / log10 1e-4)^3), at least 0, from 0 to 1; P and R (k,) from 0 to 1."""
    with np.errstate(divide="ignore"):
        worth = 1 - (np.log10(recall) / math.log10(LEAST)) ** 3
    return np.where(recall > 0, precision * np.maximum(worth, 0.0), 0.0)


def best_prc(guess: Guess, t: Codes, fewest: int | None = FEWEST) -> tuple[float, float, float]:
    """The largest PRC over the number of attacked records, the surest guesses first, with its precision and recall.

    t (n,) : true classes. Equally sure guesses are attacked together; at least `fewest` records, or with None all that have a
    guess.
    """
    guessed = np.flatnonzero(guess.value >= 0)
    if not len(guessed):
        return 0.0, 0.0, 0.0
    order = guessed[np.argsort(-guess.sure[guessed], kind="stable")]
    sure, right = np.round(guess.sure[order], 12), np.cumsum(guess.value[order] == t[order])
    ends = np.flatnonzero(np.append(sure[1:] < sure[:-1], True)) + 1
    ends = ends[ends >= min(len(order) if fewest is None else fewest, len(order))]
    precision, recall = right[ends - 1] / ends, ends / len(t)
    worth = prc(precision, recall)
    k = int(worth.argmax())
    return float(worth[k]), float(precision[k]), float(recall[k])


@targets_measure(
    key="alc",
    title="Anonymity loss coefficient",
    reading="How far the release brings an intruder from general knowledge (0) to certainty (100), for all records or "
    "for the surest guesses. Below 0 the release is less useful than the originals of the other records.",
    source="Francis and Wagner (2025)",
    lower=-math.inf,
)
def alc(known: KeysAndTargets, j: int) -> Parts:
    """100 (PRC_attack - PRC_base) / (1 - PRC_base), per cent: 0 if the release discloses no more than others' originals.

    Parameters
    ----------
    known : KeysAndTargets
        Keys and targets of both files, which need no pairing; the classes of the target are what is guessed.
    j : int
        Which target, from 0.

    Returns
    -------
    Parts
        The larger of two attackers'. Parts: of the model, a forest fitted to the release, and of the look-up, the
        commonest class among the released records with the same keys; and their components.

    Notes
    -----
    PRC = P (1 - (log10 R / log10 1e-4)^3), at least 0: the precision P of the attacks and the recall R, the share of records
    attacked. PRC_base is the same attack without the record: on the originals of the four folds of five that exclude it. The
    source calls values above 50 unsafe; below 0 the release is less informative than others' originals. Originals without
    a value are left out. Own: the larger of two coefficients counts. Either all records that have a guess are attacked, or
    each intruder chooses the surest 20 or more. The surest guesses alone may be of a point mass, such as the zeros of
    pensioners' wages. They would hide the disclosure of the other values.

    References
    ----------
    Francis and Wagner (2025).
    """
    target, (X, Z), (q, q_) = known.targets[j], features(known), known.combinations()
    rows = target.before >= 0
    if not rows.any():
        return no_value("alc", target.name)
    t, X, q = target.before[rows], X[rows], q[rows]
    fold = folds_by_value(*X.T, t)
    attacks: dict[str, tuple[Attacker, Any, Any]] = {MODEL: (forest_classes, X, Z), LOOK_UP: (looked_up, q, q_)}
    parts, values = list[Part](), list[float]()
    for name, (attack, keys, released) in attacks.items():
        guess = attack(released, target.after, keys)
        if guess is None:
            continue
        base = _by_folds(attack, keys, t, fold)
        choices = [(best_prc(guess, t, fewest), best_prc(base, t, fewest)[0]) for fewest in (None, FEWEST)]
        lines = max((_compared(f"{target.name}, {name}", *prcs) for prcs in choices), key=lambda lines: lines[0].value)
        values.append(lines[0].value)
        parts += lines
    return Parts(max(values), tuple(parts), 0.0)


def _compared(name: str, attack: tuple[float, float, float], base: float) -> list[Part]:
    """The coefficient of one attacker, and its components."""
    value = 100 * (attack[0] - base) / (1 - base) if base < 1 else 0.0
    lines = zip(("PRC", "precision", "recall", "PRC without the record"), (*attack, base), strict=True)
    explained = [Part(name=f"{name}, {line}", value=100 * x, range=(0.0, 100.0), better="neither") for line, x in lines]
    return [Part(name, value, 0.0), *explained]


def _by_folds(attack: Attacker, keys: Any, t: Codes, fold: Codes) -> Guess:
    """The guesses of the classes t (n,) in each fold by an attack on the other folds; none where there is one fold."""
    value, sure = np.full(len(fold), -1, dtype=np.int64), np.zeros(len(fold))
    for own in (fold == k for k in np.unique(fold)):
        if not own.all() and (guess := attack(keys[~own], t[~own], keys[own])):
            value[own], sure[own] = guess.value, guess.sure
    return Guess(value, sure)

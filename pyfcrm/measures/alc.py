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
FEWEST = 20  # least records attacked: the precision of fewer is unreliable


def prc(precision: Array, recall: Array) -> Array:
    """The precision-recall coefficient P (1 - (log10 R / log10 1e-4)^3), at least 0 and at most 1.

    P, R (k,), from 0 to 1 : precision and recall. Source: Francis and Wagner (2025).
    """
    with np.errstate(divide="ignore"):
        worth = 1 - (np.log10(recall) / math.log10(LEAST)) ** 3
    return np.where(recall > 0, precision * np.maximum(worth, 0.0), 0.0)


def best_prc(guess: Guess, t: Codes, fewest: int | None = FEWEST) -> tuple[float, float, float]:
    """The largest PRC over the number of attacked records, the surest guesses first, with its precision and recall.

    t (n,) : true classes; fewest : least number of records attacked, None for all that have a guess. Equally sure guesses are
    attacked together.
    """
    guessed = np.flatnonzero(guess.value >= 0)
    if not len(guessed):
        return 0.0, 0.0, 0.0
    order = guessed[np.argsort(-guess.sure[guessed], kind="stable")]
    sure = np.round(guess.sure[order], 12)
    right = np.cumsum(guess.value[order] == t[order])
    # Numbers of records that can be attacked: up to the last one of equally sure guesses.
    attacked = np.flatnonzero(np.append(sure[1:] < sure[:-1], True)) + 1
    least = len(order) if fewest is None else min(fewest, len(order))
    attacked = attacked[attacked >= least]
    precision = right[attacked - 1] / attacked
    recall = attacked / len(t)
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
    # An underscore marks the release.
    target = known.targets[j]
    X, Z = features(known)
    q, q_ = known.combinations()
    has_value = target.before >= 0
    if not has_value.any():
        return no_value("alc", target.name)
    t = target.before[has_value]
    X = X[has_value]
    q = q[has_value]
    fold = folds_by_value(*X.T, t)
    attacks: dict[str, tuple[Attacker, Any, Any]] = {MODEL: (forest_classes, X, Z), LOOK_UP: (looked_up, q, q_)}
    parts = list[Part]()
    values = list[float]()
    for name, (attack, keys, released) in attacks.items():
        guess = attack(released, target.after, keys)
        if guess is None:
            continue
        base = _by_folds(attack, keys, t, fold)
        # The coefficient for all records, and for the surest guesses: the larger counts, with its components.
        label = f"{target.name}, {name}"
        of_all = _compared(label, best_prc(guess, t, None), best_prc(base, t, None)[0])
        of_surest = _compared(label, best_prc(guess, t, FEWEST), best_prc(base, t, FEWEST)[0])
        lines = of_surest if of_surest[0].value > of_all[0].value else of_all
        values.append(lines[0].value)
        parts += lines
    return Parts(max(values), tuple(parts), 0.0)


def _compared(name: str, attack: tuple[float, float, float], base: float) -> list[Part]:
    """The coefficient of one attacker, and its components.

    attack : PRC, precision and recall with the release; base : PRC without the record.
    """
    attack_prc, precision, recall = attack
    value = 100 * (attack_prc - base) / (1 - base) if base < 1 else 0.0
    components = {"PRC": attack_prc, "precision": precision, "recall": recall, "PRC without the record": base}
    explained = [
        Part(name=f"{name}, {component}", value=100 * x, range=(0.0, 100.0), better="neither")
        for component, x in components.items()
    ]
    return [Part(name, value, 0.0), *explained]


def _by_folds(attack: Attacker, keys: Any, t: Codes, fold: Codes) -> Guess:
    """The guesses of the classes t (n,) in each fold by an attack on the other folds; none where there is one fold."""
    value = np.full(len(fold), -1, dtype=np.int64)
    sure = np.zeros(len(fold))
    for k in np.unique(fold):
        own = fold == k
        if own.all():
            continue
        guess = attack(keys[~own], t[~own], keys[own])
        if guess is not None:
            value[own] = guess.value
            sure[own] = guess.sure
    return Guess(value, sure)

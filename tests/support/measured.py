"""Files for measures of any kind, and the numbers of a result by name."""

from dataclasses import replace

import numpy as np

from pyfcrm.data.attributes import KeyCodes, KeysAndTargets
from pyfcrm.data.pairs import Pair
from pyfcrm.engine import Local
from pyfcrm.evaluation.measuring import measure_notes, measured
from pyfcrm.evaluation.report import Report
from pyfcrm.measures import DEFAULT, MEASURES
from pyfcrm.measures.measure import KeysMeasure

from .attributes import jointly_coded

# Slow on random files; linkage_informed is dbrl where no method is known.
FEW_FILES = {"detection", "dbrl_supervised", "linkage_informed"}
ANY_FILES = [key for key, one in MEASURES.items() if one.of_numbers and key not in FEW_FILES]


def files(n, p, seed, noise=0.5):
    """Correlated columns, the last of whole numbers with ties; the release has noise, but for 30 per cent of the values."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, p)) + rng.normal(size=(n, 1))
    X[:, -1] = np.round(2 * X[:, -1])
    return X, np.where(rng.random((n, p)) < 0.3, X, X + noise * rng.normal(size=(n, p)))


def coded(X, Z):
    """The sign of each value, and -1 (missing) for a 0: keys with few values and gaps."""
    K, L = (np.where(A > 0, 1, np.where(A < 0, 0, -1)).astype(np.int64) for A in (X, Z))
    return K, L


def known(X, Z):
    """The signs of the values are the keys; the last column is the target, in four classes."""
    K, L = coded(X, Z)
    keys = [jointly_coded(str(j), K[:, j].astype(float), L[:, j].astype(float)) for j in range(K.shape[1])]
    return (KeysAndTargets(tuple(keys), (jointly_coded("target", X[:, -1], Z[:, -1]).grouped(4),)),)


def inputs(key, X, Z):
    """The arguments of a measure for these two files."""
    measure = MEASURES[key]
    if measure.components:
        return tuple(MEASURES[other](*inputs(other, X, Z)) for other in measure.components)
    if measure.needs_targets:
        return known(X, Z)
    return coded(X, Z) if measure.needs_keys else (X, Z)


def measure_of(key, *value):
    """A measure of its arguments, those of key variables as the codes of both files."""
    measure = MEASURES[key]
    return measure(KeyCodes(*value)) if isinstance(measure, KeysMeasure) else measure(*value)


def evaluate(key, X, Z):
    return measure_of(key, *inputs(key, X, Z))


def judge(X, Z, columns, keys=DEFAULT, weights=None):
    """The Report of two arrays (n, p), original and protected."""
    results = measured(replace(Pair.of(X, Z), weights=weights), tuple(keys), Local())
    return Report(results, tuple(columns), len(X), measure_notes(results, tuple(columns)))


def numbers(result):
    """total, baseline, and by "name" or "name attribute" the parts, with their baselines as "... by chance"."""
    found = {"total": result.total, "baseline": result.baseline}
    for part in result.parts:
        name = part.name if part.attribute is None else f"{part.name} {part.attribute}"
        found |= {name: part.value, f"{name} by chance": part.baseline}
    return found

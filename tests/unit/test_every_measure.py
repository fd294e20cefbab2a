"""Every measure against an oracle: loops and plain numpy on drawn files (BRUTE of support/oracles.py), and cases by hand (HAND);
and changes of the files that leave values as they are (UNCHANGED). Close, 1e-9, but where a row says more."""

import math

import numpy as np
import pytest
from support.attributes import jointly_coded
from support.measured import evaluate, files, inputs, judge, measure_of, numbers
from support.oracles import BRUTE

from pyfcrm.data.attributes import KeysAndTargets
from pyfcrm.data.blocks import Records
from pyfcrm.data.pairs import Pair
from pyfcrm.engine import Local, dispatch
from pyfcrm.linkage import agreement, linker
from pyfcrm.measures import MEASURES, attackers
from pyfcrm.measures.measure import Part, Parts
from pyfcrm.numerics import location

HERE = "tests/support/oracles.py (BRUTE) or tests/unit/test_every_measure.py (HAND)"


SLOW = {"dbrl_supervised", "detection", "cm3"}
ROWS = [(key, *row, at) for key, (oracle, drawn, at) in BRUTE.items() for row in drawn]


@pytest.mark.parametrize(
    ("key", "n", "p", "seed", "within"),
    [pytest.param(*row, marks=[pytest.mark.slow] * (row[0] in SLOW)) for row in ROWS],
)
def test_the_loops(key, n, p, seed, within):
    value = inputs(key, *files(n, p, seed))
    found, expected = numbers(measure_of(key, *value)), BRUTE[key][0](*value)
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=0, abs=within)


def column(*values):
    return np.array(values, dtype=float)[:, None]


def keyed(k, t, r, s):
    """Keys k and targets t of the original, r and s of the release."""
    a, b, c, d = (np.array(values, dtype=float) for values in (k, r, t, s))
    return (KeysAndTargets((jointly_coded("k", a, b),), (jointly_coded("t", c, d),)),)


RNG = np.random.default_rng(12)
NORMAL, X8 = RNG.normal(size=(40, 3)), column(2.5, 2.5, 3, 7.1, 7.1, 7.2, 11, 40)
PAIRS = np.array([[0.0, 0], [0, 0], [3, 1], [3, 1], [9, 2]])
SQUARE = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
CROSS = np.array([[-1.0, 0], [1, 0], [0, -1], [0, 1]]) * [math.sqrt(3), 1]
EVEN = np.array([[5.0, -1], [5, 1], [5, -1], [5, 1]])
RISES = np.array([1.0, 2, 4, 8, 9])
TENTH = np.full((6, 1), 0.3)
R_FILE = np.column_stack([X8[:, 0], [1, 4, 2, 8, 5, 7, 3, 9], [100, 90, 110, 95, 130, 70, 85, 101]])
MIXED = np.column_stack([R_FILE[:, 0] * 1.1 + 0.3, R_FILE[[1, 0, 3, 2, 5, 4, 7, 6], 1] + 1, R_FILE[::-1, 2] * 0.9])
MEANS = np.array([[1.0, 1], [2, 5], [3, 9], [11, 2], [12, 6], [13, 8]])
TRIPLES = np.array([[2.0, 5], [2, 9], [2, 1], [12, 6], [12, 8], [12, 2]])
SIX = np.array([[0], [1], [1], [2], [2], [2]])
MOMENTS = ("mean", "variance", "covariance", "correlation")


def moments(*values):
    return dict(zip(MOMENTS, values, strict=True))


HAND = [  # why, key, arguments, numbers expected, words of a note
    ("m11 = 0: Var r is m22/(n m20 m02)", "pil", (SQUARE, SQUARE @ np.array([[1.0, 0.6], [0, 0.8]])),
     {"correlation": 100 * math.erf(0.6 * 2 / math.sqrt(2))}),
    ("no variance, kept", "pil", (EVEN, EVEN[::-1]), moments(0, 0, 0, 0)),
    ("5 -> 6 is lost, variances 1 -> 9", "pil", (EVEN, EVEN * [1, 3] + [1, 0]), moments(50, 50, 0, 0)),
    ("a constant varies", "pil", (EVEN, EVEN + np.array([[-1, 0], [1, 0]] * 2)), moments(0, 50, 100, 100)),
    ("equal up to rounding", "pil", (TENTH, TENTH * 0 + 0.1 * 3), {"mean": 0}),
    ("1e-8 is no rounding", "pil", (TENTH, TENTH * (1 + 1e-8)), {"mean": 100}),
    ("1e-8 of one record", "pil", (TENTH, TENTH * (1 + 1e-8 * (np.arange(6) == 0)[:, None])), {"variance": 100}),
    ("r stays 1", "pil", (np.column_stack([RISES, 3 * RISES + 1]),) * 2, {"correlation": 0}),
    ("r of 1 is -1", "pil", (np.column_stack([RISES, 3 * RISES]), np.column_stack([RISES, -RISES])), {"correlation": 100}),
    ("R 4.2.2: quantile(), bw.nrd0(), dnorm(), cor()", "pil", (R_FILE, MIXED),
     {**moments(61.833868592760886, 17.585299033694977, 78.286084451265253, 84.527726005008859),
      "quantiles": 53.109570232436212}),
    ("another scale", "pil", (R_FILE * 1e-90, R_FILE * 1e90), {"mean": 100, "covariance": 100, "quantiles": 100, "correlation": 0}),
    ("the order earns nothing", "dbrl", (PAIRS, PAIRS[[1, 0, 3, 2, 4]]), {"total": 60}),
    ("all tie", "dbrl", (np.ones((4, 2)), np.zeros((4, 2))), {"total": 25}),
    ("all are linked", "prl", (NORMAL, NORMAL), {"total": 100}),
    ("nothing agrees, all tie", "prl", (NORMAL, NORMAL + 100), {"total": 2.5, "baseline": 2.5}),
    ("the ninth digit agrees with nothing", "prl", (NORMAL, NORMAL + 1e-9 * RNG.normal(size=(40, 3))), {"total": 2.5},
     "DR uses exact agreement"),
    ("a constant, equal or not", "id", (np.full((4, 1), 7.0), column(7, 7, 8, 7 + 1e-12)), {"total": 50, "baseline": 50}),
    ("0.5 (40 + 20)/2 + 0.5 x 60", "dr", (Parts(40.0, baseline=1.0), Parts(20.0, baseline=1.0), Parts(60.0, baseline=7.0)),
     {"total": 45, "baseline": 4, "dbrl": 40, "prl": 20, "id": 60}),
    ("0.5 x 10 + 0.5 x 45", "score", (Parts(10.0), Parts(45.0, baseline=4.0)), {"total": 27.5, "baseline": None}),
    ("0.5 max(40, 20, 70) + 0.5 x 60", "dr_informed",
     (Parts(40.0, baseline=1.0), Parts(20.0, baseline=1.0), Parts(70.0, baseline=3.0), Parts(60.0, baseline=7.0)),
     {"total": 65, "baseline": 5}),
    ("one candidate", "certain", (Parts(70.0, (Part("one candidate", 4.0, 0.5),)),), {"total": 4, "baseline": 0.5}),
    ("copies tie", "dbrl_mahalanobis", (np.repeat(NORMAL[:9], 2, axis=0),) * 2, {"total": 50}),
    ("an unmodified attribute decides", "dbrl_mahalanobis", (NORMAL, NORMAL * [1, 0.1, 3] + [0, 5, 0]), {"total": 100}),
    ("groups of three, in one attribute", "dbrl_supervised", (MEANS, TRIPLES), {"total": 100 / 3}, "weights by attribute"),
    ("(3, 1) to (5, 3)", "um", (CROSS, CROSS * [math.sqrt(5 / 3), math.sqrt(3)]), {"total": 1 - (2 / 64) / (2 / 16)}),
    ("a release without variance", "um", (NORMAL, NORMAL * 0), {"total": 0}),
    ("nothing varies", "um", (NORMAL * 0, NORMAL * 0), {"total": 1}),
    ("an original without variance", "um", (NORMAL * 0, NORMAL), {"total": 0}),
    ("a 0 that changes", "il1", (column(0, 0, 10), column(0, 5, 11)), {"total": 10}, "1 changed cell whose original is 0"),
    ("a constant that changes", "il1s", (np.ones((20, 1)), np.zeros((20, 1))), {"total": 0}, "20 changed cells"),
    ("one attribute", "correlation_difference", (X8, X8), {"total": 0}, "one attribute"),
    ("separable: the ridge", "pmse", (NORMAL[:, :2], NORMAL[:, :2] + 100), {"total": 0.25}),
    ("3 for 6, 7 for 4: 9 / 4.5 + 9 / 5.5", "s_pmse", (column(*[0] * 6, *[1] * 4), column(*[0] * 3, *[1] * 7)), {"total": 2 + 18 / 11}),
    ("separable", "specks", (NORMAL[:, :2], NORMAL[:, :2] + 100), {"total": 1}),
    ("7 parameters: 6 (1 - c)^2 c / N", "pmse", (NORMAL, NORMAL[:30]), {"logistic, null expectation": 6 * (4 / 7) ** 2 * (3 / 7) / 70}),
    ("sd 0: 1 of 3, 3 of 9", "drisk", (column(1, 2, 3), np.full((3, 1), 2.0)), {"total": 100 / 3, "baseline": 100 / 3}),
    ("-0 is 0", "reissued", (column(0), column(-0.0)), {"total": 100, "whole records": 100}),
    ("told apart", "detection", (NORMAL, NORMAL + 100), {"total": 100}),
    ("one record", "detection", (np.ones((1, 2)), np.zeros((1, 2))), {"total": 50}, "cannot be held out"),
    ("groups of 1, 2 and 3", "uniques", (0 * SIX, SIX),
     {"total": 100 / 6, "fewer than 3 alike, released": 50, "fewer than 5 alike, released": 100, "unique, original": 0}),
    ("groups of 1, 2 and 3", "k_anonymity", (0 * SIX, SIX),
     {"total": 1, "k, original": 6, **{f"records violating {k}-anonymity, released": v for k, v in ((2, 1), (3, 3), (5, 6))}}),
    ("missing agrees with anything", "k_anonymity", (np.array([[0, 0], [0, 1], [-1, -1]]),) * 2, {"total": 2}),
    ("all five, by the look-up", "rapid", keyed(range(5), range(5), range(5), range(5)), {"t, look-up": 100}),
    ("keys that recur, in both files", "alc", keyed(*[np.arange(40) % 8] * 4), {"t, look-up": 0}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value", "expected", "words"),
    [pytest.param(k, a, e, *(more or [""]), id=f"{k}: {why}") for why, k, a, e, *more in HAND],
)
def test_by_hand(key, value, expected, words, monkeypatch):
    """Close: 1e-6 for what a ridge or a tiny difference moves."""
    monkeypatch.setattr(attackers, "TREES", 8)
    result = measure_of(key, *value)
    found = numbers(result)
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert any(words in note for note in result.notes) or not words


def test_every_measure_has_an_oracle():
    missing = set(MEASURES) - set(BRUTE) - {row[1] for row in HAND}
    assert not missing, f"{', '.join(sorted(missing))}: a row is missing in {HERE}"


NUMERIC = [key for key, one in MEASURES.items() if one.of_numbers]
LONG = {"detection", "dbrl_supervised"}
UNITS, TURN = np.array([0.25, 1.0, 1024.0]), np.array([[1.0, 2, 0], [0, 1, 0.5], [3, 0, 1e3]])
UNCHANGED = {  # transformation of both files, measures that it does not change
    "units": (lambda A: A * UNITS, [key for key in NUMERIC if key != "um"]),
    "one unit": (lambda A: A * 1024, ["um"]),
    "tiny units": (lambda A: A * 2.0**-300, ["pil", "dbrl", "prl", "id", "id_rank", "il1s", "um", "cm3", "eigen"]),
    "huge units": (lambda A: A * 2.0**300, ["pil", "dbrl", "prl", "id", "id_rank", "il1s", "um", "cm3", "eigen"]),
    "whole shifts": (lambda A: np.add(A, [1, -5, 1000]), ["pil", "dbrl", "prl", "id", "id_rank", "il1s", "pmse", "um"]),
    "a constant column": (
        lambda A: np.hstack([A, np.full((len(A), 1), 0.1)]),
        ["dbrl", "dbrl_mahalanobis", "drisk", "pmse", "specks"],
    ),
    "a linear map": (lambda A: A @ TURN, ["dbrl_mahalanobis"]),
    "a sum of columns": (lambda A: np.hstack([A, A.sum(axis=1, keepdims=True)]), ["dbrl_mahalanobis"]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", UNCHANGED)
def test_what_changes_no_value(name):
    """Oracle: the files as they were. Close: sums are rounded anew; powers of two round nothing."""
    (X, Z), (change, keys) = (np.round(8 * A) for A in files(40, 3, 7)), UNCHANGED[name]
    for key in keys:
        assert evaluate(key, change(X), change(Z)).total == pytest.approx(evaluate(key, X, Z).total, abs=1e-6), key


@pytest.mark.parametrize("way", ["blocks of rows", "compiled"])
def test_no_way_of_computing_shows(way, monkeypatch):
    """Oracle: numpy at once. Identical."""
    X, Z = files(40, 3, 8)
    keys = [key for key in NUMERIC if key not in LONG]
    expected = {key: numbers(evaluate(key, X, Z)) for key in keys}
    if way == "compiled":
        monkeypatch.setattr(dispatch, "compiled", lambda kernels, seconds: True)
    else:
        monkeypatch.setattr(location, "PAIRS_AT_ONCE", 50)
        monkeypatch.setattr(agreement, "MOST_COUNTED_BITS", 0)
    assert {key: numbers(evaluate(key, X, Z)) for key in keys} == expected


@pytest.mark.parametrize("key", [key for key, one in MEASURES.items() if one.of_numbers and not one.in_memory])
def test_by_blocks_and_on_disk(key, monkeypatch):
    """Oracle: all records at once, in memory. Close: sums by blocks; links are identical."""
    X, Z = files(300, 3, 9)
    expected = numbers(evaluate(key, X, Z))
    monkeypatch.setattr(linker, "small", lambda n, p: False)
    monkeypatch.setattr(linker, "BLOCK_VALUES", 3 * 70)
    pair = Pair(*(Records.empty(*A.shape, on_disk=True) for A in (X, Z)))
    pair.X.A[:], pair.Z.A[:] = X, Z
    result = MEASURES[key].compute(pair, Local())
    assert numbers(result) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert any(note.kind == "by_blocks" for note in result.notes) == key.startswith(("dbrl", "prl", "linkage"))


def test_equal_weights_change_nothing():
    """Oracle: no weights. Close, 1e-8 per cent: sums in another order, quantiles by another interpolation."""
    X, Z = files(60, 3, 10)
    keys = [key for key, one in MEASURES.items() if one.weighted]
    plain, weighted = (judge(X, Z, "abc", keys, weights=w).rows() for w in (None, np.full(60, 7.0)))
    for a, b in zip(plain, weighted, strict=True):
        assert (a["measure"], a["part"]) == (b["measure"], b["part"])
        assert [a["value"], a["baseline"]] == pytest.approx([b["value"], b["baseline"]], abs=1e-8)

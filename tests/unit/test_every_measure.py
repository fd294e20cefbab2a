"""Every measure against an oracle: loops and plain numpy on drawn files (BRUTE), and cases by hand (HAND); and what changes no
measure, or none of a list (UNCHANGED). A new measure needs a row in BRUTE or HAND. Close, 1e-9, but where a row says more."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from support import brute, brute_attribution, brute_measures
from support.attributes import jointly_coded
from support.measured import evaluate, files, inputs, numbers

from pyfcrm.data.attributes import KeysAndTargets
from pyfcrm.data.pairs import Pair
from pyfcrm.data.records import Records
from pyfcrm.engine import Local, worth
from pyfcrm.evaluation.report import judge
from pyfcrm.linkage import agreement, by_blocks
from pyfcrm.measures import MEASURES, attackers
from pyfcrm.measures.measure import Part, Parts
from pyfcrm.numerics import location

HERE = "tests/unit/test_every_measure.py"


def pil(X, Z):
    parts = brute.pil(X, Z)
    return {"total": np.mean(list(parts.values())), **parts}


def prl(agrees, X, Z):
    n, p = X.shape
    m, u, _ = brute.em(brute.pattern_counts(n, p, agrees(X, Z)), n, p)
    return {"total": 100 * np.mean(brute.prl_share(n, p, agrees(X, Z), m, u)), "baseline": 100 / n}


def intervals(name, loops, X, Z):
    rows = loops(X, Z)
    found = dict(zip(("total", "baseline"), np.mean(rows, axis=0), strict=True))
    for j, row in enumerate(rows):
        found |= dict(zip((f"{name} {j}", f"{name} {j} by chance"), row, strict=True))
    return found


def drisk(X, Z):
    found = {}
    for name, columns, k in [(f"k = {k}", slice(None), k) for k in (0.05, 0.01)] + [
        (f"k = 0.05 {j}", [j], 0.05) for j in range(X.shape[1])
    ]:
        pair = brute_measures.drisk(X[:, columns], Z[:, columns], k)
        found |= dict(zip((name, f"{name} by chance"), pair, strict=True))
    return {"total": found["k = 0.05"], **found}


def cm3(X, Z):
    c = brute_measures.cm3(X, Z)
    return {"total": min(c), **{f"values {j}": value for j, value in enumerate(c)}}


def correlations(X, Z):
    R, S = np.corrcoef(X.T), np.corrcoef(Z.T)
    d, p = np.abs(R - S), X.shape[1]
    u, v = (np.diag(np.linalg.inv(C)) for C in (R, S))
    mlodak = np.linalg.norm(u / np.linalg.norm(u) - v / np.linalg.norm(v)) / math.sqrt(2)
    by_column = {f"mean with the others {j}": d[j].sum() / (p - 1) for j in range(p)}
    return {
        "total": d[np.triu_indices(p, 1)].mean(),
        "largest": d.max(),
        "inverse correlations, Mlodak": mlodak,
        **by_column,
    }


def eigen(X, Z):
    e, e_ = (np.linalg.eigvalsh(np.corrcoef(A.T)) for A in (X, Z))
    return {"total": np.sum(np.abs(e - e_) / e)}


def il1(X, Z):
    moved = [100 * abs(x - z) / abs(x) for x, z in zip(X.ravel(), Z.ravel(), strict=True) if x]
    return {"total": sum(moved), "mean over cells": np.mean(moved)}


def il1s(X, Z):
    moved = [abs(X[i, j] - Z[i, j]) / math.sqrt(2) / brute.sd(list(X[:, j])) for i, j in np.ndindex(X.shape)]
    return {"total": sum(moved), "mean over cells": np.mean(moved)}


def specks(X, Z):
    scores = brute_measures.pmse(X, Z)[1].round(9)  # of the minimiser: equal records have equal scores
    return {"total": brute_measures.ks(*np.split(scores, [len(X)]))}


def reissued(X, Z):
    found = [100 * np.mean([z in set(x) for z in column]) for x, column in zip(X.T, Z.T, strict=True)]
    whole = 100 * np.mean([any((z == x).all() for x in X) for z in Z])
    return {"total": np.mean(found), "whole records": whole} | {f"values {j}": v for j, v in enumerate(found)}


def subsets(X, Z):
    q = [brute.dbrl(X[:, :k], Z[:, :k]) for k in range(1, X.shape[1] + 1)]
    return {"total": np.mean(q[:7])} | {f"first {k}": q[k - 1] for k in (3, 5, 8) if k <= len(q)}


def detection(X, Z):
    """scikit-learn's trees fold by fold, and every pair of scores."""
    order = np.lexsort(np.hstack([X, Z]).T[::-1])
    X, Z, fold, shares = X[order], Z[order], np.arange(len(X)) % 5, []
    for k in range(5):
        own, leaf = fold == k, min(20, len(X) // 5)
        model = HistGradientBoostingClassifier(min_samples_leaf=leaf, early_stopping=False, random_state=0)
        model.fit(np.vstack([X[~own], Z[~own]]), np.repeat([0, 1], (~own).sum()))
        a, b = (model.predict_proba(A[own])[:, 1] for A in (X, Z))
        shares.append(np.mean((b[:, None] > a + 1e-12) + 0.5 * (np.abs(b[:, None] - a) <= 1e-12)))
    return {"total": 100 * np.mean(shares)}


def agreeing(name, K, L):
    sizes = [np.array(brute_measures.agreeing(A)) for A in (L, K)]
    if name == "k_anonymity":
        return {"total": sizes[0].min(), "k, original": sizes[1].min()}
    return {"total": 100 * np.mean(sizes[0] == 1), "unique, original": 100 * np.mean(sizes[1] == 1)}


def counted(names, known):
    """Of counts: the parts by name."""
    (target,) = known.targets
    q, s = (list(map(tuple, codes.tolist())) for codes in known.codes)
    found = brute_attribution.attribution(q, target.before, s, target.after)
    return {part: found[name] for part, name in names.items()}


def rep_u(K, L):
    return {"total": brute_attribution.rep_u(list(map(tuple, K.tolist())), list(map(tuple, L.tolist())))}


def total(oracle, X, Z):
    return {"total": oracle(X, Z)}


DRAWN, SMALL = [(12, 2, 1), (40, 3, 2)], [(6, 2, 3), (7, 3, 4)]
BRUTE = {  # oracle, (n, p, seed) of the files, absolute tolerance
    "pil": (pil, [(5, 1, 1), (12, 2, 2), (60, 4, 3)], 1e-8),  # moments up to the fourth
    "dbrl": (partial(total, brute.dbrl), [*DRAWN, (60, 1, 5)], 1e-9),
    "prl": (partial(prl, brute.exact), [*DRAWN, (30, 5, 3)], 1e-9),
    "prl_tolerance": (partial(prl, brute.tolerance), [*DRAWN, (30, 5, 3)], 1e-9),
    "id": (partial(intervals, "id", brute.interval), [(1, 1, 1), (2, 2, 1), (90, 3, 2)], 1e-9),
    "id_rank": (partial(intervals, "id_rank", brute.interval_rank), [(1, 1, 1), (2, 2, 1), (90, 3, 2)], 1e-9),
    "dbrl_mahalanobis": (partial(total, brute_measures.mahalanobis), [(10, 1, 1), (60, 4, 2)], 1e-9),
    "dbrl_subsets": (subsets, [(25, 3, 1), (20, 9, 2)], 1e-9),
    "dbrl_supervised": (partial(total, brute_measures.best_of_two), [(12, 2, 1), (14, 2, 2)], 1e-9),
    "linkage_informed": (partial(total, brute.dbrl), DRAWN, 1e-9),  # of two files alone
    "um": (partial(total, brute_measures.um), [*DRAWN, (50, 6, 3)], 1e-9),
    "cm3": (cm3, SMALL, 1e-9),  # every order of tied records
    "correlation_difference": (correlations, DRAWN, 1e-9),
    "eigen": (eigen, DRAWN, 1e-9),
    "il1": (il1, DRAWN, 1e-7),  # a sum of thousands
    "il1s": (il1s, DRAWN, 1e-9),
    "pmse": (lambda X, Z: {"total": brute_measures.pmse(X, Z)[0]}, [(40, 1, 1), (80, 3, 2)], 1e-7),  # BFGS, no ridge
    "specks": (specks, [(40, 1, 1), (80, 3, 2)], 1e-9),
    "drisk": (drisk, [(1, 1, 1), (40, 3, 2)], 1e-9),
    "reissued": (reissued, DRAWN, 1e-9),
    "detection": (detection, [(60, 3, 1)], 1e-9),
    "uniques": (partial(agreeing, "uniques"), DRAWN, 1e-9),
    "k_anonymity": (partial(agreeing, "k_anonymity"), DRAWN, 0),
    "rep_u": (rep_u, DRAWN, 1e-9),
    "disco": (partial(counted, {"total": "disco"}), DRAWN, 1e-9),
    "dcap": (partial(counted, {"total": "dcap"}), DRAWN, 1e-9),
    "tcap": (
        partial(counted, {f"target, {w}": w for w in ("certain", "matched", "conditional")}),
        DRAWN,
        1e-9,
    ),
}
SLOW = {"dbrl_supervised", "detection", "cm3"}
ROWS = [(key, *row, at) for key, (oracle, drawn, at) in BRUTE.items() for row in drawn]


@pytest.mark.parametrize(
    ("key", "n", "p", "seed", "within"),
    [pytest.param(*row, marks=[pytest.mark.slow] * (row[0] in SLOW)) for row in ROWS],
)
def test_the_loops(key, n, p, seed, within):
    given = inputs(key, *files(n, p, seed))
    found, expected = numbers(MEASURES[key](*given)), BRUTE[key][0](*given)
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
RANKS = np.arange(20.0)[:, None]
TENTH = np.full((6, 1), 0.3)
R_FILE = np.column_stack([X8[:, 0], [1, 4, 2, 8, 5, 7, 3, 9], [100, 90, 110, 95, 130, 70, 85, 101]])
MIXED = np.column_stack([R_FILE[:, 0] * 1.1 + 0.3, R_FILE[[1, 0, 3, 2, 5, 4, 7, 6], 1] + 1, R_FILE[::-1, 2] * 0.9])
BINARY = column(1, 0, 0, 0), column(1, 1, 1, 0)
GROUPED = np.repeat([[0.5, 0.25], [10.5, 8.75]], 2, axis=0)
MEANS = np.array([[1.0, 1], [2, 5], [3, 9], [11, 2], [12, 6], [13, 8]])
TRIPLES = np.array([[2.0, 5], [2, 9], [2, 1], [12, 6], [12, 8], [12, 2]])
# Keys a: both released say 1, one original does; b: its one record is released with a 2; c: not released.
LEADS = keyed([0, 0, 1, 2, 2], [1, 3, 2, 1, 1], [0, 0, 1, 3, 3], [1, 1, 2, 1, 1])
SIX = np.array([[0], [1], [1], [2], [2], [2]])
MOMENTS = ("mean", "variance", "covariance", "correlation")


def moments(*values):
    return dict(zip(MOMENTS, values, strict=True))


HAND = [  # why, key, arguments, numbers expected, words of a note
    ("m2 of 1 .. 5 is 2", "pil", (column(1, 2, 3, 4, 5), column(2, 3, 4, 5, 6)),
     {"mean": 100 * math.erf(1 / math.sqrt(0.4) / math.sqrt(2)), "variance": 0}),
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
    ("two pairs of copies and one: (4/2 + 1)/5", "dbrl", (PAIRS, PAIRS), {"total": 60, "baseline": 20}),
    ("the order earns nothing", "dbrl", (PAIRS, PAIRS[[1, 0, 3, 2, 4]]), {"total": 60}),
    ("all tie", "dbrl", (np.ones((4, 2)), np.zeros((4, 2))), {"total": 25}),
    ("all are linked", "prl", (NORMAL, NORMAL), {"total": 100}),
    ("nothing agrees, all tie", "prl", (NORMAL, NORMAL + 100), {"total": 2.5, "baseline": 2.5}),
    ("the ninth digit agrees with nothing", "prl", (NORMAL, NORMAL + 1e-9 * RNG.normal(size=(40, 3))), {"total": 2.5},
     "DR uses exact agreement"),
    ("0.95, 0.43 and 2 of sd 10: 1, 6 and 0 widths", "id", (column(-10, 0, 10), column(-9.05, -0.43, 12)), {"total": 100 * 7 / 30}),
    ("a constant, equal or not", "id", (np.full((4, 1), 7.0), column(7, 7, 8, 7 + 1e-12)), {"total": 50, "baseline": 50}),
    ("one rank off: inside for p = 5 .. 10", "id_rank", (RANKS, np.roll(RANKS, 1, axis=0)), {"total": 100 * 19 * 6 / 200}),
    ("two ranks off: for p = 10", "id_rank", (RANKS, np.roll(RANKS, 2, axis=0)), {"total": 100 * 18 / 200}),
    ("0.5 (40 + 20)/2 + 0.5 x 60", "dr", (Parts(40.0, baseline=1.0), Parts(20.0, baseline=1.0), Parts(60.0, baseline=7.0)),
     {"total": 45, "baseline": 4, "dbrl": 40, "prl": 20, "id": 60}),
    ("0.5 x 10 + 0.5 x 45", "score", (Parts(10.0), Parts(45.0, baseline=4.0)), {"total": 27.5, "baseline": None}),
    ("0.5 max(40, 20, 70) + 0.5 x 60", "dr_informed",
     (Parts(40.0, baseline=1.0), Parts(20.0, baseline=1.0), Parts(70.0, baseline=3.0), Parts(60.0, baseline=7.0)),
     {"total": 65, "baseline": 5}),
    ("one candidate", "certain", (Parts(70.0, (Part("one candidate", 4.0, 0.5),)),), {"total": 4, "baseline": 0.5}),
    ("groups of two", "dbrl_mahalanobis", (np.array([[0.0, 0], [1, 0.5], [10, 8], [11, 9.5]]), GROUPED), {"total": 50}),
    ("copies tie", "dbrl_mahalanobis", (np.repeat(NORMAL[:9], 2, axis=0),) * 2, {"total": 50}),
    ("an unmodified attribute decides", "dbrl_mahalanobis", (NORMAL, NORMAL * [1, 0.1, 3] + [0, 5, 0]), {"total": 100}),
    ("groups of three, in one attribute", "dbrl_supervised", (MEANS, TRIPLES), {"total": 100 / 3, "bound": 100 / 3},
     "no weights link more than 0 % without ties"),
    ("variances (3, 1) to (1, 3): 1 - min(1, 4)", "um", (CROSS, CROSS[:, ::-1]), {"total": 0}),
    ("(3, 1) to (5, 3)", "um", (CROSS, CROSS * [math.sqrt(5 / 3), math.sqrt(3)]), {"total": 1 - (2 / 64) / (2 / 16)}),
    ("a release without variance", "um", (NORMAL, NORMAL * 0), {"total": 0}),
    ("nothing varies", "um", (NORMAL * 0, NORMAL * 0), {"total": 1}),
    ("an original without variance", "um", (NORMAL * 0, NORMAL), {"total": 0}),
    ("10 of 100, 2 of 4", "il1", (column(100, -4), column(110, -2)), {"total": 60, "mean over cells": 30}),
    ("a 0 that changes", "il1", (column(0, 0, 10), column(0, 5, 11)), {"total": 10}, "1 changed cell whose original is 0"),
    ("a constant that changes", "il1s", (np.ones((20, 1)), np.zeros((20, 1))), {"total": 0}, "20 changed cells"),
    ("one attribute", "correlation_difference", (X8, X8), {"total": 0}, "one attribute"),
    ("scores 1/4 and 3/4", "pmse", BINARY, {"total": 1 / 16}),
    ("scores 1/4 and 3/4", "specks", BINARY, {"total": 1 / 2}),
    ("separable: the ridge", "pmse", (NORMAL[:, :2], NORMAL[:, :2] + 100), {"total": 0.25}),
    ("separable", "specks", (NORMAL[:, :2], NORMAL[:, :2] + 100), {"total": 1}),
    ("7 parameters: 6 (1 - c)^2 c / N", "pmse", (NORMAL, NORMAL[:30]), {"logistic, null expectation": 6 * (4 / 7) ** 2 * (3 / 7) / 70}),
    ("sd 0: 1 of 3, 3 of 9", "drisk", (column(1, 2, 3), np.full((3, 1), 2.0)), {"total": 100 / 3, "baseline": 100 / 3}),
    ("2 of 3, 1 of 3, one record", "reissued", (np.array([[1.0, 5], [2, 6], [3, 7]]), np.array([[2.0, 6], [2, 9], [8, 9]])),
     {"total": 50, "whole records": 100 / 3, "values 0": 200 / 3}),
    ("-0 is 0", "reissued", (column(0), column(-0.0)), {"total": 100, "whole records": 100}),
    ("told apart", "detection", (NORMAL, NORMAL + 100), {"total": 100}),
    ("one record", "detection", (np.ones((1, 2)), np.zeros((1, 2))), {"total": 50}, "cannot be held out"),
    ("groups of 1, 2 and 3", "uniques", (0 * SIX, SIX),
     {"total": 100 / 6, "fewer than 3 alike, released": 50, "fewer than 5 alike, released": 100, "unique, original": 0}),
    ("groups of 1, 2 and 3", "k_anonymity", (0 * SIX, SIX),
     {"total": 1, "k, original": 6, **{f"records violating {k}-anonymity, released": v for k, v in ((2, 1), (3, 3), (5, 6))}}),
    ("missing agrees with anything", "k_anonymity", (np.array([[0, 0], [0, 1], [-1, -1]]),) * 2, {"total": 2}),
    ("b is unique in both", "rep_u", (np.array([[0], [0], [1], [2], [2]]), np.array([[0], [0], [1], [3], [3]])), {"total": 20}),
    ("the first and b, of five", "disco", LEADS, {"total": 40}),
    ("(1 + 0 + 1 + 0 + 0)/5", "dcap", LEADS, {"total": 40}),
    ("b alone; two of three", "tcap", LEADS, {"t, certain": 100 / 3, "t, matched": 200 / 3, "t, conditional": 200 / 3}),
    ("all five, by the look-up", "rapid", keyed(range(5), range(5), range(5), range(5)), {"t, look-up": 100}),
    ("keys that recur, in both files", "alc", keyed(*[np.arange(40) % 8] * 4), {"t, look-up": 0}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "given", "expected", "words"),
    [pytest.param(k, a, e, *(more or [""]), id=f"{k}: {why}") for why, k, a, e, *more in HAND],
)
def test_by_hand(key, given, expected, words, monkeypatch):
    """Close: 1e-6 for what a ridge or a tiny difference moves."""
    monkeypatch.setattr(attackers, "TREES", 8)
    result = MEASURES[key](*given)
    found = numbers(result)
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert any(words in note for note in result.notes) or not words


def test_every_measure_has_an_oracle():
    missing = set(MEASURES) - set(BRUTE) - {row[1] for row in HAND}
    assert not missing, f"{HERE} lacks {', '.join(sorted(missing))}: add a row to BRUTE or HAND"


NUMERIC = [key for key, one in MEASURES.items() if one.needs in ("arrays", "records")]
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
        monkeypatch.setattr(worth, "compiled", lambda kernels, seconds: True)
    else:
        monkeypatch.setattr(location, "PAIRS_AT_ONCE", 50)
        monkeypatch.setattr(agreement, "MOST_COUNTED_BITS", 0)
    assert {key: numbers(evaluate(key, X, Z)) for key in keys} == expected


@pytest.mark.parametrize("key", [key for key, one in MEASURES.items() if one.needs == "records"])
def test_by_blocks_and_on_disk(key, monkeypatch):
    """Oracle: all records at once, in memory. Close: sums by blocks; links are identical."""
    X, Z = files(300, 3, 9)
    expected = numbers(evaluate(key, X, Z))
    monkeypatch.setattr(by_blocks, "small", lambda n, p: False)
    monkeypatch.setattr(by_blocks, "BLOCK_VALUES", 3 * 70)
    pair = Pair(*(Records.empty(*A.shape, on_disk=True) for A in (X, Z)))
    pair.X.A[:], pair.Z.A[:] = X, Z
    result = MEASURES[key].compute(pair, Local())
    assert numbers(result) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert any(note.kind == "by_blocks" for note in result.notes) == key.startswith(("dbrl", "prl", "linkage"))
    pair.X.close(), pair.Z.close()


def test_equal_weights_change_nothing():
    """Oracle: no weights. Close, 1e-8 per cent: sums in another order, quantiles by another interpolation."""
    X, Z = files(60, 3, 10)
    keys = [key for key, one in MEASURES.items() if one.weighted]
    plain, weighted = (judge(X, Z, "abc", keys, weights=w).rows() for w in (None, np.full(60, 7.0)))
    for a, b in zip(plain, weighted, strict=True):
        assert (a["measure"], a["part"]) == (b["measure"], b["part"])
        assert [a["value"], a["baseline"]] == pytest.approx([b["value"], b["baseline"]], abs=1e-8)

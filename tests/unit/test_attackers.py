"""RAPID and ALC: the look-up by loops, the model by scikit-learn called once more, and files made so that the answer is known."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from support import brute_attribution as brute
from support.attributes import jointly_coded

import pyfcrm as pf
from pyfcrm.data.attributes import KeysAndTargets
from pyfcrm.measures import attackers
from pyfcrm.measures.alc import FEWEST, alc, best_prc, prc
from pyfcrm.measures.attackers import Guess
from pyfcrm.measures.rapid import rapid


def known(seed, n=120, gaps=0.1, groups=6):
    """Two keys, a target that they explain partly, with heaps and gaps; half of the targets leave as they came."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 8, n).astype(float), rng.normal(size=n).round(1)
    y = np.round(3 * a + b + rng.normal(size=n), 1) * (rng.random(n) > 0.2)
    z = np.where(rng.random(n) < 0.5, y, rng.permutation(y))
    y, z, a2 = y.copy(), z.copy(), np.where(rng.random(n) < 0.1, a + 1, a)
    y[rng.random(n) < gaps], z[rng.random(n) < gaps] = np.nan, np.nan
    keys = (jointly_coded("a", a, a2), jointly_coded("b", b, b))
    return KeysAndTargets(keys, (jointly_coded("y", y, z).grouped(groups),))


def keys_of(files):
    """(n, q) and (N, q) of numbers, and both as lists of tuples."""
    X, Z = (np.column_stack([key.numbers[i] for key in files.keys]) for i in (0, 1))
    return X, Z, *(list(map(tuple, codes.tolist())) for codes in files.codes)


def parts(result):
    return {part.name: part for part in result.parts}


def forest(kind, Z, z, X):
    """scikit-learn's forest, of the records in the order of their values: what it predicts, and how surely."""
    order = np.lexsort([z, Z[:, 1], Z[:, 0]])
    model = kind(100, min_samples_leaf=5, random_state=0).fit(Z[order], z[order])
    if kind is RandomForestRegressor:
        return model.predict(X)
    return [(model.classes_[row.argmax()], round(row.max(), 12)) for row in model.predict_proba(X)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rapid_looks_up_as_the_loops_do(seed):
    """Oracle: loops. Close: sums in another order."""
    files = known(seed)
    *_, q, s = keys_of(files)
    y, z = files.targets[0].numbers
    rows = np.flatnonzero(~np.isnan(y))
    result, sd = parts(rapid.compute(files, 0)), np.std(y[rows], ddof=1)
    for label, width in (("", 0 * y + 0.05 * sd), (", within 5 % of the value", 0.05 * np.abs(y))):
        inside, part = [(y[i] - width[i], y[i] + width[i]) for i in rows], result[f"y, look-up{label}"]
        assert part.value == pytest.approx(brute.look_up_share([q[i] for i in rows], inside, s, z))
        chance = [np.mean((low <= z) & (z <= high)) * (q[i] in s) for i, (low, high) in zip(rows, inside, strict=True)]
        assert part.baseline == pytest.approx(100 * np.mean(chance))


@pytest.mark.slow
def test_rapid_s_model_is_a_forest_learned_from_the_release():
    """Oracle: scikit-learn on the arrays, in the order of their values. Close; the baseline by all pairs."""
    files = known(1, gaps=0.0)
    (X, Z, *_), (y, z) = keys_of(files), files.targets[0].numbers
    guess, width = forest(RandomForestRegressor, Z, z, X), 0.05 * np.std(y, ddof=1)
    part = parts(rapid.compute(files, 0))["y, model"]
    assert part.value == pytest.approx(100 * np.mean(np.abs(guess - y) <= width))
    assert part.baseline == pytest.approx(100 * np.mean(np.abs(guess[None, :] - y[:, None]) <= width))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 5])
def test_alc_attacks_the_release_and_the_other_folds(seed, monkeypatch):
    """Oracle: loops over records, folds and thresholds; scikit-learn fold by fold where no value is missing. Close."""
    monkeypatch.setattr(attackers, "TREES", 100 if seed == 5 else 2)  # the model is looked at once
    files = known(seed, gaps=0.0 if seed == 5 else 0.1)
    (X, Z, q, s), target = keys_of(files), files.targets[0]
    rows = np.flatnonzero(target.before >= 0)
    t, t_, X, q = target.before[rows], target.after, X[rows], [q[i] for i in rows]
    fold = np.empty(len(t), int)
    fold[np.lexsort([t, X[:, 1], X[:, 0]])] = np.arange(len(t)) % 5
    ways = {
        "y, look-up": (
            brute.commonest(q, s, t_.tolist()),
            lambda own, others: brute.commonest([q[i] for i in own], [q[i] for i in others], t[others].tolist()),
        )
    }
    if seed == 5:
        ways["y, model"] = (
            forest(RandomForestClassifier, Z, t_, X),
            lambda own, others: forest(RandomForestClassifier, X[others], t[others], X[own]),
        )
    result = parts(alc.compute(files, 0))
    for name, (attack, without) in ways.items():
        base = {}
        for k in range(5):
            own, others = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
            base |= dict(zip(own.tolist(), without(own, others), strict=True))
        expected = brute.coefficient(attack, [base[i] for i in range(len(t))], t.tolist(), FEWEST)
        assert result[name].value == pytest.approx(expected)


@pytest.mark.slow(5)
def test_the_worse_of_both_attackers_is_reported_and_copies_are_read(monkeypatch):
    """X unique and Y as it came: the look-up finds all, the model not. An independent Y: the look-up finds what chance does."""
    monkeypatch.setattr(attackers, "TREES", 20)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=150), "y": rng.normal(size=150)})
    other = frame.assign(y=rng.normal(size=150))
    options = {"measures": ["rapid", "alc"], "keys": "x", "targets": "y"}
    copied, safe = pf.evaluate(frame, frame, **options), pf.evaluate(frame, other, **options)
    value = {row["part"]: row["value"] for row in copied.rows() if row["measure"] == "rapid"}
    assert copied["rapid"] == value["y, look-up"] == 100 > value["y, model"]
    assert copied["alc"] == 100
    assert safe["rapid"] < 8
    assert safe["alc"] < 12


@pytest.mark.slow
def test_a_heap_that_anybody_could_guess_hides_nothing(monkeypatch):
    """Half of the records are 0 where the key says so, the others leave as they came: found. By what is planted."""
    monkeypatch.setattr(attackers, "TREES", 20)
    rng = np.random.default_rng(0)
    retired, x = np.arange(400) % 2 == 0, rng.normal(size=400)
    y = np.where(retired, 0.0, rng.normal(size=400))
    known = KeysAndTargets(
        (jointly_coded("retired", retired * 1.0, retired * 1.0), jointly_coded("x", x, x)),
        (jointly_coded("y", y, np.where(rng.random(400) < 0.3, y, rng.permutation(y))).grouped(20),),
    )
    assert alc.compute(known, 0).total > 15


def test_prc_by_hand():
    """All attacked: the precision; one in a hundred: 7/8 of it; one in 10^4 and fewer: nothing. Close."""
    assert prc(np.full(5, 0.8), np.array([1, 0.01, 1e-4, 1e-5, 0])) == pytest.approx([0.8, 0.7, 0, 0, 0])
    value, precision, recall = best_prc(Guess(np.arange(40), np.ones(40)), np.arange(40))
    assert (value, precision, recall) == (1, 1, 1)
    assert best_prc(Guess(np.full(3, -1), np.zeros(3)), np.arange(3)) == (0, 0, 0)


@pytest.mark.slow
def test_a_target_without_values_is_noted():
    """Its measures are 0; a missing key of text is a value. By the rule."""
    frame = pd.DataFrame({"town": ["a", "b", None] * 20, "old": [True, False] * 30, "none": np.nan})
    report = pf.evaluate(frame, frame, keys="town", targets=["old", "none"], measures="rapid")
    assert report["rapid"] == 50
    assert [str(note) for note in report.notes] == ["rapid: none has no value in the original"]

"""RAPID and ALC: the look-up by loops, the model by scikit-learn called once more, and files made so that the answer is known."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from support import brute_attribution as brute
from support.attributes import jointly_coded

import pyfcrm as pf
from pyfcrm.data.attributes import KeysAndTargets
from pyfcrm.measures.alc import FEWEST, alc, best_prc, prc
from pyfcrm.measures.attackers import Guess, looked_up, shares_within
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


def parts(made):
    return {part.name: part for part in made.parts}


@pytest.mark.parametrize("seed", range(4))
def test_rapid_looks_up_as_the_loops_do(seed):
    """Oracle: loops. Close: sums in another order."""
    files = known(seed)
    q, s = (list(map(tuple, codes.tolist())) for codes in files.codes)
    y, z = files.targets[0].numbers
    rows = [i for i in range(len(y)) if not math.isnan(y[i])]
    sd = np.std(y[rows], ddof=1)
    made = parts(rapid.compute(files, 0))
    for label, width in (("", lambda v: 0.05 * sd), (", within 5 % of the value", lambda v: 0.05 * abs(v))):
        inside = [(y[i] - width(y[i]), y[i] + width(y[i])) for i in rows]
        assert made[f"y, look-up{label}"].value == pytest.approx(
            brute.look_up_share([q[i] for i in rows], inside, s, z)
        )
        pairs = [
            sum(low <= v <= high for v in z) / len(z) if q[i] in s else 0
            for i, (low, high) in zip(rows, inside, strict=True)
        ]
        assert made[f"y, look-up{label}"].baseline == pytest.approx(100 * np.mean(pairs))


def test_rapid_s_model_is_a_forest_learned_from_the_release():
    """Oracle: scikit-learn on the arrays, in the order of their values. Close; the baseline by all pairs."""
    files = known(1, gaps=0.0)
    (y, z), X, Z = files.targets[0].numbers, *(np.column_stack([k.numbers[i] for k in files.keys]) for i in (0, 1))
    order = np.lexsort([z, Z[:, 1], Z[:, 0]])
    forest = RandomForestRegressor(100, min_samples_leaf=5, random_state=0)
    said, width = forest.fit(Z[order], z[order]).predict(X), 0.05 * np.std(y, ddof=1)
    made = parts(rapid.compute(files, 0))["y, model"]
    assert made.value == pytest.approx(100 * np.mean(np.abs(said - y) <= width))
    assert made.baseline == pytest.approx(100 * np.mean(np.abs(said[None, :] - y[:, None]) <= width))


@pytest.mark.slow
def test_rapid_of_a_category():
    """Oracle: the classes that scikit-learn and the loops say. Identical."""
    files = known(2)
    target = files.targets[0]
    words = KeysAndTargets(files.keys, (type(target)("y", target.before, target.after),))
    X, Z = (np.column_stack([k.numbers[i] for k in files.keys]) for i in (0, 1))
    rows, there = target.before >= 0, np.flatnonzero(target.after >= 0)
    there = there[np.lexsort([target.after[there], Z[there, 1], Z[there, 0]])]
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
    model = forest.fit(Z[there], target.after[there]).predict(X[rows]) == target.before[rows]
    q, s = (list(map(tuple, codes.tolist())) for codes in files.codes)
    found = [v for v, _ in brute.commonest(q, s, target.after.tolist())]
    made = parts(rapid.compute(words, 0))
    assert made["y, model"].value == pytest.approx(100 * model.mean())
    assert made["y, look-up"].value == pytest.approx(100 * np.mean((np.array(found) == target.before)[rows]))


@pytest.mark.slow(5)
def test_the_worse_of_both_attackers_is_reported_and_copies_are_read():
    """X unique and Y as it came: the look-up finds all, the model not. An independent Y: the look-up finds what chance does."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "y": rng.normal(size=300)})
    other = frame.assign(y=rng.normal(size=300))
    asked = {"measures": ["rapid", "alc"], "keys": "x", "targets": "y"}
    copied, safe = pf.evaluate(frame, frame, **asked), pf.evaluate(frame, other, **asked)
    value = {row["part"]: row["value"] for row in copied.rows() if row["measure"] == "rapid"}
    assert copied["rapid"] == value["y, look-up"] == 100 > value["y, model"]
    assert copied["alc"] == 100
    assert safe["rapid"] < 8
    assert safe["alc"] < 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_alc_looks_up_as_the_loops_do(seed):
    """Oracle: loops over records, folds and thresholds. Close."""
    files = known(seed)
    target, (X, _) = files.targets[0], [np.column_stack([k.numbers[i] for k in files.keys]) for i in (0, 1)]
    rows = np.flatnonzero(target.before >= 0)
    q, s = (list(map(tuple, codes.tolist())) for codes in files.codes)
    t = target.before[rows].tolist()
    attack = brute.commonest([q[i] for i in rows], s, target.after.tolist())
    order = sorted(range(len(rows)), key=lambda k: (*X[rows[k]].tolist(), t[k]))
    fold = {k: place % 5 for place, k in enumerate(order)}
    others = [[i for k, i in enumerate(rows) if fold[k] != fold[own]] for own in range(len(rows))]
    base = [
        brute.commonest([q[i]], [q[o] for o in others[k]], target.before[others[k]].tolist())[0]
        for k, i in enumerate(rows)
    ]
    assert parts(alc.compute(files, 0))["y, look-up"].value == pytest.approx(brute.coefficient(attack, base, t, FEWEST))


@pytest.mark.slow
def test_alc_s_model_is_a_forest_and_its_base_another_of_the_other_folds():
    """Oracle: scikit-learn fold by fold, and PRC by loops. Close."""
    files = known(5, gaps=0.0)
    target, (X, Z) = files.targets[0], [np.column_stack([k.numbers[i] for k in files.keys]) for i in (0, 1)]
    t, t_ = target.before, target.after
    order = np.lexsort([t, X[:, 1], X[:, 0]])

    def said(A, a, B):
        place = np.lexsort([a, A[:, 1], A[:, 0]])
        chances = (
            model := RandomForestClassifier(100, min_samples_leaf=5, random_state=0).fit(A[place], a[place])
        ).predict_proba(B)
        return [(model.classes_[row.argmax()], round(row.max(), 12)) for row in chances]

    base = [None] * len(t)
    for k in range(5):
        own = np.isin(np.arange(len(t)), order[k::5])
        for i, guess in zip(np.flatnonzero(own), said(X[~own], t[~own], X[own]), strict=True):
            base[i] = guess
    wanted = brute.coefficient(said(Z, t_, X), base, t.tolist(), FEWEST)
    assert parts(alc.compute(files, 0))["y, model"].value == pytest.approx(wanted)


@pytest.mark.slow
def test_a_heap_that_anybody_could_guess_hides_nothing():
    """Half of the records are 0 where the key says so, the others leave as they came: found. By what is planted."""
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


@pytest.mark.parametrize("seed", range(5))
def test_the_look_ups_equal_the_loops(seed):
    """Identical classes; shares close."""
    rng = np.random.default_rng(seed)
    q, q_, t_ = rng.integers(0, 6, 20), rng.integers(0, 7, 30), rng.integers(-1, 4, 30)
    guess = looked_up(q, q_, t_)
    wanted = brute.commonest([(v,) for v in q], [(v,) for v in q_], t_.tolist())
    assert list(zip(guess.value, guess.sure, strict=True)) == wanted
    z, low = np.where(rng.random(30) < 0.2, np.nan, rng.normal(size=30)), rng.normal(size=20)
    found = shares_within(q, low, low + 1, q_, z)
    share = brute.look_up_share([(v,) for v in q], [(a, a + 1) for a in low], [(v,) for v in q_], z.tolist())
    assert 100 * found.mean() == pytest.approx(share)


@pytest.mark.slow
def test_mixed_columns_and_gaps_are_keys_and_targets():
    """Text, truth values, gaps; a target that is missing everywhere is said. By what is there."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"town": rng.choice(["a", "b", None], 60), "old": rng.random(60) < 0.5, "wage": rng.gamma(2, size=60)}
    )
    frame.loc[:5, "wage"] = np.nan
    frame["none"] = np.nan
    asked = {"measures": ["rapid", "alc"], "target_groups": 4}
    report = pf.evaluate(frame, frame, keys=["town", "wage"], targets=["old", "none"], **asked)
    assert report["rapid"] == 100 * 54 / 60 + 100 * report_of_gaps(frame) / 60
    assert [str(note) for note in report.notes] == [
        "rapid: none has no value in the original",
        "alc: none has no value in the original",
    ]


def report_of_gaps(frame):
    """Of the six whose wage is missing, those whose town's commonest answer among the six, the first of equals, is their own."""
    six = frame[:6].assign(town=frame["town"][:6].fillna("-"))
    codes = pd.factorize(frame["old"])[0][:6]
    rows = list(zip(six["town"], strict=True))
    return sum(v == t for (v, _), t in zip(brute.commonest(rows, rows, codes.tolist()), codes, strict=True))

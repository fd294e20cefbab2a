"""Each measure is held to the facts it states: range, identity, baseline, pairing; and to the manners of all."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from support.measured import ANY_FILES, evaluate, files

from pyfcrm.measures import DEFAULT, MEASURES, attackers

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def small_forests(monkeypatch):
    """What is stated holds for forests of any size, and small ones grow sooner."""
    monkeypatch.setattr(attackers, "TREES", 8)


LONG = {"detection", "alc", "rapid"}  # they grow forests or fit many models
LEARNED = {
    "dbrl_mahalanobis",
    "dbrl_supervised",
}  # the distance is learned from the true pairs, and held for the baseline


def _marked(keys):
    return pytest.mark.parametrize("key", [pytest.param(k, marks=[pytest.mark.slow] * (k in LONG)) for k in keys])


every = _marked(MEASURES)
of_numbers = _marked(k for k, m in MEASURES.items() if not m.needs_keys)
SHAPES = [(1, 1), (3, 2), (40, 4)]


# Where each measure must be, how it is found there, and how it gets there. No file needs R to be read.
PLACES = [
    ("vignettes/reading-the-numbers.Rmd", 'same("{}"', "work it out by hand in R: same(key, value)"),
    ("docs/knitted/reading-the-numbers.md", "#> {}, ", "python docs/knit.py"),
    ("docs/cards.toml", "[measure.{}]", "formula, when and when not"),
    ("pyfcrm/trust/values/golden.json", '"{}, ', "python tests/golden/make_stored.py"),
    ("tests/golden/values/digests.json", '"{}": {{', "python tests/golden/make_digests.py KEY"),
]


@pytest.mark.parametrize(("path", "mark", "remedy"), PLACES)
def test_every_measure_is_finished(path, mark, remedy):
    """Each file that a new measure needs has it. CONTRIBUTING.md lists them."""
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    missing = [key for key in MEASURES if mark.format(key) not in text]
    assert not missing, f"{path} lacks {', '.join(missing)}: {remedy}"


def test_the_default_measures_and_their_order():
    assert DEFAULT == ("pil", "dbrl", "prl", "id", "dr", "score")
    assert set(DEFAULT) <= set(MEASURES)


def test_an_aggregate_is_of_measures_listed_before_it():
    listed = list(MEASURES)
    for key, measure in MEASURES.items():
        assert all(other in listed[: listed.index(key)] for other in measure.components)


@pytest.mark.slow
@_marked(k for k in MEASURES if k not in ANY_FILES)
@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_values_lie_in_the_stated_range(key, n, p):
    """Those of arrays are in tests/property."""
    facts = MEASURES[key]
    for seed, noise in ((0, 0.0), (1, 0.01), (2, 0.5), (3, 100.0)):
        result = evaluate(key, *files(n, p, seed, noise))
        assert facts.lower <= result.total <= facts.upper * (1 + 1e-12)
        for part in result.parts:
            lower, upper = part.range or (facts.lower, facts.upper)
            assert lower <= part.value <= upper * (1 + 1e-12), part


@every
@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_identity(key, n, p):
    """The original released unchanged gives the stated value. Identical."""
    identity = MEASURES[key].identity
    if identity is not None:
        X, _ = files(n, p, seed=4)
        assert evaluate(key, X, X.copy()).total == identity


@of_numbers
def test_better_is_the_way_to_the_identity_for_a_loss_and_away_from_it_for_a_risk(key):
    """Little noise loses little and risks much, much noise the reverse. By what loss and risk mean."""
    facts = MEASURES[key]
    if facts.kind == "score":
        return
    X, _ = files(60, 3, seed=5)
    noise = np.random.default_rng(6).normal(size=X.shape)
    # Noise on half of the values, so that exact agreement has something to find.
    noise[::2] = 0
    little, much = (evaluate(key, X, X + amount * noise).total for amount in (1e-6, 30.0))
    rises = facts.kind == "loss"
    assert (much > little) == (rises == (facts.better == "lower"))


@pytest.mark.slow
@every
def test_baseline_is_the_mean_over_all_pairings(key):
    """Oracle: the value itself under each of the 5! pairings, averaged. Close.

    That of attribute disclosure deals out the targets instead: see tests/unit/test_attribution.py.
    """
    if MEASURES[key].needs_targets:
        return
    X, Z = files(5, 2, seed=7)
    result = evaluate(key, X, Z)
    if key == "dr_informed":  # the largest of the linkages' baselines: a mean of maxima is no smaller
        pairings = [evaluate(key, X, Z[list(order)]).total for order in permutations(range(5))]
        assert result.baseline <= np.mean(pairings)
        return
    if result.baseline is None:
        assert MEASURES[key].kind != "risk" or not MEASURES[key].paired
        return
    if key in LEARNED:
        # What was learned is held: chance then puts one's own among the t nearest of n with chance t/n.
        assert {result.baseline, *(part.baseline for part in result.parts)} == {100 / 5}
        return
    pairings = [evaluate(key, X, Z[list(order)]) for order in permutations(range(5))]
    assert result.baseline == pytest.approx(np.mean([pairing.total for pairing in pairings]), rel=1e-9)
    for i, part in enumerate(result.parts):
        assert part.better == "neither" or part.baseline == pytest.approx(
            np.mean([pairing.parts[i].value for pairing in pairings]), rel=1e-9
        )


@every
def test_what_needs_no_pairing_ignores_it(key):
    """Shuffling the protected file alone. Close: sums in another order."""
    X, Z = files(30, 3, seed=8)
    shuffled = Z[np.random.default_rng(0).permutation(30)]
    same = evaluate(key, X, shuffled).total == pytest.approx(evaluate(key, X, Z).total, abs=1e-9)
    if key == "certain":  # of two files alone no method is known, and nothing is certain
        assert same
        return
    assert same == (not MEASURES[key].paired)


@every
def test_the_order_of_records_does_not_matter(key):
    """Both files shuffled alike. Close: sums in another order."""
    X, Z = files(30, 3, seed=9)
    order = np.random.default_rng(1).permutation(30)
    assert evaluate(key, X[order], Z[order]).total == pytest.approx(evaluate(key, X, Z).total, abs=1e-6)


@every
def test_the_same_twice_and_nothing_touched(key):
    """Identical: no draw is made and no argument changed."""
    X, Z = files(30, 3, seed=10)
    before = X.copy(), Z.copy()
    X.setflags(write=False)
    Z.setflags(write=False)
    assert evaluate(key, X, Z) == evaluate(key, X, Z)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Z, before[1])


@every
@pytest.mark.parametrize("n", [1, 30])
def test_awkward_files_are_measured_without_a_warning(key, n):
    """Constant, collinear, huge, tiny, shifted; warnings are errors in this run, so finite is all that is asked; detection
    may say that two files cannot tell, of records in another order."""
    x = np.random.default_rng(11).normal(size=n)
    columns = [x, 3 * x + 1, np.full(n, 0.1), np.zeros(n), 1e90 * x, 1e-90 * x, 1e9 + x, np.round(x)]
    X = np.column_stack(columns)
    for Z in (X, X[::-1], X * 1.001, X * 0, X[:, ::-1], 1e90 - X):
        result = evaluate(key, X, Z)
        unknown = key == "detection" and [note.kind for note in result.notes] == ["unreliable"]
        assert np.isfinite(result.total) != unknown

"""The facts that methods state, tried on releases; and that nobody can leave one out.

Oracle: releases of a file in which only a record's own values explain its residual (support/fact_checks.py). Statistical:
n = 300, bounds 4.5 standard errors. Methods of the tests' own, which state a wrong fact, show that each check finds it.
"""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from support.data import frame as make_frame
from support.fact_checks import ROLES, wrong_facts
from support.method_examples import EXAMPLES
from support.own_methods import OWN_FACTS, OwnMethod

import pyfcrm as pf
from pyfcrm.methods import METHODS
from pyfcrm.methods.facts import NOT_EXAMINED, Facts
from pyfcrm.methods.work import CellWork, FileWork, NumberWork, SumWork

VARIANTS = [
    *(pf.IPSO(kind, variant) for kind in "ABC" for variant in ("burridge", "thesis")),
    *(pf.FCRM(3, release=release) for release in ("predict", "draw", "model")),
    *(pf.Noise(kind, 20) for kind in ("uncorrelated", "correlated", "linear", "nonlinear", "laplace")),
    *(pf.Noise(kind, 20) for kind in ("multiplicative", "correlated2")),
    *(pf.RankSwapping(15), pf.RankSwapping(15, "sdcmicro"), pf.Permutation(20)),
    *(pf.Microaggregation(4, kind) for kind in ("mdav", "vmdav", "zscores", "pca", "individual", "optimal")),
    *(pf.Hybrid("linear", 0.3), pf.Hybrid("linear", 1.0), pf.Hybrid("regression", 0.3), pf.Hybrid("microaggregation")),
    *(pf.ARF(trees=3), pf.ARF(trees=3, relations=False)),
    *(pf.Calibrated(pf.IPSO("C"), margins=margins) for margins in ("smooth", "original", None)),
    *(pf.Calibrated(pf.FCRM(3), margins=None), pf.Calibrated(pf.Shuffling())),
    *(pf.Recoding(5), pf.Recoding(5, labels=False), pf.TopBottomCoding(top="90%"), pf.LocalSuppression(2)),
]
"""Methods whose parameters decide a fact, or cannot be those of EXAMPLES here."""
AS_VARIANTS = {type(method) for method in VARIANTS}
TRIED = [*VARIANTS, *(method for method in EXAMPLES.values() if type(method) not in AS_VARIANTS)]
NUMBERS = [method for method in TRIED if method.replaces_numbers()]
CELLS = [method for method in TRIED if not method.replaces_numbers()]


def test_every_method_is_tried():
    """All methods of METHODS, as work on numbers or on cells."""
    assert {type(method) for method in TRIED} == {*METHODS.values()}
    for method in NUMBERS:
        assert isinstance(method.work(ROLES, 300), NumberWork | SumWork)
    for method in CELLS:
        assert isinstance(method.work(ROLES, 300), CellWork)
    assert isinstance(pf.External(["synthesizer"]).work(ROLES, 300), FileWork)


def test_no_fact_has_a_default():
    for field in dataclasses.fields(Facts):
        assert field.default is field.default_factory is dataclasses.MISSING, field.name
    with pytest.raises(TypeError, match="attacks"):
        Facts(**{field.name: None for field in dataclasses.fields(Facts) if field.name != "attacks"})


@pytest.mark.slow
@pytest.mark.parametrize("method", NUMBERS, ids=str)
def test_releases_of_numbers_agree_with_the_facts(method):
    assert wrong_facts(method) == set()


@pytest.mark.parametrize("method", CELLS, ids=str)
def test_releases_of_cells_agree_with_the_facts(method):
    """Identical: a value is an original one of its column or it is not."""
    frame = pd.concat([make_frame(), make_frame()])  # every value twice, so that local suppression leaves it
    released = pf.protect(frame, method, pf.Roles(dependent="y"), seed=1, allow_unprotected=True).frame["y"]
    values = released.dropna()
    reissued = np.mean([value in set(frame["y"]) for value in values]) > 0.5
    assert method.facts(ROLES).reissues_values == reissued


@dataclasses.dataclass(frozen=True)
class Liar(OwnMethod):
    """A method that states OWN_FACTS, of a method that replaces values: no attack, no seed undoes it... and does otherwise."""

    plant: str = ""

    def facts(self, roles):
        return Facts.of(OWN_FACTS, undone_by_seed=False)

    def release(self, X, Y, run):
        noise = run.stream.rnorm_matrix(*Y.shape) * Y.std(axis=0)
        if self.plant == "near copies":
            return Y + 0.05 * noise
        if self.plant == "values of others":
            return Y[run.stream.sample_int(len(Y), len(Y)) - 1]
        if self.plant == "noise of the seed":
            return Y + 3 * noise
        return Y.mean(axis=0) + noise


@pytest.mark.parametrize(
    ("plant", "wrong"),
    [
        ("near copies", {"attacks", "averages"}),
        ("values of others", {"reissues_values"}),
        ("noise of the seed", {"averages", "undone_by_seed"}),
        ("", set()),
    ],
)
def test_wrong_facts_are_found(plant, wrong):
    assert wrong <= wrong_facts(Liar(plant))
    assert wrong or not wrong_facts(Liar(plant))


@dataclasses.dataclass(frozen=True)
class New(OwnMethod):
    """A method of which two facts are not examined."""

    def facts(self, roles):
        return Facts.of(OWN_FACTS, masks="perturb", averages=True, attacks=NOT_EXAMINED, undone_by_seed=NOT_EXAMINED)

    def release(self, X, Y, run):
        return Y + 2 * run.stream.rnorm_matrix(*Y.shape) * Y.std(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("wrapped", [False, True])
def test_what_is_not_examined_does_not_pass(wrapped):
    """Of the method, calibrated, and as a step; a note states it of a seed that can be guessed."""
    frame = pf.datasets.accounts(300)
    roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    method = pf.Calibrated(New(), margins=None) if wrapped else New()
    for procedure, given in ((method, roles), (pf.Steps([(method, roles)]), None)):
        released = pf.protect(frame, procedure, given, seed=1)
        assert any("has not been examined" in note for note in released.notes)
        verdict = pf.evaluate(frame, released).verdict
        for key in ("linkage", "seed"):
            assert verdict[key].status == "not examined", key
            assert "has not been examined" in verdict[key].reason
        assert verdict.status != "pass"

"""One table of methods and the properties that each of them has, by group of methods. Identical unless a test says otherwise.

Promises on any data are in tests/property, parameters and interfaces of all methods in tests/contract.
"""

import inspect
import itertools
from dataclasses import replace

import numpy as np
import pytest
from support.data import cloud
from support.method_examples import EXAMPLES

from pyfcrm import ARF, EGADP, GADP, IPSO, Dummy, Hybrid, Noise, RStream, Sequential, Shuffling
from pyfcrm.errors import InvalidParameter, PyfcrmError

X, Y = cloud(60, 2, 3, seed=4)


def variants(method):
    """The method with every combination of the words of its choices that it accepts."""
    choices = [[(one.name, word) for word in one.words] for one in method.declared() if one.kind == "choice"]
    for chosen in itertools.product(*choices):
        try:
            yield replace(method, **dict(chosen))
        except InvalidParameter:  # words that contradict each other
            continue


EVERY = [one for method in EXAMPLES.values() if method.replaces_numbers() for one in variants(method)]
EACH = [pytest.param(one, marks=pytest.mark.slow if isinstance(one, ARF) else (), id=str(one)) for one in EVERY]
MOVES_A_CONSTANT = {
    "FCRM(c=3, release=draw)", "FCRM(c=3, basis=rbf, release=draw)", "FCRM(c=3, basis=linear, release=draw)",
    "FCRM(c=3, basis=flexible, release=draw)", "IPSO(kind=B, variant=thesis)", "IPSO(kind=B, variant=thesis, basis=linear)",
    "IPSO(kind=B, variant=thesis, basis=flexible)",
    "Noise(kind=multiplicative, amount=20)", "Dummy()",
}  # fmt: skip
DRAWS = [  # where the number does not depend on the data: uniforms for each record and column, and blocks of normals
    *((method, 0, 0) for method in (*variants(EXAMPLES["microaggregation"]), IPSO("A"))),
    *((method, 0, 1) for method in (IPSO("B"), IPSO("C"), GADP(), EGADP(), Shuffling())),
    *((Hybrid("regression", alpha), 0, 1) for alpha in (0, 0.5, 1)),
    *((IPSO(kind, "thesis"), 0, 2) for kind in "ABC"),
    *((method, 0, 1) for method in variants(EXAMPLES["noise"]) if method.kind not in ("laplace", "multiplicative")),
    *((method, 1, 0) for method in (Sequential(), Dummy(), Noise("laplace", 50))),
]


def without_x(method):
    """Whether the documentation says that the method takes no account of the independent columns."""
    return "X is not used" in " ".join(inspect.getdoc(type(method)).split())


@pytest.mark.parametrize("method", EACH)
def test_x_has_no_influence_where_the_documentation_says_so_and_only_there(method):
    try:
        alone = method.protect(X, Y, RStream(1)), method.protect(X[:, :0], Y, RStream(1))
    except PyfcrmError as error:
        assert "independent" in str(error)  # noqa: PT017 - it needs X
        assert not without_x(method)
    else:
        assert np.array_equal(*alone) == without_x(method)


@pytest.mark.parametrize("method", EACH)
def test_most_records_get_other_values(method):
    assert (method.protect(X, Y, RStream(1)) != Y).any(axis=1).mean() > 0.5


@pytest.mark.parametrize("method", EACH)
def test_a_constant_column_stays(method):
    """Close, 1e-12: regressions compute it. Other methods than those of MOVES_A_CONSTANT."""
    A, B = np.column_stack([X, np.full(60, 3.0)]), np.column_stack([Y, np.full(60, 0.1)])
    stays = np.allclose(method.protect(A, B, RStream(1))[:, 3], 0.1, rtol=1e-12, atol=0)
    assert stays == (str(method) not in MOVES_A_CONSTANT)


@pytest.mark.parametrize("method", EACH)
def test_all_randomness_is_of_the_stream(method):
    """Identical, whatever the state of numpy's global generator."""
    np.random.seed(0)
    Z = method.protect(X, Y, RStream(3))
    np.random.seed(1)
    np.testing.assert_array_equal(method.protect(X, Y, RStream(3)), Z)


@pytest.mark.parametrize(("method", "uniforms", "normals"), DRAWS, ids=str)
def test_how_many_numbers_are_drawn(method, uniforms, normals):
    """Oracle: a stream that drew as many."""
    stream, other = RStream(3), RStream(3)
    method.protect(X, Y, stream)
    other.runif(uniforms * Y.size)
    other.rnorm(normals * Y.size)
    np.testing.assert_array_equal(stream.to_r_state(), other.to_r_state())


@pytest.mark.parametrize("method", EACH)
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_few_records(method, n):
    """A release, or a refusal in one sentence that names the method and the records it needs."""
    try:
        Z = method.protect(X[:n], Y[:n], RStream(1))
    except PyfcrmError as error:
        assert n < 9
        assert str(error).startswith(type(method).__name__)  # noqa: PT017 - either way is right
        assert "records" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(Z).all()
        assert Z.shape == (n, 3)

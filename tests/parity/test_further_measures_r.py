"""The analyst's regression, pMSE and CM3 against live R: lm, confint, glm, cancor, ks.test.

Grade: close. lm and ours are two orthogonal factorisations (1e-9); glm stops at a deviance change of 1e-8, tightened
here, and has no ridge (1e-6); cancor is another factorisation (1e-9).
"""

import numpy as np
import pytest
from support.r import requires_r, run_r

from pyfcrm.measures.cm3 import cm3
from pyfcrm.measures.propensity import pmse, specks
from pyfcrm.numerics.least_squares import least_squares

pytestmark = [pytest.mark.r, requires_r]


def two(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, p)) + rng.normal(size=(n, 1))
    return X, X + 0.6 * rng.normal(size=(n, p)) + 0.1


def test_least_squares_is_lm():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70, 3)) * [1e-3, 1, 1e5] + [0, 10, 1e6]
    y = X @ [2e3, -1, 3e-5] + rng.normal(size=70)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])  # aliased: NA in R, NaN here
    coef, se, low, high = run_r(
        "X <- matrix(inputs$X, 70); fit <- lm(inputs$y ~ X)\n"
        "se <- coef(fit); se[!is.na(se)] <- summary(fit)$coefficients[, 2]\n"
        "emit(coef(fit)); emit(se); emit(confint(fit)[, 1]); emit(confint(fit)[, 2])",
        inputs={"X": X, "y": y},
    )
    fit = least_squares("t", X, y)
    for ours, theirs in ((fit.coef, coef), (fit.se, se), (fit.low, low), (fit.high, high)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert np.isnan(coef[4])


@pytest.mark.parametrize(("n", "p"), [(80, 1), (150, 2), (200, 4)])
def test_propensity_is_glms(n, p):
    X, Z = two(n, p, seed=n)
    value, ks = run_r(
        "A <- as.data.frame(scale(rbind(matrix(inputs$X, ncol = inputs$p), matrix(inputs$Z, ncol = inputs$p))))\n"
        "label <- rep(0:1, c(length(inputs$X), length(inputs$Z)) / inputs$p)\n"
        "fit <- glm(if (inputs$p > 1) label ~ .^2 else label ~ ., binomial, A, control = glm.control(1e-14, 100))\n"
        "s <- fitted(fit)\n"
        "emit(mean((s - mean(label))^2)); emit(ks.test(s[label == 0], s[label == 1])$statistic)",
        inputs={"X": X, "Z": Z, "p": [p]},
    )
    assert pmse(X, Z).total == pytest.approx(value[0], rel=1e-6)
    assert specks(X, Z).total == pytest.approx(ks[0], abs=1e-9)


def test_cm3_is_cancors():
    """Without ties, attribute by attribute."""
    X, Z = two(60, 4, seed=3)
    (c,) = run_r(
        "X <- matrix(inputs$X, 60); Z <- matrix(inputs$Z, 60)\n"
        "emit(sapply(1:4, function(j)\n"
        "  prod(1 - cancor(X[order(X[, j]), -j], Z[order(Z[, j]), -j])$cor^2)))",
        inputs={"X": X, "Z": Z},
    )
    result = cm3(X, Z)
    np.testing.assert_allclose([line.value for line in result.parts if line.attribute is not None], c, rtol=1e-9)
    assert result.total == pytest.approx(c.min(), rel=1e-9)

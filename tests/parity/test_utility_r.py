"""Weighted and clustered estimates of the utility panel by R's survey package, and the panel of SLID.

Oracles: svymean, svyquantile and svyglm of survey. Close: sums in another order, and iterations to a tolerance.
"""

import numpy as np
import pandas as pd
import pytest
from support.panel import panel_of
from support.r import requires_r, run_r

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r]
RTOL = 1e-8  # another order of sums
FITTED = 1e-5  # glm stops at a relative change of the deviance of 1e-8

SURVEY = """
if (!requireNamespace("survey", quietly = TRUE)) { emit(0); quit("no", 0) }
emit(1)
suppressPackageStartupMessages(library(survey))
"""


def weighted_file(n=400):
    rng = np.random.default_rng(5)
    age = rng.choice([25.0, 35.0, 45.0], n)
    w = rng.uniform(1, 4, n)
    home = np.repeat(np.arange(n // 2), 2)
    effect = np.repeat(rng.normal(0, 2, n // 2), 2)
    income = np.round(20 + 0.2 * age + effect + rng.normal(0, 3, n), 3)
    return pd.DataFrame({"age": age, "income": income, "w": w, "home": home})


def in_r(script, frame):
    inputs = {name: frame[name].to_numpy(dtype=float) for name in frame.columns}
    found, *answers = run_r(SURVEY + script, inputs=inputs)
    if not found[0]:
        pytest.skip("R has no package survey")
    return answers


def estimates(frame, roles):
    return panel_of(frame, frame, roles).to_frame().set_index(["estimate", "group"])


def test_weighted_means_and_quantiles_are_those_of_survey():
    frame = weighted_file()
    rows = estimates(frame, pf.Roles(["age"], ["income"], weight="w"))
    means, quantiles, errors = in_r(
        """
        d <- data.frame(age = inputs$age, income = inputs$income, w = inputs$w)
        d <- svydesign(ids = ~1, weights = ~w, data = d[d$age == 35, ])
        m <- svymean(~income, d)
        emit(c(coef(m), SE(m)))
        q <- svyquantile(~income, d, c(.1, .5, .9), ci = TRUE, qrule = "math", interval.type = "mean", df = Inf)
        emit(q$income[, "quantile"])
        emit((q$income[, "ci.97.5"] - q$income[, "ci.2.5"]) / (2 * qnorm(.975)))
        """,
        frame,
    )
    mean = rows.loc[("mean income", "age=35")]
    np.testing.assert_allclose([mean.original, mean.se], means, rtol=RTOL)
    words = ("10 % quantile of income", "median income", "90 % quantile of income")
    own = rows.loc[[(name, "age=35") for name in words]]
    np.testing.assert_allclose(own.original, quantiles, rtol=RTOL)
    np.testing.assert_allclose(own.se, errors, rtol=RTOL)


def test_clustered_means_and_regressions_are_those_of_survey():
    frame = weighted_file()
    rows = estimates(frame, pf.Roles(["age"], ["income"], weight="w", household="home"))
    mean_error, slope, logit = in_r(
        """
        d <- data.frame(age = inputs$age, income = inputs$income, w = inputs$w, home = inputs$home)
        d$high <- d$income > svyquantile(~income, svydesign(ids = ~1, data = d, weights = ~1), .5, qrule = "math")$income[1]
        d$x <- (d$age - mean(d$age)) / sqrt(mean((d$age - mean(d$age))^2))
        design <- svydesign(ids = ~home, weights = ~w, data = d)
        emit(SE(svymean(~income, svydesign(ids = ~home, weights = ~w, data = d[d$age == 35, ]))))
        fit <- summary(svyglm(income ~ x, design))$coefficients
        emit(fit["x", 1:2])
        fit <- summary(svyglm(high ~ x, design, family = quasibinomial()))$coefficients
        emit(fit["x", 1:2])
        """,
        frame,
    )
    np.testing.assert_allclose(rows.loc[("mean income", "age=35"), "se"], mean_error[0], rtol=RTOL)
    regression = rows.loc[("slope of age in the regression of income", "")]
    np.testing.assert_allclose([regression.original, regression.se], slope, rtol=RTOL)
    name = next(estimate for estimate, _ in rows.index if "logit" in estimate)
    row = rows.loc[(name, "")]
    np.testing.assert_allclose([row.original, row.se], logit, rtol=FITTED)


def test_unweighted_regressions_are_those_of_lm_and_glm():
    frame = weighted_file()
    rows = estimates(frame, pf.Roles(["age"], ["income"]))
    slope, log_slope, curve, logit = run_r(
        """
        d <- data.frame(age = inputs$age, y = inputs$income)
        d$x <- (d$age - mean(d$age)) / sqrt(mean((d$age - mean(d$age))^2))
        emit(summary(lm(y ~ x, d))$coefficients["x", 1:2])
        emit(summary(lm(log(y) ~ x, d))$coefficients["x", 1:2])
        emit(summary(lm(y ~ x + I(x^2), d))$coefficients["I(x^2)", 1:2])
        high <- d$y > sort(d$y)[ceiling(nrow(d) / 2)]
        emit(summary(glm(high ~ x, binomial, d))$coefficients["x", 1:2])
        """,
        inputs={"age": frame.age.to_numpy(), "income": frame.income.to_numpy()},
    )
    for estimate, expected, rtol in (
        ("slope of age in the regression of income", slope, RTOL),
        ("slope of age in the regression of log(income)", log_slope, RTOL),
        ("slope of age^2 in the curve of income", curve, RTOL),
        (next(name for name, _ in rows.index if "logit" in name), logit, FITTED),
    ):
        row = rows.loc[(estimate, "")]
        np.testing.assert_allclose([row.original, row.se], expected, rtol=rtol)


@pytest.mark.slow
def test_wages_of_slid_lose_their_relation_to_age():
    # carData's SLID, complete cases, age in bands of 5 years. Known truth: a method that is linear in age loses the hump of wages by age,
    # trees do not. An honest draw has about 1 per cent of its estimates above 3 standard errors.
    found, *columns = run_r(
        """
        if (!requireNamespace("carData", quietly = TRUE)) { emit(0); quit("no", 0) }
        emit(1)
        d <- na.omit(carData::SLID)
        emit(d$wages); emit(d$education); emit(5 * (d$age %/% 5)); emit(as.integer(d$sex)); emit(as.integer(d$language))
        """
    )
    if not found[0]:
        pytest.skip("R has no package carData")
    frame = pd.DataFrame(dict(zip(("wages", "education", "age", "sex", "language"), columns, strict=True)))
    frame["sex"] = frame.sex.map({1.0: "Female", 2.0: "Male"})
    frame["language"] = frame.language.map({1.0: "English", 2.0: "French", 3.0: "Other"})
    roles = pf.Roles(["age", "sex", "language"], ["wages", "education"])
    default = panel_of(frame, pf.protect(frame, pf.Calibrated(), roles, seed=1)).summary
    assert default.above <= 3
    assert default.reference_above <= 3
    assert 0.8 < default.reference_rms < 1.3
    # Trees alone keep the hump too; their smoothed draws move quantiles of education by a year, 4 to 7 per cent of all estimates.
    trees = panel_of(frame, pf.protect(frame, pf.Sequential(), roles, seed=1))
    assert abs(trees.to_frame().set_index(["estimate", "group"]).loc[("mean wages", "age=15"), "z"]) < 3
    assert trees.summary.above < 8
    linear = panel_of(frame, pf.protect(frame, pf.IPSO("C"), roles, seed=1, structure=None))
    assert linear.summary.above > 25
    rows = linear.to_frame().set_index(["estimate", "group"])
    assert rows.loc[("mean wages", "age=15"), "z"] > 15

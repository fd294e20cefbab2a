"""Formulas of analyse() against R's lm with the same formula: names, estimates and standard errors. Close: 1e-8, two QRs."""

import numpy as np
import pandas as pd
import pytest
from support.r import requires_r, run_r

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r]
FORMULAS = [
    "wage ~ sex + region + age", "log(wage) ~ sex * age + union:region", "wage ~ sex:region", "sqrt(wage) ~ log(age) + union",
    "wage ~ sex * region * age", "wage ~ age:sex + age", "wage ~ poly(age, 3) * sex + I(age^2):region",
]  # fmt: skip


def people():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({
        "sex": rng.choice(["Male", "Female"], 300), "region": rng.choice(["N", "S", "E"], 300),
        "age": rng.integers(18, 80, 300), "union": rng.random(300) < 0.3,
    })  # fmt: skip
    return frame.assign(wage=10 + 3 * (frame.sex == "Male") + 0.1 * frame.age + rng.normal(size=300))


@pytest.mark.parametrize("formula", FORMULAS)
def test_terms_and_estimates_are_those_of_lm(formula, tmp_path):
    frame, path = people(), tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    [estimates] = run_r(
        "f <- read.csv(arguments[1], stringsAsFactors = TRUE); f$union <- f$union == 'True'; "
        "fit <- summary(lm(as.formula(arguments[2]), f))$coefficients; emit(fit[, 1:2]); writeLines(rownames(fit), arguments[3])",
        path, formula, tmp_path / "terms",
    )  # fmt: skip
    ours = pf.analyse(frame, frame, formula).to_frame().dropna(subset="original")
    assert list(ours.term) == (tmp_path / "terms").read_text().splitlines()
    np.testing.assert_allclose(ours[["original", "original_se"]].to_numpy().T.ravel(), estimates, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("weights", [None, "w"])
def test_a_logistic_regression_is_that_of_glm(weights, tmp_path):
    """Close, 1e-6: both end the same iterations by the same rule."""
    frame = people()
    frame["member"] = (frame.wage + np.random.default_rng(4).normal(size=300) > 16).astype(int)
    frame["w"] = 1.0 + np.arange(300) % 4
    frame.to_csv(tmp_path / "people.csv", index=False)
    formula = "member ~ sex * log(age) + region + poly(age, 2)"
    [estimates] = run_r(
        "f <- read.csv(arguments[1], stringsAsFactors = TRUE); used <- if (arguments[3] == 'w') f$w / mean(f$w) else rep(1, nrow(f)); "
        "fit <- suppressWarnings(glm(as.formula(arguments[2]), binomial, f, weights = used)); emit(summary(fit)$coefficients[, 1:2])",
        tmp_path / "people.csv", formula, weights or "none",
    )  # fmt: skip
    ours = pf.analyse(frame, frame, formula, weights=weights, family="binomial").to_frame().dropna(subset="original")
    np.testing.assert_allclose(ours[["original", "original_se"]].to_numpy().T.ravel(), estimates, rtol=1e-6, atol=1e-8)


def test_a_logistic_regression_of_a_factor_is_that_of_glm(tmp_path):
    """The first level of a factor is 0. Close, 1e-6: both end the same iterations by the same rule."""
    frame = people()
    frame["member"] = np.where(frame.wage + np.random.default_rng(4).normal(size=300) > 16, "no", "yes")
    frame.to_csv(tmp_path / "people.csv", index=False)
    formula = "member ~ sex * age + region"
    [estimates] = run_r(
        "f <- read.csv(arguments[1], stringsAsFactors = TRUE); "
        "emit(summary(glm(as.formula(arguments[2]), binomial, f))$coefficients[, 1:2])",
        tmp_path / "people.csv", formula,
    )  # fmt: skip
    ours = pf.analyse(frame, frame, formula, family="binomial").to_frame()
    np.testing.assert_allclose(ours[["original", "original_se"]].to_numpy().T.ravel(), estimates, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("q", [0.25, 0.5, 0.9])
def test_quantiles_by_class_are_those_of_quantile_and_svyquantile(q, tmp_path):
    """R's quantile of type 1; survey's svyquantile with weights, intervals by the mean (Woodruff). Close, 1e-8: the CSV's digits."""
    frame = people()
    frame["w"] = 1.0 + np.arange(300) % 4
    frame.to_csv(tmp_path / "people.csv", index=False)
    plain, weighted = run_r(
        "f <- read.csv(arguments[1]); q <- as.numeric(arguments[2]); emit(tapply(f$wage, f$region, quantile, q, type = 1)); "
        "library(survey); rows <- lapply(sort(unique(f$region)), function(r) svyquantile(~wage, "
        "svydesign(~1, weights = ~w, data = f[f$region == r, ]), q, interval.type = 'mean', qrule = 'math', df = Inf)$wage); "
        "emit(do.call(rbind, rows))",
        tmp_path / "people.csv", q,
    )  # fmt: skip
    found = pf.analyse(frame, frame, "wage ~ region", quantile=q).original
    np.testing.assert_allclose(found.coef, plain, rtol=1e-12)
    fit = pf.analyse(frame, frame, "wage ~ region", quantile=q, weights="w").original
    ours = np.column_stack([fit.coef, fit.low, fit.high, fit.se])
    np.testing.assert_allclose(ours.T.ravel(), weighted, rtol=1e-8)

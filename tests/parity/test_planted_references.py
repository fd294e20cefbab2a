"""Faults planted in copies of the R references: a row of the cross-check differs for each.

Oracle: faults made on purpose, of the kinds that a reference can have: constants, < for <=, missing weights, divisors, orders,
floors, strata. Grade: verdicts, identical.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.r import requires_r

from r_bridge import crosschecks
from r_bridge.crosschecks import built_in, judge
from r_bridge.scripts import script
from r_bridge.to_r import reference

pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
pytestmark = [pytest.mark.r, pytest.mark.slow, requires_r]
FIRST, SECOND = 0, 1  # of the built-in files

# The file, what is replaced and by what, part of the names of the rows that are judged, and the built-in file.
Fault = tuple[str, str, str, str, int]
TIES = "unusual files: DBRL"
RULES = "categories: rules"
DESIGN = "categories: design"
FAULTS: dict[str, Fault] = {
    "permutation: last block shorter": (
        "permutation.R", "pmin((seq_len(n) - 1) %/% k, max(n %/% k - 1, 0))", "(seq_len(n) - 1) %/% k",
        "Permutation: release", SECOND,
    ),
    "permutation: variance by n - 1": (
        "permutation.R", "mean((y - mean(y))^2)", "var(y)", "Permutation: release", FIRST,
    ),
    "permutation: equal values in file order": (
        "permutation.R", "order(y, runif(n))", "order(y, runif(n) * 0)", "Permutation: release", SECOND,
    ),
    "dbrl: ties to 1e-9": ("dbrl.R", "tie = 1e-12", "tie = 1e-9", TIES, FIRST),
    "dbrl: ties to 1e-11": ("dbrl.R", "tie = 1e-12", "tie = 1e-11", TIES, SECOND),
    "dbrl: ties of equal bits alone": ("dbrl.R", "tie = 1e-12", "tie = 0", TIES, FIRST),
    "dbrl: constant columns are not looked for": (
        "dbrl.R", "!is_constant(X[, a]) && !is_constant(Z[, a])", "TRUE", TIES, FIRST,
    ),
    "dbrl: constant columns of the original alone": (
        "dbrl.R", "!is_constant(X[, a]) && !is_constant(Z[, a])", "!is_constant(X[, a])", TIES, FIRST,
    ),
    "prl: a larger limit of weights": ("prl.R", "log(1e6)", "log(1e7)", "PRL: boundary", FIRST),
    "prl: a smaller limit of weights": ("prl.R", "log(1e6)", "log(1e5)", "PRL: boundary", FIRST),
    "prl: no limit of weights": ("prl.R", "largest = log(1e6)", "largest = Inf", "unusual files: DBRL", SECOND),
    "prl: EM stops at 1e-8": ("prl.R", "max(abs(one - theta)) < 1e-10", "max(abs(one - theta)) < 1e-8", "PRL: boundary", FIRST),
    "prl: clamp at 1 - 1e-9": ("prl.R", "1 - 1e-12", "1 - 1e-9", "PRL: boundary", FIRST),
    "fcm: a record at two centres": ("fcm.R", "1 / sum(at_centre)", "1", "FCM: membership, centres", FIRST),
    "fcm: a record at a centre is not special": ("fcm.R", "any(at_centre)", "FALSE", "FCM: membership, centres", FIRST),
    "fcrm: floor of 1e-80": ("fcrm.R", "FLOOR <- 1e-100", "FLOOR <- 1e-80", "FCRM: objective, models", FIRST),
    "fcrm: no floor": ("fcrm.R", "FLOOR <- 1e-100", "FLOOR <- 0", "FCRM: objective, models", FIRST),
    "fcrm: rank by 1e-17": ("fcrm.R", "1e-10 * max(parts$d)", "1e-17 * max(parts$d)", "FCRM: collinear", FIRST),
    "ipso.R: collinear columns count as independent": (
        "ipso.R", "RANK_TOL <- 1e-10", "RANK_TOL <- 1e-20", "IPSO: collinear columns, C, thesis", FIRST,
    ),
    "ipso.R: the first noise columns are not those of rank": (
        "ipso.R", "[, seq_len(nrow(root)), drop = FALSE]", "[, ncol(Y) + 1 - seq_len(nrow(root)), drop = FALSE]",
        "IPSO: collinear columns, C, thesis", FIRST,
    ),
    "ipso.R: covariance of the collinear columns by n": (
        "ipso.R", "/ sqrt(nrow(R) - 1)", "/ sqrt(nrow(R))", "IPSO: collinear columns, C, thesis", SECOND,
    ),
    "burridge: rank by 1e-20": (
        "ipso_burridge.R", "RANK_TOL <- 1e-10", "RANK_TOL <- 1e-20", "IPSO: collinear columns, C, burridge", FIRST,
    ),
    "burridge: B by n - 1": ("ipso_burridge.R", "(U / sqrt(n))", "(U / sqrt(n - 1))", "IPSO: B, burridge", FIRST),
    "gadp: by n - 1": ("gadp.R", "sqrt(nrow(fit$R))", "sqrt(nrow(fit$R) - 1)", "GADP: release", FIRST),
    "predictors: two contributors are enough": ("predictors.R", "contributors < 3", "contributors < 2", RULES, FIRST),
    "predictors: three contributors are too few": ("predictors.R", "contributors < 3", "contributors < 4", RULES, FIRST),
    "predictors: more than 10 records": ("predictors.R", "sum(rows) >= 10", "sum(rows) > 10", RULES, FIRST),
    "predictors: more than 10 records, on a file": (
        "predictors.R", "sum(rows) >= 10", "sum(rows) > 10", "protect(): design", FIRST,
    ),
    "predictors: 9 records": ("predictors.R", "sum(rows) >= 10", "sum(rows) >= 9", RULES, FIRST),
    "predictors: 9 records, on a file": (
        "predictors.R", "sum(rows) >= 10", "sum(rows) >= 9", "protect(): design", SECOND,
    ),
    "predictors: p of 11 %": ("predictors.R", "< 0.1 * x[1]", "< 0.11 * x[1]", RULES, FIRST),
    "predictors: p of 8 %": ("predictors.R", "< 0.1 * x[1]", "< 0.08 * x[1]", RULES, FIRST),
    "predictors: p, <=": ("predictors.R", "< 0.1 * x[1]", "<= 0.1 * x[1]", RULES, FIRST),
    "predictors: dominance of one by 76 %": ("predictors.R", "> 0.75 * total", "> 0.76 * total", DESIGN, FIRST),
    "predictors: dominance of one by 74 %": ("predictors.R", "> 0.75 * total", "> 0.74 * total", DESIGN, FIRST),
    "predictors: dominance of one, >=": ("predictors.R", "> 0.75 * total", ">= 0.75 * total", DESIGN, FIRST),
    "predictors: dominance of two by 86 %": ("predictors.R", "> 0.85 * total", "> 0.86 * total", DESIGN, FIRST),
    "predictors: dominance of two, >=": ("predictors.R", "> 0.85 * total", ">= 0.85 * total", DESIGN, FIRST),
    "predictors: amounts with their signs": ("predictors.R", "sort(abs(x[x != 0])", "sort((x[x != 0])", RULES, FIRST),
    "predictors: the first confidential column alone": (
        "predictors.R", "apply(Y[rows, , drop = FALSE], 2, violated_rules)", "violated_rules(Y[rows, 1])", DESIGN, FIRST,
    ),
    "predictors: zeros are contributions": ("predictors.R", "x[x != 0]", "x", RULES, FIRST),
    "predictors: the pool is not enlarged": (
        "predictors.R", "!safe(x %in% pool, Y)", "FALSE", "protect(): design", SECOND,
    ),
    "predictors: the largest level joins the pool": (
        "predictors.R", "order(table(x)[others])", "order(-table(x)[others])", "protect(): design", SECOND,
    ),
    "predictors: the pool is always last": (
        "predictors.R", "if (names[1] %in% pool) c(label, own) else c(own, label)", "c(own, label)",
        "protect(): design", SECOND,
    ),
    "predictors: levels in the order of the language": (
        "predictors.R", 'sort(unique(x), method = "radix")', "unique(x)", DESIGN, FIRST,
    ),
    "weights: no column of weights": (
        "weights.R", "cbind(X, w, weighted)", "cbind(X, weighted)", "IPSO, C, burridge, with survey weights", FIRST,
    ),
    "weights: no weighted columns": (
        "weights.R", "cbind(X, w, weighted)", "cbind(X, w)", "IPSO, A, burridge, with survey weights", FIRST,
    ),
    "weights: roots of weights": (
        "weights.R", "weighted[, j] <- w * X[, j]", "weighted[, j] <- sqrt(w) * X[, j]",
        "GADP, with survey weights", SECOND,
    ),
    "levels: five records to a sum": (
        "weights.R", "10 * t * qr", "5 * t * qr", "with survey weights, within levels", FIRST,
    ),
    "levels: not weighted within levels": (
        "weights.R", "D[, k] * columns", "D[, k] * X", "with survey weights, within levels", FIRST,
    ),
    "strata: in the order of their names": (
        "strata.R", "in unique(key)", "in rev(unique(key))", "IPSO, B, burridge, by strata", FIRST,
    ),
    "strata: the stream starts anew": (
        "strata.R", "rows <- which(key == stratum)", "set.seed(1); rows <- which(key == stratum)",
        "IPSO, B, burridge, by strata", SECOND,
    ),
    "strata: weights of the first records": (
        "strata.R", "weighted_design(x, w[rows])", "weighted_design(x, w[seq_along(rows)])",
        "with survey weights, by strata", FIRST,
    ),
    "strata: constant dependent columns are drawn": (
        "strata.R", "which(apply(Y[rows, , drop = FALSE], 2, varies))", "seq_len(ncol(Y))",
        "IPSO, B, burridge, by strata", FIRST,
    ),
    "strata: one value of two records varies": (
        "strata.R", "length(column) == 1 || any(column != column[1])", "TRUE", "Permutation, by strata", FIRST,
    ),
    "calibrated: another orthogonal factor": (
        "calibrated.R", "W <- between$u %*% t(between$v)", "W <- between$u", "Calibrated: GADP", FIRST,
    ),
    "calibrated: residuals of the release": (
        "calibrated.R", "y - R + e$U %*% W %*% B", "y - R + E", "Calibrated: GADP", FIRST,
    ),
    "calibrated: nearest in raw units": (
        "calibrated.R", "unit <- sqrt(colMeans(sweep(Y, 2, colMeans(Y))^2))", "unit <- rep(1, ncol(Y))",
        "Calibrated: Permutation", FIRST,
    ),
    "calibrated: margins in file order": (
        "calibrated.R", "records <- sample.int(nrow(Y))", "records <- seq_len(nrow(Y))",
        "Calibrated: original margins", FIRST,
    ),
    "trees: the first cut, not the best": (
        "trees.R", "gains[first] > best$gain", "FALSE", "Sequential: leaves of 20", FIRST,
    ),
    "trees: cuts at the lower place": (
        "trees.R", "(f[k[first]] + f[k[first] + 1]) / 2", "f[k[first]] - 1", "Sequential: leaves of 20", FIRST,
    ),
    "trees: leaves of three records less": (
        "trees.R", "k <- fewest:(n - fewest)", "k <- (fewest - 3):(n - fewest + 3)", "Sequential: leaves of 20", FIRST,
    ),
    "trees: the donor before": (
        "trees.R", "floor(u[i] * length(donors)) + 1", "ceiling(u[i] * (length(donors) - 1))", "Sequential: leaves of 20", FIRST,
    ),
    "pil: variances without the square": (
        "pil.R", "(m4 - m2^2) / n", "m4 / n", "PIL: value", FIRST,
    ),
    "pil: a constant that moves counts nothing": (
        "pil.R", "return(as.numeric(moved > NEGLIGIBLE * size))", "return(0)", "PIL: value, constant", FIRST,
    ),
    "pil: rounding of a constant counts": (
        "pil.R", "<= 1e-14 * max(abs(x))", "< 0", "PIL: value, constant", FIRST,
    ),
    "interval disclosure: widths rounded up": (
        "interval_disclosure.R", "floor(p * n / 100)", "ceiling(p * n / 100)", "ID: sd", SECOND,
    ),
    "interval disclosure: ends are outside": (
        "interval_disclosure.R", "low <= x & x <= high", "low < x & x <= high", "linkage ties: ID", FIRST,
    ),
}  # fmt: skip


def failures(rows: str, number: int) -> list[str]:
    """The rows with this part in their names that fail on a built-in file."""
    problem = built_in(1)[number]
    judged = [
        row
        for case in crosschecks.CASES
        if any(rows in f"{case.family}: {line.name}" for line in case.lines)
        for row in judge(case, problem)
    ]
    assert judged
    return [row.what for row in judged if row.verdict.startswith("FAIL")]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_reference(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, old, new, rows, number = FAULTS[name]
    original = script("ipso.R" if file == "ipso.R" else f"reference/{file}")
    code = original.read_text(encoding="utf-8")
    assert old in code
    planted = tmp_path / file
    planted.write_text(code.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(reference, "script", lambda path: planted if Path(path).name == file else script(path))
    assert failures(rows, number)

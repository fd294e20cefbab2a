"""Sampling designs as roles: R, Python and the shell give the same release, verdict and analysis.

Oracle: the other two languages, and survey's svyglm. Grade: identical; close to svyglm, 1e-8, two factorisations.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tomli_w
from support.cli import pyfcrm, pyfcrm_process
from support.design_cases import cases, differences
from support.r_package import needs_r_packages, r_with_fcrm, requires_r_package

import pyfcrm as pf
from pyfcrm.data.replicate_factors import REPLICATE_TYPES

pytestmark = [pytest.mark.r, requires_r_package, needs_r_packages("survey")]
ROLES = pf.Roles("age", "wage", weight="w", psu="village", sampling_stratum="region")
OF_DESIGN = ["--weight", "w", "--psu", "village", "--sampling-stratum", "region"]


def people():
    rng = np.random.default_rng(5)
    village = rng.integers(0, 30, 300)
    age = rng.integers(20, 70, 300)
    wage = np.round(20 + 0.3 * age + 5 * rng.normal(size=30)[village] + 3 * rng.normal(size=300), 1)
    frame = {"village": village, "region": village // 10, "w": rng.integers(4, 12, 300) / 4, "age": age, "wage": wage}
    return pd.DataFrame(frame)


def test_a_sampling_design_in_three_interfaces(tmp_path):
    frame = people()
    frame.to_csv(tmp_path / "in.csv", index=False)
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1)
    analysis = pf.analyse(frame, released, "wage ~ age")
    report = pf.evaluate(frame, released, measures="pil")
    written = r_with_fcrm(
        """
        hex <- function(x) cat(sprintf("%a", x), "\\n")
        df <- read.csv(commandArgs(TRUE)[1])
        released <- suppressWarnings(
          protect(df, ipso("C"), "age", "wage", weight = "w", psu = "village", sampling_stratum = "region", seed = 1)
        )
        hex(released$wage)
        by_release <- analyse(df, released, wage ~ age)
        design <- list(weight = "w", psu = "village", sampling_stratum = "region")
        given <- analyse(df, as.data.frame(released), wage ~ age, roles = design)
        stopifnot(identical(by_release$protected_se, given$protected_se), attr(given, "df.residual") == 26)
        hex(by_release$protected_se)
        of_survey <- survey::svyglm(wage ~ age, survey::svydesign(~village, strata = ~region, weights = ~w, data = released, nest = TRUE))
        hex(sqrt(diag(vcov(of_survey))))
        cat(grep("Not known", capture.output(print(suppressWarnings(evaluate(df, released, measures = "pil")))), value = TRUE)[1], "\\n")
        wrong <- tryCatch(analyse(df, released, wage ~ age, roles = list(psus = "village")), error = conditionMessage)
        cat(wrong, "\\n")
        """,
        tmp_path / "in.csv",
    ).splitlines()
    of_python = [released.frame["wage"].tolist(), analysis.protected.se.tolist()]
    assert [[float.fromhex(word) for word in line.split()] for line in written[:2]] == of_python
    assert [float.fromhex(word) for word in written[2].split()] == pytest.approx(analysis.protected.se, rel=1e-8)
    assert "Not known to intruders: village, region" in str(report.verdict)
    assert "Not known to intruders: village, region" in written[3]
    assert "psus" in written[4]

    flags = [
        "--independent",
        "age",
        "--dependent",
        "wage",
        *OF_DESIGN,
        "--method",
        "ipso",
        "--set",
        "kind=C",
        "--seed",
        "1",
    ]
    done = pyfcrm_process("protect", "in.csv", *flags, "-o", "out.csv", "--manifest", "m.json", cwd=tmp_path)
    assert done.status == 0, done.err
    assert pd.read_csv(tmp_path / "out.csv")["wage"].tolist() == of_python[0]
    assert json.loads((tmp_path / "m.json").read_text())["roles"]["psu"] == "village"
    for further in (["--manifest", "m.json"], OF_DESIGN):
        found = pyfcrm_process("analyse", "in.csv", "out.csv", "wage ~ age", *further, "--json", cwd=tmp_path)
        assert [row["protected_se"] for row in json.loads(found.out)["rows"]] == of_python[1]


def test_copies_are_combined_by_a_design(tmp_path):
    """Identical to Python; close to the combined fits of svyglm, copy by copy, 1e-8."""
    frame = people()
    frame.to_csv(tmp_path / "in.csv", index=False)
    released = pf.protect(frame, pf.GADP(), ROLES, seed=1, copies=3)
    expected = pf.combine(released, formula="wage ~ age").to_frame()
    written = r_with_fcrm(
        """
        hex <- function(x) cat(sprintf("%a", x), "\\n")
        df <- read.csv(commandArgs(TRUE)[1])
        copies <- suppressWarnings(
          protect(df, gadp(), "age", "wage", weight = "w", psu = "village", sampling_stratum = "region", seed = 1, copies = 3)
        )
        by_release <- combine(copies, formula = wage ~ age)
        for (name in c("coef", "se", "freedom")) hex(by_release[[name]])
        design <- list(weight = "w", psu = "village", sampling_stratum = "region")
        given <- combine(lapply(copies, as.data.frame), formula = "wage ~ age", roles = design)
        stopifnot(identical(as.data.frame(by_release), as.data.frame(given)))
        fits <- lapply(copies, function(copy) {
          survey::svyglm(wage ~ age, survey::svydesign(~village, strata = ~region, weights = ~w, data = copy, nest = TRUE))
        })
        of_survey <- combine(fits)
        for (name in c("coef", "se")) hex(of_survey[[name]])
        cat(tryCatch(combine(fits, roles = design), fcrm_invalid_parameter = conditionMessage), "\\n")
        """,
        tmp_path / "in.csv",
    ).splitlines()
    found = [[float.fromhex(word) for word in line.split()] for line in written[:5]]
    assert found[:3] == [expected[name].tolist() for name in ("coef", "se", "freedom")]
    for of_survey, name in zip(found[3:], ("coef", "se"), strict=True):
        assert of_survey == pytest.approx(expected[name], rel=1e-8)
    assert "must come with `formula`" in written[5]


def test_replicate_weights_of_a_type_in_a_plan_and_in_r(tmp_path):
    frame = people()
    for k in range(10):
        frame[f"r{k}"] = np.where(frame.village % 10 == k, 0.0, frame.w * 10 / 9)
    names = [f"r{k}" for k in range(10)]
    frame.to_csv(tmp_path / "in.csv", index=False)
    factors = {"replicate_type": "JKn", "replicate_scale": 1.0, "replicate_rscales": 0.9}
    roles = pf.Roles("age", "wage", weight="w", replicate_weights=names, **factors)
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1)
    analysis = pf.analyse(frame, released, "wage ~ age")
    assert analysis.by_design
    [line] = r_with_fcrm(
        """
        df <- read.csv(commandArgs(TRUE)[1])
        released <- suppressWarnings(protect(
          df, ipso("C"), "age", "wage", weight = "w", replicate_weights = paste0("r", 0:9), replicate_type = "JKn", replicate_scale = 1,
          replicate_rscales = 0.9, seed = 1
        ))
        cat(sprintf("%a", analyse(df, released, wage ~ age)$protected_se), "\\n")
        """,
        tmp_path / "in.csv",
    ).splitlines()
    assert [float.fromhex(word) for word in line.split()] == analysis.protected.se.tolist()

    flags = ["--independent", "age", "--dependent", "wage", "--weight", "w", "--replicate-weights", ",".join(names),
             "--replicate-type", "JKn", "--replicate-scale", "1", "--replicate-rscales", "0.9"]  # fmt: skip
    output = ["--method", "ipso", "--seed", "1", "-o", "out.csv", "--manifest", "m.json"]
    done = pyfcrm_process("protect", "in.csv", *flags, *output, cwd=tmp_path)
    assert done.status == 0, done.err
    of_manifest = json.loads((tmp_path / "m.json").read_text())["roles"]
    of_manifest["replicate_rscales"] = tuple(of_manifest["replicate_rscales"])
    assert pf.Roles(**of_manifest) == roles
    plan = {
        "input": {"file": "in.csv"},
        "roles": of_manifest,
        "method": {"name": "dummy"},
        "output": {"release": "o.csv"},
    }
    (tmp_path / "plan.toml").write_text(tomli_w.dumps(plan))
    assert pf.read_plan(tmp_path / "plan.toml").roles == roles


def with_jackknife(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The file with a jackknife of ten groups of villages, as replicate weights."""
    names = [f"r{k}" for k in range(10)]
    return frame.assign(
        **{name: np.where(frame.village % 10 == k, 0.0, frame.w * 10 / 9) for k, name in enumerate(names)}
    ), names


@pytest.mark.parametrize("kind", ["units and strata", "replicate weights"])
def test_means_totals_and_regressions_of_copies_in_three_interfaces(kind, tmp_path):
    """Combined by T = v + b/m (Reiter 2003; Reiter and Raghunathan 2007), v the mean of the design's variances within copies.

    Oracle: R's survey within each copy. Its package mitools has v + (1 + 1/m) b, which is b more. Close: 1e-8, two factorisations.
    """
    frame, names = with_jackknife(people())
    frame.to_csv(tmp_path / "in.csv", index=False)
    if kind == "units and strata":
        roles, design, flags = ROLES, 'list(weight = "w", psu = "village", sampling_stratum = "region")', OF_DESIGN
        survey = "svydesign(~village, strata = ~region, weights = ~w, data = copy, nest = TRUE)"
    else:
        roles = pf.Roles("age", "wage", weight="w", replicate_weights=names, replicate_type="JK1")
        design = 'list(weight = "w", replicate_weights = paste0("r", 0:9), replicate_type = "JK1")'
        flags = ["--weight", "w", "--replicate-weights", ",".join(names), "--replicate-type", "JK1"]
        survey = (
            'svrepdesign(weights = ~w, repweights = "^r[0-9]$", type = "JK1", scale = .9, rscales = 1, data = copy)'
        )
    released = pf.protect(frame, pf.GADP(), roles, seed=1, copies=4, allow_unprotected=True)
    by_python = {formula: pf.combine(released, formula=formula) for formula in ("wage ~ 1", "wage ~ age")}
    for k, copy in enumerate(released.frames, 1):
        copy.to_csv(tmp_path / f"out-{k}.csv", index=False)
    written = r_with_fcrm(
        f"""
        suppressPackageStartupMessages(library(survey))
        hex <- function(x) cat(sprintf("%a", x), "\\n")
        copies <- lapply(1:4, function(k) read.csv(file.path(commandArgs(TRUE)[1], paste0("out-", k, ".csv"))))
        designs <- lapply(copies, function(copy) {survey})
        of_survey <- list(
          mean = lapply(designs, function(design) svymean(~wage, design)),
          regression = lapply(designs, function(design) svyglm(wage ~ age, design)),
          total = lapply(designs, function(design) svytotal(~wage, design))
        )
        for (fits in of_survey) {{
          estimates <- sapply(fits, coef)
          if (is.null(dim(estimates))) estimates <- t(estimates)
          within <- rowMeans(matrix(sapply(fits, function(fit) diag(as.matrix(vcov(fit)))), nrow(estimates)))
          between <- apply(estimates, 1, var)
          hex(rowMeans(estimates))
          hex(sqrt(within + between / 4))
          if (requireNamespace("mitools", quietly = TRUE)) {{
            rubin <- mitools::MIcombine(lapply(fits, coef), lapply(fits, vcov))
            stopifnot(all.equal(unname(diag(as.matrix(vcov(rubin)))) - between, within + between / 4, check.attributes = FALSE))
          }}
        }}
        hex(combine(of_survey$total)$se)
        hex(combine(of_survey$mean)$se)
        for (formula in c("wage ~ 1", "wage ~ age")) hex(combine(copies, formula = formula, roles = {design})$se)
        df <- read.csv(file.path(commandArgs(TRUE)[1], "in.csv"))
        hex(combine(lapply(copies, function(copy) analyse(df, copy, wage ~ age, roles = {design})))$se)
        """,
        tmp_path,
    ).splitlines()
    lines = [[float.fromhex(word) for word in line.split()] for line in written]
    mean, mean_se, slopes, slopes_se, total, total_se, *of_combine = lines
    for result, coef, se in zip(by_python.values(), (mean, slopes), (mean_se, slopes_se), strict=True):
        assert result.coef == pytest.approx(coef, rel=1e-8)
        assert result.se == pytest.approx(se, rel=1e-8)
    assert total == pytest.approx([np.mean([copy.wage @ copy.w for copy in released.frames])], rel=1e-8)
    assert of_combine[:2] == [pytest.approx(total_se, rel=1e-12), pytest.approx(mean_se, rel=1e-12)]
    for found, result in zip(of_combine[2:], [*by_python.values(), by_python["wage ~ age"]], strict=True):
        assert found == pytest.approx(result.se, rel=1e-12)
    for formula, result in by_python.items():
        shell = pyfcrm_process("combine", "out.csv", formula, "--copies", "4", *flags, "--json", cwd=tmp_path)
        assert shell.status == 0, shell.err
        assert [row["se"] for row in json.loads(shell.out)["rows"]] == pytest.approx(result.se, rel=1e-12)


STORED = cases(Path(__file__).parents[1] / "golden" / "values" / "designs.json")
REPLICATED = {case["roles"]["replicate_type"]: case for case in STORED if "replicate_type" in case["roles"]}


def test_every_type_of_replicate_weights_is_stored():
    assert {*REPLICATED} == {*REPLICATE_TYPES}


@pytest.mark.parametrize("kind", REPLICATE_TYPES)
def test_standard_errors_of_each_type_of_replicate_weights_in_three_interfaces(kind, tmp_path):
    """Regressions, logits and quantiles by class. Oracle: stored values of survey's svrepdesign. Close: 1e-8; the interfaces: identical."""
    case = REPLICATED[kind]
    roles = case["roles"]
    pd.DataFrame(case["data"]).to_csv(tmp_path / "in.csv", index=False)
    frame = pd.read_csv(tmp_path / "in.csv")
    fields = {name: value for name, value in roles.items() if name != "weight"}
    flags = ["--weight", "pw"]
    for name, value in fields.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        flags += ["--" + name.replace("_", "-"), text]
    vectors = {name: value if isinstance(value, list) else [value] for name, value in fields.items()}
    in_r = [f"{name} = {as_vector_of_r(value)}" for name, value in vectors.items()]
    compared = 0
    for estimate in case["estimates"]:
        if estimate["kind"] == "regression":
            formula, more = estimate["formula"], {"family": estimate["family"]}
        elif estimate["kind"] == "quantiles":
            formula, more = f"{estimate['y']} ~ {estimate['by']}", {"quantile": estimate["p"]}
        else:
            continue
        of_python = pf.analyse(frame, frame, formula, roles=pf.Roles(**roles), **more).original
        assert differences(case, estimate) == []
        options = ", ".join(f"{name} = {value!r}" for name, value in more.items())
        [line] = r_with_fcrm(
            f"""
            df <- read.csv(commandArgs(TRUE)[1])
            found <- analyse(df, df, "{formula}", {options}, roles = list(weight = "pw", {", ".join(in_r)}))
            cat(sprintf("%a", found$original_se), "\\n")
            """,
            tmp_path / "in.csv",
        ).splitlines()
        assert [float.fromhex(word) for word in line.split()] == of_python.se.tolist()
        words = [word for name, value in more.items() for word in (f"--{name}", str(value))]
        shell = pyfcrm("analyse", str(tmp_path / "in.csv"), str(tmp_path / "in.csv"), formula, *words, *flags, "--json")
        assert shell.status == 0, shell.err
        assert [row["original_se"] for row in json.loads(shell.out)["rows"]] == of_python.se.tolist()
        compared += 1
    assert compared == 5


def as_vector_of_r(values: list) -> str:
    """Texts or numbers as a vector of R, numbers to the last digit."""
    return f"c({', '.join(json.dumps(value) if isinstance(value, str) else repr(value) for value in values)})"


def test_codes_of_missing_values_are_gaps_of_copies_in_three_interfaces(tmp_path):
    """Identical to Python, whose unit test compares with analyse()."""
    frame = people()
    frame.loc[::8, "wage"] = 999.0
    frame.to_csv(tmp_path / "in.csv", index=False)
    declared = {"wage": pf.Variable(missing_codes=[999])}
    released = pf.protect(frame, pf.GADP(), ROLES, seed=1, copies=3, allow_unprotected=True, variables=declared)
    expected = pf.combine(released, formula="wage ~ age").to_frame()["se"].tolist()
    [by_release, given] = r_with_fcrm(
        """
        df <- read.csv(commandArgs(TRUE)[1])
        declared <- list(wage = variable(missing_codes = 999))
        copies <- suppressWarnings(protect(
          df, gadp(), "age", "wage", weight = "w", psu = "village", sampling_stratum = "region", seed = 1, copies = 3, variables = declared
        ))
        cat(sprintf("%a", combine(copies, formula = wage ~ age)$se), "\\n")
        design <- list(weight = "w", psu = "village", sampling_stratum = "region")
        cat(sprintf("%a", combine(lapply(copies, as.data.frame), formula = wage ~ age, roles = design, variables = declared)$se), "\\n")
        """,
        tmp_path / "in.csv",
    ).splitlines()
    for line in (by_release, given):
        assert [float.fromhex(word) for word in line.split()] == expected
    for k, copy in enumerate(released.frames, 1):
        copy.to_csv(tmp_path / f"out-{k}.csv", index=False)
    words = ["combine", "out.csv", "wage ~ age", "--copies", "3", *OF_DESIGN, "--missing-codes", "wage=999", "--json"]
    shell = pyfcrm_process(*words, cwd=tmp_path)
    assert [row["se"] for row in json.loads(shell.out)["rows"]] == pytest.approx(expected, rel=1e-12)

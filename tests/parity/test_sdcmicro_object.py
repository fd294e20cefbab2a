"""The R package beside sdcMicro: its object protected and judged, and nothing of it, dplyr or stats masked to no use.

Oracle: sdcMicro itself, live, and the same work on a plain frame. Grade: identical; risk to sdcMicro's own rounding. Further
tests, with a stand-in for the class, are in r_scripts/fcrm/tests/testthat/test-sdcmicro.R.
"""

import pytest
from support.r_package import SOURCE, needs_r_packages, r_with_fcrm

pytestmark = [pytest.mark.r, pytest.mark.slow]
STAND_IN = SOURCE / "tests" / "testthat" / "helper-sdcmicro.R"
OBJECT = """
suppressMessages({ library(sdcMicro); library(fcrm) })
data(testdata, package = "sdcMicro")
file <- testdata[seq(1, 4580, by = 15), ]
file$sampling_weight <- file$sampling_weight + seq_len(nrow(file)) %% 7
amounts <- c("expend", "income", "savings")
sdc <- createSdcObj(file, keyVars = c("urbrur", "roof", "age"), numVars = amounts, w = "sampling_weight")
quietly <- function(...) suppressMessages(protect(...))
"""


@needs_r_packages("reticulate", "sdcMicro")
def test_an_object_of_sdcmicro_is_protected_and_judged():
    text = r_with_fcrm(
        OBJECT
        + """
        out <- quietly(sdc, ipso("C"), seed = 1)
        file$urbrur <- factor(file$urbrur)
        plain <- quietly(file, ipso("C"), c("urbrur", "roof", "age"), amounts, weight = "sampling_weight", seed = 1)
        stopifnot(identical(as.list(out@manipNumVars), as.list(plain[amounts])), identical(out@origData, sdc@origData))
        stopifnot(identical(as.list(extractManipData(out)[amounts]), as.list(plain[amounts])))
        stopifnot(identical(undolast(out)@manipNumVars, sdc@manipNumVars), !identical(out@utility, sdc@utility))
        total <- function(x) sum(as.numeric(x) * file$sampling_weight)
        stopifnot(all.equal(total(out@manipNumVars$income), total(file$income), tolerance = 1e-9))
        again <- addNoise(out, noise = 10)
        stopifnot(is(again, "sdcMicroObj"), suppressMessages(evaluate(again))$pil > evaluate(out)$pil)
        stopifnot(all.equal(attr(key_risk(out), "global_risk"), out@risk$global$risk, tolerance = 1e-9))
        set.seed(5); a <- quietly(sdc, noise("uncorrelated", 10))
        b <- quietly(sdc, noise("uncorrelated", 10), seed = 5)
        stopifnot(identical(a@manipNumVars, b@manipNumVars))
        cat("held")
        """,
        attach=False,
    )
    assert text == "held"


@needs_r_packages("reticulate", "sdcMicro")
def test_means_by_factors_among_the_key_variables_are_kept():
    """The first 400 records of sdcMicro's testdata. Grade: to the unit, after rounding to the column's decimals."""
    text = r_with_fcrm(
        """
        suppressMessages({ library(sdcMicro); library(fcrm) })
        data(testdata, package = "sdcMicro")
        td <- testdata[1:400, ]
        keys <- c("urbrur", "roof", "sex")
        td[keys] <- lapply(td[keys], factor)
        sdc <- createSdcObj(td, keyVars = keys, numVars = c("expend", "income", "savings"), weightVar = "sampling_weight")
        out <- suppressMessages(protect(sdc, ipso("C"), seed = 3))
        mean_by_sex <- function(x) tapply(x, td$sex, mean)
        stopifnot(abs(mean_by_sex(out@manipNumVars$income) - mean_by_sex(td$income)) < 1)
        cat("held")
        """,
        attach=False,
    )
    assert text == "held"


@needs_r_packages("reticulate", "sdcMicro")
def test_the_steps_of_an_sdcmicro_script_are_done_here_or_there():
    """PRAM, local suppression, microaggregation: sdcMicro's own functions work on the object after each of them."""
    text = r_with_fcrm(
        """
        suppressMessages({ library(sdcMicro); library(fcrm) })
        data(testdata, package = "sdcMicro")
        file <- testdata[seq(1, 4580, by = 9), ]
        file$walls <- factor(file$walls)
        file$sex <- c("m", "w")[file$sex]
        keys <- c("urbrur", "roof", "sex", "relat")
        sdc <- createSdcObj(file, keyVars = keys, pramVars = "walls", numVars = c("expend", "income", "savings"),
                            weightVar = "sampling_weight", ghostVars = list(list("roof", "water")))
        quietly <- function(...) suppressMessages(protect(...))
        first <- quietly(sdc, fcrm::pram(), seed = "fresh")
        second <- quietly(first, localsuppression(3), seed = "fresh")
        third <- quietly(second, fcrm::microaggregation(3), seed = "fresh")
        stopifnot(all(freq(second, type = "fk") >= 3), any(freq(sdc, type = "fk") < 3))
        back <- undolast(third)
        stopifnot(identical(back@manipNumVars, second@manipNumVars), identical(back@manipKeyVars, second@manipKeyVars))
        data <- extractManipData(third)
        stopifnot(identical(data$walls, first@manipPramVars$walls), identical(data$income, third@manipNumVars$income))
        stopifnot(identical(class(data$sex), "character"), anyNA(data$sex), identical(is.na(data$water), is.na(data$roof)))
        status <- function(x) with(suppressMessages(evaluate(x))$verdict$tests, setNames(status, key))
        stopifnot(!any(status(third) == "not examined"), !any(status(back) == "not examined"))
        theirs <- localSuppression(first, k = 3)
        stopifnot("not examined" %in% status(theirs), "not examined" %in% status(quietly(theirs, ipso("C"), seed = "fresh")))
        invisible(capture.output(print(third), print(third, "risk")))
        cat("held")
        """,
        attach=False,
    )
    assert text == "held"


@pytest.mark.slow(60)
@needs_r_packages("reticulate")
def test_an_object_with_common_keys_passes():
    """Nothing is restated: the object has roles and method. Oracle: the verdict's word."""
    script = (
        f'source("{STAND_IN.as_posix()}")'
        + """
        file <- accounts(600, seed = 1)[c("AGE", "DEPOSITS", "DEBT", "INCOME")]
        file$AGE <- 10L * (file$AGE %/% 20L)
        file$weight <- 100 + 50 * (seq_len(600) %% 3)
        sdc <- stand_in(file, "AGE", c("DEPOSITS", "DEBT", "INCOME"), weight = "weight")
        out <- suppressMessages(protect(sdc, calibrated(ipso("C")), seed = 2))
        print(evaluate(out, audit = TRUE)$verdict)
        """
    )
    assert r_with_fcrm(script).startswith("Verdict: PASS.")


@needs_r_packages("reticulate", "sdcMicro", "dplyr")
def test_nothing_of_other_packages_stops_working():
    """Of sdcMicro, two names are masked, and data given to them are refused with the remedy; no other name is masked."""
    text = r_with_fcrm(
        """
        library(dplyr)
        """
        + OBJECT
        + """
        stopifnot(inherits(microaggregation(3), "fcrm_method"), inherits(pram(), "fcrm_method"))
        refused <- function(call) tryCatch(call, fcrm_invalid_parameter = conditionMessage)
        stopifnot(grepl("or of sdcMicro::microaggregation()", refused(microaggregation(sdc)), fixed = TRUE))
        stopifnot(grepl("or of sdcMicro::pram()", refused(pram(sdc)), fixed = TRUE))
        ours <- ls("package:fcrm")
        for (one in c("package:sdcMicro", "package:dplyr", "package:stats", "package:utils", "package:base")) {
          cat(one, intersect(ours, ls(one)), "\\n")
        }
        """,
        attach=False,
    )
    assert text.splitlines() == [
        "package:sdcMicro microaggregation pram ",
        "package:dplyr combine ",  # dplyr's is deprecated
        "package:stats  ",
        "package:utils  ",
        "package:base  ",
    ]

"""The R package beside sdcMicro: its object protected and judged, and nothing of it, dplyr or stats masked to no use.

Oracle: sdcMicro itself, live, and the same work on a plain frame. Grade: identical; risk to sdcMicro's own rounding.
"""

import pytest
from support.r_package import needs_r_packages, r_with_fcrm

pytestmark = [pytest.mark.r, pytest.mark.slow]
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
        plain <- quietly(file, ipso("C"), c("urbrur", "roof", "age", "sampling_weight"), amounts, seed = 1)
        stopifnot(identical(as.list(out@manipNumVars), as.list(plain[amounts])), identical(out@origData, sdc@origData))
        stopifnot(identical(as.list(extractManipData(out)[amounts]), as.list(plain[amounts])))
        stopifnot(identical(undolast(out)@manipNumVars, sdc@manipNumVars), !identical(out@utility, sdc@utility))
        total <- function(x) sum(as.numeric(x) * file$sampling_weight)
        stopifnot(all.equal(total(out@manipNumVars$income), total(file$income), tolerance = 1e-9))
        again <- addNoise(out, noise = 10)
        stopifnot(is(again, "sdcMicroObj"), evaluate(again)$pil > evaluate(out)$pil)
        stopifnot(all.equal(attr(key_risk(out), "global_risk"), out@risk$global$risk, tolerance = 1e-9))
        set.seed(5); a <- quietly(sdc, noise("uncorrelated", 10))
        b <- quietly(sdc, noise("uncorrelated", 10), seed = 5)
        stopifnot(identical(a@manipNumVars, b@manipNumVars))
        cat("held")
        """,
        attach=False,
    )
    assert text == "held"


@needs_r_packages("reticulate", "sdcMicro", "dplyr")
def test_nothing_of_other_packages_stops_working():
    """sdcMicro's microaggregation with fcrm attached after it, in every way it is called; no other name is masked."""
    text = r_with_fcrm(
        """
        library(dplyr)
        """
        + OBJECT
        + """
        theirs <- sdcMicro::microaggregation
        same <- function(a, b) stopifnot(identical(a, b))
        few <- file[1:60, amounts]
        same(microaggregation(few, aggr = 3)$mx, theirs(few, aggr = 3)$mx)
        same(microaggregation(obj = few, method = "onedims")$mx, theirs(few, method = "onedims")$mx)
        same(microaggregation(few, c("income", "savings"), 4)$mx, theirs(few, c("income", "savings"), 4)$mx)
        same(microaggregation(sdc, aggr = 3)@manipNumVars, theirs(sdc, aggr = 3)@manipNumVars)
        same((few %>% microaggregation(aggr = 3))$mx, theirs(few, aggr = 3)$mx)
        stopifnot(inherits(microaggregation(3), "fcrm_method"))
        ours <- ls("package:fcrm")
        for (one in c("package:sdcMicro", "package:dplyr", "package:stats", "package:utils", "package:base")) {
          cat(one, intersect(ours, ls(one)), "\\n")
        }
        """,
        attach=False,
    )
    assert text.splitlines() == [
        "package:sdcMicro microaggregation ",
        "package:dplyr  ",
        "package:stats  ",
        "package:utils  ",
        "package:base  ",
    ]

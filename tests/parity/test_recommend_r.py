"""recommend() and the simulated data sets from R. Oracle: Python on the same frame and seed. Grade: identical."""

import re

import numpy as np
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf
from pyfcrm.errors import flagged, lines

pytestmark = [pytest.mark.r, requires_r_package]

X, Y = ["AGE", "INCOME", "RISK"], ["DEPOSITS", "DEBT", "FLOW", "RETURN"]
FEW = [pf.FCRM(61), pf.IPSO("C"), pf.Calibrated(pf.IPSO("C"), margins="original"), pf.GADP()]


def in_r(method):
    """FCRM(c=8, release=draw) as R writes it: fcrm(c = 8, release = "draw")."""
    lower = re.sub(r"(\w+)\(", lambda found: found.group().lower(), method)
    spaced = re.sub(r"(\w+)=", r"\1 = ", lower.replace("sequential(", "sequential_trees("))
    return re.sub(r"= ([A-Za-z]\w*)(?=[,)])", r'= "\1"', spaced)


@pytest.mark.slow(9)
def test_recommend_has_pythons_figures_methods_and_reasons(tmp_path):
    """Every figure of every method, the order, the nearest, the words; and the nearest protects as Python's does."""
    script = r"""
    folder <- commandArgs(TRUE)[1]
    write <- function(x, name) writeBin(as.double(x), file.path(folder, name), endian = "little")
    df <- accounts(60)
    X <- c("AGE", "INCOME", "RISK"); Y <- c("DEPOSITS", "DEBT", "FLOW", "RETURN")
    few <- list(fcrm(c = 61), ipso("C"), calibrated(ipso("C"), margins = "original"), gadp())
    found <- recommend(df, X, Y, list(risk = 20), 50, c("DEPOSITS >= 0", "DEBT >= 0"), seed = 3, candidates = few)
    table <- as.data.frame(found)
    write(unlist(Filter(is.numeric, table)), "figures")
    write(found$seeds, "seeds")
    method <- found$nearest[[1]]$method
    again <- suppressMessages(protect(df, method, X, Y, seed = found$seeds[1], constraints = "DEPOSITS >= 0; DEBT >= 0"))
    write(unlist(again[Y]), "again")
    same <- vapply(1:3, function(k) isTRUE(all.equal(found$candidates[[k]]$method, few[[k + 1]])), NA)
    stopifnot(all(same), inherits(found, "fcrm_recommendation"), is.null(found$best), names(found$set_aside) == "fcrm(c = 61)")
    cat(paste(table$method, table$parameters, table$verdict, table$failed, table$choice), "--", found$headline, found$reasons,
      "--", unlist(notes(found)), sep = "\n")
    """
    text = r_with_fcrm(script, tmp_path)
    named, reasons, noted = (part.strip("\n").splitlines() for part in text.split("--\n"))
    frame = pf.datasets.accounts(60)
    frame = frame.astype({name: "int32" for name in frame if frame[name].dtype.kind == "i"})  # as R has them
    rules = ["DEPOSITS >= 0", "DEBT >= 0"]
    found = pf.recommend(frame, pf.Roles(X, Y), {"risk": 20}, 50, rules, seed=3, candidates=FEW)
    table = found.to_frame()
    texts = ["method", "parameters", "verdict", "failed", "choice"]
    assert named == table[texts].agg(" ".join, axis=1).tolist()
    ours = table.drop(columns=texts).to_numpy(dtype=float).T.ravel()
    np.testing.assert_array_equal(np.fromfile(tmp_path / "figures", dtype="<f8"), ours)  # a spread of one seed: NA, NaN
    text = [found.headline, *found.reasons]
    for one in sorted({str(one.method) for one in found.candidates}, key=len, reverse=True):
        text = [words.replace(one, in_r(one)) for words in text]
    assert reasons == text
    notes = [flagged(note) for one in found.candidates for note in lines(one.notes)]
    assert noted == [note.replace('margins="smooth"', 'margins = "smooth"') for note in notes]  # as R writes it
    assert np.fromfile(tmp_path / "seeds", dtype="<f8").tolist() == list(found.seeds)
    method = found.nearest[0].method
    again = pf.protect(frame, method, pf.Roles(X, Y), seed=found.seeds[0], constraints=rules).frame
    np.testing.assert_array_equal(
        np.fromfile(tmp_path / "again", dtype="<f8"), again[Y].to_numpy(dtype=float).T.ravel()
    )


@pytest.mark.slow(10)
def test_the_nearest_stand_in_pythons_order():
    """The one that misses the least first, whatever the order tried."""
    script = r"""
    few <- list(noise("correlated", amount = 30), ipso("C"), calibrated(ipso("C")))
    rules <- c("DEPOSITS >= 0", "DEBT >= 0")
    found <- recommend(accounts(60), c("AGE", "INCOME", "RISK"), c("DEPOSITS", "DEBT", "FLOW", "RETURN"), list(pil = 20),
      constraints = rules, seed = 3, candidates = few)
    cat(vapply(found$nearest, format, ""), sep = "\n")
    """
    frame = pf.datasets.accounts(60)
    frame = frame.astype({name: "int32" for name in frame if frame[name].dtype.kind == "i"})  # as R has them
    few = [pf.Noise("correlated", 30), pf.IPSO("C"), pf.Calibrated(pf.IPSO("C"))]
    rules = ["DEPOSITS >= 0", "DEBT >= 0"]
    found = pf.recommend(frame, pf.Roles(X, Y), {"pil": 20}, constraints=rules, seed=3, candidates=few)
    order = [found.candidates.index(one) for one in found.nearest]
    assert order != sorted(order)  # else the order tried would do
    assert r_with_fcrm(script).splitlines() == [in_r(str(one.method)) for one in found.nearest]


def test_rs_own_random_numbers_go_on(tmp_path):
    """seed = NULL: the seeds are those of Python's stream from R's state, and R's state is where that stream ended."""
    script = r"""
    folder <- commandArgs(TRUE)[1]
    state <- function(name) writeBin(.Random.seed, file.path(folder, name), endian = "little")
    df <- accounts(60)
    set.seed(4); invisible(runif(3)); state("before")
    found <- recommend(df, c("AGE", "RISK"), "NET", candidates = ipso("C"))
    drawn <- enterprises(4, seed = NULL)
    state("after")
    cat(found$seeds, unlist(drawn))
    """
    texts = [float(word) for word in r_with_fcrm(script, tmp_path).split()]
    stream = pf.RStream.from_r_state(np.fromfile(tmp_path / "before", dtype="<i4"))
    found = pf.recommend(
        pf.datasets.accounts(60), pf.Roles(["AGE", "RISK"], ["NET"]), seed=stream, candidates=pf.IPSO("C")
    )
    drawn = pf.datasets.enterprises(4, stream)
    assert texts == [*map(float, found.seeds), *drawn.to_numpy(dtype=float).T.ravel()]
    np.testing.assert_array_equal(np.fromfile(tmp_path / "after", dtype="<i4"), stream.to_r_state())


@pytest.mark.parametrize("name", ["census_like", "enterprises", "accounts"])
def test_data_sets_are_pythons(name, tmp_path):
    """Values, names, and integers as integers."""
    script = f"""
    df <- {name}(50, seed = 7)
    writeBin(as.double(unlist(df)), commandArgs(TRUE)[1], endian = "little")
    cat(names(df), "--", vapply(df, typeof, ""))
    """
    names, types = (part.split() for part in r_with_fcrm(script, tmp_path / "df").split("--"))
    frame = getattr(pf.datasets, name)(50, 7)
    assert names == list(frame.columns)
    assert types == ["integer" if frame[column].dtype == np.int64 else "double" for column in frame]
    np.testing.assert_array_equal(np.fromfile(tmp_path / "df", dtype="<f8"), frame.to_numpy(dtype=float).T.ravel())


def test_whole_numbers_too_large_for_r_are_doubles(monkeypatch):
    """The door itself: a column beyond 2^31 - 1 crosses as double, the rest as integer."""
    from r_bridge.from_r import calls

    data = pf.datasets.accounts(3).assign(DEBT=[2**31, 1, 2])
    monkeypatch.setitem(calls.DATASETS, "accounts", lambda n, seed: data)
    kinds = {five[0]: five[1] for five in calls.dataset("accounts", 3.0, 1.0, None)["columns"]}
    assert kinds["DEBT"] == "double"
    assert kinds["NET"] == "integer"


def test_the_survey_is_pythons_texts_and_gaps_too():
    """Oracle: Python's frame of the same stream, continued from set.seed(7). Grade: identical."""
    script = r"""
    set.seed(7)
    df <- survey(60, seed = NULL)
    again <- runif(1)
    stopifnot(identical(df, survey(60, seed = 7)), is.character(df$name), is.integer(df$wage), anyNA(df$region))
    df$region[is.na(df$region)] <- "NA"
    cat(unlist(lapply(df, as.character)), format(again, digits = 15), sep = "\n")
    """
    stream = pf.RStream(7)
    frame = pf.datasets.survey(60, stream)
    expected = [str(cell) for name in frame for cell in frame[name].fillna("NA")]
    texts = r_with_fcrm(script).splitlines()
    assert texts[:-1] == expected
    assert float(texts[-1]) == pytest.approx(stream.runif(1)[0], rel=1e-14)  # 15 digits were printed

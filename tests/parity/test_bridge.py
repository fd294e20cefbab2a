"""R inside Python: what crosses, what R says, and what it must not do. Live R through rpy2.

Oracle: R itself, asked by its own functions, or the identity of what goes there and back. Grade: identical unless a
test says otherwise.
"""

import os
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from support.data import LISTING, REPOSITORY, cloud
from support.r import RSCRIPT, requires_r, run_r

import r_bridge
from pyfcrm import RStream
from pyfcrm.datasets import survey
from pyfcrm.errors import InvalidInput, InvalidParameter, MissingExtra
from r_bridge import scripts
from r_bridge.columns import NA_REAL, Column, Columns
from r_bridge.to_r.process import r_process
from r_bridge.to_r.reference import ipso
from r_bridge.to_r.session import REnded, RError, RUnavailable, RWarning, session

pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
pytestmark = [pytest.mark.r, requires_r]


def in_new_process(code, folder, **env):
    """Run Python in `folder`, which is HOME too, without the R_... variables that R leaves in this process."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("R_")}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder, env={**clean, "HOME": str(folder), "PYTHONPATH": str(REPOSITORY), **env},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_r_and_python_agree_on_every_double():
    """Bits, not values: -0, subnormals, NaN, NA, and a million random ones would do no more."""
    bits = np.array([0, 1 << 63, 1, 0x7FF << 52, 0x7FF80000000007A2, 0x7FF00000000007A2, 0x7FF8 << 48], dtype=np.uint64)
    x = np.concatenate([bits.view(np.float64), np.random.default_rng(1).normal(size=1000)])
    back = session().call("rev", [session().call("rev", [x]).value]).value
    assert back.tobytes() == x.tobytes()


def test_errors_arrive_with_rs_own_words():
    words = 'no "y" here,\n`x` is missing'
    with pytest.raises(RError) as caught:
        session().call("stop", [words])
    assert caught.value.text == words
    assert caught.value.called == "stop"
    with pytest.raises(RError, match="non-numeric argument"):
        session().call("sin", ["a"])
    assert session().call("sum", [np.array([1.0, 2.0])]).value.tolist() == [3.0]  # and R goes on


def test_warnings_arrive_with_rs_own_words_and_the_value_too():
    with pytest.warns(RWarning, match="NAs introduced by coercion") as caught:
        reply = session().call("as.double", [["1", "one"]])
    assert len(caught) == 1
    assert reply.value[0] == 1.0
    assert reply.warnings == ("NAs introduced by coercion",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session().call("suppressWarnings", [1])


def test_names_and_words_are_never_code():
    """Oracle: R is still there, no file was written, and the names come back."""
    wicked = ["a; quit()", "`", '"); file.create("made")', "x$y", "", "if", "T <- 0", "\\", "%s%n", "'"]
    table = Columns(tuple(Column(name, "double", np.array([1.0])) for name in wicked), 1)
    assert session().call("names", [table]).value == wicked
    assert session().call("names", [{name: 1 for name in wicked if name}]).value == [name for name in wicked if name]
    with pytest.raises(RError, match="must define a function"):
        session().call('quit(); "', [])
    with pytest.raises(RError, match="unused argument"):
        session().call("nchar", {"x": "a", "a; quit()": 1})
    data = np.column_stack(cloud(60, 2, 2, seed=1))
    columns = [Column(name, "double", column) for name, column in zip(wicked, data.T, strict=False)]
    release = session().call(
        "IPSOabc", [Columns(tuple(columns), 60), [wicked[2], wicked[3]], wicked[:2], 3], [scripts.script("ipso.R")], 1
    )
    assert [column.name for column in release.value.columns] == wicked[:4]
    assert session().call("file.exists", ["made"]).value.tolist() == [False]


def test_a_second_thread_is_refused():
    session()
    notes = []

    def work():
        for ask in (lambda: session(), lambda: _kept.call("sum", [1])):
            try:
                ask()
            except RUnavailable as error:
                notes.append(str(error))

    _kept = session()
    thread = threading.Thread(target=work, name="second")
    thread.start()
    thread.join()
    assert notes == ["R runs on the thread that started it, MainThread; it was called from second"] * 2


def test_rs_own_stream_is_left_as_it_was():
    """A call with a stream draws from that; R's .Random.seed before and after is the same, or as absent as before."""
    value = RStream(3)
    value.rnorm(5)
    reply = session().call("rnorm", [4], stream=value)
    expected = value.copy()
    np.testing.assert_array_equal(reply.value, expected.rnorm(4))
    assert reply.stream is not None
    np.testing.assert_array_equal(reply.stream.to_r_state(), expected.to_r_state())
    np.testing.assert_array_equal(value.rnorm(4), reply.value)  # the stream given had not moved
    session().call("set.seed", [11])
    session().call("runif", [3], stream=5)
    np.testing.assert_array_equal(session().call("runif", [2]).value, RStream(11).runif(2))


@pytest.mark.parametrize("code", ['quit(save = "no")', "try(q())", "tryCatch(base::quit(), error = identity)"])
def test_code_that_quits_is_an_error_and_r_goes_on(code, tmp_path):
    """Caught by the code itself or not."""
    (tmp_path / "code.R").write_text(f"f <- function() 1\n{code}\n")
    with pytest.raises(REnded, match=r"called quit\(\)"):
        session().call("f", code=[tmp_path / "code.R"])
    assert session().call("sum", [1, 2]).value.tolist() == [3.0]


def test_an_agencys_function_on_a_frame_in_one_call(tmp_path):
    """Oracle: the same arithmetic in pandas; R's stream in Python. Identical."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "who": ["x", "y", None]})
    path = tmp_path / "own.R"
    path.write_text(
        "f <- function(data, by) { data$a <- data$a * by + runif(nrow(data)); data }; n <- function(d) nrow(d)"
    )
    result = r_bridge.run_r(frame, "f", str(path), stream=3, arguments={"by": 2})
    assert result["a"].tolist() == (frame["a"] * 2 + RStream(3).runif(3)).tolist()
    assert result["who"].tolist()[:2] == ["x", "y"]
    assert r_bridge.run_r(frame, "n", path).tolist() == [3]
    with pytest.raises(InvalidInput, match="from_frame"):
        session().call("nrow", [frame])
    assert set(dir(r_bridge)) >= {"session", "to_frame", "from_frame", "run_r"}


BY_REGION = """
own <- function(d) {
  DT <- data.table::as.data.table(d)
  as.data.frame(DT[, .(m = mean(wage)), by = region])
}
"""
BY_SURVEY = """
own <- function(d) {
  design <- survey::svydesign(ids = ~1, weights = ~weight, data = d)
  as.data.frame(survey::svyby(~wage, ~region, design, survey::svymean))
}
"""
WITH_DIGITS = """
own <- function(d) {
  before <- c(getOption("digits"), length(getOption("own.option")))
  options(digits = 3, own.option = "x")
  data.frame(before = before, shown = format(mean(d$wage)))
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "code"),
    [("data.table", BY_REGION), ("survey", BY_SURVEY), ("stats", WITH_DIGITS)],
    ids=["data.table", "survey", "options"],
)
def test_an_agencys_function_gives_the_same_result_at_each_call(package, code, tmp_path):
    """A package sets its options when it is loaded, once in a process. Oracle: the first call. Identical."""
    installed = session().call("system.file", {"package": package}).value[0]
    if not installed:
        pytest.skip(f"R has no package {package}")
    (tmp_path / "own.R").write_text(code)
    frame = survey(200, seed=1).dropna()
    digits = r_process().call("getOption", ["digits"]).value.tolist()
    first, second = (r_bridge.run_r(frame, "own", tmp_path / "own.R") for _ in range(2))
    pd.testing.assert_frame_equal(first, second, check_exact=True)
    assert r_process().call("getOption", ["digits"]).value.tolist() == digits
    assert r_process().call("getOption", ["own.option"]).value is None


ON_LOAD = """
.onLoad <- function(libname, pkgname) {
  options(loads.option = "loaded", warn.FPU = TRUE)
  Sys.setenv(LOADS_VARIABLE = "loaded")
}
state <- function() {
  c(getOption("loads.option"), as.character(getOption("warn.FPU")), Sys.getenv("LOADS_VARIABLE"), getOption("digits"))
}
"""
LOADING = """
own <- function(d) {
  before <- loads::state()
  options(loads.option = "changed", warn.FPU = FALSE, digits = 3)
  Sys.setenv(LOADS_VARIABLE = "changed", OWN_VARIABLE = "own")
  before
}
"""


@pytest.mark.slow
def test_what_a_package_sets_when_it_is_loaded_stays(tmp_path):
    """New and changed options and environment variables, though the code changes them later. Oracle: what .onLoad sets."""
    package = tmp_path / "loads"
    (package / "R").mkdir(parents=True)
    (package / "DESCRIPTION").write_text("Package: loads\nVersion: 1.0\nTitle: T\nDescription: D.\nLicense: GPL-2\n")
    (package / "NAMESPACE").write_text("export(state)\n")
    (package / "R" / "state.R").write_text(ON_LOAD)
    library = tmp_path / "library"
    library.mkdir()
    install = ["R", "CMD", "INSTALL", "--no-docs", f"--library={library}", package]
    subprocess.run(install, check=True, capture_output=True)
    (tmp_path / "own.R").write_text(f'.libPaths(c("{library}", .libPaths()))\n{LOADING}')
    frame = pd.DataFrame({"a": [1.0]})
    expected = ["loaded", "TRUE", "loaded", "7"]
    assert [r_bridge.run_r(frame, "own", tmp_path / "own.R") for _ in range(2)] == [expected, expected]
    assert r_process().call("Sys.getenv", ["OWN_VARIABLE"]).value == [""]


# --- what R must not do ---------------------------------------------------------------------------------------------


def test_a_session_leaves_its_process_alone(tmp_path):
    """Oracle: the process's standard output, its environment, an option that a profile would have set.

    Importing the bridge loads no rpy2. Only R's own variables, R_..., may be added to the environment.
    """
    for name in (".Rprofile", ".Renviron"):
        (tmp_path / name).write_text('cat("profile!\\n"); options(pyfcrm.profile = TRUE)\n' if "p" in name else "A=b\n")
    code = """
        import os, sys
        import r_bridge.crosschecks, r_bridge.to_r.reference, r_bridge.to_r.sdcmicro
        from r_bridge.to_r.session import session
        assert "rpy2" not in sys.modules
        before = dict(os.environ)
        r = session()
        changed = {k for k in {*before, *os.environ} if before.get(k) != os.environ.get(k)}
        assert all(k.startswith("R_") for k in changed), changed
        assert not changed & {"R_PROFILE", "R_PROFILE_USER", "R_ENVIRON_USER"}, changed
        r.call("print", ["printed"]); r.call("cat", ["catted"]); r.call("message", ["messaged"])
        r.call("write", ["written", ""]); r.call("readline", ["question? "])
        assert r.call("getOption", ["pyfcrm.profile"]).value is None
        print("done", end="")
    """
    ran = in_new_process(code, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "done"


def test_without_rpy2_the_extra_is_named(tmp_path):
    code = """
        import sys
        sys.modules["rpy2"] = None
        from r_bridge.to_r.session import session
        from pyfcrm.errors import MissingExtra
        try:
            session()
        except MissingExtra as error:
            print(error, end="")
    """
    ran = in_new_process(code, tmp_path)
    assert ran.stdout == "calling R needs rpy2, which is not installed; run: pip install 'pyfcrm[r]'", ran.stderr
    assert issubclass(MissingExtra, ImportError)


# --- IPSO and the twins through the bridge --------------------------------------------------------------------------


def test_ipso_is_what_r_alone_computes():
    """Oracle: the same file in an Rscript of its own. Identical: the same code in the same R."""
    kind = "B"
    X, Y = cloud(50, 2, 3, seed=4)
    code = f"""
        source("{scripts.script("ipso.R")}")
        data <- as.data.frame(matrix(inputs$data, ncol = 5))
        set.seed(9)
        emit(unlist(IPSOabc(data, 3:5, 1:2, {"ABC".index(kind) + 1})[3:5]))
        emit(.Random.seed)
    """
    assert RSCRIPT is not None
    Z, state = run_r(code, inputs={"data": np.column_stack([X, Y])})
    release = ipso(X, Y, kind, 9)
    np.testing.assert_array_equal(release.Z.ravel(order="F"), Z)
    np.testing.assert_array_equal(release.stream.to_r_state(), np.nan_to_num(state, nan=-(2.0**31)))


@pytest.mark.skipif(not LISTING.is_file(), reason=f"needs {LISTING}")
def test_the_theses_listing_runs_by_path():
    """Close, 1e-10 relative to a column's largest: the listing solves a covariance, ours decomposes."""
    X, Y = cloud(80, 3, 2, seed=5)
    listing, ours = ipso(X, Y, "C", 2, LISTING), ipso(X, Y, "C", RStream(2))
    np.testing.assert_allclose(listing.Z / np.abs(ours.Z).max(axis=0), ours.Z / np.abs(ours.Z).max(axis=0), atol=1e-10)
    np.testing.assert_array_equal(listing.stream.to_r_state(), ours.stream.to_r_state())


def test_an_agencies_copy_is_run_instead_and_held_to_its_contract(tmp_path):
    X, Y = cloud(30, 2, 2, seed=6)
    copy = tmp_path / "own copy é.R"
    copy.write_text("IPSOabc <- function(data, Lxxx, Lsss, IPSO) { data[Lxxx] <- 7 + IPSO; data }")
    np.testing.assert_array_equal(ipso(X, Y, "B", 1, copy).Z, np.full_like(Y, 9.0))
    copy.write_text("IPSOabc <- function(data, Lxxx, Lsss, IPSO) 1")
    with pytest.raises(InvalidInput, match="must return a data frame of as many records, 30"):
        ipso(X, Y, "B", 1, copy)
    copy.write_text("IPSOabc <- function(data, Lxxx, Lsss, IPSO) data[Lsss]")
    with pytest.raises(InvalidInput, match="must return the columns of its argument"):
        ipso(X, Y, "B", 1, copy)
    copy.write_text("other <- 1")
    with pytest.raises(RError, match="must define a function called `IPSOabc`"):
        ipso(X, Y, "B", 1, copy)
    with pytest.raises(InvalidParameter, match="`kind` must be one of 'A', 'B', 'C'"):
        ipso(X, Y, "D", 1)


def test_missing_values_reach_r_as_missing():
    Y = np.array([[1.0], [NA_REAL], [3.0]])
    with pytest.raises(RError, match="without missing"):
        ipso(np.array([[1.0], [2.0], [4.0]]), Y, "A", 1)

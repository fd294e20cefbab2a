"""Progress bars and interrupts of the R package. Oracle: what is on standard error and in the folder. Grade: identical."""

import contextlib
import re
import signal
import subprocess
import threading

import pytest
from support.r import RSCRIPT
from support.r_package import environment, r_with_fcrm, requires_r_package

from r_bridge.from_r import arguments

pytestmark = [pytest.mark.r, requires_r_package]
LONG = """
library(fcrm)
options(fcrm.progress = {shown})
frame <- survey(20000)
write.csv(frame, "in.csv", row.names = FALSE)
again <- function() `attr<-`(protect(survey(60), ipso("C"), "age", "wage", seed = 4, missing = "drop"), "fcrm", NULL)
before <- again()
invisible(protect(survey(60), fcrm(c = 2), "age", "wage", missing = "drop", seed = 4))  # compiles its kernels
slow <- fcrm(c = 12, max_iter = 10000, tol = 0)
state <- {{ set.seed(1); .Random.seed }}
cat("begun\\n", file = stderr())
outcome <- tryCatch(
  protect_file("in.csv", "out.csv", slow, "age", "wage", missing = "drop", manifest = "out.json"),
  interrupt = function(condition) "interrupted"
)
stopifnot(identical(.Random.seed, state), identical(again(), before))
cat(outcome, dir(all.files = TRUE, no.. = TRUE))
"""


def bars(text):
    """The shares, in per cent, of the bars in what R wrote."""
    return [int(share) for share in re.findall(r"(\d+)%", text)]


def run(script, folder):
    """Standard output and error of an R script in a process of its own."""
    done = subprocess.run(
        [str(RSCRIPT), "--vanilla", "-e", script], cwd=folder, env=environment(), capture_output=True, text=True,
        timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_long_call_shows_a_bar_on_standard_error(tmp_path):
    """Every long call, forced by the option; none if it is FALSE, or in a script without the option."""
    script = """
    library(fcrm)
    df <- accounts(100)
    write.csv(df, "in.csv", row.names = FALSE)
    released <- suppressMessages(protect(df, ipso("C"), DEBT ~ AGE, seed = 1))
    calls <- list(
      protect = function() protect(df, ipso("C"), DEBT ~ AGE, seed = 1),
      evaluate = function() evaluate(df, released),
      audit = function() audit(df, ipso("C"), DEBT ~ AGE, repeats = 1, shadows = 2),
      sweep = function() sweep_methods(df, list(ipso("A"), ipso("C")), DEBT ~ AGE, seed = 1),
      key_risk = function() key_risk(df, c("AGE", "RISK")),
      file = function() protect_file("in.csv", "out.csv", ipso("C"), DEBT ~ AGE, seed = 1, overwrite = TRUE),
      risk = function() records_at_risk(df, df)
    )
    for (shown in list(TRUE, FALSE, NULL)) {
      for (name in names(calls)) {
        options(fcrm.progress = shown)
        cat("\\n<", name, " ", deparse(shown), ">", sep = "", file = stderr())
        invisible(suppressMessages(calls[[name]]()))
      }
    }
    """
    out, err = run(script, tmp_path)
    assert out == ""
    parts = dict(re.findall(r"<(\w+ \w+)>([^<]*)", err))
    assert len(parts) == 21
    for name, text in parts.items():
        shares = bars(text)
        if name.endswith("TRUE"):
            assert shares, name
            assert shares[0] == 0, name
            assert shares[-1] == 100, name
            assert shares == sorted(shares), name
        else:
            assert not shares, name


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["TRUE", "FALSE"])
def test_an_interrupted_call_leaves_nothing(shown, tmp_path):
    """No file but the input, R's random state as before, an interrupt as R signals it, and the next call is right."""
    script = LONG.format(shown=shown)
    process = subprocess.Popen(
        [str(RSCRIPT), "--vanilla", "-e", script], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    seen = ""
    while "begun" not in seen or (shown == "TRUE" and not any(bars(seen.partition("begun")[2]))):
        character = process.stderr.read(1)
        assert character, seen  # R ended
        seen += character
    if shown == "FALSE":
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(4)  # the fit has begun, after its kernels were compiled
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    assert out == "interrupted in.csv", seen + err


@pytest.mark.slow
def test_an_interrupt_between_r_and_python_is_one_too():
    """The defect: outside R's function for progress an interrupt jumped over Python's frames, and R crashed. Python reports
    here without a pause, so that most of the 30 interrupts come while reticulate's own R code runs below Python."""
    script = """
    options(fcrm.progress = TRUE)
    reticulate::py_run_string("
import os, signal, threading
from r_bridge.from_r import arguments
arguments.REPORTS = 0.0

def work(progress=None):
    threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
    while True:
        progress(1, 2, 'a pass')

work = arguments.errors_as_data(work)
")
    work <- function(progress) reticulate::py$work(progress = progress)
    for (k in 1:30) cat(tryCatch(fcrm:::with_progress(work), interrupt = function(condition) "interrupted"), "")
    """
    assert r_with_fcrm(script, timeout=100).split() == ["interrupted"] * 30


def test_a_thread_of_an_engine_does_not_call_r():
    calls = []
    progress = arguments.progress_of(lambda share: calls.append(share) or True)
    assert progress is not None
    thread = threading.Thread(target=progress, args=(1, 1, "a block"))
    thread.start()
    thread.join()
    assert calls == []
    progress(1, 4, "a pass")
    progress(2, 4, "a pass")  # within a tenth of a second
    progress(4, 4, "the end")
    assert calls == [0.25, 1.0]


def test_an_interrupt_in_r_stops_the_work():
    progress = arguments.progress_of(lambda share: False)
    assert progress is not None
    with pytest.raises(KeyboardInterrupt):
        progress(1, 2, "a pass")


def test_the_option_must_be_true_or_false():
    script = """
    options(fcrm.progress = "yes")
    cat(conditionMessage(tryCatch(survey(3), error = identity)))
    """
    assert r_with_fcrm(script) == "options: `fcrm.progress` must be TRUE or FALSE; got yes"

"""Ctrl-C while modules are loaded or code is compiled. Oracle: the one line and the status of cli/run.py. Identical."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest
from support.cli import people
from support.data import REPOSITORY

from pyfcrm import progress

LINE = "pyfcrm: interrupted; no file was left half-written\n"
LOADING = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
COMPILING = """
import os, signal, sys
from numba.core import event
class Pressed(event.Listener):
    def on_start(self, event):
        os.kill(os.getpid(), signal.SIGINT)
    def on_end(self, event):
        pass
event.register("numba:compile", Pressed())
from pyfcrm.cli import main
main(sys.argv[1:])
"""


def run(words: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*variables.pop("paths", "").split(), str(REPOSITORY)])
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": path, **variables},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,  # a test runner may ignore it
    )  # fmt: skip


@pytest.mark.parametrize("module", ["numpy", "typer"])
def test_while_modules_are_loaded(tmp_path: Path, module):
    """A module of this name that presses Ctrl-C while it is imported."""
    (tmp_path / f"{module}.py").write_text(LOADING)
    done = run(["-m", "pyfcrm", "--version"], tmp_path, paths=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", LINE)


def test_import_in_another_program_changes_nothing(tmp_path: Path):
    code = "import signal, sys, pyfcrm; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    code += ", sys.unraisablehook is sys.__unraisablehook__)"
    assert run(["-c", code], tmp_path).stdout == "True True\n"


@pytest.mark.parametrize("method", [["fcrm", "--set", "c=2"], ["rank_swapping", "--set", "p=5"]])
def test_while_code_is_compiled(tmp_path: Path, method):
    """Pressed each time that numba begins, with nothing compiled yet: one line, and no file."""
    people(3000).to_csv(tmp_path / "in.csv", index=False)
    words = ["protect", "in.csv", "-o", "out.csv", "--independent", "a,b", "--dependent", "c,d", "--method", *method]
    done = run(["-c", COMPILING, *words], tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", LINE)
    assert not (tmp_path / "out.csv").exists()


def test_what_is_held_comes_at_the_end():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        progress.hold()
        progress.hold()
        signal.raise_signal(signal.SIGINT)
        progress.let_go()
        with pytest.raises(KeyboardInterrupt):
            progress.let_go()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_is_let_finish():
    """Raised in it after let_go(), not before: the list says in which order."""
    begun, told, said = Event(), Event(), []

    def work():
        progress.hold()
        begun.set()
        told.wait(10)
        said.append("finished")
        try:
            progress.let_go()
        except LookupError:
            said.append("stopped")

    thread = Thread(target=work)
    thread.start()
    begun.wait(10)
    progress.raise_in(thread.ident, LookupError)
    told.set()
    thread.join(10)
    assert said == ["finished", "stopped"]

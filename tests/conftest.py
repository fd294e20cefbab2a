"""Marks and groups of all tests: what a test starts, what must stay together; no kernel is compiled twice at once.

`make quick` leaves out by mark what is slow, draws many examples or starts something. Marks that follow from what a test
calls are added here: `r` where R is run, `process` where a Python of its own is started, `browser` by fixture, `property`
by folder. With several workers (`make test`) tests that share set-up go to one of them. Those that compile come first, as
what is on disk then needs not be compiled by R and others of our processes; then what takes longest, so that workers end together.
Property tests draw the same 20 examples at each run; with `--hypothesis-profile=searching` they draw 200 others.
"""

import gc
import os
import shutil
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import CodeType

import hypothesis
import pytest
from support.run_folder import RUN, in_turn_with_others

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=20)
hypothesis.settings.register_profile("searching", derandomize=False, deadline=None, max_examples=200)
hypothesis.settings.load_profile("repeatable")
STARTS = {
    "r": {"run_r", "r_with_fcrm", "RSCRIPT"},
    "process": {"pyfcrm_process", "studio_process", "subprocess"},
}
OURS = Path(__file__).resolve().parent


def pytest_configure(config):
    """One folder for all workers, which inherit the environment; it goes with the process that made it."""
    if RUN not in os.environ:
        os.environ[RUN] = folder = tempfile.mkdtemp(prefix="pyfcrm-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    _compile_in_turn()
    _read_from_the_end(config)


def _read_from_the_end(config):
    """Every other worker reads the folders of the whole suite the other way round: what one has compiled, another finds."""
    odd = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    whole = [Path(one).resolve() for one in config.args] == [OURS] and not config.getoption("ignore")
    if odd and whole:
        config.args = sorted({str(path.parent) for path in OURS.glob("*/test_*.py")}, reverse=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Nothing that is read here goes away, so no garbage is looked for: that is two fifths of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items):
    """Marks and groups; what compiles first, then the longest, else in order."""
    items.sort(key=lambda item: item.path)  # for every worker the same order
    for item in items:
        if isinstance(item, pytest.Function):
            _mark(item)
    taken = defaultdict(float)
    for item in items:
        taken[_unit(item)] += _seconds(item)
    items.sort(key=lambda item: (item.get_closest_marker("compiles") is None, -taken[_unit(item)]))


def _unit(item):
    """What goes to one worker as a whole: a group, or a test by itself."""
    return "+".join(sorted(mark.args[0] for mark in item.iter_markers("xdist_group"))) or item.nodeid


def _seconds(item):
    """About what a test takes."""
    slow = item.get_closest_marker("slow")
    return 0.1 if slow is None else slow.args[0] if slow.args else 1.5


@pytest.fixture
def in_this_process(monkeypatch):
    """Readers of binary files do without a child process, which takes half a second; test_child.py has the real one."""
    from pyfcrm.errors import InvalidInput, first_line
    from pyfcrm.files import excel, labelled

    def read(path, rule, reader, *arguments):
        try:
            return reader(path, *arguments)
        except InvalidInput:
            raise
        except Exception as error:
            raise InvalidInput(path, rule, first_line(error)) from None

    for module in (excel, labelled):
        monkeypatch.setattr(module, "in_child", read)


@pytest.fixture(scope="session")
def cluster():
    """One Dask cluster of two processes for all tests that need one; idle, it looks at itself every 5 seconds only."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    from pyfcrm.engine import Dask

    quiet = {"worker.profile.enabled": False, "admin.tick.interval": "5s", "worker.memory.monitor-interval": "5s"}
    with dask.config.set({f"distributed.{name}": value for name, value in quiet.items()}), Dask(workers=2) as engine:
        yield engine


def pytest_runtest_setup(item):
    """Tests that need packages of R are skipped without them; to ask R takes a second, so it is done here."""
    from support.r_package import skip_without_r

    for mark in item.iter_markers("needs_r"):
        skip_without_r(mark.args)


def _mark(item):
    fixtures = [one for many in item._fixtureinfo.name2fixturedefs.values() for one in many]
    used = _names(item.function, *(one.func for one in fixtures))
    for mark, starters in STARTS.items():
        if used & starters:
            item.add_marker(mark)
    if "browser" in item.fixturenames:
        item.add_marker("browser")
    if (OURS / "property") in item.path.parents:
        item.add_marker("property")
    if item.path.parent == OURS / "unit" and _uses_kernels(item):
        item.add_marker("compiles")
    shared = [one for one in fixtures if one.scope in ("module", "session") and one.baseid.startswith("tests/")]
    if shared or item.get_closest_marker("compiles"):  # set up or compiled once, by one worker
        group = next((name for name in ("browser", "cluster") if name in item.fixturenames), str(item.path))
        item.add_marker(pytest.mark.xdist_group(group))


def _uses_kernels(item):
    """Whether its file imports something of a file of kernels."""
    return any(str(getattr(one, "__module__", "")).endswith("kernels") for one in vars(item.module).values())


@cache
def _names(*functions):
    """Every name that the functions use, and those that functions of the tests they call use, and so on."""
    found = set()
    waiting, seen = list(functions), set[CodeType]()
    while waiting:
        function = waiting.pop()
        code, known = getattr(function, "__code__", None), getattr(function, "__globals__", None)
        if code is None or known is None or code in seen:
            continue
        seen.add(code)
        names = _in_code(code)
        found |= names
        called = [known[name] for name in names if name in known]
        waiting += [one for one in called if str(OURS) in getattr(getattr(one, "__code__", None), "co_filename", "")]
    return found


@cache
def _in_code(code):
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*map(_in_code, inner))


def _compile_in_turn():
    """Two workers that need one kernel at once: the second waits, and then finds it on disk.

    Kernels call kernels in one direction only, so none waits for another in a circle; in one process numba's own lock comes first.
    """
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    compile_one = Dispatcher.compile

    def in_turn(self, sig):
        if not self.py_func.__module__.startswith("pyfcrm."):
            return compile_one(self, sig)
        with global_compiler_lock, in_turn_with_others(f"{self.py_func.__module__}.{self.py_func.__qualname__}"):
            return compile_one(self, sig)

    Dispatcher.compile = in_turn

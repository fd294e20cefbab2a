"""What pytest is told of every test: what it starts, what must stay together, and that no kernel is compiled twice at once.

`make quick` leaves out by mark what is slow, draws many examples or starts something. Marks that follow from what a test
calls are added here: `r` where R is run, `process` where a Python of its own is started, `browser` by fixture, `property`
by folder. With several workers (`make test`) tests that share set-up go to one of them, and slow ones come first. Property
tests draw the same examples at each run; with `--hypothesis-profile=searching` they look for others.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import hypothesis
import pytest

hypothesis.settings.register_profile("repeatable", derandomize=True)
hypothesis.settings.register_profile("searching", derandomize=False)
hypothesis.settings.load_profile("repeatable")
STARTS = {
    "r": {"run_r", "r_with_fcrm", "RSCRIPT"},
    "process": {"pyfcrm_process", "studio_process", "subprocess"},
}
OURS = Path(__file__).resolve().parent
LOCK = "PYFCRM_TESTS_COMPILE_LOCK"


def pytest_configure(config: pytest.Config) -> None:
    """One lock for all workers, which inherit the environment."""
    os.environ.setdefault(LOCK, str(Path(tempfile.gettempdir()) / f"pyfcrm-tests-compile-{os.getpid()}"))
    _compile_in_turn()


def pytest_unconfigure(config: pytest.Config) -> None:
    """The lock goes with the process that named it."""
    if not hasattr(config, "workerinput"):
        Path(os.environ[LOCK]).unlink(missing_ok=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks and groups; slow tests first, else in order."""
    for item in items:
        if isinstance(item, pytest.Function):
            _mark(item)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests that need packages of R are skipped without them; to ask R takes a second, so it is done here."""
    from support.r_package import skip_without_r

    for mark in item.iter_markers("needs_r"):
        skip_without_r(mark.args)


def _mark(item: pytest.Function) -> None:
    fixtures = [one for many in item._fixtureinfo.name2fixturedefs.values() for one in many]
    used = _names([item.function, *(one.func for one in fixtures)])
    for mark, starters in STARTS.items():
        if used & starters:
            item.add_marker(mark)
    if "browser" in item.fixturenames:
        item.add_marker("browser")
    if (OURS / "property") in item.path.parents:
        item.add_marker("property")
    shared = [one for one in fixtures if one.scope in ("module", "session") and one.baseid.startswith("tests/")]
    if shared:  # set up once, by one worker
        item.add_marker(pytest.mark.xdist_group("browser" if "browser" in item.fixturenames else str(item.path)))


def _names(functions: Iterable[Callable[..., Any]]) -> set[str]:
    """Every name that the functions use, and those that functions of the tests they call use, and so on."""
    found: set[str] = set()
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


def _in_code(code: CodeType) -> set[str]:
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*map(_in_code, inner))


def _compile_in_turn() -> None:
    """Two workers that need one kernel at once: the second waits, and then finds it on disk."""
    from numba.core.dispatcher import Dispatcher

    compile_one = Dispatcher.compile

    def in_turn(self: Any, sig: Any) -> Any:
        with _lock():
            return compile_one(self, sig)

    Dispatcher.compile = in_turn


_held = 0


@contextmanager
def _lock() -> Iterator[None]:
    """Held by one process at a time; numba compiles in one thread at a time, and what a kernel calls within it."""
    global _held
    try:
        import fcntl
    except ImportError:  # not Unix: compiled twice, then
        yield
        return
    if _held:
        yield
        return
    with open(os.environ[LOCK], "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _held = 1
        try:
            yield
        finally:
            _held = 0

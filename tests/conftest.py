"""Set-up that all tests share, and how several workers divide them.

Marks stand in the test files: `slow`, `r`, `process`, `browser`, `compiles` (pyproject.toml says what each means). `make quick`
leaves out the first four. Property tests draw the same 20 examples at each run; with `--hypothesis-profile=searching` they draw
200 others.
"""

import os
import random
import shutil
import tempfile
from collections import defaultdict
from types import SimpleNamespace

import hypothesis
import pytest
from support.run_folder import RUN

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=20)
hypothesis.settings.register_profile("searching", derandomize=False, deadline=None, max_examples=200)
hypothesis.settings.load_profile("repeatable")
SHARED = ("browser", "cluster")  # fixtures that are begun once, and used by tests of several files


def pytest_configure(config):
    """One folder for all workers, which inherit the environment; it goes with the process that made it."""
    if RUN not in os.environ:
        os.environ[RUN] = folder = tempfile.mkdtemp(prefix="pyfcrm-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items):
    """A file goes to one worker, so that it sets up and compiles once; files of kernels first, then those that take longest."""
    seconds = defaultdict(float)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            shared = [name for name in SHARED if name in getattr(item, "fixturenames", ())]
            item.add_marker(pytest.mark.xdist_group((*shared, str(item.path))[0]))
        seconds[_group(item)] += _seconds(item)
    items.sort(key=lambda item: (item.get_closest_marker("compiles") is None, -seconds[_group(item)], _group(item)))


def _group(item):
    """The tests that go to one worker."""
    return item.get_closest_marker("xdist_group").args[0]


def _seconds(item):
    """About what a test takes: what its mark `slow` says, 1.5 s where that says nothing."""
    slow = item.get_closest_marker("slow")
    if slow is None:
        return 0.1
    return slow.args[0] if slow.args else 1.5


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """What stands for the entropy of releases in this process: a release without a seed is the same in each run of the test.

    Names of temporary files, keys and tokens have the system's.
    """
    draws = random.Random(f"{item.path.name}: {item.name}")
    entropy = SimpleNamespace(token_bytes=draws.randbytes, randbelow=draws.randrange)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pyfcrm.rstream.stream.secrets", entropy)
        patch.setattr("pyfcrm.rstream.system.secrets", entropy)
        return (yield)


def pytest_runtest_setup(item):
    """Tests that need packages of R are skipped without them; asking R takes a second, so it is done here."""
    from support.r_package import skip_without_r

    for mark in item.iter_markers("needs_r"):
        skip_without_r(mark.args)


@pytest.fixture
def in_this_process(monkeypatch):
    """Readers of binary files do without a child process, which takes half a second; test_child.py has the real one."""
    from support.readers import here

    monkeypatch.setattr("pyfcrm.files.formats.in_child", here)


@pytest.fixture(scope="session")
def cluster():
    """One Dask cluster of two processes for all tests that need one; idle, it looks at itself every 5 seconds only."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    from pyfcrm.engine import Dask

    quiet = {"worker.profile.enabled": False, "admin.tick.interval": "5s", "worker.memory.monitor-interval": "5s"}
    with dask.config.set({f"distributed.{name}": value for name, value in quiet.items()}), Dask(workers=2) as engine:
        yield engine

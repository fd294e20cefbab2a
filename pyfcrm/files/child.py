"""Readers of binary files in a process of their own, with a memory limit: a damaged file cannot end this process."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import TypeVar, cast

from ..errors import InvalidInput, first_line

T = TypeVar("T")
# The package without its other modules, whose imports take a second.
_PROGRAM = """
import pickle, sys, types
sys.path[:], folder = pickle.load(sys.stdin.buffer)
sys.modules["pyfcrm"] = package = types.ModuleType("pyfcrm")
package.__path__ = [folder]
from pyfcrm.files.child import serve
serve()
"""


def in_child(path: str, rule: str, reader: Callable[[str], T]) -> T:
    """`reader(path)`, run in another process that may use half of this machine's memory.

    Raises InvalidInput, with the rule, where the reader fails, runs out of memory or crashes.
    """
    package = os.path.dirname(os.path.dirname(__file__))
    job = pickle.dumps((sys.path, package)) + pickle.dumps((rule, reader, path))
    command = [sys.executable, "-P", "-c", _PROGRAM]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, input=job, capture_output=True, env=environment, check=False)
    if done.returncode:
        raise InvalidInput(path, rule, f"a file on which the reader ends with status {done.returncode}")
    result = pickle.loads(done.stdout)
    if isinstance(result, InvalidInput):
        raise result
    return cast(T, result)


def serve() -> None:
    """Read a job from standard input and write its result to standard output, in the child."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get into the result
    rule, reader, path = pickle.load(sys.stdin.buffer)
    _limit_memory()
    try:
        result = reader(path)
    except InvalidInput as error:
        result = error
    except Exception as error:  # the libraries' own kinds, and Python's for text that is none
        result = InvalidInput(path, rule, first_line(error))
    pickle.dump(result, channel, protocol=pickle.HIGHEST_PROTOCOL)
    channel.close()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    resource.setrlimit(resource.RLIMIT_AS, (half, half))

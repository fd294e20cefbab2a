"""Readers in a process of their own, with a memory limit: a damaged file cannot end this process, and can be cancelled."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from signal import Signals
from typing import Any, TypeVar, cast

from ..engine.memory import reader_memory
from ..errors import InvalidInput, first_line
from ..progress import Progress, report_progress
from .paths import NOT_READ

T = TypeVar("T")
INTERVAL = 0.2  # seconds between two looks at whether the work was cancelled
NO_MEMORY = "its reader needs more than the {:,} MB of memory that it may use here"
KILLED = "its reader was ended from outside, as a system does that is short of memory: try again"
NOT_STARTED = "its reader could not start"
OUT_OF_MEMORY = 77  # status of the child
READY = b"!"  # before the result, once the libraries are there
# What a library says that ends its process when it gets no memory: Rust's, and that of C++.
_NO_MEMORY_WORDS = (b"memory allocation of", b"bad_alloc")
# The package without its other modules, whose imports take a second.
_PROGRAM = """
import pickle, sys, types
sys.path[:], folder = pickle.load(sys.stdin.buffer)
sys.modules["pyfcrm"] = package = types.ModuleType("pyfcrm")
package.__path__ = [folder]
from pyfcrm.files.child import serve
serve()
"""


def in_child(
    path: str, rule: str, reader: Callable[[str], T], most: int | None = None, progress: Progress | None = None
) -> T:
    """`reader(path)`, run in another process.

    rule : what the file must be; most : bytes of memory, at most those of reader_memory(); progress : called every 0.2 s,
    and an exception that it raises ends the process.
    Raises InvalidInput, with the rule where the file is the cause.
    """
    package = os.path.dirname(os.path.dirname(__file__))
    memory = min(reader_memory(), most or sys.maxsize)
    job = pickle.dumps((sys.path, package)) + pickle.dumps((rule, reader, path, memory))
    status, output, errors = _run(job, progress)
    if status:
        raise _failure(path, rule if output else NOT_STARTED, memory, status, errors)
    result = pickle.loads(memoryview(output)[len(READY) :])
    if isinstance(result, InvalidInput):
        raise result
    return cast(T, result)


def _run(job: bytes, progress: Progress | None) -> tuple[int, bytes, bytes]:
    """The exit status of the child, its result, and what it printed."""
    command = [sys.executable, "-P", "-c", _PROGRAM]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as process:
        try:
            sent: bytes | None = job
            while True:
                with suppress(subprocess.TimeoutExpired):
                    output, errors = process.communicate(sent, INTERVAL)
                    return process.returncode, output, errors
                sent = None
                report_progress(progress, 0, 1, "reading")
        finally:
            process.kill()


def _failure(path: str, rule: str, memory: int, status: int, errors: bytes) -> InvalidInput:
    """Why a child ended without a result. status : negative for a signal, as subprocess has it."""
    if status == OUT_OF_MEMORY or any(words in errors for words in _NO_MEMORY_WORDS):
        return InvalidInput(path, NO_MEMORY.format(memory // 10**6))
    name = f"status {status}"
    with suppress(ValueError):  # no signal
        name = Signals(-status).name
    if name in ("SIGKILL", "SIGTERM"):
        return InvalidInput(path, KILLED)
    if 0 < status < 256:  # Python's own; Windows has higher ones for a crash
        words = errors.decode("utf-8", "replace").strip().splitlines()
        return InvalidInput(path, NOT_STARTED, words[-1] if words else name)
    return InvalidInput(path, rule, f"a reader that ends with {name}")


def serve() -> None:
    """Read a job from standard input and write its result to standard output, in the child."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get into the result
    rule, reader, path, memory = pickle.load(sys.stdin.buffer)
    try:
        import pandas  # noqa: F401  # under too little memory, numpy's linear algebra waits for it without end

        channel.write(READY)
        channel.flush()
        _limit_memory(memory)
        pickle.dump(_result(path, rule, reader), channel, protocol=pickle.HIGHEST_PROTOCOL)
        channel.close()
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


def _result(path: str, rule: str, reader: Callable[[str], Any]) -> Any:
    """What the reader returns, or why it cannot."""
    try:
        return reader(path)
    except InvalidInput as error:
        return error
    except MemoryError:
        raise
    except ImportError as error:  # a library that is missing, or finds no memory
        return InvalidInput(path, NOT_STARTED, first_line(error))
    except OSError as error:
        if error.errno is None:  # a library's own fault of a file
            return InvalidInput(path, rule, first_line(error))
        return InvalidInput(path, NOT_READ, error.strerror)
    except Exception as error:  # the libraries' own kinds, and Python's for text that is none
        return InvalidInput(path, rule, first_line(error))


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

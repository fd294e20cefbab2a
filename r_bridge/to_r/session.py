"""R inside this process: started once, used by one thread, with R's errors and warnings as Python's, and no output.

A process can have one R only, so there is one session; `session()` returns it.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pyfcrm.arguments import whole_number
from pyfcrm.errors import MissingExtra, PyfcrmError
from pyfcrm.rstream import RStream

from .. import scripts
from .convert import define
from .wire import Plain, from_plain, to_plain

_LOG = logging.getLogger("r_bridge")
OPTIONS = ("rpy2", "--vanilla", "--quiet", "--no-echo")
# rpy2 starts a second R to read its environment; that R must not read a profile either.
NO_PROFILES = {"R_PROFILE_USER": os.devnull, "R_PROFILE": os.devnull, "R_ENVIRON_USER": os.devnull}
LARGEST_SEED = 2**31 - 1
_LOCK = threading.Lock()
_STARTED: list[Session] = []


class RUnavailable(PyfcrmError):
    """R cannot be used; the message has the reason and the remedy."""


class RError(PyfcrmError):
    """R stopped with an error.

    called : the R function; text : R's message.
    """

    def __init__(self, called: str, text: str) -> None:
        self.called = called
        self.text = text
        super().__init__(f"R's {called}: {text}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """The class and its arguments, for pickle: the separate R process passes errors on."""
        return type(self), (self.called, self.text)


class REnded(RError):
    """The R code ended R, by quit() or a crash; then there is no result."""


class RWarning(UserWarning):
    """A warning from R, with R's message."""


@contextmanager
def standard_output_closed() -> Iterator[None]:
    """Within the context, the standard output of this process and of R's child processes goes to standard error."""
    sys.stdout.flush()
    original = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(original, 1)
        os.close(original)


@contextmanager
def logged_output() -> Iterator[None]:
    """R's output goes to the log only, and R reads no input. Afterwards the callbacks of other users of rpy2 are restored."""
    from rpy2.rinterface_lib import callbacks

    def log(text: str) -> None:
        """Records a line of R's output."""
        _LOG.debug("R: %s", text.rstrip("\n"))

    def read_input(prompt: str) -> str:
        """No input."""
        return ""

    def end_process(save: object, status: object, run_last: object) -> None:
        """Ends this process, with status 2."""
        # When this returns, R exits with status 0. quit() is intercepted before; the .Internal function below it is not.
        os.write(2, b"r_bridge: the R code ended R\n")
        os._exit(2)

    own = {"consolewrite_print": log, "consolewrite_warnerror": log, "showmessage": log, "consoleread": read_input,
           "cleanup": end_process}  # fmt: skip
    original = {name: getattr(callbacks, name) for name in own}
    try:
        vars(callbacks).update(own)
        yield
    finally:
        vars(callbacks).update(original)


@contextmanager
def environment(added: Mapping[str, str]) -> Iterator[None]:
    """Additional environment variables within the context. Afterwards all are restored; R_... variables that R added stay."""
    before = dict(os.environ)
    os.environ.update(added)
    try:
        yield
    finally:
        for name in set(os.environ) | set(before):
            if name in before:
                os.environ[name] = before[name]
            elif name in added or not name.startswith("R_"):
                del os.environ[name]


@contextmanager
def quiet_log() -> Iterator[None]:
    """Without rpy2's log of its attempts to load R: a failure raises one error."""
    logger = logging.getLogger("rpy2")
    silent = logging.NullHandler()
    logger.addHandler(silent)
    try:
        yield
    finally:
        logger.removeHandler(silent)


@dataclass(frozen=True)
class Reply:
    """The outcome of a call."""

    value: Any
    """The result; see r_bridge.to_r.wire.from_plain."""
    warnings: tuple[str, ...]
    """R's warnings."""
    stream: RStream | None
    """The stream after the draws of the call; None without a stream."""
    messages: tuple[str, ...] = ()
    """The output of R's message()."""


class Session:
    """The R of this process. Only the thread that started it may call it."""

    def __init__(self, harness: Callable[..., Plain]) -> None:
        self._harness = harness
        self._thread = threading.current_thread()

    def call(
        self,
        function: str,
        arguments: Mapping[str, object] | Sequence[object] = (),
        code: Sequence[Path | str] | Path | str = (),
        stream: int | RStream | None = None,
    ) -> Reply:
        """Call an R function.

        function : its name, in one of the files, or in R's base packages; arguments : by name or position, never evaluated as
        code (types: r_bridge.to_r.wire.to_plain); code : R files, evaluated at each call in a new environment; stream : a seed,
        or a stream whose own position does not change; the call draws from it instead of R's own.
        Raises RError with R's message, RUnavailable on another thread; R's warnings become RWarning.
        """
        self._check_thread()
        values = arguments if isinstance(arguments, Mapping) else tuple(arguments)
        codes = [scripts.read_code(path) for path in ([code] if isinstance(code, str | Path) else code)]
        with _LOCK, logged_output():
            plain = self._harness(codes, function, to_plain(values), to_plain(_state(stream)))
        reply: dict[str, Any] = from_plain(plain)
        if reply["interrupted"][0]:
            raise KeyboardInterrupt
        for text in reply["warnings"]:
            warnings.warn(f"R's {function}: {text}", RWarning, stacklevel=2)
        if reply["ended"][0]:
            raise REnded(function, "the R code called quit(), which ends R: it must return instead")
        if reply["error"]:
            raise RError(function, reply["error"][0])
        after = None if reply["state"] is None else RStream.from_r_state(reply["state"])
        return Reply(reply["value"], tuple(reply["warnings"]), after, tuple(reply["messages"]))

    def _check_thread(self) -> None:
        """Raises RUnavailable on another thread than that which started R."""
        thread = threading.current_thread()
        if thread is not self._thread:
            raise RUnavailable(
                f"R runs on the thread that started it, {self._thread.name}; it was called from {thread.name}"
            )


def session() -> Session:
    """The session, started on the first call.

    Raises MissingExtra without rpy2, RUnavailable if R cannot be loaded, and on any thread but that of the first call.
    """
    with _LOCK:
        if not _STARTED:
            _STARTED.append(_start())
    _STARTED[0]._check_thread()
    return _STARTED[0]


def _start() -> Session:
    """Starts R, without profiles and output, and loads the project's R code."""
    with standard_output_closed(), environment(NO_PROFILES), quiet_log():
        ri = _import()
        if not ri.embedded.isinitialized():
            ri.embedded.set_initoptions(OPTIONS)
        with logged_output():
            ri.initr(interactive=False)
            codes = [scripts.read_code(scripts.script(name)) for name in scripts.SESSION]
            return Session(define(codes, "bridge_call"))


def _import() -> Any:
    """rpy2's interface. Raises MissingExtra without rpy2, RUnavailable if R cannot be loaded."""
    try:
        import rpy2.rinterface as ri
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "rpy2":
            raise RUnavailable(_load_failure(error)) from error
        raise MissingExtra("calling R", "r", "rpy2") from None
    except Exception as error:  # the import opens libR, whose failures have any class
        raise RUnavailable(_load_failure(error)) from error
    return ri


def _load_failure(error: Exception) -> str:
    """A sentence on a failure to load R, with its remedy."""
    home = os.environ.get("R_HOME")  # may be set to nothing
    if shutil.which("R") is None and not (home and Path(home).is_dir()):
        return "R is needed and is not installed, or not on the PATH; on Debian run: apt-get install r-base-core"
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return (
        f"rpy2 is installed but cannot load R ({reason}); with an R below 4.5 run: pip install 'rpy2-rinterface<3.6.6'"
    )


def _state(stream: int | RStream | None) -> object:
    """A stream as its .Random.seed (626,), a seed as a checked number, None for None."""
    if isinstance(stream, RStream):
        return np.asarray(stream.to_r_state(), dtype=np.int32)
    if stream is None:
        return None
    return whole_number("r_bridge", "stream", stream, low=-LARGEST_SEED, high=LARGEST_SEED)

"""R inside this process: started once, on one thread, silent, with its errors and warnings as Python's.

There is one R in a process, whoever starts it, so there is one session; `session()` gives it.
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
# rpy2 asks a second R for its environment before it starts ours; that one must read no profile either.
NO_PROFILES = {"R_PROFILE_USER": os.devnull, "R_PROFILE": os.devnull, "R_ENVIRON_USER": os.devnull}
LARGEST_SEED = 2**31 - 1
_LOCK = threading.Lock()
_STARTED: list[Session] = []


class RUnavailable(PyfcrmError):
    """R cannot be used here and now; the message says why, and what mends it."""


class RError(PyfcrmError):
    """R stopped with an error.

    called : the R function; text : R's own words.
    """

    def __init__(self, called: str, text: str) -> None:
        self.called, self.text = called, text
        super().__init__(f"R's {called}: {text}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.called, self.text)


class REnded(RError):
    """The R code ended R, by quit() or by dying: it has no result, whatever it did before."""


class RWarning(UserWarning):
    """A warning of R's, in R's own words."""


@contextmanager
def standard_output_closed() -> Iterator[None]:
    """Until the end, whatever writes to the process's standard output, R's children too, writes to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def listening() -> Iterator[None]:
    """What R prints goes to the log and nowhere else; it may ask nothing. The callbacks of others are put back."""
    from rpy2.rinterface_lib import callbacks

    def log(text: str) -> None:
        _LOG.debug("R: %s", text.rstrip("\n"))

    def answer(prompt: str) -> str:
        return ""

    def leave(save: object, status: object, run_last: object) -> None:
        # R exits when this returns, with status 0, as if all had been said: quit() itself is caught, what is below it is not.
        os.write(2, b"r_bridge: the R code ended R\n")
        os._exit(2)

    mine = {"consolewrite_print": log, "consolewrite_warnerror": log, "showmessage": log, "consoleread": answer,
            "cleanup": leave}  # fmt: skip
    kept = {name: getattr(callbacks, name) for name in mine}
    try:
        for name, function in mine.items():
            setattr(callbacks, name, function)
        yield
    finally:
        for name, function in kept.items():
            setattr(callbacks, name, function)


@contextmanager
def environment(added: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for a while. Afterwards all is as before, but for the R_... ones that R itself added."""
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
    """rpy2 logs its attempts to load R; a failure is said in one sentence instead."""
    logger, silent = logging.getLogger("rpy2"), logging.NullHandler()
    logger.addHandler(silent)
    try:
        yield
    finally:
        logger.removeHandler(silent)


@dataclass(frozen=True)
class Reply:
    """What a call gave.

    Attributes
    ----------
    value : the result, see r_bridge.to_r.wire.from_plain.
    warnings, messages : tuple of str
        What R warned of, and what it said by message().
    stream : RStream or None
        Where the stream it drew from now stands; None where none was given.
    """

    value: Any
    warnings: tuple[str, ...]
    stream: RStream | None
    messages: tuple[str, ...] = ()


class Session:
    """The R of this process. It belongs to the thread that started it; a call from any other is refused."""

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

        function : its name, in one of the files, or in R's base packages; arguments : by name or position, data never
        read as code (see r_bridge.to_r.wire.to_plain for what they may be); code : R files, evaluated anew in an environment of
        their own; stream : a seed, or a stream (not moved), that the call draws from instead of R's own.
        Raises RError with R's words, RUnavailable on another thread; R's warnings become RWarning.
        """
        self._check_thread()
        values = arguments if isinstance(arguments, Mapping) else tuple(arguments)
        codes = [scripts.read_code(path) for path in ([code] if isinstance(code, str | Path) else code)]
        with _LOCK, listening():
            answer = self._harness(codes, function, to_plain(values), to_plain(_state(stream)))
        reply: dict[str, Any] = from_plain(answer)
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
        thread = threading.current_thread()
        if thread is not self._thread:
            raise RUnavailable(
                f"R runs on the thread that started it, {self._thread.name}; it was called from {thread.name}"
            )


def session() -> Session:
    """The session, started on the first call.

    Raises MissingExtra without rpy2, RUnavailable where R cannot be loaded, and on any thread but the first caller's.
    """
    with _LOCK:
        if not _STARTED:
            _STARTED.append(_start())
    _STARTED[0]._check_thread()
    return _STARTED[0]


def _start() -> Session:
    with standard_output_closed(), environment(NO_PROFILES), quiet_log():
        ri = _import()
        if not ri.embedded.isinitialized():
            ri.embedded.set_initoptions(OPTIONS)
        with listening():
            ri.initr(interactive=False)
            codes = [scripts.read_code(scripts.script(name)) for name in scripts.SESSION]
            return Session(define(codes, "bridge_call"))


def _import() -> Any:
    try:
        import rpy2.rinterface as ri
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "rpy2":
            raise RUnavailable(_mend(error)) from error
        raise MissingExtra("calling R", "r", "rpy2") from None
    except Exception as error:  # it opens libR while it is imported; what goes wrong there comes as any class
        raise RUnavailable(_mend(error)) from error
    return ri


def _mend(error: Exception) -> str:
    if shutil.which("R") is None and not Path(os.environ.get("R_HOME", "no folder")).is_dir():
        return "R is needed and is not installed, or not on the PATH; on Debian run: apt-get install r-base-core"
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return (
        f"rpy2 is installed but cannot load R ({reason}); with an R below 4.5 run: pip install 'rpy2-rinterface<3.6.6'"
    )


def _state(stream: int | RStream | None) -> object:
    if isinstance(stream, RStream):
        return np.asarray(stream.to_r_state(), dtype=np.int32)
    return None if stream is None else whole_number("r_bridge", "stream", stream, low=-LARGEST_SEED, high=LARGEST_SEED)

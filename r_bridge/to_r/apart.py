"""An R in a process of its own, for code from elsewhere: what ends that process ends no other."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pyfcrm.errors import PyfcrmError
from pyfcrm.rstream import RStream

from .session import REnded, Reply, RWarning, session

_STARTED: list[Apart] = []
_START = "import sys; sys.path[:] = {path!r}; from r_bridge.to_r.apart import serve; serve()"


class Apart:
    """Calls R functions as a Session does, in another process, which is started on the first call, and again after it ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def call(
        self,
        function: str,
        arguments: Mapping[str, object] | Sequence[object] = (),
        code: Sequence[Path | str] | Path | str = (),
        stream: int | RStream | None = None,
    ) -> Reply:
        """See Session.call. Raises REnded, too, where the process was killed or left without a word."""
        process = self._running()
        paths = [code] if isinstance(code, str | Path) else list(code)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((function, arguments, [os.path.abspath(path) for path in paths], stream), process.stdin)
            process.stdin.flush()
            outcome = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            self._process = None
            process.kill()
            raise REnded(function, f"the R code ended R (status {process.wait()})") from error
        if isinstance(outcome, BaseException):
            raise outcome
        reply: Reply = outcome
        for text in reply.warnings:
            warnings.warn(f"R's {function}: {text}", RWarning, stacklevel=2)
        return reply

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            code = _START.format(path=sys.path)
            self._process = subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            weakref.finalize(self, _end, self._process)
        return self._process


def apart() -> Apart:
    """The one of this process."""
    if not _STARTED:
        _STARTED.append(Apart())
    return _STARTED[0]


def serve() -> None:
    """The other side: calls from standard input, each answered on standard output by its reply or its error."""
    calls, told = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (asked := _next(calls)) is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RWarning)
            try:
                outcome: Any = session().call(*asked)
            except (PyfcrmError, KeyboardInterrupt) as error:
                outcome = error
        pickle.dump(outcome, told)
        told.flush()


def _next(calls: BinaryIO) -> Any:
    try:
        return pickle.load(calls)
    except EOFError:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()

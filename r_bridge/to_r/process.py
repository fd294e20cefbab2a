"""A separate R process for code of others, such as an agency's own function: code that ends R ends only that process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfcrm.errors import PyfcrmError
from pyfcrm.rstream import RStream

from ..columns import Columns
from ..frames import from_frame, to_frame
from .session import REnded, Reply, RWarning, session

if TYPE_CHECKING:
    import pandas as pd

_START = "import sys; sys.path[:] = {path!r}; from r_bridge.to_r.process import serve; serve()"


class RProcess:
    """Calls R functions as a Session does, in a separate process. It starts at the first call, and again after it ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def call(
        self,
        function: str,
        arguments: Mapping[str, object] | Sequence[object] = (),
        code: Sequence[Path | str] | Path | str = (),
        stream: int | RStream | None = None,
    ) -> Reply:
        """Call an R function; see Session.call. Raises REnded, too, if the process was killed or ended without a reply."""
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
        """The process, started now if there is none. It ends with this object."""
        if self._process is None:
            code = _START.format(path=sys.path)
            self._process = subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            weakref.finalize(self, _end, self._process)
        return self._process


@cache
def r_process() -> RProcess:
    """The separate R process of this Python process."""
    return RProcess()


def run_r(
    frame: pd.DataFrame,
    function: str,
    code: Sequence[Path | str] | Path | str,
    *,
    stream: int | RStream | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Any:
    """Call an R function of a data frame in a separate R process. Code that ends R ends only that process.

    Parameters
    ----------
    frame : DataFrame
        Its first argument. The index is not passed.
    function : str
        Its name, in `code` or in an attached package.
    code : path, or a sequence of paths
        R files, evaluated at each call in a new environment.
    stream : int or RStream, optional
        A seed for set.seed, or a stream whose own position does not change; the call draws from it.
    arguments : mapping, optional
        Its other arguments by name: numbers, text, truth values, arrays, lists of text.

    Returns
    -------
    object
        A DataFrame if R returns one; else an array, a list of text, a dict or a list. Each warning of R becomes an
        RWarning; output of message() is in the reply of `r_process().call`.

    Raises
    ------
    RError
        With R's message; REnded if the code called quit() or R ended.
    RUnavailable, MissingExtra
        Without R, or without rpy2.
    """
    value = r_process().call(function, {"": from_frame(frame)} | dict(arguments or {}), code, stream).value
    return to_frame(value) if isinstance(value, Columns) else value


def serve() -> None:
    """The separate process: reads calls from standard input and writes each reply or error to standard output."""
    calls = sys.stdin.buffer
    # Replies have the original standard output; whatever R or its child processes print goes to standard error.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            request = pickle.load(calls)
        except EOFError:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RWarning)
            try:
                outcome: Any = session().call(*request)
            except (PyfcrmError, KeyboardInterrupt) as error:
                outcome = error
        pickle.dump(outcome, replies)
        replies.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process."""
    process.kill()
    process.wait()

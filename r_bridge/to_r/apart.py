"""An R in a process of its own, for code from elsewhere, such as an agency's own function on a pandas frame: what ends that
process ends no other."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pyfcrm.errors import PyfcrmError
from pyfcrm.rstream import RStream

from ..columns import Columns
from ..frames import from_frame, to_frame
from .session import REnded, Reply, RWarning, session

if TYPE_CHECKING:
    import pandas as pd

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


def run_r(
    frame: pd.DataFrame,
    function: str,
    code: Sequence[Path | str] | Path | str,
    *,
    stream: int | RStream | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Any:
    """Call an R function of a data frame, in an R of its own: code that ends R ends nothing else.

    Parameters
    ----------
    frame : DataFrame
        Its first argument. The index does not cross.
    function : str
        Its name, in `code` or in an attached package.
    code : path, or a sequence of paths
        R files, evaluated anew in an environment of their own.
    stream : int or RStream, optional
        A seed for set.seed, or a stream, which is not moved; what the call draws from.
    arguments : mapping, optional
        Its other arguments by name: numbers, words, flags, arrays, lists of words.

    Returns
    -------
    object
        A DataFrame where R returns one; else an array, a list of words, a dict or a list. What R warns of becomes an
        RWarning each; what it says by message() is in the reply of `apart().call`.

    Raises
    ------
    RError
        With R's own words; REnded where the code called quit() or died.
    RUnavailable, MissingExtra
        Where there is no R, or no rpy2.
    """
    value = apart().call(function, {"": from_frame(frame)} | dict(arguments or {}), code, stream).value
    return to_frame(value) if isinstance(value, Columns) else value


def serve() -> None:
    """The other side: calls from standard input, each answered on standard output by its reply or its error."""
    calls, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (request := _next(calls)) is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RWarning)
            try:
                outcome: Any = session().call(*request)
            except (PyfcrmError, KeyboardInterrupt) as error:
                outcome = error
        pickle.dump(outcome, replies)
        replies.flush()


def _next(calls: BinaryIO) -> Any:
    try:
        return pickle.load(calls)
    except EOFError:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()

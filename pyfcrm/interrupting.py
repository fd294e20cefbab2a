"""Being interrupted where Python is not ready for it: while modules are loaded, and while code is compiled.

Until the command line has taken over, Python's own answer to Ctrl-C would be a traceback and a death by signal. Only a
process that was started as `pyfcrm` or `python -m pyfcrm` is concerned; `import pyfcrm` in any other changes nothing.
A compiler calls Python back from C, where an exception is printed and lost, and leaves half a function: so what
interrupts a thread that compiles waits until the function is there.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import sys
from contextlib import suppress
from threading import Lock, Timer, current_thread, get_ident, main_thread
from typing import Any, NoReturn

STATUS = 130  # of a shell's command that was interrupted
SAID = "interrupted; no file was left half-written"
AGAIN = 0.05  # seconds

_lock = Lock()
_holding: dict[int, int] = {}  # by thread: how many times it asked not to be interrupted
_waiting: dict[int, type[BaseException]] = {}  # by thread: what was raised meanwhile


def begin() -> None:
    """While modules are loaded there is nothing to clean up: Ctrl-C ends the process at once."""
    if _is_command_line() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _say_and_leave)
        sys.unraisablehook = _unraisable


def loaded() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt, which the command line knows what to do with."""
    if signal.getsignal(signal.SIGINT) is _say_and_leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def leave() -> NoReturn:
    """End the process: everything is said and cleaned up, and a compiler in another thread is not waited for.

    A process that began as something else, such as a test, ends as Python does.
    """
    if not _is_command_line():
        sys.exit(STATUS)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(STATUS)


def _say_and_leave(*_: object) -> None:
    with suppress(OSError):
        os.write(2, f"pyfcrm: {SAID}\n".encode())
    os._exit(STATUS)


def _is_command_line() -> bool:
    words, program = sys.orig_argv, sys.argv[0] if sys.argv else ""
    named = program in words and os.path.splitext(os.path.basename(program))[0] == "pyfcrm"
    return named or ("-m", "pyfcrm") in itertools.pairwise(words)


def _unraisable(unraisable: Any) -> None:
    """What was raised where C cannot hand it on, as in the compiler's calls back to Python, is not written on the terminal.

    A Ctrl-C that is lost so is pressed again a moment later.
    """
    kind = unraisable.exc_type
    if issubclass(kind, KeyboardInterrupt):
        again = Timer(AGAIN, signal.raise_signal, (signal.SIGINT,))
        again.daemon = True
        again.start()
    elif kind.__name__ != "Cancelled":
        sys.__unraisablehook__(unraisable)


def hold() -> None:
    """From here until let_go() nothing is raised in this thread from outside. Calls may be nested."""
    with _lock:
        ident = get_ident()
        _holding[ident] = _holding.get(ident, 0) + 1
    if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _later)


def let_go() -> None:
    """The end of hold(): what was raised meanwhile is raised here."""
    ident = get_ident()
    with _lock:
        _holding[ident] = _holding.get(ident, 1) - 1
        if _holding[ident] > 0:
            return
        del _holding[ident]
        waiting = _waiting.pop(ident, None)
    if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is _later:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if waiting is not None:
        raise waiting


def raise_in(ident: int, error: type[BaseException]) -> None:
    """Raise an exception in another thread where it next runs Python, once it is not holding."""
    with _lock:
        if ident in _holding:
            _waiting[ident] = error
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(error))


def _later(*_: object) -> None:
    _waiting[get_ident()] = KeyboardInterrupt


begin()

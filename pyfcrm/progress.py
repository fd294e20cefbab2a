"""Telling how far long work is, hearing a method's notes and steps, and stopping work when whoever is told asks.

Until the command line has taken over, Python's own answer to Ctrl-C would be a traceback and a death by signal. Only a
process that was started as `pyfcrm` or `python -m pyfcrm` is concerned; `import pyfcrm` in any other changes nothing.
A compiler calls Python back from C, where an exception is printed and lost, and leaves half a function: so what
interrupts a thread that compiles waits until the function is there.
"""

from __future__ import annotations

import contextvars
import ctypes
import gc
import itertools
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread, Timer, current_thread, get_ident, main_thread
from time import monotonic
from typing import Any, Generic, NoReturn, TypeVar

from .errors import Cancelled, Note

STATUS = 130  # of a shell's command that was interrupted
SAID = "interrupted; no file was left half-written"
AGAIN = 0.05  # seconds
_lock = Lock()
_holding: dict[int, int] = {}  # by thread: how many times it asked not to be interrupted
_compilers: list[int] = []  # threads in which a kernel is compiled now
_waiting: dict[int, type[BaseException]] = {}  # by thread: what was raised meanwhile
Progress = Callable[[int, int, str], None]
"""Called with (done, of how many at most, what). What it raises stops the work, errors.Cancelled best of all."""
PARTS = 1000  # of one of several tasks, each of which tells in units of its own
Reporter = Callable[[Note], None]
"""Where a method says what it had to do, a sentence each; whoever hears it may take it as a str."""
OnStep = Callable[[int, int], None]
"""Called with (done, of how many), such as ProgressTracker.step."""
Result = TypeVar("Result")
BEAT = 0.2  # seconds between two words to whoever watches
PATIENCE = 1.0  # seconds that work is waited for when it was told to stop


def begin() -> None:
    """While modules are loaded there is nothing to clean up: Ctrl-C ends the process at once, and no garbage is looked for."""
    if _is_command_line() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        gc.disable()
        signal.signal(signal.SIGINT, _say_and_leave)
        sys.unraisablehook = _unraisable


def loaded() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt, which the command line knows what to do with."""
    if signal.getsignal(signal.SIGINT) is _say_and_leave:
        gc.freeze()  # modules stay: they are not looked through again
        gc.enable()
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


def compiler_starts() -> None:
    """Until compiler_ends() this thread compiles; whoever shows progress may say so. Calls may be nested."""
    _compilers.append(get_ident())


def compiler_ends() -> None:
    """The end of compiler_starts()."""
    _compilers.remove(get_ident())


def is_compiling() -> bool:
    """Whether some thread compiles a kernel, which takes seconds, once on a machine."""
    return bool(_compilers)


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


def report_progress(progress: Progress | None, done: int, most: int, what: str) -> None:
    """progress(done, most, what), where somebody listens."""
    if progress is not None:
        progress(done, most, what)


def within(progress: Progress | None, task: int, tasks: int, what: str = "") -> Progress | None:
    """The callback for task number `task`, from 0, of `tasks`: all of them share one scale, in thousandths of a task.

    what : said before the task's own words, unless they are the same. None where nobody listens.
    """
    if progress is None:
        return None

    def inner(done: int, most: int, words: str) -> None:
        said = f"{what}: {words}" if what and words and words != what else what or words
        progress(task * PARTS + PARTS * min(done, most) // max(most, 1), tasks * PARTS, said)

    return inner


def still(progress: Progress | None, done: int, most: int, what: str) -> Progress | None:
    """The callback for work inside one step, told that the step goes on: often enough to be stopped in the middle."""
    if progress is None:
        return None

    def inner(_done: int, _most: int, _what: str) -> None:
        progress(done, most, what)

    return inner


def discard(note: Note) -> None:
    """Where the notes of a method go when nobody listens."""


def discard_steps(done: int, most: int) -> None:
    """Where steps go when nobody listens."""


class ProgressTracker:
    """How far work is, what it says on the way, and whether it is to end: handed down to whatever works.

    A method takes it where it says its notes, so calling it says one; a plain function in its place hears the notes only.
    what : what is done; done, most : so much of so many; say : where notes go; progress : told of each step, and now and
    then between them, in the thread that made the tracker alone; None where somebody else looks at it meanwhile.
    """

    def __init__(
        self, what: str, done: int = 0, most: int = 1, say: Reporter = discard, progress: Progress | None = None
    ) -> None:
        self.what, self.at, self.note, self.progress = what, (done, most), say, progress
        self.whole: ProgressTracker | None = None
        self.ended, self._thread, self._told = False, get_ident(), monotonic()

    @classmethod
    def of(cls, note: Reporter) -> ProgressTracker:
        """`note` itself where it is one; else one that says its notes there, and of which nobody hears the steps."""
        return note if isinstance(note, ProgressTracker) else cls("", say=note)

    def __call__(self, note: Note) -> None:
        self.note(note)

    def step(self, done: int, most: int) -> None:
        """So much is done: `done` of `most` columns, rounds or groups. Raises what ends the work, where it is to end."""
        self.at = done, most
        self._tell()
        self.check()

    def part(self, task: int, tasks: int) -> ProgressTracker:
        """That of task number `task`, from 0, of `tasks` in turn, whose steps are parts of this tracker."""
        made = ProgressTracker(
            self.what, say=self.note, progress=within(lambda done, most, _: self.step(done, most), task, tasks)
        )
        made.whole = self
        return made

    def check(self) -> None:
        """Raise Cancelled where the work is to end. Costs nothing: between blocks of records it is asked each time."""
        if self.ended:
            raise Cancelled
        if self.whole is not None:
            self.whole.check()
        elif self.progress is not None and monotonic() - self._told > BEAT:
            self._tell()

    def end(self) -> None:
        """Let the work end at its next step or check."""
        self.ended = True

    def follow(self, done: int, most: int, what: str) -> None:
        """A callback of work in another thread: this course is there too, and ends that work when it is to end."""
        self.what = what
        self.step(done, most)

    def _tell(self) -> None:
        if self.whole is not None or get_ident() == self._thread:
            self._told = monotonic()
            report_progress(self.progress, *self.at, self.what)


def run_cancellable(work: Callable[[], Result], progress: Progress | None, tracker: ProgressTracker) -> Result:
    """work(), with progress(done, most, what) of its tracker called in this thread a few times a second meanwhile.

    Where the callback raises, or Ctrl-C is pressed, that is raised here at once, and the work ends at its next step or
    line of Python (a compiled kernel runs to its end first, for nothing). So it must have no effect but its result.
    Without a callback it simply runs.
    """
    if progress is None:
        return work()
    worker = _Worker(work)
    try:
        while not worker.finished.wait(BEAT):
            progress(*tracker.at, tracker.what)
    except BaseException:
        tracker.end()
        worker.stop()
        raise
    return worker.result()


class _Worker(Generic[Result]):
    def __init__(self, work: Callable[[], Result]) -> None:
        self.finished = Event()
        self._made: list[Result] = []
        self._error: BaseException | None = None
        context = contextvars.copy_context()  # numpy keeps there what it does about overflow
        self._thread = Thread(target=context.run, args=(self._run, work), name="pyfcrm work", daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], Result]) -> None:
        try:
            self._made.append(work())
        except BaseException as error:  # handed over to the thread that asked
            self._error = error
        finally:
            self.finished.set()

    def result(self) -> Result:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made[0]

    def stop(self) -> None:
        """Raise Cancelled in the thread, where it next runs Python, and wait a little for that."""
        ident = self._thread.ident
        if ident is not None and not self.finished.is_set():
            raise_in(ident, Cancelled)
        self._thread.join(PATIENCE)

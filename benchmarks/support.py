"""Functions of all benchmarks: alternating timing of two functions, and rows of the table.

Times are medians of alternating runs, so that load slows both equally. Report the ratio, not the times.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Timer = Callable[[], float]
R_HEAD = """
read <- function(name, columns) {
  file <- file(file.path(folder, name), "rb"); on.exit(close(file))
  matrix(readBin(file, "double", file.size(file.path(folder, name)) / 8), ncol = columns)
}
seconds <- function(work) { force(work); start <- proc.time()[["elapsed"]]; work(); proc.time()[["elapsed"]] - start }
"""


@dataclass(frozen=True)
class Row:
    """A line of the table: seconds of both, how many times faster ours is, and the goal."""

    what: str
    against: str
    size: str
    ours: float
    theirs: float
    goal: str
    holds: bool

    def __str__(self) -> str:
        ratio = self.theirs / self.ours
        factor = f"{ratio:8.1f} x" if ratio >= 1 else f" 1/{1 / ratio:5.2f} x"
        return (
            f"{self.what:18} {self.against:34} {self.size:30} {1e3 * self.ours:9.2f} ms {1e3 * self.theirs:10.2f} ms "
            f"{factor:>10} {self.goal:>12} {'holds' if self.holds else 'MISSED':7}"
        )


HEADER = f"{'kernel':18} {'against':34} {'at':30} {'ours':>12} {'theirs':>13} {'faster':>10} {'goal':>12}"


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turn(ours: Timer, theirs: Timer, repeats: int) -> tuple[float, float]:
    """Medians of two timers run in turn, after one run of each that is not counted."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    a, b = (statistics.median(times) for times in zip(*pairs, strict=True))
    return a, b


def per_iteration(fit: Callable[[int], object], few: int = 2, many: int = 12) -> Timer:
    """Seconds an iteration of fit(number of iterations), without the work before the first and after the last."""
    return lambda: max(seconds(lambda: fit(many)) - seconds(lambda: fit(few)), 1e-9) / (many - few)


def faster(what: str, against: str, size: str, times: tuple[float, float], least: float | None) -> Row:
    """A row whose goal is to be `least` times faster; None: no goal at this size."""
    ours, theirs = times
    goal = "" if least is None else f">= {least:g} x"
    return Row(what, against, size, ours, theirs, goal, least is None or theirs / ours >= least)


def within(what: str, against: str, size: str, times: tuple[float, float], most: float | None) -> Row:
    """A row whose goal is to take at most `most` times as long."""
    ours, theirs = times
    goal = "" if most is None else f"<= {most:g} times"
    return Row(what, against, size, ours, theirs, goal, most is None or ours / theirs <= most)


def report(rows: Sequence[Row]) -> int:
    """Prints the table; 1 where a goal was missed."""
    print(HEADER)
    for row in rows:
        print(row)
    return 0 if all(row.holds for row in rows) else 1


def r_timer(code: str, **arrays: np.ndarray) -> Timer:
    """The number that R code prints last. The code has `folder`, and reads arrays by read(name, columns)."""

    def once() -> float:
        with tempfile.TemporaryDirectory() as folder:
            for name, values in arrays.items():
                np.asfortranarray(values, dtype=np.float64).ravel(order="F").tofile(Path(folder) / name)
            script = Path(folder) / "script.R"
            script.write_text(f'folder <- "{folder}"\n{R_HEAD}\n{code}\n')
            done = subprocess.run(["Rscript", "--vanilla", script], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"R failed: {done.stderr.strip()}")
        return float(done.stdout.split()[-1])

    return once


def r_has(package: str) -> bool:
    """Whether R and one of its packages are installed."""
    try:
        done = subprocess.run(["Rscript", "--vanilla", "-e", f'library("{package}")'], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0

"""Everything tried so far: the points of the map, which of them nothing beats, and the best within a limit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....arguments import real_number
from ....evaluation.verdict import Verdict, weaknesses
from ....evaluation.verdict import verdict as release_verdict
from ....plots import as_png, risk_utility_map
from ....plots.style import MARKERS, PALETTE
from ....report.html import Section, figure, number, table
from ....search.candidates import Candidate, Frontier
from ..bench import Trial

MEASURED = ("pil", "dbrl", "prl", "id", "dr", "score")


@dataclass(frozen=True)
class Point:
    """A trial on the map: number, of the trial; family : its method; label : "FCRM c=8"; dr, pil in per cent; kind : which
    family it is, from 0; unbeaten : whether no other one is at least as good in both and better in one."""

    number: int
    family: str
    label: str
    dr: float
    pil: float
    kind: int
    unbeaten: bool

    @property
    def color(self) -> str:
        """As the package's own figures have it."""
        return PALETTE[self.kind % len(PALETTE)]

    @property
    def marker(self) -> str:
        """The letter of its shape; past the last colour, colours come again with another shape."""
        return MARKERS[(self.kind + 3 * (self.kind // len(PALETTE))) % len(MARKERS)]

    @property
    def words(self) -> str:
        """What a reader who does not see it hears."""
        return f"{self.label}: PIL {self.pil:.1f}, DR {self.dr:.1f}"


def label(trial: Trial) -> str:
    """The method with its settings, as in "FCRM c=8"."""
    return f"{type(trial.method).__name__} {trial.method.settings()}".rstrip()


def value(trial: Trial, key: str) -> float:
    """A measure's total; NaN where it was not judged."""
    return trial.report[key] if key in trial.report.results else math.nan


def on_the_map(trials: Iterable[Trial]) -> list[Trial]:
    """The trials whose PIL and DR are known."""
    return [trial for trial in trials if all(math.isfinite(value(trial, key)) for key in ("pil", "dr"))]


def points(trials: Iterable[Trial]) -> list[Point]:
    """The points of the map, in the order of trying."""
    shown = on_the_map(trials)
    families = list(dict.fromkeys(type(trial.method).__name__ for trial in shown))
    unbeaten = _frontier(shown).nondominated()
    return [
        Point(t.number, name, label(t), t.report["dr"], t.report["pil"], families.index(name), mark)
        for t, mark in zip(shown, unbeaten, strict=True)
        for name in [type(t.method).__name__]
    ]


def limit_from(given: object) -> float | None:
    """A limit on DR as it was typed, None for none. Raises InvalidParameter."""
    return None if given is None or given == "" else real_number("the limit on DR", "limit", given, low=0, high=100)


def best_within(trials: Sequence[Trial], limit: float) -> Trial | None:
    """The trial that loses least among those whose DR keeps the limit, in per cent; None where none does.

    One whose random numbers can all be tried is none of them, whatever its DR.
    """
    shown = [t for t in on_the_map(trials) if t.report["dr"] <= limit and not t.method.weak_generator]
    if not shown:
        return None
    frontier = _frontier(shown)
    best = frontier.best(limit)
    return next(t for t, one in zip(shown, frontier.candidates, strict=True) if one is best)


def judged(trial: Trial, limit: float | None) -> Verdict:
    """Whether a trial may be shown in green, and what speaks against it."""
    return release_verdict(trial.report, limit, weaknesses(trial.method))


def verdict(trials: Sequence[Trial], limit: float | None) -> str:
    """The best within the limit, in one sentence."""
    shown = on_the_map(trials)
    if limit is None or not shown:
        return "No limit on DR is set." if shown else "No trial has both PIL and DR."
    best = best_within(trials, limit)
    if best is None:
        shown = [t for t in shown if not t.method.weak_generator]
        if not shown:
            return "The random numbers of every method on the map can all be tried: none is for release."
        least = min(shown, key=lambda t: t.report["dr"])
        return f"None keeps DR within {limit:g} %. The least is {least.report['dr']:.1f} %, by {label(least)}."
    return (
        f"Best within DR {limit:g} %: {label(best)} (trial {best.number}), PIL {best.report['pil']:.1f}, "
        f"DR {best.report['dr']:.1f}."
    )


def all_tried(trials: Sequence[Trial]) -> list[Section]:
    """The map and the table of all trials, for the internal report. Needs the extra `plots`."""
    shown = points(trials)
    if not shown:
        return []
    rows = [{"method": p.family, "label": f"{p.number}: {p.label}", "pil": p.pil, "dr": p.dr} for p in shown]
    drawn = figure(as_png(risk_utility_map(rows, [p.unbeaten for p in shown])), "Every method tried, by PIL and DR")
    return [Section("Everything tried on this file", drawn + table(*rows_of(trials), words=2))]


def rows_of(trials: Iterable[Trial]) -> tuple[Sequence[str], list[list[str]]]:
    """Head and cells of the table of trials."""
    head = ("trial", "method", *(key.upper() for key in MEASURED))
    return head, [[str(t.number), str(t.method), *(number(value(t, key)) for key in MEASURED)] for t in trials]


def _frontier(trials: Iterable[Trial]) -> Frontier:
    return Frontier(tuple(Candidate(t.method, t.report, tuple(t.released.notes)) for t in trials), 0)

"""Everything tried so far: the points of the map, which of them nothing beats, and the best within a limit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....arguments import real_number
from ....plots import as_png, risk_utility_map
from ....plots.style import MARKERS, PALETTE
from ....report.html import Section, figure, number, table
from ....search.candidates import Candidate, nondominated
from ..bench import Trial

MEASURED = ("pil", "dbrl", "prl", "id", "dr", "score", "dr_informed")
RISKS = {  # what the map's axis and the limit can be: how a sentence calls it, and what the axis says
    "dr": ("DR", "disclosure risk DR, %"),
    "dr_informed": ("DR by who knows the method", "DR by who knows the method, %"),
    "linkage_informed": ("linkage by who knows the method", "linkage by who knows the method, %"),
    "certain": ("linkage beyond doubt", "linked beyond doubt by who knows the method, %"),
    "membership": ("membership", "membership, by audit, AUC %"),
    "detection": ("detection", "detection, by audit, AUC %"),
}


@dataclass(frozen=True)
class Point:
    """A trial on the map: number, of the trial; family : its method; label : "FCRM c=8"; risk, pil in per cent; kind : which
    family it is, from 0; unbeaten : whether no other one is at least as good in both and better in one; named : the risk."""

    number: int
    family: str
    label: str
    risk: float
    pil: float
    kind: int
    unbeaten: bool
    named: str = "DR"

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
        return f"{self.label}: PIL {self.pil:.1f}, {self.named} {self.risk:.1f}"


def label(trial: Trial) -> str:
    """What the trial was called, or else its method with its settings, as in "FCRM c=8"."""
    return trial.title or f"{type(trial.method).__name__} {trial.method.settings()}".rstrip()


def value(trial: Trial, key: str) -> float:
    """A measure's total, or an audit's value where there is one; NaN where it was not judged."""
    judged = candidate(trial)
    return judged[key] if key in judged.values else math.nan


def candidate(trial: Trial) -> Candidate:
    """The trial as sweep() has it."""
    return Candidate(trial.method, (trial.report,), tuple(trial.released.notes), trial.audit)


def on_the_map(trials: Iterable[Trial], risk: str = "dr") -> list[Trial]:
    """The trials whose PIL and risk are known."""
    return [trial for trial in trials if all(math.isfinite(value(trial, key)) for key in ("pil", risk))]


def points(trials: Iterable[Trial], risk: str = "dr") -> list[Point]:
    """The points of the map, in the order of trying."""
    shown = on_the_map(trials, risk)
    families = list(dict.fromkeys(type(trial.method).__name__ for trial in shown))
    unbeaten = nondominated([candidate(trial) for trial in shown], risk)
    return [
        Point(t.number, name, label(t), value(t, risk), value(t, "pil"), families.index(name), mark, RISKS[risk][0])
        for t, mark in zip(shown, unbeaten, strict=True)
        for name in [type(t.method).__name__]
    ]


def limit_from(received: object) -> float | None:
    """A limit on the risk as it was typed, None for none. Raises InvalidParameter."""
    return (
        None
        if received is None or received == ""
        else real_number("the limit on risk", "limit", received, low=0, high=100)
    )


def best_within(trials: Sequence[Trial], limit: float | None, risk: str = "dr") -> Trial | None:
    """The trial of least information loss among those that are not on hold and whose risk keeps the limit, in per cent, if
    there is one; None where no trial does."""
    shown = [t for t in on_the_map(trials, risk) if t.report.verdict.status != "hold"]
    within = [t for t in shown if limit is None or value(t, risk) <= limit]
    return min(within, key=lambda t: (value(t, "pil"), value(t, risk)), default=None)


def best_in_words(trials: Sequence[Trial], limit: float | None, risk: str = "dr") -> str:
    """The trial of least information loss in one sentence."""
    named = RISKS[risk][0]
    if not on_the_map(trials, risk):
        return f"No trial has both PIL and {named}."
    best, bound = best_within(trials, limit, risk), "" if limit is None else f" with {named} within {limit:g} %"
    if best is None:
        return f"No trial{bound} that is not on hold."
    return (
        f"Least information loss{bound}, not on hold: {label(best)} (trial {best.number}), PIL {value(best, 'pil'):.1f}, "
        f"{named} {value(best, risk):.1f}."
    )


def all_tried(trials: Sequence[Trial]) -> list[Section]:
    """The map and the table of all trials, for the internal report."""
    shown = points(trials)
    if not shown:
        return []
    rows = [{"method": p.family, "label": f"{p.number}: {p.label}", "pil": p.pil, "dr": p.risk} for p in shown]
    drawn = figure(as_png(risk_utility_map(rows, [p.unbeaten for p in shown])), "Every method tried, by PIL and DR")
    return [Section("Everything tried on this file", drawn + table(*rows_of(trials), words=3))]


def rows_of(trials: Iterable[Trial]) -> tuple[Sequence[str], list[list[str]]]:
    """Head and cells of the table of trials."""
    head = ("trial", "method", "verdict", *(key.upper() for key in MEASURED))
    return head, [
        [str(t.number), str(t.method), t.report.verdict.status, *(number(value(t, key)) for key in MEASURED)]
        for t in trials
    ]

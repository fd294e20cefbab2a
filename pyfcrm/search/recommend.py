"""recommend(): the method of least information loss within a risk limit: every candidate on one seed, nearer settings
around the best, the best on every seed, with its reasons in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..arguments import choice, real_number, whole_number
from ..constraints import parsed
from ..data import Kept, Roles, as_roles, kept_before
from ..data.strata import strata_names
from ..data.structure import require_structure
from ..engine import Engine, chosen
from ..errors import InvalidInput, InvalidParameter, MissingExtra
from ..evaluation.audit import audit
from ..evaluation.audit_result import Audit
from ..evaluation.evaluate import evaluate
from ..evaluation.report import Report
from ..methods import Method
from ..progress import Progress, still, tell
from ..protection.protect import Protected, protect
from ..rstream import RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import RISKS, Judged, Limit, Recommendation, nondominated
from .finalists import MOST_AUDITS, alarms_first, audit_words, membership_alarms, unpaired_words
from .grid import between, checked_candidates, default_grid, dial, turned
from .reasons import Change, largest_change, reasons
from .shown import on_map

# (method, seed) to the report of its release and the notes.
Judge = Callable[[Method, int | RStream], tuple[Report, tuple[str, ...]]]
ROUNDS = 3  # of refinement
AROUND = 3  # methods looked at more closely in a round
LONG_LIST = 6  # methods within the limit that are judged on every seed
ALIKE = 3  # methods that fail with one sentence
GRID_SHARE, REFINING_SHARE = 0.5, 0.75  # of the time, at which a stage gives way to the next
WEAK = "must hold methods whose random numbers cannot all be tried: this one's generator has 32 bits"


@dataclass(frozen=True)
class Task:
    """What releases are wanted of, and how. options : those that protect() and evaluate() both take; answers : weights,
    preserve, structure and missing, which only protect() takes."""

    frame: Any
    roles: Roles
    constraints: Any
    options: dict[str, Any]
    answers: dict[str, Any] = field(default_factory=dict)

    def known(self, method: Method) -> dict[str, Any]:
        """What evaluate() is told of a release: its seed is known here, and need not be guessed."""
        return {"roles": self.roles, "method": method, "guesses": 0}

    def release(self, method: Method, start: int | RStream, progress: Progress | None) -> Protected:
        """By this method, from this seed."""
        again, given = own_copy(start), {"constraints": self.constraints, **self.options, **self.answers}
        return protect(self.frame, method, self.roles, again, progress=progress, **given)

    def audit(self, method: Method, start: int | RStream, repeats: int, progress: Progress | None) -> Audit:
        """Of this method, from this seed, with so many splits."""
        given = {
            "repeats": repeats,
            "constraints": self.constraints,
            "progress": progress,
            **self.options,
            **self.answers,
        }
        return audit(self.frame, method, self.roles, own_copy(start), **given)


@dataclass
class Search:
    """A search under way; `judged` grows. judge : what makes a report; seeds : the first judges everything; risk : what
    `max_dr` is a limit on; unaudited : methods that no audit could be made of, with the reason."""

    judge: Judge
    seeds: tuple[int | RStream, ...]
    max_dr: float
    seconds: float
    progress: Progress | None = None
    judged: list[Judged] = field(default_factory=list)
    set_aside: dict[str, str] = field(default_factory=dict)
    left: int = 0  # candidates of the grid that there was no time for
    complete: bool = True
    failure: Exception | None = None
    inside: Progress | None = None  # told in the middle of the step under way
    clock: Callable[[], float] = time.monotonic
    risk: str = "dr"
    unaudited: dict[str, str] = field(default_factory=dict)
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def limit(self) -> Limit:
        """What a pick has to keep to."""
        return Limit(self.max_dr, self.risk)

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    def grid(self, candidates: list[Method]) -> None:
        """Every candidate on the first seed, until half of the time is gone; one at least."""
        for k, method in enumerate(candidates):
            if (self.judged and self.elapsed() > GRID_SHARE * self.seconds) or self._hopeless():
                self.left, self.complete = len(candidates) - k, False
                return
            self._tell(k, len(candidates), str(method))
            self._first(method)

    def require_judged(self) -> None:
        """Raises what the first candidate failed of, where none could be judged."""
        if not self.judged:
            assert self.failure is not None
            raise self.failure

    def _hopeless(self) -> bool:
        """Whether the time is gone, and several methods could not be used for one and the same reason: the file's."""
        reasons = list(self.set_aside.values())
        alike = len(reasons) >= ALIKE and len(set(reasons)) == 1
        return not self.judged and alike and self.elapsed() > self.seconds

    def refine(self) -> None:
        """Settings halfway to their neighbours, around the best within the limit and the first beyond it."""
        for _ in range(ROUNDS):
            known = [one.method for one in self.judged]
            wanted = [new for one in self._promising() for new in between(one.method, known)]
            for method in wanted:
                if self.elapsed() > REFINING_SHARE * self.seconds:
                    self.complete = False
                    return
                if method not in [one.method for one in self.judged] and str(method) not in self.set_aside:
                    self._tell(len(self.judged), len(self.judged) + len(wanted), str(method))
                    self._first(method)
            if not wanted:
                return

    def confirm(self) -> None:
        """Every seed for the best within the limit, the frontier and the least risk; the first of them in any case."""
        done = 0
        while (k := self._unconfirmed(done)) is not None:
            if done and self.elapsed() > self.seconds:
                self.complete = False
                return
            self._tell(done, done + 1, f"{self.judged[k].method}, every seed")
            self.judged[k] = self._on_every_seed(self.judged[k])
            done += 1

    def audit(self, audited: Callable[[Method], Audit]) -> None:
        """Of the pick and, while an audit raises an alarm on membership and there is time, of the next by PIL."""
        for done, one in enumerate(self.finalists()[:MOST_AUDITS]):
            if done and self.elapsed() > self.seconds:
                return
            self._tell(done, done + 1, f"{one.method}, audit")
            try:
                found = audited(one.method)
            except (InvalidInput, InvalidParameter, MissingExtra) as error:
                self.unaudited[str(one.method)] = str(error)
                continue
            self.judged[self.judged.index(one)] = replace(one, audit=found)
            if not membership_alarms(found):
                return

    def finalists(self) -> list[Judged]:
        """Those within the limit with every seed, the least mean PIL first."""
        whole = [one for one in self.judged if len(one.reports) == len(self.seeds)]
        return sorted(filter(self.limit.keeps, whole), key=self.limit.order)

    def pick(self) -> Judged | None:
        """The first of the finalists."""
        return next(iter(self.finalists()), None)

    def _unconfirmed(self, done: int) -> int | None:
        """The next to be judged on every seed: within the limit by PIL, then the rest of the frontier by DR."""
        marks = nondominated(self.judged, self.risk)
        within = [k for k, one in enumerate(self.judged) if self.limit.keeps(one)]
        within.sort(key=lambda k: self.limit.order(self.judged[k]))
        frontier = [k for k, mark in enumerate(marks) if mark]
        order = [*within[:LONG_LIST], *sorted(frontier, key=lambda k: self.judged[k][self.risk])]
        return next((k for k in order if len(self.judged[k].reports) < len(self.seeds)), None)

    def _promising(self) -> list[Judged]:
        """With a dial, one a family: those of least PIL within the limit, and those beyond it that lose less, by risk."""
        turning = [one for one in self.judged if dial(one.method) is not None]
        within = [one for one in turning if self.limit.keeps(one)]
        least = min((one["pil"] for one in self.judged if self.limit.keeps(one)), default=float("inf"))
        turning = on_map(turning, self.risk)
        beyond = [one for one in turning if not self.limit.keeps(one) and one["pil"] < least]
        best = _one_a_family(sorted(within, key=self.limit.order))[:AROUND]
        return [*best, *_one_a_family(sorted(beyond, key=lambda one: (one[self.risk], one["pil"])))[:AROUND]]

    def _first(self, method: Method) -> None:
        try:
            report, notes = self.judge(method, self.seeds[0])
        except (InvalidInput, InvalidParameter, MissingExtra) as error:
            self.set_aside[str(method)] = str(error)
            self.failure = self.failure or error
            return
        self.judged.append(Judged(method, (report,), notes))

    def _on_every_seed(self, one: Judged) -> Judged:
        rest = [self.judge(one.method, seed)[0] for seed in self.seeds[len(one.reports) :]]
        return Judged(one.method, (*one.reports, *rest), one.notes)

    def _tell(self, done: int, total: int, what: str) -> None:
        self.inside = still(self.progress, done, total, what)
        tell(self.progress, done, total, what)


def _one_a_family(ordered: list[Judged]) -> list[Judged]:
    """The first of each family of settings that differ by the dial only."""
    families = [str(turned(one.method, 1.0)) for one in ordered]
    return [one for k, one in enumerate(ordered) if families[k] not in families[:k]]


def recommend(
    frame: Any,
    roles: Roles,
    max_dr: float = 15,
    constraints: Any = None,
    seed: int | RStream | None = None,
    seconds: float = 60,
    seeds: int = 3,
    candidates: Iterable[Method] | Method | None = None,
    progress: Progress | None = None,
    *,
    missing: str = "refuse",
    strata: str | Iterable[str] | None = None,
    engine: str | Engine = "local",
    risk: str = "dr",
    audits: int = 1,
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    structure: Any = None,
) -> Recommendation:
    """Search for the release that loses the least information within a limit on disclosure risk.

    Parameters
    ----------
    frame : DataFrame or Table
        As in `protect`.
    roles : Roles
        As in `protect`.
    max_dr : float
        Per cent, which the risk must keep to with every seed.
    constraints : str or iterable of str, optional
        Kept in every release, as in `protect`.
    seed : int or RStream, optional
        Starts the seeds from which releases are judged; with None each of these is a state of the system's entropy.
    seconds : float
        When to stop looking, about: what is under way is finished, and at least one method is judged on every seed.
    seeds : int
        How many seeds the best are judged on.
    candidates : Method or iterable of Method, optional
        Methods to start from; None for a grid over the families that apply.
    progress : callable, optional
        Called with (done, of how many, what), in the middle of a step too; where it raises (Cancelled), the search
        stops.
    missing : {"refuse", "protect", "drop"}
        As in `protect`.
    strata : str or iterable of str, optional
        Each stratum is protected by itself, as in `protect`, and judged by itself, as in `evaluate`.
    engine : str or Engine
        As in `protect`.
    risk : {"dr", "dr_informed"}
        What `max_dr` is a limit on. The default is DR as the literature has it, in which limits are stated and which is
        the same whoever looks. "dr_informed" also counts what is linked by who knows the method; it is for a release
        whose method is published. The reasons tell both.
    audits : int
        How many splits the pick is audited with (see `audit`), from the first seed; where that raises an alarm on
        membership, the next by PIL too, up to three methods while there is time. Alarms are the first of the reasons. 0
        audits none.
    weights, preserve, structure : str, iterable of str or Structure, optional
        Kept in every release, as in `protect`, and in those of an audit.

    Returns
    -------
    Recommendation
        The pick, the reasons for it, and everything that was judged.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    Every candidate is judged on one seed over the dependent columns; then settings nearer to the best; then the best,
    and the frontier, on every seed. The same seed gives the same answer where time is enough for the whole search,
    which the reasons say. An audit changes no pick: it says first what speaks against it, and names the first finalist of
    which it raises no alarm on membership. DR counts what the independent columns tell anyone too, much of it where many
    values are 0: where the limit would allow a better method if it were on what a release adds to that, the reasons name it.
    """
    roles = as_roles("recommend", roles)
    max_dr = real_number("recommend", "max_dr", max_dr, low=0, high=100)
    seconds = real_number("recommend", "seconds", seconds, above=0)
    count = whole_number("recommend", "seeds", seeds, low=1, high=100)
    splits = whole_number("recommend", "audits", audits, low=0, high=1000)
    choice("recommend", "risk", risk, RISKS)
    require_structure("recommend", structure)
    limits, by = parsed("recommend", constraints), strata_names("recommend", strata, roles)
    grid = default_grid(len(roles.independent)) if candidates is None else checked_candidates(candidates)
    starts = _starts(seed, count)
    with chosen("recommend", engine) as runs:
        options = {"strata": by or None, "engine": runs}
        answers = {"weights": weights, "preserve": preserve, "structure": structure, "missing": missing}
        task = Task(frame, roles, limits, options, answers)
        search = _searching(task, starts, Limit(max_dr, risk), seconds, progress)
        search.grid(grid)
        search.require_judged()
        search.refine()
        search.confirm()
        if splits:
            search.audit(lambda method: task.audit(method, starts[0], splits, search.inside))
        inference, change = _inferred(task, search, starts[0])
    tell(progress, 1, 1, "done")
    return _concluded(search, inference, change, kept_before("recommend", frame, roles))


def _starts(seed: int | RStream | None, count: int) -> tuple[int | RStream, ...]:
    if seed is None:
        return tuple(RStream() for _ in range(count))
    return tuple(int(start) for start in as_stream(seed).sample_int(2**31 - 1, count))


def _searching(
    task: Task, starts: tuple[int | RStream, ...], limit: Limit, seconds: float, progress: Progress | None
) -> Search:
    """The search, not yet begun."""

    def judge(method: Method, start: int | RStream) -> tuple[Report, tuple[str, ...]]:
        if method.weak_generator:
            raise InvalidParameter("recommend", "candidates", WEAK, method)
        inside = search.inside
        released = task.release(method, start, inside)
        report = evaluate(
            task.frame, released.frame, progress=inside, missing="complete", **task.known(method), **task.options
        )
        return report, tuple(released.notes)

    search = Search(judge, starts, limit.most, seconds, progress, risk=limit.risk)
    return search


def _inferred(task: Task, search: Search, start: int | RStream) -> tuple[Mapping[str, float], Change | None]:
    """What X tells of the dependent columns, by key, and what the pick, if there is one, does to their relations with X."""
    roles, pick = task.roles, search.pick()
    shown = pick or next(iter(on_map(search.judged, search.risk)), None)
    if shown is None or not roles.independent:
        return {}, None
    released = task.release(shown.method, start, search.inside)
    asked = {"independent": roles.independent, "seed": own_copy(start), "progress": search.inside, **task.options}
    asked |= {"missing": "complete"}
    report = evaluate(task.frame, released.frame, roles.dependent, ["dbrl", "prl", "id", "dr"], **asked)
    return report.inference, None if pick is None else largest_change(task.frame, released.frame, roles)


def _concluded(search: Search, inference: Mapping[str, float], change: Change | None, kept: Kept) -> Recommendation:
    pick, took = search.pick(), search.elapsed()
    at_risk = on_map(search.judged, search.risk)
    if not at_risk:
        rule = f"must hold a method whose records pair with the original's: these have no {RISKS[search.risk]}"
        raise InvalidParameter("recommend", "candidates", rule, str(search.judged[0].method))
    least = min(at_risk, key=lambda one: (one[search.risk], one["pil"]))
    said = reasons(
        pick,
        least,
        at_risk,
        limit=search.limit,
        seeds=len(search.seeds),
        inference=inference,
        search=_searched(search, took),
        change=change,
    )
    if pick is not None:
        why = audit_words(pick, search.finalists(), search.unaudited)
        said = (*alarms_first(pick), *said[:-1], *why, said[-1])
    unpaired = unpaired_words([one for one in search.judged if one not in at_risk])
    said = (*said[:-1], *unpaired, said[-1])
    if kept.too_many:  # said before any method is, as no method mends it; where none is, before the search
        told = kept.sentences()[:2]
        said = (*said[:-1], *told, said[-1]) if pick is None else (*told, *said)
    judged, aside = tuple(search.judged), dict(search.set_aside)
    return Recommendation(
        pick, least, said, judged, search.max_dr, search.complete, took, aside, search.seeds, kept, search.risk
    )


def _searched(search: Search, took: float) -> str:
    aside = f" {len(search.set_aside)} could not be used on this file." if search.set_aside else ""
    if search.complete:
        return f"The whole search was made, in {took:.0f} s.{aside}"
    left = f"; {search.left} candidates of the grid were not tried" if search.left else ""
    return f"The search stopped after {took:.0f} s, before it was complete{left}: more seconds may find better.{aside}"

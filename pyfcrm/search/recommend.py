"""recommend(): the method of least information loss whose releases pass the verdict.

One seed searches, fresh seeds measure: figures of the seed that chose a method flatter it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..constraints import parsed
from ..data import Frame, Roles, as_roles
from ..data.source import open_data
from ..data.strata import strata_names
from ..data.structure import require_structure
from ..engine import Engine, chosen
from ..errors import InvalidInput, InvalidParameter, MissingExtra, Note
from ..evaluation.audit_result import Audit
from ..evaluation.evaluate import evaluate_release
from ..evaluation.evidence import FALSE_ALARMS
from ..evaluation.references import KnownReferences
from ..evaluation.release_facts import audit_of, release_facts
from ..evaluation.report import Report
from ..evaluation.verdict import Test, Verdict
from ..methods import Method
from ..plans.limits import LIMITS, Limits
from ..progress import Progress, report_progress, within
from ..protection.protect import Protected, protect
from ..rstream import R_INTEGER, RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import ATTRIBUTABLE, Candidate, FilePath, limits_of
from .grid import between, checked_candidates, default_grid, dial, family
from .reasons import reasons
from .recommendation import Recommendation

FRESH_SEEDS = 5
ROUNDS = 2  # of refinement
REFINED = 3  # families that are refined in a round, on each side of the limits
BATCH, BATCHES = 4, 3  # methods that are measured on fresh seeds together, and how often where none qualifies
PHASES = 3  # of progress: grid, refinement, fresh seeds
BY_PARAMETER = {"unprotected", "risk", "linkage", "range"}  # tests that another value of a parameter may pass
Unusable = (InvalidInput, InvalidParameter, MissingExtra)


@dataclass(frozen=True)
class Task:
    """What is the same for every candidate: the file, roles and limits. options : of protect()."""

    frame: Any
    original: Frame
    roles: Roles
    limits: Limits
    options: Mapping[str, Any]
    engine: Engine
    references: KnownReferences = field(default_factory=dict)

    def candidate(self, method: Method, starts: Sequence[RStream], progress: Progress | None) -> Candidate:
        """A method with the reports of its releases, one from each start."""
        reports, notes = list[Report](), tuple[Note, ...]()
        for k, start in enumerate(starts):
            part = within(progress, k, len(starts))
            released = self._release(method, start, within(part, 0, 2))
            reports.append(self._report(released, within(part, 1, 2)))
            notes = notes or tuple(released.notes)
        return Candidate(method, reports[0], notes, further=tuple(reports[1:]))

    def audited(self, candidate: Candidate, start: RStream, progress: Progress | None) -> Candidate:
        """The candidate with the audit in the verdicts of its releases. start : of the first of them."""
        released = self._release(candidate.method, start, within(progress, 0, 3))
        facts = release_facts(released, None, None, None)
        audit = audit_of(True, self.original, facts, self.engine, within(progress, 1, 3))
        report = self._report(released, within(progress, 2, 3), audit)
        further = tuple(
            replace(one, verdict=_with_test(one.verdict, report.verdict["audit"])) for one in candidate.further
        )
        return replace(candidate, report=report, further=further, audit=audit)

    def _release(self, method: Method, start: RStream, progress: Progress | None) -> Protected:
        return protect(
            self.frame, method, self.roles, start.copy(), engine=self.engine, progress=progress, **self.options
        )

    def _report(self, released: Protected, progress: Progress | None, audit: Audit | None = None) -> Report:
        facts = replace(release_facts(released, None, None, None), limits=self.limits, audit=audit)
        strata = self.options["strata"] or ()
        return evaluate_release(self.original, facts, self.engine, progress, self.references, strata=strata)


def held_for_audits(candidate: Candidate, earlier: int) -> Candidate:
    """The candidate, held where attacks stand out at 1 + `earlier` times the level of one audit.

    earlier : audits of other candidates: the more are made, the sooner a method that discloses members passes one by chance.
    """
    level = (1 + earlier) * FALSE_ALARMS
    if candidate.audit is None or candidate.audit.alarms or candidate.audit.p_value > level:
        return candidate
    reason = f"{1 + earlier} methods were audited: an attack stands out at {100 * level:.0f} %"
    test = Test("audit", "hold", reason, (1.0,), (0.0,), LIMITS["audit"].unit)
    first, *further = (replace(one, verdict=_with_test(one.verdict, test)) for one in candidate.reports)
    return replace(candidate, report=first, further=tuple(further))


def _with_test(verdict: Verdict, test: Test) -> Verdict:
    """The verdict with another outcome of one test."""
    return replace(verdict, tests=tuple(test if one.key == test.key else one for one in verdict.tests))


def failed(candidate: Candidate) -> list[Test]:
    """The tests that a candidate does not pass."""
    return [test for test in candidate.verdict.tests if test.status in ("hold", "not examined")]


def passes_so_far(candidate: Candidate) -> bool:
    """Whether only the audit may still fail: it is run last, being the dearest."""
    return all(test.key == "audit" and test.status == "not examined" for test in failed(candidate))


def loss(candidate: Candidate) -> tuple[float, float]:
    """By which of two acceptable candidates one is better."""
    return candidate["pil"], candidate[ATTRIBUTABLE]


def distance(candidate: Candidate) -> tuple[int, float, float]:
    """How far a candidate is from passing: failed tests, the largest multiple of a limit, information loss."""
    tests = failed(candidate)
    over = [value / max(most, 1.0) for test in tests for value, most in zip(test.found, test.limit, strict=True)]
    return len(tests), max(over, default=0.0), candidate["pil"]


@dataclass
class Search:
    """A search under way. search_seed : of all candidates; fresh : of the shortlist; audits : made so far."""

    task: Task
    search_seed: RStream
    fresh: tuple[RStream, ...]
    tried: list[Candidate] = field(default_factory=list)
    shortlist: list[Candidate] = field(default_factory=list)
    set_aside: dict[str, str] = field(default_factory=dict)
    audits: int = 0

    def grid(self, methods: Sequence[Method], progress: Progress | None) -> None:
        """Every method on the search's seed. Raises what the first one failed of, where none can be used."""
        failure: Exception | None = None
        for k, method in enumerate(methods):
            try:
                self.tried.append(self._first(method, within(progress, k, len(methods), str(method))))
            except Unusable as error:
                self.set_aside[str(method)], failure = str(error), failure or error
        if not self.tried and failure is not None:
            raise failure

    def refine(self, progress: Progress | None) -> None:
        """Parameters halfway to their neighbours, around the best within the limits and the first beyond them."""
        for k in range(ROUNDS):
            known = [one.method for one in self.tried]
            wanted = [new for one in self._promising() for new in between(one.method, known)]
            methods = [method for j, method in enumerate(wanted) if method not in (*known, *wanted[:j])]
            if methods := [method for method in methods if str(method) not in self.set_aside]:
                self.grid(methods, within(progress, k, ROUNDS))

    def choose(self, progress: Progress | None) -> Candidate | None:
        """The best: of least loss on fresh seeds, among those that pass there, audit included."""
        for k in range(BATCHES):
            part = within(progress, k, BATCHES)
            batch = self._batch()
            for j, one in enumerate(batch):
                self._confirm(one, within(part, j, 2 * len(batch), f"{one.method}, fresh seeds"))
            best = self._first_without_alarm(
                sorted(filter(passes_so_far, self.shortlist), key=loss), within(part, 1, 2)
            )
            if best is not None or not batch:
                return best
        return None

    def least_risk(self, best: Candidate, progress: Progress | None) -> Candidate | None:
        """The candidate of least attributable risk that loses little more than the best, where the risk differs clearly."""
        noise = best.spread(ATTRIBUTABLE)
        within_loss = [one for one in self.shortlist if passes_so_far(one) and one["pil"] <= most_loss(best["pil"])]
        less = [one for one in within_loss if one[ATTRIBUTABLE] < best[ATTRIBUTABLE] - noise]
        return self._first_without_alarm(sorted(less, key=lambda one: (one[ATTRIBUTABLE], one["pil"])), progress)

    def nearest(self, progress: Progress | None) -> tuple[Candidate, ...]:
        """The two candidates that miss the verdict by least, on fresh seeds."""
        pool = [*self.shortlist, *self._unconfirmed(self.tried)]
        methods = [one.method for one in sorted(pool, key=distance)[:2]]
        for k, one in enumerate(self._unconfirmed(self.tried)):
            if one.method in methods:
                self._confirm(one, within(progress, k, len(self.tried)))
        return tuple(sorted((one for one in self.shortlist if one.method in methods), key=distance))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All, those of the shortlist with their figures from fresh seeds."""
        confirmed = {str(one.method): one for one in self.shortlist}
        return tuple(confirmed.get(str(one.method), one) for one in self.tried)

    def _first(self, method: Method, progress: Progress | None) -> Candidate:
        return self.task.candidate(method, (self.search_seed,), progress)

    def _confirm(self, one: Candidate, progress: Progress | None) -> None:
        """Adds a candidate to the shortlist, measured on fresh seeds."""
        try:
            self.shortlist.append(self.task.candidate(one.method, self.fresh, progress))
        except Unusable as error:
            self.set_aside[str(one.method)] = str(error)

    def _first_without_alarm(self, ordered: Sequence[Candidate], progress: Progress | None) -> Candidate | None:
        """The first that passes its audit, which is run where it applies and there is none yet."""
        for k, one in enumerate(ordered):
            result = one
            if not one.verdict.ok:
                part = within(progress, k, len(ordered), f"{one.method}, audit")
                try:
                    result = held_for_audits(self.task.audited(one, self.fresh[0], part), self.audits)
                    self.audits += 1
                except Unusable as error:
                    self.set_aside[str(one.method)] = str(error)
                self.shortlist[self.shortlist.index(one)] = result
            if result.verdict.ok:
                return result
        return None

    def _batch(self) -> list[Candidate]:
        """The next to be measured on fresh seeds: one of each family by loss, and the least risk within the loss."""
        left = sorted(filter(passes_so_far, self._unconfirmed(self.tried)), key=loss)
        batch = _one_a_family(left)[:BATCH]
        if batch:
            near = [one for one in left if one["pil"] <= most_loss(batch[0]["pil"])]
            calmest = min(near, key=lambda one: (one[ATTRIBUTABLE], one["pil"]))
            batch += [calmest] if calmest not in batch else []
        return batch

    def _unconfirmed(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        done = {str(one.method) for one in self.shortlist} | {*self.set_aside}
        return [one for one in candidates if str(one.method) not in done]

    def _promising(self) -> list[Candidate]:
        """One a family: those of least loss within the limits, and by risk those beyond them that lose less."""
        turning = [one for one in self.tried if dial(one.method) is not None]
        within_limits = sorted(filter(passes_so_far, turning), key=loss)
        least = min((one["pil"] for one in self.tried if passes_so_far(one)), default=float("inf"))
        beyond = [
            one
            for one in turning
            if one["pil"] < least and {test.key for test in failed(one) if test.key != "audit"} & BY_PARAMETER
        ]
        beyond.sort(key=lambda one: (len(failed(one)), one[ATTRIBUTABLE], one["pil"]))
        return [*_one_a_family(within_limits)[:REFINED], *_one_a_family(beyond)[:REFINED]]


def most_loss(least: float) -> float:
    """The largest PIL that is little more than the least: twice it, or two points more."""
    return max(2 * least, least + 2)


def _one_a_family(ordered: Sequence[Candidate]) -> list[Candidate]:
    """The first of each family of methods that differ by the value of one parameter only."""
    families = [family(one.method) for one in ordered]
    return [one for k, one in enumerate(ordered) if families[k] not in families[:k]]


def recommend(
    frame: Any,
    roles: Roles,
    limits: Mapping[str, Any] | FilePath | None = None,
    max_dr: float | None = None,
    constraints: Any = None,
    seed: int | RStream | None = None,
    *,
    candidates: Iterable[Method] | Method | None = None,
    progress: Progress | None = None,
    missing: str = "refuse",
    strata: str | Iterable[str] | None = None,
    engine: str | Engine = "local",
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    structure: Any = None,
) -> Recommendation:
    """Search for the method that loses the least information among those whose releases pass the verdict.

    Parameters
    ----------
    frame : DataFrame or Table
        As in `protect`.
    roles : Roles
        As in `protect`.
    limits : mapping or path, optional
        Limits of the verdict that differ from the default, as in `evaluate`.
    max_dr : float, optional
        Short for limits={"dr": ...}, per cent.
    constraints : str or iterable of str, optional
        Kept in every release, as in `protect`.
    seed : int or RStream, optional
        Starts the search's seed and the fresh seeds; None takes the system's entropy. The verdict's test "seed" is made as if
        each release came from fresh entropy, as yours should.
    candidates : Method or iterable of Method, optional
        Methods to start from; None for a grid over the families that apply.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the search stops.
    missing : {"refuse", "protect", "drop"}
        As in `protect`.
    strata : str or iterable of str, optional
        Each stratum is protected by itself, as in `protect`, and judged by itself, as in `evaluate`.
    engine : str or Engine
        As in `protect`.
    weights, preserve, structure : str, iterable of str or Structure, optional
        Kept in every release, as in `protect`, and in those of an audit.

    Returns
    -------
    Recommendation
        The best method, or the nearest ones and the tests that they fail.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    Every candidate is judged on one seed; then parameters halfway to their neighbours, in two rounds. The best of each
    family that pass are measured on five fresh seeds, which the search has not used, and all figures are means over these.
    The choice is the least mean PIL among those whose verdict is "pass" on every fresh seed, audit included; the k-th audit
    holds at k times the level of one. No clock limits the search: the same seed gives the same answer on every machine.
    """
    roles = as_roles("recommend", roles)
    changed = limits_of("recommend", limits, max_dr)
    require_structure("recommend", structure)
    by = strata_names("recommend", strata, roles)
    methods = default_grid(len(roles.independent)) if candidates is None else checked_candidates(candidates)
    options: dict[str, Any] = {
        "constraints": parsed("recommend", constraints),
        "missing": missing,
        "strata": by or None,
    }
    options |= {"weights": weights, "preserve": preserve, "structure": structure}
    first, *fresh = _starts(seed)
    with chosen("recommend", engine) as runs:
        task = Task(frame, open_data("recommend", frame, whole=True), roles, changed, options, runs)
        search = Search(task, _as_fresh(first), tuple(map(_as_fresh, fresh)))
        search.grid(methods, within(progress, 0, PHASES))
        search.refine(within(progress, 1, PHASES))
        last = within(progress, 2, PHASES)
        best = search.choose(within(last, 0, 2))
        second = None if best is None else search.least_risk(best, within(last, 1, 2))
        nearest = () if best is not None else search.nearest(within(last, 1, 2))
    report_progress(progress, 1, 1, "done")
    shortlist = tuple(search.shortlist)
    sentences = reasons(best, second, nearest, search.candidates, shortlist, len(search.set_aside))
    return Recommendation(
        best, second, nearest, sentences, search.candidates, shortlist, dict(search.set_aside), tuple(fresh), changed
    )


def _starts(seed: int | RStream | None) -> list[int | RStream]:
    """The search's seed, then the fresh ones."""
    count = 1 + FRESH_SEEDS
    if seed is None:
        return [RStream() for _ in range(count)]
    return [int(start) for start in as_stream(seed).sample_int(R_INTEGER, count)]


def _as_fresh(start: int | RStream) -> RStream:
    """A stream that counts as fresh entropy: these releases are measured, never released."""
    stream = RStream(start) if isinstance(start, int) else own_copy(start)
    stream.seed, stream.fresh = None, True
    return stream

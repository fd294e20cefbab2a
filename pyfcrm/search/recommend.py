"""recommend(): the method of least information loss whose releases pass the verdict.

One seed searches, fresh seeds measure: figures of the seed that chose a method flatter it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..data import Roles, as_roles, is_numeric, open_data, require_columns
from ..engine import Engine, chosen
from ..errors import InvalidInput, InvalidParameter
from ..evaluation.auditing.audit_statistics import ALARM_LEVEL
from ..evaluation.domains import SMALL_CHANGE
from ..evaluation.evaluate_request import EvaluateRequest
from ..evaluation.verdict.decision import Status, test_of
from ..files.paths import Path
from ..methods import Procedure
from ..plans.limits import Limits
from ..progress import Progress, report_progress, within
from ..protection.options import Options
from ..protection.request import release_options
from ..rstream import R_INTEGER, RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import ATTRIBUTABLE, Candidate, limits_of, tests_of
from .grid import checked_methods, default_grid, family
from .recommendation import Recommendation, reasons
from .sweep import Task, with_test

FRESH_SEEDS = 5
BATCH, BATCHES = 4, 3  # methods that are measured on fresh seeds together, and how often where none qualifies
PHASES = 3  # of progress: grid, fresh seeds, least risk
ALIKE = 0.5  # difference in loss that draws explain
FAILED: tuple[Status, ...] = ("hold", "not examined")


def held_for_audits(candidate: Candidate, earlier: int, limits: Limits) -> Candidate:
    """The candidate, held where attacks stand out at 1 + `earlier` times the level of one audit.

    earlier : audits of other candidates: the more are made, the sooner a method that discloses members passes one by chance.
    """
    level = (1 + earlier) * ALARM_LEVEL
    if candidate.audit is None or candidate.audit.alarms or candidate.audit.p_value > level:
        return candidate
    reason = f"{1 + earlier} methods were audited: an attack stands out at {100 * level:.0f} %"
    test = test_of("audit", (1.0,), limits, reason)
    return replace(candidate, reports=tuple(with_test(report, test) for report in candidate.reports))


def passes_so_far(candidate: Candidate) -> bool:
    """Whether only the audit may still fail: it is run last, as the slowest test."""
    return {(test.key, test.status) for test in tests_of(candidate, *FAILED)} <= {("audit", "not examined")}


def loss(candidate: Candidate) -> tuple[bool, float, float]:
    """The order of acceptable candidates: whether the means of groups change, then loss, then risk."""
    return candidate.group_change > SMALL_CHANGE, candidate.loss, candidate[ATTRIBUTABLE]


def risk_and_loss(candidate: Candidate) -> tuple[float, float]:
    """Attributable risk, then loss."""
    return candidate[ATTRIBUTABLE], candidate.loss


def distance(candidate: Candidate) -> tuple[int, float, tuple[bool, float, float]]:
    """The distance of a candidate from passing: number of failed tests, largest multiple of a limit, loss."""
    tests = tests_of(candidate, *FAILED)
    over = [value / max(most, 1.0) for test in tests for value, most in zip(test.found, test.limit, strict=True)]
    return len(tests), max(over, default=0.0), loss(candidate)


def little_more(candidate: Candidate, least: Candidate) -> bool:
    """Whether a candidate loses little more than the one of least loss: at most twice as much, or two points more."""
    most = max(2 * least.loss, least.loss + 2)
    return loss(candidate)[0] <= loss(least)[0] and candidate.loss <= most


@dataclass
class Search:
    """A search under way.

    search_seed : of all candidates; fresh : of the shortlist; tried, shortlist, set_aside : by method, as text; audits : made
    so far.
    """

    task: Task
    search_seed: RStream
    fresh: tuple[RStream, ...]
    tried: dict[str, Candidate] = field(default_factory=dict)
    shortlist: dict[str, Candidate] = field(default_factory=dict)
    set_aside: dict[str, Exception] = field(default_factory=dict)
    audits: int = 0

    def run(
        self, lists: Sequence[Sequence[Procedure]], progress: Progress | None
    ) -> tuple[Candidate | None, Candidate | None, tuple[Candidate, ...]]:
        """The best and the one of least risk; where no method of any list qualifies, the nearest."""
        for k, methods in enumerate(lists):
            part = within(progress, k, len(lists))
            self.measure(methods, within(part, 0, PHASES))
            best = self.choose(within(part, 1, PHASES))
            if best is not None:
                return best, self.least_risk(best, within(part, 2, PHASES)), ()
        if not self.tried:
            raise next(iter(self.set_aside.values()))
        return None, None, self.nearest(within(progress, PHASES * len(lists) - 1, PHASES * len(lists)))

    def measure(self, methods: Iterable[Procedure], progress: Progress | None, *, fresh: bool = False) -> None:
        """Adds each method's candidate on the search's seed, or on the fresh ones, or why it cannot be used on this file."""
        into, starts = (self.shortlist, self.fresh) if fresh else (self.tried, (self.search_seed,))
        by_name = {str(method): method for method in methods}
        for k, (name, method) in enumerate(by_name.items()):
            part = within(progress, k, len(by_name), f"{name}, fresh seeds" if fresh else name)
            try:
                into[name] = self.task.candidate(method, starts, part)
            except (InvalidInput, InvalidParameter) as error:
                self.set_aside[name] = error

    def choose(self, progress: Progress | None) -> Candidate | None:
        """The best: of least loss on fresh seeds, among those that pass there, audit included."""
        for k in range(BATCHES):
            part = within(progress, k, BATCHES)
            batch = self._batch()
            self.measure((candidate.method for candidate in batch), within(part, 0, 2), fresh=True)
            passing = self._ordered(filter(passes_so_far, self.shortlist.values()))
            best = self._first_without_alarm(passing, within(part, 1, 2))
            if best is not None or not batch:
                return best
        return None

    def least_risk(self, best: Candidate, progress: Progress | None) -> Candidate | None:
        """The candidate of least attributable risk that loses little more than the best, where the risk differs clearly."""
        clearly = best[ATTRIBUTABLE] - best.spread(ATTRIBUTABLE)
        near = [c for c in self.shortlist.values() if passes_so_far(c) and little_more(c, best)]
        less = sorted((c for c in near if c[ATTRIBUTABLE] < clearly), key=risk_and_loss)
        return self._first_without_alarm(less, progress)

    def nearest(self, progress: Progress | None) -> tuple[Candidate, ...]:
        """The two candidates that miss the verdict by least, on fresh seeds."""
        left = self._unconfirmed()
        names = [str(candidate.method) for candidate in sorted([*self.shortlist.values(), *left], key=distance)[:2]]
        methods = (candidate.method for candidate in left if str(candidate.method) in names)
        self.measure(methods, progress, fresh=True)
        return tuple(sorted((each for name, each in self.shortlist.items() if name in names), key=distance))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All, those of the shortlist with their figures from fresh seeds."""
        return tuple((self.tried | self.shortlist).values())

    def _ordered(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Candidates by loss. Those whose loss exceeds the first one's by no more than chance are in the order tried."""
        ordered = sorted(candidates, key=loss)
        alike = [c for c in ordered if loss(c)[0] == loss(ordered[0])[0] and c.loss <= ordered[0].loss + ALIKE]
        order = list(self.tried)
        return sorted(alike, key=lambda c: order.index(str(c.method))) + ordered[len(alike) :]

    def _first_without_alarm(self, ordered: Sequence[Candidate], progress: Progress | None) -> Candidate | None:
        """The first that passes its audit, which is run where it applies and there is none yet."""
        for k, candidate in enumerate(ordered):
            result = candidate
            if not candidate.verdict.ok:
                audited = self.task.audited(candidate, within(progress, k, len(ordered), f"{candidate.method}, audit"))
                result = held_for_audits(audited, self.audits, self.task.request.limits)
                self.audits += 1
                self.shortlist[str(candidate.method)] = result
            if result.verdict.ok:
                return result
        return None

    def _batch(self) -> list[Candidate]:
        """The next to be measured on fresh seeds, among those that lose little more than the best: one of each family
        by loss, and that of least risk."""
        left = sorted(filter(passes_so_far, self._unconfirmed()), key=loss)
        near = [candidate for candidate in left if little_more(candidate, left[0])]
        families = [family(candidate.method) for candidate in near]
        batch = [candidate for k, candidate in enumerate(near) if families[k] not in families[:k]][:BATCH]
        return batch + [safest for safest in sorted(near, key=risk_and_loss)[:1] if safest not in batch]

    def _unconfirmed(self) -> list[Candidate]:
        return [each for name, each in self.tried.items() if name not in {*self.shortlist, *self.set_aside}]


def run_recommend(
    frame: Any,
    roles: Roles,
    seed: int | RStream | None,
    options: Options,
    *,
    limits: Mapping[str, Any] | Path | None = None,
    max_dr: float | None = None,
    candidates: Iterable[Procedure] | Procedure | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Recommendation:
    """The recommendation for a file, as recommend() has it. Raises InvalidInput or InvalidParameter."""
    roles = as_roles("recommend", roles)
    changed = limits_of("recommend", limits, max_dr)
    listed = None if candidates is None else checked_methods("recommend", "candidates", candidates, "keys")
    checked = release_options("recommend", roles, options)
    first, *fresh = _starts(seed, 1 + FRESH_SEEDS)
    with chosen("recommend", engine) as runs:
        source = open_data("recommend", frame, whole=True)
        require_columns("recommend", source, roles.dependent)
        numbers = any(is_numeric(source, name) for name in roles.dependent)
        task = Task(source, EvaluateRequest(roles=roles, options=checked, limits=changed, engine=runs))
        search = Search(task, _as_fresh(first), tuple(map(_as_fresh, fresh)))
        lists = default_grid(len(roles.independent), numbers=numbers) if listed is None else (listed,)
        best, second, nearest = search.run(lists, progress)
    report_progress(progress, 1, 1, "done")
    shortlist = tuple(search.shortlist.values())
    set_aside = {method: str(error) for method, error in search.set_aside.items()}
    result = Recommendation(
        best=best,
        second=second,
        nearest=nearest,
        reasons=(),
        candidates=search.candidates,
        seeds=tuple(fresh),
        shortlist=shortlist,
        set_aside=set_aside,
        limits=changed,
    )
    return replace(result, reasons=reasons(result))


def _starts(seed: int | RStream | None, count: int) -> list[int] | list[RStream]:
    """Integers drawn from a seed, or streams of fresh entropy."""
    if seed is None:
        return [RStream() for _ in range(count)]
    return [int(start) for start in as_stream(seed).sample_int(R_INTEGER, count)]


def _as_fresh(start: int | RStream) -> RStream:
    """A stream that counts as fresh entropy: these releases are measured, never released."""
    stream = as_stream(own_copy(start))
    stream.seed, stream.fresh = None, True
    return stream

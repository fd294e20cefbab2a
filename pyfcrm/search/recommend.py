"""recommend(): the method whose releases pass the verdict and of which users lose least.

One seed searches, fresh seeds measure: figures of the seed that chose a method flatter it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..data import Roles, as_roles, is_numeric, open_data, require_columns
from ..engine import Engine, chosen
from ..errors import InvalidInput, InvalidParameter
from ..evaluation.auditing.audit_result import ALARM_LEVEL
from ..evaluation.evaluate_request import EvaluateRequest
from ..evaluation.verdict.attack_tests import OF_AUDIT
from ..evaluation.verdict.decision import Status
from ..evaluation.verdict.outcomes import Measured
from ..evaluation.verdict.release_tests import test_from
from ..files.paths import Path
from ..methods import Procedure
from ..plans.limits import Limits
from ..progress import Progress, discard, report_progress, within
from ..protection.options import Options
from ..protection.request import release_options
from ..rstream import R_INTEGER, RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import ATTRIBUTABLE, Candidate, limits_of, tests_of
from .grid import checked_methods, default_grid, family
from .recommendation import FILE_TESTS, Recommendation, reasons
from .sweep import Task, with_test

FRESH_SEEDS = 5
BATCH = 4  # methods that are measured on fresh seeds together
BATCHES = 3  # how many batches are measured, where no method of the earlier ones qualifies
PHASES = 3  # of progress: grid, fresh seeds, least risk
ALIKE = 0.1  # relative difference in loss that draws explain
LITTLE_MORE = 0.5  # standard errors: a loss that exceeds the least by no more is little more
FAILED: tuple[Status, ...] = ("hold", "not examined")


def held_for_audits(candidate: Candidate, earlier: int, limits: Limits) -> Candidate:
    """The candidate, held where large attacks stand out at 1 + `earlier` times the level of one audit.

    earlier : audits of other candidates: the more are made, the sooner a method that discloses members passes one by chance.
    Attacks that are not large are no alarm at any level: in long files all are significant.
    """
    level = (1 + earlier) * ALARM_LEVEL
    if candidate.audit is None or candidate.audit.alarms or candidate.audit.p_of_large > level:
        return candidate
    reason = f"{1 + earlier} methods were audited: a large attack stands out at {100 * level:.0f} %"
    test = test_from("audit", Measured((1.0,), reason), limits)
    return replace(candidate, reports=tuple(with_test(report, test) for report in candidate.reports))


def passes_so_far(candidate: Candidate) -> bool:
    """Whether only tests that an audit decides may still fail: it is run last, as the slowest."""
    failed = tests_of(candidate, *FAILED)
    return all(test.key in OF_AUDIT and test.status == "not examined" for test in failed)


def fails_for_the_file(candidate: Candidate) -> bool:
    """Whether a test of the columns released unchanged fails, as it does with every method of the default lists."""
    return any(test.key in FILE_TESTS for test in tests_of(candidate, "hold"))


def loss(candidate: Candidate) -> tuple[float, float]:
    """The order of acceptable candidates: by what users lose, then by risk."""
    return candidate.loss, candidate[ATTRIBUTABLE]


def risk_and_loss(candidate: Candidate) -> tuple[float, float]:
    """Attributable risk, then loss."""
    return candidate[ATTRIBUTABLE], candidate.loss


def distance(candidate: Candidate) -> tuple[int, float, tuple[float, float]]:
    """The distance of a candidate from passing: number of failed tests, largest multiple of a limit, loss."""
    failed = tests_of(candidate, *FAILED)
    multiples = [
        value / max(limit, 1.0)  # limits below 1, such as 0, count as 1
        for test in failed
        for value, limit in zip(test.found, test.limit, strict=False)  # what was not measured has limits only
    ]
    return len(failed), max(multiples, default=0.0), loss(candidate)


def little_more(candidate: Candidate, least: Candidate) -> bool:
    """Whether a candidate loses little more than the one of least loss: at most twice as much, or half a standard error more."""
    return candidate.loss <= max(2 * least.loss, least.loss + LITTLE_MORE)


@dataclass
class Search:
    """The state of a search."""

    task: Task
    """The file and what is the same for every candidate."""
    search_seed: RStream
    """The start of the one release of each method that is tried."""
    fresh: tuple[RStream, ...]
    """The starts of the releases of each method of the shortlist."""
    tried: dict[str, Candidate] = field(default_factory=dict)
    """The candidate of each method (its text) on the search's seed."""
    shortlist: dict[str, Candidate] = field(default_factory=dict)
    """The candidate of each method on the fresh seeds."""
    set_aside: dict[str, Exception] = field(default_factory=dict)
    """The error of each method that cannot be used on this file."""
    untried: tuple[str, ...] = ()
    """The methods (their texts) that were not tried, as each would fail a test that the file fails with any method."""
    audits: int = 0
    """Number of candidates that were audited."""
    found: Callable[[Candidate], object] = discard
    """Receives each candidate when it was measured."""

    def run(
        self, lists: Sequence[Sequence[Procedure]], progress: Progress | None
    ) -> tuple[Candidate | None, Candidate | None, tuple[Candidate, ...]]:
        """The best candidate, that of least risk, and none; or, where no method of any list qualifies, the nearest.

        lists : of methods; one is tried where none of the list before qualifies, unless all fail for the file.
        """
        for k, methods in enumerate(lists):
            part = within(progress, k, len(lists))
            self.measure(methods, within(part, 0, PHASES))
            best = self.choose(within(part, 1, PHASES))
            if best is not None:
                return best, self.least_risk(best, within(part, 2, PHASES)), ()
            if self.tried and all(map(fails_for_the_file, self.tried.values())):
                self.untried = tuple(str(method) for later in lists[k + 1 :] for method in later)
                break
        if not self.tried:
            raise next(iter(self.set_aside.values()))
        return None, None, self.nearest(within(progress, PHASES * len(lists) - 1, PHASES * len(lists)))

    def measure(self, methods: Iterable[Procedure], progress: Progress | None, *, fresh: bool = False) -> None:
        """Add each method's candidate, on the search's seed or on the fresh ones, or why it cannot be used on this file."""
        candidates = self.shortlist if fresh else self.tried
        starts = self.fresh if fresh else (self.search_seed,)
        by_name = {str(method): method for method in methods}
        for k, (name, method) in enumerate(by_name.items()):
            label = f"{k + 1} of {len(by_name)}: {name}"
            part = within(progress, k, len(by_name), f"{label}, fresh seeds" if fresh else label)
            try:
                candidates[name] = self.task.candidate(method, starts, part)
                self.found(candidates[name])
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
        clearly_less = best[ATTRIBUTABLE] - best.spread(ATTRIBUTABLE)
        near = [c for c in self.shortlist.values() if passes_so_far(c) and little_more(c, best)]
        of_less_risk = sorted((c for c in near if c[ATTRIBUTABLE] < clearly_less), key=risk_and_loss)
        return self._first_without_alarm(of_less_risk, progress)

    def nearest(self, progress: Progress | None) -> tuple[Candidate, ...]:
        """The two candidates that miss the verdict by least, on fresh seeds."""
        unconfirmed = self._unconfirmed()
        by_distance = sorted([*self.shortlist.values(), *unconfirmed], key=distance)
        names = [str(candidate.method) for candidate in by_distance[:2]]
        methods = (candidate.method for candidate in unconfirmed if str(candidate.method) in names)
        self.measure(methods, progress, fresh=True)
        confirmed = [candidate for name, candidate in self.shortlist.items() if name in names]
        return tuple(sorted(confirmed, key=distance))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates, those of the shortlist with their figures from fresh seeds."""
        return tuple((self.tried | self.shortlist).values())

    def _ordered(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Candidates by loss. Those whose loss exceeds the first one's by no more than chance are in the order tried."""
        by_loss = sorted(candidates, key=loss)
        if not by_loss:
            return []
        alike = [c for c in by_loss if c.loss <= (1 + ALIKE) * by_loss[0].loss]
        order = list(self.tried)
        alike_as_tried = sorted(alike, key=lambda c: order.index(str(c.method)))
        return alike_as_tried + by_loss[len(alike) :]

    def _first_without_alarm(self, ordered: Sequence[Candidate], progress: Progress | None) -> Candidate | None:
        """The first candidate that passes its audit, which is run where it applies and there is none yet."""
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
        """The candidates to be measured next on fresh seeds, among those that lose little more than the best.

        These are one of each family by loss, BATCH at most, and that of least risk.
        """
        by_loss = sorted(filter(passes_so_far, self._unconfirmed()), key=loss)
        near = [candidate for candidate in by_loss if little_more(candidate, by_loss[0])]
        if not near:
            return []
        first_of_family: dict[str, Candidate] = {}
        for candidate in near:
            first_of_family.setdefault(family(candidate.method), candidate)
        batch = list(first_of_family.values())[:BATCH]
        safest = min(near, key=risk_and_loss)
        return batch if safest in batch else [*batch, safest]

    def _unconfirmed(self) -> list[Candidate]:
        """The candidates that were tried and neither measured on fresh seeds nor set aside."""
        confirmed = {*self.shortlist, *self.set_aside}
        return [candidate for name, candidate in self.tried.items() if name not in confirmed]


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
    found: Callable[[Candidate], object] = discard,
) -> Recommendation:
    """The recommendation for a file, as recommend() has it; found : receives each candidate when it was measured.

    Raises InvalidInput or InvalidParameter.
    """
    roles = as_roles("recommend", roles)
    changed = limits_of("recommend", limits, max_dr, roles.product)
    listed = None if candidates is None else checked_methods("recommend", "candidates", candidates, "keys")
    checked = release_options("recommend", roles, options)
    starts: Sequence[int | RStream] = _starts(seed, 1 + FRESH_SEEDS)
    search_seed = _as_fresh(starts[0])
    fresh = tuple(starts[1:])
    with chosen("recommend", engine) as runs:
        source = open_data("recommend", frame, whole=True)
        require_columns("recommend", source, roles.dependent)
        numbers = any(is_numeric(source, name) for name in roles.dependent)
        task = Task(source, EvaluateRequest(roles=roles, options=checked, limits=changed, engine=runs))
        search = Search(task, search_seed, tuple(_as_fresh(start) for start in fresh), found=found)
        lists: Sequence[Sequence[Procedure]] = (listed,) if listed is not None else ()
        if listed is None:
            lists = default_grid(len(roles.independent), numbers=numbers)
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
        seeds=fresh,
        shortlist=shortlist,
        set_aside=set_aside,
        limits=changed,
        untried=search.untried,
    )
    return replace(result, reasons=reasons(result))


def _starts(seed: int | RStream | None, count: int) -> list[int] | list[RStream]:
    """Starts of releases: integers drawn from a seed, or streams of fresh entropy."""
    if seed is None:
        return [RStream() for _ in range(count)]
    return [int(start) for start in as_stream(seed).sample_int(R_INTEGER, count)]


def _as_fresh(start: int | RStream) -> RStream:
    """A stream that counts as fresh entropy: these releases are measured, never released."""
    stream = as_stream(own_copy(start))
    stream.seed = None
    stream.fresh = True
    return stream

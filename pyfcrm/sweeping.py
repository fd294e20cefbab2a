"""sweep(): many candidates on one file, judged by one yardstick: the risk-utility map."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .arguments import real_number
from .constraints import parsed
from .errors import InvalidParameter
from .evaluating import Report, evaluate
from .methods import Method
from .protecting import protect
from .rstream import RStream, as_stream
from .table import Roles, as_roles

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Candidate:
    """One method on the map: the method, how its release was judged, and what it had to do."""

    method: Method
    report: Report
    notes: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """The measures by key, per cent."""
        return {key: self.report[key] for key in self.report.keys()}  # noqa: SIM118 - a Report is no mapping

    def __getitem__(self, key: str) -> float:
        return self.report[key]


@dataclass(frozen=True)
class Frontier:
    """Candidates judged alike. `seed` repeats any of them: protect(frame, candidate.method, roles, seed=seed)."""

    candidates: tuple[Candidate, ...]
    seed: int = field(repr=False)

    def to_frame(self) -> pd.DataFrame:
        """One row a candidate: method, parameters, pil, dbrl, prl, id, dr, score (per cent)."""
        import pandas as pd

        named = [
            {"method": type(c.method).__name__, "parameters": c.method.settings(), **c.values} for c in self.candidates
        ]
        return pd.DataFrame(named)

    def best(self, max_dr: float) -> Candidate:
        """The candidate of least information loss among those whose disclosure risk is at most `max_dr` per cent.

        Raises InvalidParameter where none is, naming the least risk there is.
        """
        max_dr = real_number("best", "max_dr", max_dr, low=0, high=100)
        within = [c for c in self.candidates if c["dr"] <= max_dr]
        if not within:
            least = min(self.candidates, key=lambda c: c["dr"])
            rule = f"must be at least {least['dr']:.4g}, the least DR of these candidates ({least.method})"
            raise InvalidParameter("best", "max_dr", rule, max_dr)
        return min(within, key=lambda c: (c["pil"], c["dr"]))

    def nondominated(self) -> list[bool]:
        """For each candidate: whether no other one is at least as good in PIL and DR and better in one of them."""
        points = [(c["pil"], c["dr"]) for c in self.candidates]
        return [not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in points) for p in points]

    def plot(self, title: str | None = None) -> Any:
        """The map as a matplotlib figure: information loss against disclosure risk."""
        from .plots import risk_utility_map

        rows = [{"method": type(c.method).__name__, "label": c.method.settings(), **c.values} for c in self.candidates]
        return risk_utility_map(rows, self.nondominated(), title)


def sweep(
    frame: Any,
    roles: Roles,
    methods: Iterable[Method],
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    round_integers: bool = True,
    progress: Progress | None = None,
) -> Frontier:
    """Protect a frame with each method and judge each release over the dependent columns.

    Every candidate starts from the same seed, so that protect() with it gives the same release; a stream given as
    seed is advanced by the one integer drawn from it. Every record of a release is judged that can be, those left
    as they were for missing values included. progress : called with (done, of how many, what comes next).
    constraints : kept in every release, as in protect().
    Raises InvalidInput or InvalidParameter. Returns Frontier.
    """
    roles = as_roles("sweep", roles)
    listed = _methods(methods)
    limits = parsed("sweep", constraints)
    start = _one_seed(seed)
    candidates = []
    for k, method in enumerate(listed):
        if progress is not None:
            progress(k, len(listed), str(method))
        released = protect(
            frame, method, roles, start, constraints=limits, missing=missing, round_integers=round_integers
        )
        report = evaluate(frame, released.frame, roles.dependent, missing=missing)
        candidates.append(Candidate(method, report, tuple(released.notes)))
    if progress is not None:
        progress(len(listed), len(listed), "done")
    return Frontier(tuple(candidates), start)


def _methods(methods: Iterable[Method]) -> list[Method]:
    listed: list[Method] = [methods] if isinstance(methods, Method) else list(methods)
    if not listed or not all(isinstance(m, Method) for m in listed):
        rule = "must hold at least one method such as FCRM(c=8), and only methods"
        raise InvalidParameter("sweep", "methods", rule, listed)
    return listed


def _one_seed(seed: int | RStream | None) -> int:
    if isinstance(seed, RStream):
        return int(seed.sample_int(2**31 - 1, 1)[0])
    start = as_stream(seed).seed
    assert start is not None  # a stream made from a number or from nothing has one
    return start

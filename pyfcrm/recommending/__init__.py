"""recommend(): the method of least information loss within a risk limit, searched for, with its reasons in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..arguments import real_number, whole_number
from ..constraints import parsed
from ..engine import Engine, chosen
from ..evaluating import Report, evaluate
from ..methods import Method
from ..progress import Progress, tell
from ..protecting import protect
from ..rstream import RStream, as_stream
from ..table import Kept, Roles, as_roles, kept_before
from .grid import checked_candidates, default_grid
from .reasons import reasons
from .recommendation import Judged, Recommendation
from .relations import Change, largest_change
from .search import Search

__all__ = ["Judged", "Recommendation", "recommend"]


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
    engine: str | Engine = "local",
) -> Recommendation:
    """Search for the release that loses the least information within a limit on disclosure risk.

    frame, roles : as in protect(); max_dr : per cent, which DR must keep to with every seed; constraints : kept in every
    release; seed : starts the others, from which releases are judged, `seeds` of them; seconds : when to stop looking,
    about: what is under way is finished, and at least one method is judged on every seed; candidates : methods to start
    from, None for a grid over the families that apply; missing, engine : as in protect(); progress : called with
    (done, of how many, what), in the middle of a step too; where it raises (Cancelled), the search stops.
    Every candidate is judged on one seed over the dependent columns; then settings nearer to the best; then the best,
    and the frontier, on every seed. The same seed gives the same answer where time is enough for the whole search,
    which the reasons say.
    Raises InvalidInput or InvalidParameter. Returns Recommendation.
    """
    roles = as_roles("recommend", roles)
    max_dr = real_number("recommend", "max_dr", max_dr, low=0, high=100)
    seconds = real_number("recommend", "seconds", seconds, above=0)
    count = whole_number("recommend", "seeds", seeds, low=1, high=100)
    limits = parsed("recommend", constraints)
    grid = default_grid(len(roles.independent)) if candidates is None else checked_candidates(candidates)
    starts = tuple(int(start) for start in as_stream(seed).sample_int(2**31 - 1, count))
    with chosen("recommend", engine) as runs:
        options = {"missing": missing, "engine": runs}
        search = _searching(frame, roles, limits, options, starts, max_dr, seconds, progress)
        search.grid(grid)
        if not search.judged:
            assert search.failure is not None  # none was judged, so the first failed
            raise search.failure
        search.refine()
        search.confirm()
        inference, change = _of_pick(frame, search.pick(), roles, starts[0], limits, options, search.inside)
    tell(progress, 1, 1, "done")
    return _concluded(search, inference, change, kept_before("recommend", frame, roles))


def _searching(
    frame: Any,
    roles: Roles,
    limits: Any,
    options: dict[str, Any],
    starts: tuple[int, ...],
    max_dr: float,
    seconds: float,
    progress: Progress | None,
) -> Search:
    """The search, not yet begun. options : of protect() and of evaluate()."""

    def judge(method: Method, start: int) -> tuple[Report, tuple[str, ...]]:
        inside = search.inside
        released = protect(frame, method, roles, start, constraints=limits, progress=inside, **options)
        report = evaluate(frame, released.frame, roles.dependent, progress=inside, **options)
        return report, tuple(released.notes)

    search = Search(judge, starts, max_dr, seconds, progress)
    return search


def _of_pick(
    frame: Any,
    pick: Judged | None,
    roles: Roles,
    start: int,
    limits: Any,
    options: dict[str, Any],
    progress: Progress | None,
) -> tuple[Mapping[str, float], Change | None]:
    """What X tells of the dependent columns, by key, and what the release does to their relations with X."""
    if pick is None or not roles.independent:
        return {}, None
    released = protect(frame, pick.method, roles, start, constraints=limits, progress=progress, **options)
    asked = {"independent": roles.independent, "seed": start, "progress": progress, **options}
    report = evaluate(frame, released.frame, roles.dependent, ["dbrl", "id"], **asked)
    return report.inference, largest_change(frame, released.frame, roles)


def _concluded(search: Search, inference: Mapping[str, float], change: Change | None, kept: Kept) -> Recommendation:
    pick, took = search.pick(), search.elapsed()
    least = min(search.judged, key=lambda one: (one["dr"], one["pil"]))
    words = (inference, _searched(search, took), change)
    said = reasons(pick, least, search.judged, search.max_dr, len(search.seeds), *words)
    said = (*said[:-1], kept.verdict(), said[-1]) if kept.too_many else said  # the last is of the search
    judged, aside = tuple(search.judged), dict(search.set_aside)
    return Recommendation(pick, least, said, judged, search.max_dr, search.complete, took, aside, search.seeds, kept)


def _searched(search: Search, took: float) -> str:
    aside = f" {len(search.set_aside)} could not be used on this file." if search.set_aside else ""
    if search.complete:
        return f"The whole search was made, in {took:.0f} s.{aside}"
    left = f"; {search.left} candidates of the grid were not tried" if search.left else ""
    return f"The search stopped after {took:.0f} s, before it was complete{left}: more seconds may find better.{aside}"

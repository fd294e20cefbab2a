"""sweep(): many candidates on one file, judged by one yardstick: the risk-utility map."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .arguments import items, real_number
from .constraints import parsed
from .engine import Engine, chosen
from .errors import InvalidParameter
from .evaluating import Report, evaluate
from .methods import Method
from .progress import Progress, tell, within
from .protecting import protect
from .rstream import R_INTEGER, RStream, as_stream, kept_start, own_copy
from .table import Kept, Roles, as_roles, kept_before

if TYPE_CHECKING:
    import pandas as pd

FilePath = str | os.PathLike[str]


@dataclass(frozen=True)
class Candidate:
    """One method on the map: the method, how its release was judged, and what it had to do.

    release : the Parquet file that was kept, where a file was swept into a folder.
    """

    method: Method
    report: Report
    notes: tuple[str, ...]
    release: str | None = None

    @property
    def values(self) -> dict[str, float]:
        """The measures by key, per cent."""
        return {key: self.report[key] for key in self.report.keys()}  # noqa: SIM118 - a Report is no mapping

    def __getitem__(self, key: str) -> float:
        return self.report[key]


@dataclass(frozen=True)
class Frontier:
    """Candidates judged alike. `seed`, an integer or a stream at its starting state, a new copy at each reading, repeats any
    of them: protect(frame, candidate.method, roles, seed=frontier.seed).

    kept : what leaves as it came whatever the candidate, and how many records are unique on it.
    """

    candidates: tuple[Candidate, ...]
    seed: int | RStream = kept_start()  # noqa: RUF009 - a field
    kept: Kept | None = field(default=None, repr=False)

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
    engine: str | Engine = "local",
    output: FilePath | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Protect a frame with each method and judge each release over the dependent columns.

    Every candidate starts from the same seed, or with None from the same state of the system's entropy, so that protect()
    with the frontier's seed gives the same release, and sweep() the same frontier. A stream given as seed is advanced by one
    integer drawn from it, which is the seed where the stream began from an integer; else the stream's state is.
    Every record of a release is judged that can be, those left as they were for missing values included.
    progress : called with (done, of how many, what) on the way through each candidate; where it raises (Cancelled), the work stops.
    constraints : kept in every release, as in protect(); engine : as in protect() and evaluate().
    frame : may also be the path of a Parquet file or folder, larger than memory, whose methods must then work block by
    block; output : a folder for their releases, 01-fcrm-c-8.parquet and so on, which each candidate's `release` names;
    None keeps none of them. Interrupted, it leaves whole releases only.
    Raises InvalidInput or InvalidParameter. Returns Frontier.
    """
    roles = as_roles("sweep", roles)
    listed = _methods(methods)
    limits = parsed("sweep", constraints)
    start = _one_start(seed)
    options = {"missing": missing, "round_integers": round_integers, "constraints": limits}
    with chosen("sweep", engine) as runs, _places(frame, output, listed) as releases:
        candidates = _judged(frame, roles, listed, start, options, runs, releases, output is not None, progress)
    tell(progress, len(listed), len(listed), "done")
    return Frontier(tuple(candidates), start, kept_columns("sweep", frame, roles))


def kept_columns(owner: str, frame: Any, roles: Roles) -> Kept:
    """What will leave a frame, or the Parquet file of a path, as it came, and how many records are unique on it."""
    if isinstance(frame, str | os.PathLike):
        from .beyond.kept import kept_in_file

        return kept_in_file(owner, frame, roles)
    return kept_before(owner, frame, roles)


def _places(frame: Any, output: FilePath | None, methods: list[Method]) -> AbstractContextManager[Sequence[str | None]]:
    """Where each release goes: nowhere for a frame, whose releases are frames."""
    if isinstance(frame, str | os.PathLike):
        from .beyond.sweeping import places

        return places(frame, output, methods)
    if output is not None:
        rule = "must be left out where a frame is protected: protect() with the frontier's seed gives a release"
        raise InvalidParameter("sweep", "output", rule, output)
    return nullcontext([None] * len(methods))


def _judged(
    frame: Any,
    roles: Roles,
    methods: list[Method],
    start: int | RStream,
    options: dict[str, Any],
    engine: Engine,
    releases: Sequence[str | None],
    keep: bool,
    progress: Progress | None,
) -> list[Candidate]:
    candidates, steps = [], 2 * len(methods)
    for k, (method, release) in enumerate(zip(methods, releases, strict=True)):
        told, then = (within(progress, step, steps, str(method)) for step in (2 * k, 2 * k + 1))
        released = protect(
            frame,
            method,
            roles,
            own_copy(start),
            output=release,
            overwrite=True,
            engine=engine,
            progress=told,
            **options,
        )
        missing = options["missing"]
        report = evaluate(frame, released.frame, roles.dependent, missing=missing, engine=engine, progress=then)
        if release is not None and not keep:
            os.unlink(release)
        candidates.append(Candidate(method, report, tuple(released.notes), release if keep else None))
    return candidates


def _methods(methods: Iterable[Method]) -> list[Method]:
    listed: list[Method] = [methods] if isinstance(methods, Method) else list(items(methods) or ())
    if not listed or not all(isinstance(m, Method) for m in listed):
        rule = "must hold at least one method such as FCRM(c=8), and only methods"
        raise InvalidParameter("sweep", "methods", rule, methods)
    return listed


def _one_start(seed: int | RStream | None) -> int | RStream:
    stream = as_stream(seed)
    if stream is seed:  # the owner's, who goes on with it
        whole = stream.copy()
        drawn = int(stream.sample_int(R_INTEGER, 1)[0])
        return whole if whole.seed is None else drawn
    return stream if stream.seed is None else stream.seed

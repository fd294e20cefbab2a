"""sweep(): many candidates on one file, judged by one yardstick: the risk-utility map."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..arguments import items
from ..constraints import parsed
from ..data import Roles, as_roles, kept_before
from ..engine import Engine, chosen
from ..errors import InvalidParameter
from ..evaluation.evaluate import evaluate
from ..methods import Method
from ..progress import Progress, tell, within
from ..protection.protect import protect
from ..rstream import R_INTEGER, RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import Candidate, Frontier

FilePath = str | os.PathLike[str]


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
    return Frontier(tuple(candidates), start, kept_before("sweep", frame, roles))


def _places(frame: Any, output: FilePath | None, methods: list[Method]) -> AbstractContextManager[Sequence[str | None]]:
    """Where each release goes: nowhere for a frame, whose releases are frames."""
    if isinstance(frame, str | os.PathLike):
        from .sweep_by_blocks import places

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
        report = evaluate(
            frame, released.frame, missing=missing, engine=engine, progress=then, roles=roles, method=method, guesses=0
        )
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

"""protect(): a frame in, a protected frame of the same kind out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..arguments import choice, flag
from ..constraints import parsed
from ..data import Roles, as_roles
from ..data.strata import strata_names
from ..engine import Engine, chosen
from ..errors import InvalidParameter, lines
from ..methods import Method
from ..progress import Progress
from ..rstream import RStream, as_stream
from ..rstream.stream import kept_start, own_copy
from .frames import protect_frame, untouched_text_columns
from .run import ProtectRequest, named

FilePath = str | os.PathLike[str]


@dataclass(frozen=True)
class Protected:
    """A release, with what its owner must know of it.

    frame : the same kind of frame, index, column order and types that came in, identifiers dropped, dependent columns
    replaced; notes : what the method had to do; method, roles : what was asked; seed : what it started from, the integer
    that was given or an RStream at its starting state, a new copy at each reading, so that protect(..., seed=released.seed)
    makes the release again. Only `frame` is for release: the seed lets anyone who has the rest repeat the noise.
    """

    frame: Any
    notes: list[str]
    method: Method
    roles: Roles
    seed: int | RStream = kept_start()  # noqa: RUF009 - a field

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", lines(self.notes))


def protect(
    frame: Any,
    method: Method,
    roles: Roles,
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    round_integers: bool = True,
    strata: str | Iterable[str] | None = None,
    engine: str | Engine = "local",
    output: FilePath | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Protected:
    """Protect the dependent columns of a microdata frame.

    frame : pandas, polars or arrow, never modified; method : such as FCRM(c=8); roles : which columns are what;
    seed : None fills the generator's whole state from the system's entropy (kept in the result), which is what a release
    that goes out should start from; an integer gives what R's set.seed gives, and can be guessed: the notes say so where
    the release could then be undone; a stream is continued; constraints : linear ones as text,
    "A == B + C; D >= 0" or a list, kept in every protected record by the nearest feasible values, the
    notes saying what that cost (see pyfcrm.constraints); missing : "refuse", or "complete" to protect
    the complete records and leave the others as they are;
    round_integers : round the release of integer columns, which stay integer (False releases floats);
    strata : columns of any type, not dependent ones: the records of each combination of their values are protected by
    themselves, in the order in which the strata first appear, the stream going on from one to the next; a column with
    one value in a stratum has no part in it; with missing="complete" a missing stratum value is a value of its own;
    engine : "local", Local(threads), "dask" for processes here, or the address of a Dask scheduler: the same release to
    1e-10; frame : may also be the path of a Parquet file or folder, larger than memory: FCRM, IPSO, GADP, EGADP, Noise and Hybrid then
    work block by block, any method that gives numbers for numbers does by strata, each of which must fit in memory;
    `output` is the Parquet file they write, which is the result's `frame`; overwrite : whether one that exists is
    replaced (else it is refused before any work is done);
    progress : called with (done, of how many at most, what); where it raises (Cancelled), nothing is left behind.
    Raises InvalidInput or InvalidParameter. Returns Protected.
    """
    roles = as_roles("protect", roles)
    if not isinstance(method, Method):
        raise InvalidParameter("protect", "method", "must be a method such as FCRM(c=8)", method)
    choice("protect", "missing", missing, ("refuse", "complete"))
    flag("protect", "round_integers", round_integers)
    flag("protect", "overwrite", overwrite)
    by, limits = strata_names("protect", strata, roles), parsed("protect", constraints)
    stream = as_stream(seed)
    start = own_copy(stream if isinstance(seed, RStream) or stream.seed is None else stream.seed)
    guessable = _guessable(method, stream)
    with chosen("protect", engine) as runs:
        asked = ProtectRequest(method, roles, stream, limits, missing, round_integers, runs, progress, by)
        of_file = isinstance(frame, str | os.PathLike)
        file = (frame, output, overwrite, asked)
        released, notes = _protect_file(*file) if of_file else _protect_frame(frame, output, asked)
    return Protected(released, [*notes, *guessable], method, roles, start)


def _guessable(method: Method, stream: RStream) -> list[str]:
    """What must be said of a release that trying seeds would undo."""
    if method.weak_generator:
        return [
            f"{method} draws from a generator of 32 bits whatever the seed: trying all of its seeds undoes this release"
        ]
    if method.undone_by_seed and stream.seed is not None:
        return [
            "whoever guesses the seed can undo this release: begin one that goes out from fresh entropy, not from a seed"
        ]
    return []


def _protect_frame(frame: Any, output: FilePath | None, asked: ProtectRequest) -> tuple[Any, list[str]]:
    if output is not None:
        rule = "must be left out where a frame is protected: the result holds the release"
        raise InvalidParameter("protect", "output", rule, output)
    return protect_frame(frame, asked)


def _protect_file(
    path: FilePath, output: FilePath | None, overwrite: bool, asked: ProtectRequest
) -> tuple[str, list[str]]:
    if asked.strata:
        from .strata_by_blocks import protect_strata

        return protect_strata(path, output, asked, lambda door: untouched_text_columns(door, asked.roles), overwrite)
    from .file_by_blocks import protect_file

    return protect_file(
        path,
        output,
        asked.method,
        asked.roles,
        asked.stream,
        lambda text: named(text, asked.roles.dependent),
        asked.missing,
        asked.round_integers,
        asked.engine,
        asked.progress,
        lambda door: untouched_text_columns(door, asked.roles),
        asked.limits,
        overwrite,
    )

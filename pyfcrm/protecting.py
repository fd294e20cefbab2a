"""protect(): a frame in, a protected frame of the same kind out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arguments import choice, flag
from .constraints import Constraint, keeper, parsed
from .engine import Engine, chosen, is_cluster
from .errors import InvalidInput, InvalidParameter
from .methods import FCRM, Method
from .methods.frame_method import FrameMethod
from .protecting_frames import release_frame
from .rstream import RStream, as_stream
from .table import (
    Opened,
    Roles,
    as_roles,
    checked,
    complete_records,
    is_numeric,
    open_frame,
    refuse_constant,
    rounded,
    within_types,
)

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Protected:
    """A release, with what its owner must know of it.

    frame : the same kind of frame, index, column order and types that came in, identifiers dropped, dependent columns
    replaced; notes : what the method had to do; method, roles : what was asked; seed : the integer or stream it
    started from. Only `frame` is for release: the seed lets anyone who has the rest repeat the noise.
    """

    frame: Any
    notes: list[str]
    method: Method
    roles: Roles
    seed: int | RStream = field(repr=False)


def protect(
    frame: Any,
    method: Method,
    roles: Roles,
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    round_integers: bool = True,
    engine: str | Engine = "local",
    output: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Protected:
    """Protect the dependent columns of a microdata frame.

    frame : pandas, polars or arrow, never modified; method : such as FCRM(c=8); roles : which columns are what;
    seed : an integer gives what R's set.seed gives, a stream is continued, None takes fresh entropy (kept in
    the result); constraints : linear ones as text, "A == B + C; D >= 0" or a list, kept in every protected record by the
    nearest feasible values, the notes saying what that cost (see pyfcrm.constraints); missing : "refuse",
    or "complete" to protect the complete records and leave the others as they are;
    round_integers : round the release of integer columns, which stay integer (False releases floats);
    engine : "local", Local(threads), "dask" for processes here, or the address of a Dask scheduler: the same release to
    1e-10; frame : may also be the path of a Parquet file or folder, larger than memory: FCRM, IPSO and some Noise then
    work block by block, and `output` is the Parquet file they write, which is the result's `frame`;
    progress : called with (done, of how many at most, what); where it raises (Cancelled), nothing is left behind.
    Raises InvalidInput or InvalidParameter. Returns Protected.
    """
    roles = as_roles("protect", roles)
    if not isinstance(method, Method):
        raise InvalidParameter("protect", "method", "must be a method such as FCRM(c=8)", method)
    choice("protect", "missing", missing, ("refuse", "complete"))
    flag("protect", "round_integers", round_integers)
    limits = parsed("protect", constraints)
    stream = as_stream(seed)
    start = stream.seed if not isinstance(seed, RStream) and stream.seed is not None else stream.copy()
    with chosen("protect", engine) as runs:
        if isinstance(frame, str | os.PathLike):
            from .beyond.protecting import protect_file

            if limits:
                raise InvalidParameter(
                    "protect", "constraints", "must be left out where a file is protected", constraints
                )
            released, notes = protect_file(
                frame,
                output,
                method,
                roles,
                stream,
                lambda text: _named(text, roles),
                missing,
                round_integers,
                runs,
                progress,
                lambda door: _bystanders(door, roles),
            )
            return Protected(released, notes, method, roles, start)
        if output is not None:
            rule = "must be left out where a frame is protected: the result holds the release"
            raise InvalidParameter("protect", "output", rule, output)
        released, notes = _protect_frame(frame, method, roles, stream, limits, missing, round_integers, runs, progress)
        return Protected(released, notes, method, roles, start)


def _protect_frame(
    frame: Any,
    method: Method,
    roles: Roles,
    stream: RStream,
    limits: tuple[Constraint, ...],
    missing: str,
    round_integers: bool,
    engine: Engine,
    progress: Progress | None,
) -> tuple[Any, list[str]]:
    door = open_frame("protect", frame)
    notes: list[str] = []
    keep = keeper("protect", limits, door, roles, missing, round_integers)
    if isinstance(method, FrameMethod):
        released = release_frame(method, door, roles, stream, notes, missing, round_integers, keep)
        return released, [*notes, *_bystanders(door, roles)]
    X, Y, rows = _arrays(door, roles, missing, notes)
    Z = _run(method, X, Y, stream, notes, roles, engine, progress)
    Z = keep.kept(roles.dependent, Z, rows, notes)
    Z = rounded(door, roles.dependent, Z, notes) if round_integers else Z
    Z = within_types(door, roles.dependent, Z, notes, floats=not round_integers)
    _say_unchanged(Y, Z, notes)
    columns = {name: _spread(Z[:, j], rows) for j, name in enumerate(roles.dependent)}
    released = door.replaced(columns, rows, roles.identifiers, floats=not round_integers)
    return released, [*notes, *_bystanders(door, roles)]


def _bystanders(door: Opened, roles: Roles) -> list[str]:
    """What is said of the columns that are no numbers and have no role: they leave as they came."""
    given = {*roles.independent, *roles.dependent, *roles.identifiers}
    others = [name for name in door.names if name not in given and not is_numeric(door, name)]
    return [f"columns that are not numbers pass through untouched: {', '.join(others)}"] if others else []


def _arrays(door: Opened, roles: Roles, missing: str, notes: list[str]) -> tuple[Array, Array, Mask]:
    wanted = [*roles.independent, *roles.dependent]
    A = checked("protect", door, wanted, also=roles.identifiers)
    rows = complete_records("protect", A, wanted, missing)
    if not rows.all():
        notes.append(f"{int((~rows).sum())} of {len(rows)} records have missing values and are left as they are")
    A = A[rows]
    refuse_constant("protect", A, wanted)
    s = len(roles.independent)
    return A[:, :s], A[:, s:], rows


def _run(
    method: Method,
    X: Array,
    Y: Array,
    stream: RStream,
    notes: list[str],
    roles: Roles,
    engine: Engine,
    progress: Progress | None,
) -> Array:
    from threadpoolctl import threadpool_limits

    bound = method.bound(roles.independent, roles.dependent)

    def note(text: str) -> None:
        notes.append(_named(text, roles))

    if progress is not None:
        from .beyond.watching import watched

        progress(0, 1, str(method))
        engine = watched(engine, progress, bound, Y.shape[1])
    # Sums in BLAS come in another order with another number of threads; one seed must give one file on any machine.
    with threadpool_limits(limits=1, user_api="blas"):
        if is_cluster(engine):
            from .beyond.protecting import protect_arrays

            Z = protect_arrays(bound, X, Y, stream, note, engine)
        elif isinstance(bound, FCRM):
            Z = bound.protect(X.copy(), Y.copy(), stream, note, engine)
        else:
            Z = bound.protect(X.copy(), Y.copy(), stream, note)
    if progress is not None:
        progress(1, 1, "done")
    if Z.shape != Y.shape or not np.isfinite(Z).all():
        rule = "the release must be finite; the columns may be too ill-conditioned for this method"
        raise InvalidInput(str(method), rule, f"{int((~np.isfinite(Z)).sum())} values that are not")
    return Z


def _named(text: str, roles: Roles) -> str:
    """A method's note with attributes called by name: it sees arrays, and knows them by number."""

    def names(found: re.Match[str]) -> str:
        return found[1] + ", ".join(roles.dependent[int(number) - 1] for number in found[2].split(", "))

    return re.sub(r"(\bdependent attributes? |\border(?: given)?: )(\d+(?:, \d+)*)", names, text)


def _say_unchanged(Y: Array, Z: Array, notes: list[str]) -> None:
    unchanged = int(np.all(np.isclose(Y, Z, rtol=1e-9, atol=0.0), axis=1).sum())
    if unchanged:
        notes.append(f"{unchanged} of {len(Y)} records leave with every dependent value as it was")


def _spread(values: Array, rows: Mask) -> Array:
    """Values of the protected records put at their places among all records; NaN elsewhere."""
    if rows.all():
        return values
    whole = np.full(len(rows), np.nan)
    whole[rows] = values
    return whole

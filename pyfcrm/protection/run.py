"""One method on arrays: what protect() does once frames and files are out of the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..constraints import Constraint
from ..data import Roles
from ..engine import Engine, is_cluster, one_blas_thread
from ..errors import InvalidInput, Note
from ..methods import Method
from ..methods.method import protected
from ..progress import Course, Progress, run_cancellable, tell
from ..rstream import RStream
from ..types import Array


@dataclass(frozen=True)
class ProtectRequest:
    """What was asked of protect(), checked; strata : columns."""

    method: Method
    roles: Roles
    stream: RStream
    limits: tuple[Constraint, ...]
    missing: str
    round_integers: bool
    engine: Engine
    progress: Progress | None
    strata: tuple[str, ...] = ()


def run(asked: ProtectRequest, X: Array, Y: Array, notes: list[str]) -> Array:
    """The release (n, t) of Y (n, t) given X (n, s), all independent and dependent columns. Adds to the notes."""
    roles, progress = asked.roles, asked.progress
    bound = asked.method.bound(roles.independent, roles.dependent)
    tell(progress, 0, 1, str(asked.method))
    Z = applied(bound, X, Y, asked, lambda text: notes.append(named(text, roles.dependent)), progress)
    tell(progress, 1, 1, "done")
    return Z


def applied(
    bound: Method, X: Array, Y: Array, asked: ProtectRequest, note: Callable[[str], None], progress: Progress | None
) -> Array:
    """A bound method's release of Y given X, BLAS on one thread: with another number of them sums come in another order,
    and one seed must give one file. Raises InvalidInput where it is not finite."""
    with one_blas_thread():
        Z = _released(bound, X.copy(), Y.copy(), asked, note, progress)
    if Z.shape != Y.shape or not np.isfinite(Z).all():
        rule = "the release must be finite; the columns may be too ill-conditioned for this method"
        raise InvalidInput(str(asked.method), rule, f"{int((~np.isfinite(Z)).sum())} values that are not")
    return Z


def _released(
    bound: Method, X: Array, Y: Array, asked: ProtectRequest, note: Callable[[str], None], progress: Progress | None
) -> Array:
    engine, stream = asked.engine, asked.stream
    if not (is_cluster(engine) or bound.passes(Y.shape[1])):
        course = Course(str(asked.method), say=note)
        return run_cancellable(lambda: protected(bound, X, Y, stream, course, engine), progress, course)
    if progress is not None:
        from .methods_by_blocks import watched

        engine = watched(engine, progress, bound, Y.shape[1])
    if not is_cluster(engine):
        return protected(bound, X, Y, stream, note, engine)
    from .file_by_blocks import protect_arrays

    return protect_arrays(bound, X, Y, stream, note, engine)


def named(text: str, dependent: Sequence[str]) -> Note:
    """A method's note with attributes called by name: it sees arrays, and knows them by position."""
    return Note.taken(text).named(dependent)

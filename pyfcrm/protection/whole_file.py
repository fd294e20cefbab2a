"""Whole files with another number of records than the original: the method is fitted anew for each n of them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..data import Frame, open_frame
from ..data.suggest_roles import suggest_roles
from ..errors import InvalidInput, InvalidParameter, Note
from ..numerics.decimals import decimals
from ..types import Array
from .request import ProtectRequest

WHOLE = (
    "with records= every column must be confidential, or be dropped as an identifier, as predictors belong to the original's "
    'records (suggest_roles(frame, product="public") proposes so)'
)
TOGETHER = "must not have a household or a unit where records= is given, as their records are drawn together"
NEW = "the release has {count} records, drawn from a file of {total}"
WEIGHED = "the weights in {columns} are multiplied by {factor:.4g}, the number of original records for each released one: their sum stays"


def require_whole_file(request: ProtectRequest, frame: Frame) -> None:
    """Checks that nothing in a release with another number of records belongs to a record of the original.

    Raises InvalidInput or InvalidParameter, with the remedy.
    """
    if request.records is None:
        return
    owner = type(request.method).__name__
    roles = request.roles
    if roles.ids:
        raise InvalidParameter(owner, "roles", TOGETHER, roles.ids[0])
    for name, value in {"strata": request.strata, "preserve": request.preserve}.items():
        if value:
            raise InvalidParameter(owner, name, "must be left out where records= is given", value[0])
    kept = [name for name in frame.names if name not in (*roles.dependent, *roles.identifiers)]
    if kept:
        raise InvalidInput(owner, WHOLE, f"column `{kept[0]}`")


def as_many_records(
    request: ProtectRequest, frame: Frame, release: Callable[[list[Note]], Any], notes: list[Note]
) -> Any:
    """The release of a frame, with as many records as the method is asked for. Adds to the notes.

    release : gives a release with the original's number of records, and adds notes; of several the notes are those of the first.
    """
    first = open_frame("protect", release(notes))
    if request.records is None:
        return first.frame
    more = list[Frame]()
    while first.records * (1 + len(more)) < request.records:
        more.append(open_frame("protect", release([])))
    released = first.stacked(more, request.records)
    notes.append(Note.of("chosen", NEW, count=request.records, total=first.records))
    return _with_weights(request, frame, released, first.records / request.records, notes)


def _with_weights(request: ProtectRequest, frame: Frame, released: Any, factor: float, notes: list[Note]) -> Any:
    """The release with survey weights times a factor, in the decimals of the original's."""
    names = [] if factor == 1 else [name for name in _weights(frame) if name in request.roles.dependent]
    if not names:
        return released
    opened = open_frame("protect", released)
    weights = {name: _rounded(opened.values(name) * factor, frame.values(name)) for name in names}
    notes.append(Note.of("chosen", WEIGHED, names, factor=factor))
    return opened.replaced(weights, np.ones(opened.records, dtype=bool), ())


def _weights(frame: Frame) -> Sequence[str]:
    """The survey weights of a frame, by their names or labels; none that is doubtful, as `weight` may be that of a body."""
    found = suggest_roles(frame.frame)
    names = [*found.columns("weight"), *found.replicate_weights]
    return [name for name in names if name not in found.doubtful]


def _rounded(values: Array, original: Array) -> Array:
    """Positive values (N,) in the decimals of a column (n,), at least a unit of its last one, so that no weight is 0."""
    digits = decimals(np.unique(original[~np.isnan(original)]))
    if digits is None:
        return values
    digits = max(digits, 0)
    return np.maximum(np.round(values, digits), 10.0**-digits)

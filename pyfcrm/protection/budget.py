"""Releases by a method with a privacy budget: its noisy sums read the confidential values, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..constraints import ConstraintEnforcer
from ..data import FitNotes, Frame, open_frame
from ..data.frame import FrameView
from ..data.load import complete_rows, load_complete
from ..data.records import Records
from ..engine import one_blas_thread
from ..errors import Note
from ..files import Table
from ..methods.method import NO_PROGRESS, Run, finite
from ..progress import report_progress
from ..types import Array, Mask
from .release import Sink, feasible, scatter
from .request import ProtectRequest
from .values import ValueRules


class BudgetFrame(FrameView):
    """A frame whose confidential columns are the noisy release: floats, without the type, digits or cells of the original's.

    columns : by name (n,), NaN in records that are not released; those of `names` without values here are not to be read.
    """

    def __init__(self, original: Frame, names: Iterable[str], columns: Mapping[str, Array] | None = None) -> None:
        super().__init__(original)
        self.confidential, self.columns = frozenset(names), columns or {}
        self.table = None if original.table is None else _without(original.table, self.confidential)

    def kind(self, name: str) -> str:
        """See Frame.kind."""
        return "float" if name in self.confidential else super().kind(name)

    def values(self, name: str) -> Array:
        """See Frame.values."""
        return self.columns[name] if name in self.confidential else super().values(name)

    def limits(self, name: str) -> tuple[float, float]:
        """See Frame.limits."""
        return (-np.inf, np.inf) if name in self.confidential else self.original.limits(name)

    def decimal_places(self, name: str) -> int | None:
        """See Frame.decimal_places."""
        return None if name in self.confidential else self.original.decimal_places(name)

    def beyond_floats(self, name: str) -> Mask:
        """See Frame.beyond_floats."""
        return np.zeros(self.records, dtype=bool)


def _without(table: Table, names: Iterable[str]) -> Table:
    """A table without the values of some columns. Labels stay."""
    origin, dropped = table.origin, [name for name in table.frame.columns if str(name) in names]
    if origin is not None:
        texts = {name: cells for name, cells in origin.texts.items() if name not in dropped}
        arrow = None if origin.arrow is None else origin.arrow.drop_columns(dropped)
        origin = replace(origin, texts=texts, arrow=arrow)
    return replace(table, frame=table.frame.drop(columns=dropped), origin=origin)


def protect_within_budget(request: ProtectRequest, frame: Frame, sink: Sink, notes: list[Note]) -> None:
    """As protect_numbers, of records in memory: what follows the method reads its release in place of the original."""
    roles, names = request.roles, request.roles.dependent
    if request.limits.constraints:
        request.limits.require(frame, roles)
    loaded = load_complete("protect", frame, request.columns, request.missing, also=request.named)
    notes += loaded.notes(frame.stored(request.columns))
    X, Y = np.split(loaded.table.read(slice(0, loaded.table.n)), [len(roles.independent)], axis=1)
    loaded.table.close()
    report_progress(request.progress, 0, 1, str(request.method))
    method, rows = request.bound_method(roles.independent, names), complete_rows(frame, request.columns)
    with one_blas_thread():
        Z = finite(method.protect(X, Y, request.stream, Run(notes.append, NO_PROGRESS, request.engine)), Y.shape)
    release, fits = BudgetFrame(frame, names, scatter(names, Z, rows)), FitNotes(names)
    rules = ValueRules.of(release, names, Records(np.hstack([X, Z])), request.bounds, request.decimals)
    enforcer = None
    if request.limits.constraints:
        enforcer = ConstraintEnforcer(
            request.limits,
            release,
            names,
            roles.independent,
            request.columns,
            original=False,
            digits=rules.places,
        )
    Z = feasible(request, release, names, rules.applied(Z, fits), rows, enforcer=enforcer, fits=fits)
    released = release.replaced(scatter(names, Z, rows), rows, roles.identifiers, floats=True)
    sink(released if rows.all() else open_frame("protect", released).reshaped({}, {}, np.flatnonzero(rows)))
    report_progress(request.progress, 1, 1, "done")
    notes += [*(enforcer.notes() if enforcer else []), *fits.notes()]

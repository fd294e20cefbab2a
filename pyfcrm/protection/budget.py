"""Releases by a method with a privacy budget: its noisy sums read the confidential values, and nothing else does."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, open_frame
from ..engine import one_blas_thread
from ..errors import Note
from ..files import Table
from ..methods.work import Run, finite
from .release import ReleaseRules, complete_values, released_frame
from .request import ProtectRequest


def without_values(table: Table, names: Iterable[str]) -> Table:
    """A table without the cells of some columns. Labels stay."""
    dropped = [name for name in table.frame.columns if str(name) in names]
    texts = {name: cells for name, cells in table.texts.items() if name not in dropped}
    arrow = None if table.arrow is None else table.arrow.drop_columns(dropped)
    return replace(table, frame=table.frame.drop(columns=dropped), texts=texts, arrow=arrow)


def protect_within_budget(request: ProtectRequest, frame: Frame, notes: list[Note]) -> Any:
    """As protect_numbers, of records in memory: what follows the method reads its release in place of the original.

    Confidential columns become floats: that one has whole numbers or few decimals would be read from its values.
    """
    roles, names = request.roles, request.roles.dependent
    A, rows = complete_values(frame, request.columns, request.missing, notes, request.named)
    X, Y = np.split(A, [len(roles.independent)], axis=1)
    run = Run(request.stream, notes.append, engine=request.engine, names=names)
    with one_blas_thread():
        Z = finite(request.numbers.release(X, Y, run))
    every = np.ones(len(Z), dtype=bool)
    noisy = frame.block(open_frame("protect", released_frame(request, frame, names, Z, rows)))
    rules = ReleaseRules(request, noisy, names, fixed=roles.independent, complete=request.columns, original=False)
    Z = rules.applied(noisy, Z, every)
    notes += rules.notes()
    return released_frame(request, noisy, names, Z, every)

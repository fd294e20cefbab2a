"""Protecting each stratum by itself, with one stream continued through all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.strata import NoteSummary, Strata
from ..errors import InvalidInput, Note
from ..methods import Method
from ..methods.method import FrameMethod, Release
from ..progress import Course, run_cancellable, tell, within
from ..rstream import RStream
from ..types import Array, Mask
from .run import ProtectRequest, applied, named

Say = Callable[[str], None]


def run_strata(
    asked: ProtectRequest, strata: Strata, read: Callable[[int], Array], write: Callable[[int, Array], None]
) -> list[str]:
    """Protect stratum by stratum, in their order; the notes.

    read : stratum k's records (b, s + t), the independent columns and then the dependent ones; write : takes its
    release (b, t). A column with one value in a stratum (two records or more) has no part in it: an independent one
    explains nothing there, a dependent one leaves as it is, with a note. Raises InvalidInput that tells the stratum.
    """
    roles, heard = asked.roles, NoteSummary(len(strata))
    # What is wrong in every stratum is not the first one's fault.
    asked.method.bound(roles.independent, roles.dependent)
    with unseeded(asked.stream):
        for k in range(len(strata)):
            tell(asked.progress, k, len(strata), f"stratum {k + 1}")
            with strata.naming("protect", k):
                write(k, _one(asked, strata, k, read(k), partial(heard.note, k)))
    tell(asked.progress, len(strata), len(strata), "done")
    return [strata.said("protected"), *heard.texts()]


def _one(asked: ProtectRequest, strata: Strata, k: int, A: Array, note: Say) -> Array:
    roles, s = asked.roles, len(asked.roles.independent)
    varies = np.any(A[:1] != A, axis=0) if len(A) > 1 else np.ones(A.shape[1], dtype=bool)
    independent = [name for name, part in zip(roles.independent, varies[:s], strict=True) if part]
    dependent = [name for name, part in zip(roles.dependent, varies[s:], strict=True) if part]
    for name, part in zip((*roles.independent, *roles.dependent), varies, strict=True):
        if not part and name not in strata.columns:
            what = "leaves as it is" if name in roles.dependent else "explains nothing"
            note(Note.of("constant", f"column `{{columns}}` has one value only there, and {what}", [name]))
    Z = A[:, s:].copy()
    if dependent:
        method = _bound(asked.method, independent, dependent)
        X, Y = A[:, :s][:, varies[:s]], A[:, s:][:, varies[s:]]
        progress = within(asked.progress, k, len(strata), f"stratum {k + 1}")
        said = partial(_say_named, note, dependent)
        Z[:, varies[s:]] = applied(method, X, Y, asked, said, progress)
    return Z


def _bound(method: Method, independent: list[str], dependent: list[str]) -> Method:
    try:
        return method.bound(independent, dependent)
    except InvalidInput as error:  # it names a column that has no part in this stratum
        raise InvalidInput(str(method), "names a column that has one value only in this stratum") from error


def _say_named(note: Say, dependent: list[str], text: str) -> None:
    note(named(text, dependent))


@contextmanager
def unseeded(stream: RStream) -> Iterator[None]:
    """The stream as one that came from anywhere: a method that starts its own generator from the seed would start
    every stratum alike."""
    seed, stream.seed = stream.seed, None
    try:
        yield
    finally:
        stream.seed = seed


def release_strata(
    method: FrameMethod, asked: ProtectRequest, strata: Strata, cells: Mapping[str, Any], rows: Mask, notes: list[str]
) -> Release:
    """The release of a FrameMethod, stratum by stratum. cells : its columns (n,); rows : (n,) the complete records."""
    heard, made = NoteSummary(len(strata)), list[Release]()
    with unseeded(asked.stream):
        for k, part in enumerate(strata.rows):
            tell(asked.progress, k, len(strata), f"stratum {k + 1}")
            with strata.naming("protect", k):
                here = {name: values[part] for name, values in cells.items()}
                empty = bool(cells) and not rows[part].any()
                said = partial(heard.note, k)
                result = Release() if empty else _of_stratum(method, asked, here, len(part), said, k, len(strata))
                made.append(result)
    tell(asked.progress, len(strata), len(strata), "done")
    notes += [strata.said("protected"), *heard.texts()]
    return _joined(method, made, strata, len(rows))


def _of_stratum(
    method: FrameMethod, asked: ProtectRequest, cells: Mapping[str, Any], n: int, note: Say, k: int, strata: int
) -> Release:
    def work() -> Release:
        return method.release(cells, n, asked.stream, note)

    return run_cancellable(work, asked.progress, Course(f"stratum {k + 1}", k, strata))


def _joined(method: FrameMethod, made: list[Release], strata: Strata, n: int) -> Release:
    """The releases of the strata as one of n records."""
    numbers: dict[str, Array] = {}
    gaps: dict[str, Mask] = {}
    categories: dict[str, tuple[NDArray[np.object_], list[str]]] = {}
    for result, rows in zip(made, strata.rows, strict=True):
        for name, values in result.numbers.items():
            numbers.setdefault(name, np.full(n, np.nan))[rows] = values
        for name, gap in result.gaps.items():
            gaps.setdefault(name, np.zeros(n, dtype=bool))[rows] = gap
        for name, (labels, order) in result.categories.items():
            whole, same = categories.setdefault(name, (np.full(n, None, dtype=object), order))
            if order != same:
                rule = "by strata, categories must be the same in all of them (give `breaks` as cut points)"
                raise InvalidInput(type(method).__name__, rule, f"others for column `{name}`")
            whole[rows] = labels
    kept = [rows if result.rows is None else rows[result.rows] for result, rows in zip(made, strata.rows, strict=True)]
    whole_file = all(result.rows is None for result in made)
    return Release(numbers, categories, gaps, None if whole_file else np.sort(np.concatenate(kept)))

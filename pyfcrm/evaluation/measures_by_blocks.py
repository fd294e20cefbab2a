"""The measures of two files' records, each by blocks where it can be, else of all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..data.blocks import most_records, pieces, small
from ..data.records import Records, column
from ..engine import Engine, Local, is_cluster
from ..engine.threads import Watched
from ..errors import InvalidInput
from ..linkage.agreement import Agreement, Exact, Tolerance
from ..linkage.nearest_by_blocks import nearest_share_by_blocks
from ..linkage.on_cluster import OnCluster
from ..linkage.patterns_by_blocks import linkage_by_blocks
from ..linkage.probabilistic import Linkage
from ..measures import MEASURES
from ..measures.dbrl import dbrl
from ..measures.interval import interval_disclosure
from ..measures.measure import Aggregate, Measure, Part, Parts
from ..measures.pil_by_blocks import pil
from ..measures.prl import prl
from ..numerics.design_by_blocks import location
from ..progress import Course, Progress, run_cancellable, tell, within
from ..types import Array

BY_BLOCKS = ("pil", "id")
LINKED = ("dbrl", "prl")  # by blocks where the files are large
PASSES = 10  # of PIL


def measured(rows: Records, asked: Sequence[str], engine: Engine, progress: Progress | None = None) -> dict[str, Parts]:
    """The measures by key, of records that hold the original's columns, then the protected ones."""
    single = list(dict.fromkeys(part for key in asked for part in needed(key)))
    for key in single:
        if key not in (*BY_BLOCKS, *LINKED):
            _refuse_too_large(key, rows)
    made: dict[str, Parts] = {}
    for done, key in enumerate(single):
        told = within(progress, done, len(single), f"measuring {key}")
        tell(told, 0, 1, "")
        made[key] = _measure(key, rows, engine, told)
    return {key: _combined(key, made) for key in asked}


def needed(key: str) -> Iterator[str]:
    """The measures that one is made of; itself where it is none of that kind."""
    measure = MEASURES[key]
    if isinstance(measure, Aggregate):
        for part in measure.of:
            yield from needed(part)
    else:
        yield key


def at_once(key: str, X: Array, Z: Array, engine: Engine) -> Parts:
    """A measure of arrays X, Z (n, p), on a cluster where that is the engine and the measure can be."""
    if is_cluster(engine) and key in ("dbrl", "prl"):
        cluster = OnCluster(engine)
        return dbrl(X, Z, cluster.nearest) if key == "dbrl" else prl(X, Z, cluster.probabilistic)
    measure = MEASURES[key]
    assert isinstance(measure, Measure)
    return measure(X, Z, _here(engine))


def _here(engine: Engine) -> Engine:
    return Local() if is_cluster(engine) else engine


def _combined(key: str, made: dict[str, Parts]) -> Parts:
    measure = MEASURES[key]
    if isinstance(measure, Aggregate):
        return measure.combine(*(_combined(part, made) for part in measure.of))
    return made[key]


def _measure(key: str, rows: Records, engine: Engine, told: Progress | None) -> Parts:
    if key == "pil":
        return pil(engine if told is None else Watched(engine, told, PASSES, ""), pieces(rows, engine), rows)
    if key == "id":
        return _interval_disclosure(rows, told)
    if key in LINKED and not (small(rows.n, rows.p) or (is_cluster(engine) and rows.n <= most_records(rows.p))):
        return _linked(key, rows, _here(engine), told)

    def work() -> Parts:
        A, p = rows.read(slice(0, rows.n)), rows.p // 2
        return at_once(key, np.ascontiguousarray(A[:, :p]), np.ascontiguousarray(A[:, p:]), engine)

    return run_cancellable(work, told, Course(""))


def _interval_disclosure(rows: Records, told: Progress | None) -> Parts:
    """measures.interval, a column at a time: its total is the mean of the columns'."""
    p = rows.p // 2
    made = []
    for j in range(p):
        work = partial(_interval_disclosure_of, rows, j)
        made.append(run_cancellable(work, told, Course("", j, p)))
        tell(told, j + 1, p, "")
    parts = tuple(Part("id", one.value, one.baseline, attribute=j) for j, one in enumerate(made))
    baselines = [one.baseline for one in made if one.baseline is not None]
    return Parts(sum(one.value for one in made) / p, parts, sum(baselines) / p)


def _interval_disclosure_of(rows: Records, j: int) -> Part:
    return interval_disclosure(column(rows, j), column(rows, rows.p // 2 + j)).parts[0]


def _linked(key: str, rows: Records, engine: Engine, told: Progress | None) -> Parts:
    """A measure of LINKED by blocks of records, on this machine; the same links as at once."""
    blocks = [1]

    def heard(done: int, most: int) -> None:
        tell(told, done, most, "two blocks of records at a time")

    def nearest(X: Array, Z: Array) -> Array:
        share, count = nearest_share_by_blocks(rows, heard, engine)
        blocks.append(count)
        return share

    def link(X: Array, Z: Array, agreement: Agreement) -> Linkage:
        linkage, count = linkage_by_blocks(rows, _width(agreement, rows, engine), heard)
        blocks.append(count)
        return linkage

    shape = np.empty((rows.n, 0))  # the measures only need to know how many records there are: they are on disk
    made = dbrl(shape, shape, nearest) if key == "dbrl" else prl(shape, shape, link)
    note = (
        f"{key}: linked by {max(blocks)} blocks of records, two at a time, with the links that all at once would give; "
        "where files are alike the time grows with the square of their length"
    )
    return replace(made, notes=(*made.notes, note))


def _width(agreement: Agreement, rows: Records, engine: Engine) -> Array:
    """How far apart values (p,) of each attribute may be to agree, as agreement.comparison has it."""
    p = rows.p // 2
    if isinstance(agreement, Exact):
        return np.zeros(p)
    assert isinstance(agreement, Tolerance)
    return agreement.w * location(engine, pieces(rows, engine), rows.n, 0, p).sd


def _refuse_too_large(key: str, rows: Records) -> None:
    most = most_records(rows.p)
    if rows.n > most:
        rule = (
            f"`{key}` needs both files in memory, which holds about {most} records here: ask for "
            'measures=["pil", "dbrl", "prl", "id"], or judge strata of the files one by one'
        )
        raise InvalidInput("evaluate", rule, f"{rows.n} records")

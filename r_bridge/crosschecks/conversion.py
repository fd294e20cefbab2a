"""What crosses between Python and R: every kind of column to R and back, bit for bit, and what R reads in it; and R's
random streams: the same seed, the same numbers, and the stream left at the same place."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from pyfcrm.rstream import RStream

from ..columns import EXACT_INTEGERS, NA_INTEGER, NA_REAL, NO_ZONE, Column, Columns, is_na, to_bytes, whole_numbers
from ..to_r.session import session
from .case import SAME_BITS, Case, Line, Problem, Results, other_seed

# What is drawn, as RStream's verb with its arguments and as R's.
DRAWS = {
    "runif(1000)": ("runif", (1000,), "runif", (1000,)),
    "rnorm(1000)": ("rnorm", (1000,), "rnorm", (1000,)),
    "sample(500)": ("sample", (500,), "sample", (500,)),
    "sample.int(1e6, 100), without replacement": ("sample_int", (10**6, 100), "sample.int", (10**6, 100)),
    "sample.int(6, 1000), with replacement": ("sample_int", (6, 1000, True), "sample.int", (6, 1000, True)),
    "sample.int(1e9, 100), by R's hashing": ("sample_int", (10**9, 100), "sample.int", (10**9, 100)),
}
OTHER, TAKEN = "rnorm(1000), another seed", "rnorm(1000), from the .Random.seed that R's set.seed left"
LAST = ".Random.seed, after all of these in turn"
BYTES = "the bytes of every value, name, level and attribute, after the way to R and back"
READ = "what R reads, by its own functions, in what was sent"
WORDS: list[str | None] = ["plain", "", None, "é ñ 漢 🙂", 'say "no"', "two\nlines", "NA", "it's `here`", "\\ %s"]
CONVERSION_NAMES = ("a; quit()", "`", '"', "$x", "if", "", "año", "x y", "T <- 0")
DAYS = np.array([0.0, 19782.0, -25567.0, NA_REAL, np.nan, np.inf])
SECONDS = np.array([0.0, 1.7e9 + 0.123456, -2.2e9, NA_REAL, np.nan])
DOUBLES = np.array([0.0, -0.0, 1 / 3, 5e-324, -1.7976931348623157e308, np.inf, -np.inf, np.nan, NA_REAL])
INTEGERS = np.array([0, -1, 2**31 - 1, -(2**31) + 1, NA_INTEGER], dtype=np.int32)
CODES = np.array([2, 1, NA_INTEGER, 3, 3], dtype=np.int32)
LEVELS: list[str | None] = ["low", "mid é", 'high "quoted"']
COLUMNS = {
    "double": Column("value", "double", DOUBLES),
    "integer": Column("value", "integer", INTEGERS),
    "logical": Column("value", "logical", np.array([1, 0, NA_INTEGER], dtype=np.int32)),
    "character": Column("value", "character", WORDS),
    "factor": Column("value", "factor", CODES, LEVELS),
    "ordered": Column("value", "ordered", CODES, LEVELS),
    "Date": Column("value", "Date", DAYS),
    "Date, stored as integers": Column("value", "Date", DAYS[:4], None, "integer"),
    "POSIXct": Column("value", "POSIXct", SECONDS, None, "Europe/Madrid"),
    "POSIXct, without zone": Column("value", "POSIXct", SECONDS, None, NO_ZONE),
    "integers beyond 32 bits, as double": whole_numbers("value", np.array([EXACT_INTEGERS, -(2**40), 7])),
}


def _stream_python(ground: Problem) -> Results:
    drawn = {name: getattr(RStream(ground.seed), verb)(*arguments) for name, (verb, arguments, _, _) in DRAWS.items()}
    stream = RStream(ground.seed)
    in_turn = {f"{name}, in turn": getattr(stream, verb)(*arguments) for name, (verb, arguments, _, _) in DRAWS.items()}
    more = {LAST: stream.to_r_state(), "set.seed": RStream(ground.seed).to_r_state()}
    state = session().call("get", {"x": ".Random.seed"}, stream=ground.seed).value
    return (
        drawn
        | in_turn
        | more
        | {OTHER: RStream(other_seed(ground.seed, 1)).rnorm(1000), TAKEN: RStream.from_r_state(state).rnorm(1000)}
    )


def _stream_r(ground: Problem) -> Results:
    drawn = {n: session().call(f, arguments, stream=ground.seed).value for n, (_, _, f, arguments) in DRAWS.items()}
    stream: RStream | int = ground.seed
    in_turn = {}
    for name, (_, _, function, arguments) in DRAWS.items():
        reply = session().call(function, arguments, stream=stream)
        in_turn[f"{name}, in turn"] = reply.value
        stream = reply.stream if reply.stream is not None else stream
    started = session().call("invisible", stream=ground.seed).stream
    assert started is not None
    assert isinstance(stream, RStream)
    more = {LAST: stream.to_r_state(), "set.seed": started.to_r_state()}
    other = session().call("rnorm", (1000,), stream=other_seed(ground.seed, 1)).value
    return drawn | in_turn | more | {OTHER: other, TAKEN: drawn["rnorm(1000)"]}


STREAM_NAMES = ("set.seed", *DRAWS, *(f"{name}, in turn" for name in list(DRAWS)[1:]), LAST, OTHER, TAKEN)


STREAM_CASES = (Case("streams", _stream_python, _stream_r, tuple(Line(name, 0.0, SAME_BITS) for name in STREAM_NAMES)),)


def _tables(ground: Problem) -> dict[str, Columns]:
    alone = {f"{kind}, round trip": Columns((column,), len(column.values)) for kind, column in COLUMNS.items()}
    data = tuple(Column(f"y{k}", "double", y) for k, y in enumerate(ground.Y.T))
    none = tuple(Column(kind, c.kind, c.values[:0], c.levels, c.extra) for kind, c in COLUMNS.items())
    one = tuple(Column(kind, c.kind, c.values[:1], c.levels, c.extra) for kind, c in COLUMNS.items())
    named = tuple(Column(name, "double", np.array([float(k)])) for k, name in enumerate(CONVERSION_NAMES))
    several = {"the data": Columns(data, len(ground.Y)), "all kinds, no row": Columns(none, 0)}
    more = {"all kinds, one row": Columns(one, 1), "column names that look like code": Columns(named, 1)}
    return alone | several | more


def _conversion_python(ground: Problem) -> Results:
    return {name: _numbers(table) for name, table in _tables(ground).items()}


def _conversion_r(ground: Problem) -> Results:
    return {name: _numbers(session().call("identity", [table]).value) for name, table in _tables(ground).items()}


def _numbers(table: Columns) -> np.ndarray:
    """Everything that a table holds, as one row of numbers."""
    crossings = [to_bytes(column) for column in table.columns]
    texts = [part for c in crossings for part in (_letters([c.name, c.kind, c.extra]), bytes(c.data), bytes(c.labels))]
    return np.concatenate([[table.n], np.frombuffer(b"".join(texts), dtype=np.uint8)]).astype(np.float64)


def _letters(texts: list[str | None]) -> bytes:
    return b"\0".join(b"\1" if text is None else text.encode() for text in texts)


def _as_numbers(texts: list[str | None]) -> np.ndarray:
    return np.frombuffer(_letters(texts), dtype=np.uint8).astype(np.float64)


def _read_by_python(ground: Problem) -> Results:
    dates = [(datetime.date(1970, 1, 1) + datetime.timedelta(days=d)).isoformat() for d in DAYS[:3]]
    times = [datetime.datetime.fromtimestamp(t, datetime.UTC) for t in SECONDS[:3].tolist() if t >= 0]
    return {
        "double, NA apart from NaN": np.concatenate([is_na(DOUBLES), np.isnan(DOUBLES)]),
        "integer, NA": INTEGERS == NA_INTEGER,
        "character, letters": np.array([len(word) if word is not None else NA_INTEGER for word in WORDS]),
        "factor, labels": _as_numbers([LEVELS[code - 1] if code > 0 else None for code in CODES.tolist()]),
        "ordered, below the last level": np.array([code < 3 for code in CODES.tolist() if code > 0]),
        "Date, written out": _as_numbers([*dates]),
        "POSIXct, written out": _as_numbers([f"{time:%Y-%m-%d %H:%M:%S}" for time in times]),
        "column names": _as_numbers([*CONVERSION_NAMES]),
    }


def _read_by_r(ground: Problem) -> Results:
    def ask(function: str, kind: str, keep: slice = slice(None), **arguments: Any) -> Any:
        c = COLUMNS[kind]
        values = c.values[keep] if isinstance(c.values, list) else np.asarray(c.values)[keep]
        table = Columns((Column("value", c.kind, values, c.levels, c.extra),), len(values))
        (answer,) = session().call("lapply", {"X": table, "FUN": function, **arguments}).value.values()
        return answer

    named = Columns(tuple(Column(name, "double", np.array([0.0])) for name in CONVERSION_NAMES), 1)
    na, nan = ask("is.na", "double"), ask("is.nan", "double")
    below = ask("<", "ordered", e2=LEVELS[2])
    return {
        "double, NA apart from NaN": np.concatenate([na & ~nan, na]),
        "integer, NA": ask("is.na", "integer"),
        "character, letters": ask("nchar", "character"),
        "factor, labels": _as_numbers(ask("as.character", "factor")),
        "ordered, below the last level": below[below != NA_INTEGER],
        "Date, written out": _as_numbers(ask("format", "Date", slice(3))),
        "POSIXct, written out": _as_numbers(ask("format", "POSIXct", slice(2), tz="UTC", format="%Y-%m-%d %H:%M:%S")),
        "column names": _as_numbers(session().call("names", [named]).value),
    }


ROUND_TRIPS = (*(f"{kind}, round trip" for kind in COLUMNS), "the data", "all kinds, no row", "all kinds, one row",
               "column names that look like code")  # fmt: skip


READINGS = ("double, NA apart from NaN", "integer, NA", "character, letters", "factor, labels",
            "ordered, below the last level", "Date, written out", "POSIXct, written out", "column names")  # fmt: skip


CONVERSION_CASES = (
    Case("conversion", _conversion_python, _conversion_r, tuple(Line(name, 0.0, BYTES) for name in ROUND_TRIPS)),
    Case("conversion", _read_by_python, _read_by_r, tuple(Line(name, 0.0, READ) for name in READINGS)),
)

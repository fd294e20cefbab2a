"""The functions that R calls: the R package in r_scripts/fcrm, R -> Python. For files a path comes in and a release
goes out, nothing of the data crossing.

In come bytes, strings, numbers, None, and lists and dicts of them; out go the same. Text comes in packed (see `columns`),
because reticulate sends strings through the session's locale; a packed vector of one is a word. Nothing is raised:
what goes wrong is handed over as data, under "error".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

import pyfcrm as pf
from pyfcrm import datasets
from pyfcrm.arguments import names
from pyfcrm.constraints import parsed
from pyfcrm.data import Kept, kept_of, open_frame
from pyfcrm.errors import InvalidInput, InvalidParameter, MissingExtra, PyfcrmError, unknown_name
from pyfcrm.files import check_output, write_table, write_text
from pyfcrm.methods import METHODS, Method
from pyfcrm.protection.file import protect_file as protect_the_file

from .frames import as_sent, frame_of, gaps, released_columns, rows_of, table_of, unpacked

Answer = dict[str, Any]
KINDS = ((InvalidInput, "invalid_input"), (InvalidParameter, "invalid_parameter"), (MissingExtra, "missing_extra"))
_SETS = (pf.datasets.survey, pf.datasets.census_like, pf.datasets.enterprises, pf.datasets.accounts)
DATASETS = {one.__name__: one for one in _SETS}
FITS = 2**31 - 1  # what an integer of R's holds
_FILE_SETS = (datasets.survey, datasets.census_like, datasets.enterprises, datasets.accounts, datasets.example)
FILE_DATASETS = {one.__name__: one for one in _FILE_SETS}


def answered(call: Callable[..., Answer]) -> Callable[..., Answer]:
    """`call` with its errors as data."""

    @wraps(call)
    def answer(*arguments: Any) -> Answer:
        try:
            return call(*arguments)
        except PyfcrmError as error:
            return {"error": _told(error)}
        except Exception as error:  # a fault of ours: R is told so, in one sentence, and is not left with a traceback
            sentence = f"pyfcrm failed, which it should not ({type(error).__name__}: {' '.join(str(error).split())})"
            return {"error": {"kind": "unexpected", "message": sentence}}

    return answer


@answered
def protect(sent: Answer, method: Answer, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.protect. sent : see `as_sent`; seed, state : see `_seed`.

    Answers with the dependent columns, which cells of the columns sent were emptied, which records are released, the
    notes, what it started from, and the state after the draws.
    """
    table, asked, chosen = as_sent(sent), _roles(roles), as_method(method)
    words = _words(options)
    named = _constrained("protect", words)
    table.require(
        "protect", [*asked.independent, *asked.dependent, *asked.identifiers, *_needed(chosen, asked), *named]
    )
    table.require("protect", [*names("protect", "strata", words.get("strata")), *asked.unknown])
    asked = replace(asked, unknown=())  # these columns stay in R: to protect them is nothing that is done here
    stream = _stream(state)
    frame = frame_of(table, asked.identifiers)  # their values stay in R, which drops them too
    released = pf.protect(frame, chosen, asked, _seed(seed, stream), **words)
    emptied, cells = gaps(frame, released.frame)
    return {
        "columns": released_columns(released.frame, asked.dependent),
        "emptied": emptied,
        "cells": cells,
        "rows": rows_of(released.frame, table.records),
        "notes": _as_text([*released.notes, *_of_r(seed, stream, released)]),
        "start": _start(released.seed),
        "state": _after(stream),
    }


@answered
def evaluate(before: Answer, after: Answer, options: Answer, seed: Any = None, state: Any = None) -> Answer:
    """pf.evaluate. seed, state : of the inference baseline, as in protect. Among the options, `leaving` : the columns of
    the release that R found to be as they came, which were sent with it.

    Answers with the report's rows, the titles of its measures, what was judged, the notes, and the state after the draws.
    """
    settings = _words(options)
    leaving, unknown = (names("evaluate", part, settings.pop(part, None)) for part in ("leaving", "unknown"))
    original, protected = as_sent(before), as_sent(after)
    for owner, table in (("evaluate, original", original), ("evaluate, protected", protected)):
        asked = [names("evaluate", part, settings.get(part)) for part in ("columns", "keys", "targets")]
        table.require(owner, [name for part in asked for name in part])
    for part in ("strata", "domains"):
        original.require("evaluate, original", names("evaluate", part, settings.get(part)))
    original.require("evaluate, independent", names("evaluate", "independent", settings.get("independent")))
    original.require("evaluate", unknown)
    if changed := [name for name in unknown if name not in leaving]:
        raise InvalidParameter("evaluate", "unknown", "must name columns that leave as they came", changed[0])
    stream, released = _stream(state), frame_of(protected)
    report = pf.evaluate(frame_of(original), released, seed=_seed(seed, stream), **settings)
    kept = kept_of(open_frame("evaluate", released), leaving, unknown)
    titles = [{"measure": key, "title": report.facts(key).title} for key in report.keys()]  # noqa: SIM118
    return {
        "rows": table_of(report.rows()),
        "titles": table_of(titles),
        "judged": list(report.columns),
        "kept": _told_kept(kept),
        "records": report.records,
        "notes": _as_text(report.notes),
        "state": _after(stream),
    }


@answered
def key_risk(sent: Answer, options: Answer) -> Answer:
    """pf.key_risk. Answers with one row a record, the whole file's figures, and these in sentences."""
    table, settings = as_sent(sent), _words(options)
    for part in ("keys", "weights", "household"):
        table.require("key_risk", names("key_risk", part, settings[part]))
    found = pf.key_risk(frame_of(table), **settings)
    rows = found.to_frame()
    figures = {name: getattr(found, name) for name in ("expected", "global_risk", "global_household_risk")}
    return {"rows": released_columns(rows, list(rows.columns)), "said": list(found.sentences()), **figures}


@answered
def audit(sent: Answer, method: Answer, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.audit. Answers with the values by key, one row an attack, the alarms, the whole in words, and the state after."""
    table, asked, chosen, words = as_sent(sent), _roles(roles), as_method(method), _words(options)
    of_roles = [*asked.independent, *asked.dependent, *_needed(chosen, asked), *_constrained("audit", words)]
    table.require("audit", [*of_roles, *names("audit", "strata", words.get("strata"))])
    stream, asked = _stream(state), replace(asked, identifiers=(), unknown=())  # these columns stay in R
    found = pf.audit(frame_of(table), chosen, asked, _seed(seed, stream), **words)
    return {
        "keys": found.keys(),
        "values": [found[key] for key in found.keys()],  # noqa: SIM118
        "rows": table_of(found.rows()),
        "alarms": _as_text(found.alarms),
        "said": found.said(),
        "title": str(found).splitlines()[0],
        "notes": _as_text(found.notes),
        "state": _after(stream),
    }


@answered
def find_structure(sent: Answer, roles: Answer) -> Answer:
    """pf.find_structure. Answers with one row a proposal."""
    rows = pf.find_structure(frame_of(as_sent(sent)), _roles(roles)).to_frame()
    return {"rows": released_columns(rows, list(rows.columns))}


@answered
def sweep(sent: Answer, methods: list[Answer], roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.sweep. Answers with one row a candidate, each one's notes, the seed that repeats them, and the state after."""
    table, asked = as_sent(sent), _roles(roles)
    candidates = [as_method(method) for method in methods]
    needed = [name for method in candidates for name in _needed(method, asked)]
    words = _words(options)
    table.require(
        "sweep",
        [
            *asked.independent,
            *asked.dependent,
            *asked.identifiers,
            *asked.unknown,
            *needed,
            *_constrained("sweep", words),
        ],
    )
    stream = _stream(state)
    # R's own stream goes on by the one integer that sample.int() gives there.
    drawn = (
        int(stream.sample_int(FITS, 1)[0]) if _is_rs_own(seed, stream) and stream is not None else _seed(seed, stream)
    )
    frontier = pf.sweep(frame_of(table, asked.identifiers), asked, candidates, drawn, **words)
    named = zip(frontier.candidates, frontier.nondominated(), strict=True)
    rows = [
        {"method": type(c.method).__name__, "parameters": c.method.settings(), **c.values, "nondominated": mark}
        for c, mark in named
    ]
    notes = [_as_text(c.notes) for c in frontier.candidates]
    kept, start = _told_kept(frontier.kept), _start(frontier.seed)
    return {"rows": table_of(rows), "notes": notes, "seed": start, "kept": kept, "state": _after(stream)}


@answered
def recommend(sent: Answer, candidates: Any, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.recommend. candidates : methods as `as_method` takes them, or None.

    Answers with one row a method, the methods themselves as `sent_method` gives them, each one's notes, which is the pick
    (from 1, None where there is none) and which the least risk, the reasons, what was set aside, and the state after.
    """
    table, asked = as_sent(sent), _roles(roles)
    given = None if candidates is None else [as_method(method) for method in candidates]
    words = _words(options)
    named = [*asked.independent, *asked.dependent, *asked.identifiers, *asked.unknown]
    table.require("recommend", [*named, *_constrained("recommend", words)])
    stream = _stream(state)
    found = pf.recommend(frame_of(table, asked.identifiers), asked, seed=_seed(seed, stream), candidates=given, **words)
    rows = [{key: None if value != value else value for key, value in row.items()} for row in found.rows()]
    place = {id(one): k for k, one in enumerate(found.judged, 1)}
    return {
        "rows": table_of(rows),
        "methods": [sent_method(one.method) for one in found.judged],
        "notes": [_as_text(one.notes) for one in found.judged],
        "pick": None if found.pick is None else place[id(found.pick)],
        "least": place[id(found.least)],
        "reasons": list(found.reasons),
        "kept": _told_kept(found.kept),
        "set_aside": [[name, why] for name, why in found.set_aside.items()],
        "complete": found.complete,
        "seconds": found.seconds,
        "seeds": [_start(seed) for seed in found.seeds],
        "state": _after(stream),
    }


@answered
def dataset(name: str, n: Any, seed: Any, state: Any) -> Answer:
    """One of the simulated data sets of `n` records, by name. Whole numbers that no integer of R's holds go as doubles."""
    stream = _stream(state)
    frame = DATASETS[name](_value(n), _seed(seed, stream))
    wide = [one for one in frame.select_dtypes("number") if frame[one].abs().max() > FITS]
    return {
        "columns": released_columns(frame.astype(dict.fromkeys(wide, "float64")), list(frame.columns)),
        "state": _after(stream),
    }


def _told_kept(kept: Kept | None) -> Answer:
    """What leaves as it came, and its sentences, for R; pairs as a list of two names and a count."""
    assert kept is not None  # the columns came with the frame
    return {
        "columns": list(kept.columns),
        "unknown": list(kept.unknown),
        "records": kept.records,
        "alone": [kept.alone[name] for name in kept.columns],
        "pairs": [[a, b, many] for (a, b), many in kept.pairs.items()],
        "together": kept.together,
        "share": kept.share,
        "said": list(kept.sentences()),
    }


def sent_method(method: Method) -> Answer:
    """A method for R to build again: {"name": its name, "parameters": numbers, flags, words, None, or such a method}."""
    return {
        "name": type(method).__name__,
        "parameters": {name: _plain(value) for name, value in method.parameters().items()},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Method):
        return sent_method(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def as_method(packed: Answer) -> Method:
    """The method of {"method": name, "parameters": {...}}.

    A parameter is a number, a flag, packed text, None, a list of those, such a method itself, or a mapping as
    {"names": packed text, "values": [...]}.
    """
    name, given = str(packed["method"]), _words(packed.get("parameters"))
    kind = METHODS.get(name.lower())
    if kind is None:
        raise unknown_name("protect", "method", name, METHODS)
    known = [each.name for each in kind.declared()]
    for parameter in given:
        if parameter not in known:
            raise unknown_name(kind.__name__, "parameter", parameter, known)
    return kind(**given)


def _words(packed: Any) -> dict[str, Any]:
    """Arguments by name, their packed text as words. R's empty list comes as []."""
    return {str(name): _value(value) for name, value in dict(packed or {}).items()}


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        if "method" in value:
            return as_method(dict(value))
        return dict(zip(unpacked(value["names"]), (_value(item) for item in value["values"]), strict=True))
    if isinstance(value, list):
        return [_value(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # R's 8 is 8.0; a message should say 8
    if not isinstance(value, bytes | bytearray | memoryview):
        return value
    words = unpacked(value)
    return words[0] if len(words) == 1 else words


def _needed(method: Method, roles: pf.Roles) -> tuple[str, ...]:
    """Columns that a method works on beside those with a role: its keys."""
    return method.needs(roles.dependent).cells


def _constrained(owner: str, words: Answer) -> tuple[str, ...]:
    """The columns that constraints are about; R sends any column whose name may stand in them."""
    return tuple(name for one in parsed(owner, words.get("constraints")) for name in one.columns)


def _roles(packed: Answer) -> pf.Roles:
    return pf.Roles(**_words(packed))


def _stream(state: Any) -> pf.RStream | None:
    return None if state is None else pf.RStream.from_r_state(np.frombuffer(state, dtype="<i4"))


def _seed(seed: Any, stream: pf.RStream | None) -> Any:
    """What a seed of R's means: a number; with neither number nor state fresh entropy; with a state the stream there,
    which is R's own where `seed` is None, and was given in full where it is not."""
    return _value(seed) if stream is None else stream


def _is_rs_own(seed: Any, stream: pf.RStream | None) -> bool:
    return stream is not None and seed is None


def _as_text(notes: Iterable[str]) -> list[str]:
    """Notes as plain strings: reticulate converts no subclass of str."""
    return [str(note) for note in notes]


def _of_r(seed: Any, stream: pf.RStream | None, released: pf.Protected) -> list[str]:
    """What is said of a release that R's own random numbers made."""
    if stream is None or not _is_rs_own(seed, stream):
        return []
    if _start(released.seed) == _after(stream):
        return []  # nothing was drawn
    undone = ", and this release then be undone" if released.method.undone_by_seed else ""
    return [f'R\'s own seeding is 32 bits, which can all be tried{undone}: begin one that goes out with seed = "fresh"']


def _start(seed: int | pf.RStream) -> int | bytearray | None:
    return _after(seed) if isinstance(seed, pf.RStream) else seed


def _after(stream: pf.RStream | None) -> bytearray | None:
    return None if stream is None else bytearray(stream.to_r_state().astype("<i4").tobytes())


def _told(error: PyfcrmError) -> Answer:
    kind = next((name for kind, name in KINDS if isinstance(error, kind)), "error")
    told = {"kind": kind, "message": str(error)}
    given = {"owner": "owner", "rule": "rule", "parameter": "name", "value": "value", "command": "command"}
    for field, attribute in given.items():
        if getattr(error, attribute, None) is not None:
            told[field] = str(getattr(error, attribute))
    if getattr(error, "given", None) is not None:
        told["value"] = str(error.given)  # type: ignore[attr-defined]
    return told


@answered
def protect_file(paths: Answer, method: Answer, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.protect_file. paths : `source` and `output`, packed. Answers with the notes, what it started from, and the
    state after the draws."""
    where = _words(paths)
    stream = _stream(state)
    released = protect_the_file(
        _path(where["source"]),
        _path(where["output"]),
        as_method(method),
        _roles(roles),
        _seed(seed, stream),
        **_words(options),
    )
    notes = _as_text([*released.notes, *_of_r(seed, stream, released)])
    return {"notes": notes, "start": _start(released.seed), "state": _after(stream)}


@answered
def dataset_file(paths: Answer) -> Answer:
    """One of the simulated data sets, `name`, as it is by default, in the file `output`."""
    where = _words(paths)
    if where["name"] not in FILE_DATASETS:
        raise unknown_name("dataset_file", "data set", str(where["name"]), FILE_DATASETS)
    write_table(FILE_DATASETS[where["name"]](), _path(where["output"]))
    return {}


def _path(text: Any) -> str:
    """A path as this process's system calls take it: inside an R of a plain C locale they know ASCII only."""
    return os.fsdecode(str(text).encode("utf-8"))


@answered
def verify(paths: Answer) -> Answer:
    """pf.verify. paths : `manifest`, `release` and `original`, packed. Answers with its checks, and all in sentences."""
    where = _words(paths)
    original = None if where["original"] is None else _path(where["original"])
    found = pf.verify(_path(where["manifest"]), _path(where["release"]), original)
    checks = [{"what": one.what, "holds": one.holds, "said": one.said} for one in found.checks]
    return {"ok": found.ok, "rows": table_of(checks), "said": found.sentences()}


@answered
def run_plan(paths: Answer, options: Answer) -> Answer:
    """pf.run. paths : `plan`, packed. Answers with one row a threshold, all in sentences, and the notes."""
    made = pf.run(_path(_words(paths)["plan"]), **_words(options))
    rows = [{"key": one.key, "limit": one.limit, "value": one.value, "met": one.met} for one in made.thresholds]
    return {"ok": made.ok, "rows": table_of(rows), "said": made.sentences(), "notes": _as_text(made.notes)}


@answered
def qualify(paths: Answer) -> Answer:
    """pf.qualify. paths : `html` and `wheel`, packed. Answers with one row a comparison, and all in sentences."""
    given = {name: None if path is None else _path(path) for name, path in _words(paths).items()}
    if given["html"] is not None:
        check_output(given["html"], [given["wheel"]], extensions=("html", "htm"))
    found = pf.qualify(given["wheel"])
    if given["html"] is not None:
        write_text(given["html"], found.page())
    rows = [
        {"requirement": one.name, "what": row.what, "found": row.found, "asked": row.asked, "verdict": row.verdict}
        for one in found.requirements
        for row in one.rows
    ]
    return {"ok": found.ok, "rows": table_of(rows), "said": found.sentences()}

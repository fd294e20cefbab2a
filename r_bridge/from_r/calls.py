"""What R calls for frames: the R package in r_scripts/fcrm, R -> Python. For what goes in and out see `arguments`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

import pyfcrm as pf
from pyfcrm.arguments import names
from pyfcrm.constraints import parsed
from pyfcrm.data import SampleUniques, open_frame, uniques_between
from pyfcrm.data.unmodified import require_unmodified
from pyfcrm.errors import InvalidParameter
from pyfcrm.evaluation.combining import Estimates
from pyfcrm.measures import MEASURES
from pyfcrm.methods import Method
from pyfcrm.plans.limits import LIMITS
from pyfcrm.protection.ledger import Registration
from pyfcrm.protection.preserve import preserve_request

from .arguments import (
    Answer,
    answered,
    as_method,
    as_text,
    kind_of_seed,
    roles_of,
    seed_notes,
    seed_of,
    sent_method,
    sent_verdict,
    start_of,
    state_of,
    stream_of,
    structured,
    value_of,
    words_of,
)
from .frames import as_sent, frame_of, gaps, released_columns, rows_of, table_of, unpacked

_SETS = (pf.datasets.survey, pf.datasets.census_like, pf.datasets.enterprises, pf.datasets.accounts)
DATASETS = {one.__name__: one for one in _SETS}
FITS = 2**31 - 1  # what an integer of R's holds
SEEDS: Mapping[str, Callable[[], int | pf.RStream]] = {
    "integer": lambda: 0,
    "state": lambda: pf.RStream(0),
    "fresh": lambda: pf.RStream(None),
}
"""By the kind of a release's seed one of that kind: the seed itself stays out of the release."""


def _opened(
    verb: str, sent: Answer, methods: Iterable[Method], roles: Answer, options: Answer
) -> tuple[Any, pf.Roles, Answer]:
    """The frame, the roles and the options of a verb. Raises InvalidInput where a column that they name was not sent."""
    table, chosen, words = as_sent(sent), roles_of(roles), words_of(options)
    chosen = next((m.roles for m in methods if isinstance(m, pf.Steps)), chosen)
    if verb == "audit":
        chosen = replace(chosen, identifiers=(), unknown=())  # these columns stay in R
    preserved = preserve_request(words.get("weights"), words.get("preserve"), chosen, verb)
    table.require(
        verb,
        [
            *(name for role in vars(chosen) for name in chosen.columns(role)),
            *(name for m in methods if not m.needs_numbers for name in m.needs(chosen.dependent)),
            *(name for rule in parsed(verb, words.get("constraints")) for name in rule.columns),
            *names(verb, "strata", words.get("strata")),
            *([] if preserved.weights is None else [preserved.weights]),
            *preserved.levels,
        ],
    )
    return frame_of(table, chosen.identifiers), chosen, structured(words)


@answered
def protect(sent: Answer, method: Answer, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.protect. sent : see `as_sent`; seed, state : see `seed_of`.

    Returns the release as `_sent_release`, those of further copies in `more`, the notes, the kind and value of the seed, and
    the state after the draws.
    """
    chosen, stream = as_method(method), stream_of(state)
    if chosen.generates:
        rule = "must be given to protect_file(): it makes a whole file, and not all columns of a frame come here"
        raise InvalidParameter("protect", "method", rule, str(chosen))
    frame, columns, settings = _opened("protect", sent, [chosen], roles, options)
    columns = replace(columns, unknown=())  # their values stay in R, which releases them unchanged
    roles_given = None if isinstance(chosen, pf.Steps) else columns
    released = pf.protect(frame, chosen, roles_given, seed_of(seed, stream), **settings)
    changed = [*columns.dependent, *columns.ids]
    entry = released.registration
    first, *more = [_sent_release(frame, copy, changed) for copy in released.frames]
    return first | {
        "more": more,
        "digest": _digest(first),
        "notes": as_text([*released.notes, *seed_notes(seed, stream, released)]),
        "start": start_of(released.seed),
        "seed_kind": kind_of_seed(released.seed),
        "state": state_of(stream),
        "ledger": None if entry is None else json.dumps([entry.conflicts, entry.epsilon]),
    }


def _digest(sent: Answer) -> str:
    """Of the values of a release, by which R finds the seed again."""
    parts = [bytes(data) for five in sent["columns"] for data in five[2:4]]
    return sha256(b"".join([*parts, bytes(sent["rows"] or b"")])).hexdigest()


def _sent_release(frame: Any, released: Any, changed: Sequence[str]) -> Answer:
    """The columns that are changed, which cells of the columns sent were emptied, and which records are released."""
    emptied, cells = gaps(frame, released)
    columns = released_columns(released, changed)
    return {"columns": columns, "emptied": emptied, "cells": cells, "rows": rows_of(released, len(frame))}


@answered
def combine(terms: bytes, fits: list[Answer], rule: str | None, records: Any) -> Answer:
    """pf.combine of fits that R made: coef, se, records, freedom of each. Answers with its rows, its title and the notes."""
    estimates = []
    for one in fits:
        coef, se = (np.atleast_1d(np.asarray(one[name], dtype=np.float64)) for name in ("coef", "se"))
        estimates.append(Estimates(tuple(unpacked(terms)), coef, se, int(one["records"]), int(one["freedom"])))
    found = pf.combine(estimates, value_of(rule), records=value_of(records))
    rows = [dict(zip(found.to_frame().columns, row, strict=True)) for row in found.to_frame().itertuples(index=False)]
    return {"rows": table_of(rows), "rule": found.rule, "title": found.title, "notes": as_text(found.notes)}


@answered
def evaluate(
    before: Answer,
    after: Answer | list[Answer],
    options: Answer,
    roles: Answer | None = None,
    method: Answer | None = None,
    facts: Answer | None = None,
) -> Answer:
    """pf.evaluate. after : a list of several copies, judged together; facts : how the release was made, as R keeps it with the
    release: roles, method, kind of seed and options.

    Answers with the report's rows, the titles of its measures, the verdict, what was judged, and the notes.
    """
    settings = words_of(options)
    unknown = names("evaluate", "unknown", settings.pop("unknown", None))

    def named(*parts: str) -> list[str]:
        return [name for part in parts for name in names("evaluate", part, settings.get(part))]

    original, copies = as_sent(before), [as_sent(copy) for copy in (after if isinstance(after, list) else [after])]
    for owner, table in (("evaluate, original", original), *(("evaluate, protected", copy) for copy in copies)):
        table.require(owner, named("columns", "keys", "targets"))
    original.require("evaluate, original", named("strata", "domains", "weights"))
    original.require("evaluate, independent", named("independent"))
    original.require("evaluate", unknown)
    frame, frames = frame_of(original), [frame_of(copy) for copy in copies]
    settings["roles"] = None if roles is None else roles_of(roles)
    settings["method"] = None if method is None else as_method(method)
    report = pf.evaluate(frame, _release(frames, facts), **settings)
    kept = report.kept
    if kept is None:
        kept = uniques_between("evaluate", open_frame("evaluate", frame), open_frame("evaluate", frames[0]), unknown)
    else:
        require_unmodified("evaluate", unknown, [*kept.columns, *kept.unknown])
    titles = [{"measure": key, "title": MEASURES[key].title} for key in report.results]
    return {
        "rows": table_of(report.rows()),
        "titles": table_of(titles),
        "verdict": sent_verdict(report.verdict),
        "judged": list(report.columns),
        "kept": None if kept is None else _sent_uniques(kept),
        "records": report.records,
        "notes": as_text(report.notes),
    }


def _release(frames: Sequence[Any], facts: Answer | None) -> Any:
    """The frames with how they were made; as they are where R keeps nothing of that."""
    if facts is None:
        return frames[0] if len(frames) == 1 else frames
    return protected_of(frames, facts)


def protected_of(frames: Sequence[Any], facts: Answer) -> pf.Protected:
    """A release with how it was made, as R keeps it."""
    method, options = as_method(facts["method"]), structured(words_of(facts["options"]))
    roles = method.roles if isinstance(method, pf.Steps) else roles_of(facts["roles"])
    seed = SEEDS[str(facts["seed"])]()
    more, registration = tuple(frames[1:]), None
    if facts.get("ledger"):
        conflicts, epsilon = json.loads(str(facts["ledger"]))
        registration = Registration(tuple(conflicts), epsilon)
    return pf.Protected(
        frames[0], [], method, roles, seed, None, more, options=as_options(options), registration=registration
    )


def as_options(words: Answer) -> Answer:
    """Options of protect() with names of columns as tuples: R's single name is a word."""
    return words | {key: names("evaluate", key, words[key]) for key in ("strata", "preserve") if key in words}


@answered
def key_risk(sent: Answer, options: Answer) -> Answer:
    """pf.key_risk. Answers with one row a record, the whole file's figures, and these in sentences."""
    table, settings = as_sent(sent), words_of(options)
    for part in ("keys", "weights", "household"):
        table.require("key_risk", names("key_risk", part, settings[part]))
    found = pf.key_risk(frame_of(table), **settings)
    rows = found.to_frame()
    figures = {name: getattr(found, name) for name in ("expected", "global_risk", "global_household_risk")}
    return {"rows": released_columns(rows, list(rows.columns)), "said": list(found.describe()), **figures}


@answered
def audit(sent: Answer, method: Answer, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.audit. Returns the values by key, one row an attack, the alarms, the description, and the state after."""
    chosen, stream = as_method(method), stream_of(state)
    frame, columns, settings = _opened("audit", sent, [chosen], roles, options)
    result = pf.audit(frame, chosen, columns, seed_of(seed, stream), **settings)
    return {
        "keys": result.keys(),
        "values": [result[key] for key in result.keys()],  # noqa: SIM118
        "rows": table_of(result.rows()),
        "alarms": [str(alarm) for alarm in result.alarms],
        "said": result.describe(),
        "title": result.title,
        "method": str(chosen),
        "digest": result.digest,
        "notes": as_text(result.notes),
        "state": state_of(stream),
    }


@answered
def find_structure(sent: Answer, roles: Answer) -> Answer:
    """pf.find_structure. Answers with one row a proposal, the whole of it as JSON in `proposal`."""
    found = pf.find_structure(frame_of(as_sent(sent)), roles_of(roles))
    rows = found.to_frame().assign(proposal=[json.dumps(row) for row in found.rows()])
    return {"rows": released_columns(rows, list(rows.columns))}


@answered
def sweep(sent: Answer, methods: list[Answer], roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.sweep. Returns one row a candidate, each one's notes, the seed that repeats them, and the state after."""
    candidates, stream = [as_method(method) for method in methods], stream_of(state)
    frame, columns, settings = _opened("sweep", sent, candidates, roles, options)
    # R's own stream goes on by the one integer that sample.int() gives there.
    own = stream is not None and seed is None
    drawn = int(stream.sample_int(FITS, 1)[0]) if own and stream is not None else seed_of(seed, stream)
    frontier = pf.sweep(frame, columns, candidates, drawn, **settings)
    rows = [
        {"method": type(c.method).__name__, "parameters": c.method.settings(), **c.values, "nondominated": mark}
        for c, mark in zip(frontier.candidates, frontier.nondominated(), strict=True)
    ]
    return {
        "rows": table_of(rows),
        "notes": [as_text(candidate.notes) for candidate in frontier.candidates],
        "seed": start_of(frontier.seed),
        "kept": _sent_uniques(frontier.kept),
        "limit": LIMITS["risk"].values[0],
        "state": state_of(stream),
    }


@answered
def recommend(sent: Answer, candidates: Any, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.recommend. candidates : methods as `as_method` reads them, or None.

    Returns one row a method, the methods as `sent_method` writes them, each one's notes, the verdict, headline and reasons,
    the methods that were set aside, and the state after.
    """
    methods = None if candidates is None else [as_method(method) for method in candidates]
    stream = stream_of(state)
    frame, columns, settings = _opened("recommend", sent, methods or (), roles, options)
    result = pf.recommend(frame, columns, seed=seed_of(seed, stream), candidates=methods, **settings)
    rows = [{key: None if value != value else value for key, value in row.items()} for row in result.rows()]
    order = {id(candidate): k for k, candidate in enumerate(result.candidates, 1)}
    return {
        "rows": table_of(rows),
        "methods": [sent_method(candidate.method) for candidate in result.candidates],
        "notes": [as_text(candidate.notes) for candidate in result.candidates],
        "nearest": [order[id(candidate)] for candidate in result.nearest],
        "verdict": sent_verdict(result.verdict),
        "headline": result.headline,
        "reasons": list(result.reasons),
        "set_aside": [[name, why] for name, why in result.set_aside.items()],
        "seeds": [start_of(seed) for seed in result.seeds],
        "state": state_of(stream),
    }


@answered
def dataset(name: str, n: Any, seed: Any, state: Any) -> Answer:
    """One of the simulated data sets of `n` records, by name. Whole numbers that no integer of R's holds go as doubles."""
    stream = stream_of(state)
    frame = DATASETS[name](value_of(n), seed_of(seed, stream))
    wide = [one for one in frame.select_dtypes("number") if frame[one].abs().max() > FITS]
    return {
        "columns": released_columns(frame.astype(dict.fromkeys(wide, "float64")), list(frame.columns)),
        "state": state_of(stream),
    }


def _sent_uniques(kept: SampleUniques | None) -> Answer:
    """Sample uniques on the unmodified columns, for R; pairs as a list of two names and a count."""
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

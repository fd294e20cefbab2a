"""What R calls for frames: the R package in r_scripts/fcrm, R -> Python. For what goes in and out see `arguments`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import pyfcrm as pf
from pyfcrm.arguments import names
from pyfcrm.constraints import parsed
from pyfcrm.data import SampleUniques, open_frame, uniques_between
from pyfcrm.data.unmodified import require_unmodified
from pyfcrm.errors import InvalidParameter
from pyfcrm.evaluation.combining import Estimates
from pyfcrm.methods import Method
from pyfcrm.plans.limits import LIMITS
from pyfcrm.protection.preserve import preserve_request

from .arguments import (
    Answer,
    answered,
    as_method,
    as_text,
    is_rs_own,
    kind_of_seed,
    roles_of,
    said_of_r,
    seed_of,
    sent_method,
    start_of,
    state_of,
    stream_of,
    structured,
    told_verdict,
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


@answered
def protect(sent: Answer, method: Answer, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.protect. sent : see `as_sent`; seed, state : see `seed_of`.

    Answers with the release as `_told_release`, those of further copies in `more`, the notes, what it started from, and the
    state after the draws.
    """
    table, asked, chosen = as_sent(sent), roles_of(roles), as_method(method)
    if chosen.generates:
        rule = "must be given to protect_file(): it makes a whole file, and not all columns of a frame come here"
        raise InvalidParameter("protect", "method", rule, str(chosen))
    words = words_of(options)
    named = _constrained("protect", words)
    table.require(
        "protect", [*asked.independent, *asked.dependent, *asked.identifiers, *_needed(chosen, asked), *named]
    )
    table.require("protect", [*names("protect", "strata", words.get("strata")), *asked.unknown])
    table.require("protect", _answered("protect", words, asked))
    asked = replace(asked, unknown=())  # these columns stay in R: to protect them is nothing that is done here
    stream = stream_of(state)
    frame = frame_of(table, asked.identifiers)  # their values stay in R, which drops them too
    released = pf.protect(frame, chosen, asked, seed_of(seed, stream), **structured(words))
    first, *more = [_told_release(frame, one, asked.dependent) for one in released.frames]
    return first | {
        "more": more,
        "notes": as_text([*released.notes, *said_of_r(seed, stream, released)]),
        "start": start_of(released.seed),
        "seed_kind": kind_of_seed(released.seed),
        "state": state_of(stream),
    }


def _told_release(frame: Any, released: Any, dependent: Sequence[str]) -> Answer:
    """The dependent columns, which cells of the columns sent were emptied, and which records are released."""
    emptied, cells = gaps(frame, released)
    columns = released_columns(released, dependent)
    return {"columns": columns, "emptied": emptied, "cells": cells, "rows": rows_of(released, len(frame))}


@answered
def combine(terms: bytes, fits: list[Answer], rule: str | None, records: Any) -> Answer:
    """pf.combine of fits that R made: coef, se, records, freedom of each. Answers with its rows, its title and the notes."""
    made = []
    for one in fits:
        coef, se = (np.atleast_1d(np.asarray(one[name], dtype=np.float64)) for name in ("coef", "se"))
        made.append(Estimates(tuple(unpacked(terms)), coef, se, int(one["records"]), int(one["freedom"])))
    found = pf.combine(made, value_of(rule), records=value_of(records))
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
    original, copies = as_sent(before), [as_sent(one) for one in (after if isinstance(after, list) else [after])]
    for owner, table in (("evaluate, original", original), *(("evaluate, protected", one) for one in copies)):
        asked = [names("evaluate", part, settings.get(part)) for part in ("columns", "keys", "targets")]
        table.require(owner, [name for part in asked for name in part])
    for part in ("strata", "domains", "weights"):
        original.require("evaluate, original", names("evaluate", part, settings.get(part)))
    original.require("evaluate, independent", names("evaluate", "independent", settings.get("independent")))
    original.require("evaluate", unknown)
    frame, frames = frame_of(original, labelled=True), [frame_of(one, labelled=True) for one in copies]
    settings["roles"] = None if roles is None else roles_of(roles)
    settings["method"] = None if method is None else as_method(method)
    report = pf.evaluate(frame, _release(frames, facts), **settings)
    kept = report.kept
    if kept is None:
        kept = uniques_between("evaluate", open_frame("evaluate", frame), open_frame("evaluate", frames[0]), unknown)
    else:
        require_unmodified("evaluate", unknown, [*kept.columns, *kept.unknown])
    titles = [{"measure": key, "title": report.facts(key).title} for key in report.keys()]  # noqa: SIM118
    return {
        "rows": table_of(report.rows()),
        "titles": table_of(titles),
        "verdict": told_verdict(report.verdict),
        "judged": list(report.columns),
        "kept": None if kept is None else _told_kept(kept),
        "records": report.records,
        "notes": as_text(report.notes),
    }


def _release(frames: Sequence[Any], facts: Answer | None) -> Any:
    """The frames with how they were made; as they are where R keeps nothing of that."""
    if facts is None:
        return frames[0] if len(frames) == 1 else frames
    method, roles, options = (
        as_method(facts["method"]),
        roles_of(facts["roles"]),
        structured(words_of(facts["options"])),
    )
    seed = SEEDS[str(facts["seed"])]()
    return pf.Protected(frames[0], [], method, roles, seed, None, tuple(frames[1:]), options=as_options(options))


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
    """pf.audit. Answers with the values by key, one row an attack, the alarms, the whole in words, and the state after."""
    table, asked, chosen, words = as_sent(sent), roles_of(roles), as_method(method), words_of(options)
    of_roles = [*asked.independent, *asked.dependent, *_needed(chosen, asked), *_constrained("audit", words)]
    of_roles += _answered("audit", words, asked)
    table.require("audit", [*of_roles, *names("audit", "strata", words.get("strata"))])
    stream, asked = stream_of(state), replace(asked, identifiers=(), unknown=())  # these columns stay in R
    found = pf.audit(frame_of(table), chosen, asked, seed_of(seed, stream), **structured(words))
    return {
        "keys": found.keys(),
        "values": [found[key] for key in found.keys()],  # noqa: SIM118
        "rows": table_of(found.rows()),
        "alarms": [str(alarm) for alarm in found.alarms],
        "said": found.describe(),
        "title": found.title,
        "method": str(chosen),
        "digest": found.digest,
        "notes": as_text(found.notes),
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
    """pf.sweep. Answers with one row a candidate, each one's notes, the seed that repeats them, and the state after."""
    table, asked = as_sent(sent), roles_of(roles)
    candidates = [as_method(method) for method in methods]
    needed = [name for method in candidates for name in _needed(method, asked)]
    words = words_of(options)
    table.require(
        "sweep",
        [
            *asked.independent,
            *asked.dependent,
            *asked.identifiers,
            *asked.unknown,
            *needed,
            *_constrained("sweep", words),
            *names("sweep", "strata", words.get("strata")),
            *_answered("sweep", words, asked),
        ],
    )
    stream = stream_of(state)
    # R's own stream goes on by the one integer that sample.int() gives there.
    drawn = (
        int(stream.sample_int(FITS, 1)[0]) if is_rs_own(seed, stream) and stream is not None else seed_of(seed, stream)
    )
    frontier = pf.sweep(frame_of(table, asked.identifiers), asked, candidates, drawn, **structured(words))
    named = zip(frontier.candidates, frontier.nondominated(), strict=True)
    rows = [
        {"method": type(c.method).__name__, "parameters": c.method.settings(), **c.values, "nondominated": mark}
        for c, mark in named
    ]
    notes = [as_text(c.notes) for c in frontier.candidates]
    kept, start = _told_kept(frontier.kept), start_of(frontier.seed)
    limit = LIMITS["risk"].values[0]
    return {
        "rows": table_of(rows),
        "notes": notes,
        "seed": start,
        "kept": kept,
        "limit": limit,
        "state": state_of(stream),
    }


@answered
def recommend(sent: Answer, candidates: Any, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.recommend. candidates : methods as `as_method` takes them, or None.

    Answers with one row a method, the methods themselves as `sent_method` gives them, each one's notes, the verdict, headline and
    reasons, what was set aside, and the state after.
    """
    table, asked = as_sent(sent), roles_of(roles)
    given = None if candidates is None else [as_method(method) for method in candidates]
    words = words_of(options)
    named = [*asked.independent, *asked.dependent, *asked.identifiers, *asked.unknown]
    by = [*names("recommend", "strata", words.get("strata")), *_answered("recommend", words, asked)]
    table.require("recommend", [*named, *_constrained("recommend", words), *by])
    stream = stream_of(state)
    found = pf.recommend(
        frame_of(table, asked.identifiers), asked, seed=seed_of(seed, stream), candidates=given, **structured(words)
    )
    rows = [{key: None if value != value else value for key, value in row.items()} for row in found.rows()]
    return {
        "rows": table_of(rows),
        "methods": [sent_method(one.method) for one in found.candidates],
        "notes": [as_text(one.notes) for one in found.candidates],
        "nearest": [next(k for k, one in enumerate(found.candidates, 1) if one is near) for near in found.nearest],
        "verdict": told_verdict(found.verdict),
        "headline": found.headline,
        "reasons": list(found.reasons),
        "set_aside": [[name, why] for name, why in found.set_aside.items()],
        "seeds": [start_of(seed) for seed in found.seeds],
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


def _told_kept(kept: SampleUniques | None) -> Answer:
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


def _needed(method: Method, roles: pf.Roles) -> tuple[str, ...]:
    """Columns that a method works on beside those with a role: its keys."""
    return () if method.needs_numbers else method.needs(roles.dependent)


def _answered(owner: str, words: Answer, roles: pf.Roles) -> list[str]:
    """The columns that weights, levels and formulas are about."""
    asked = preserve_request(words.get("weights"), words.get("preserve"), roles, owner)
    named = [name for formula in asked.formulas for name in formula]
    return [*([] if asked.weights is None else [asked.weights]), *asked.levels, *named]


def _constrained(owner: str, words: Answer) -> tuple[str, ...]:
    """The columns that constraints are about; R sends any column whose name may stand in them."""
    return tuple(name for one in parsed(owner, words.get("constraints")) for name in one.columns)

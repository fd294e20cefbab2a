"""Functions for frames that the R package in r_scripts/fcrm calls. `arguments` describes arguments and answers."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import Any

import numpy as np

import pyfcrm as pf
from pyfcrm.arguments import names, one_name
from pyfcrm.data import SampleUniques
from pyfcrm.data.roles import LISTS, SINGLE
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.evaluation.report import pil_sentence
from pyfcrm.evaluation.utility.combining import Estimates
from pyfcrm.measures import MEASURES
from pyfcrm.methods import Procedure
from pyfcrm.notes import brief_notes
from pyfcrm.plans.limits import LIMITS
from pyfcrm.progress import Progress
from pyfcrm.protection.ledger.registration import Registration
from pyfcrm.protection.options import Options, declared_constraints

from .arguments import (
    Plain,
    errors_as_data,
    method_of,
    method_to_r,
    note_texts,
    protect_roles,
    roles_of,
    seed_kind,
    seed_notes,
    seed_of,
    seed_to_r,
    state_to_r,
    stream_of,
    utility_to_r,
    value_of,
    values_of,
    verdict_to_r,
    with_structure,
    with_variables,
)
from .frames import columns_to_r, frame_of, kinds_of, new_gaps, table_of, table_to_r, unpacked, whole_bytes
from .words import text_in_r

DATASETS = {name: getattr(pf.datasets, name) for name in ("survey", "census_like", "enterprises", "accounts")}
LARGEST_INTEGER = 2**31 - 1  # of R
# A seed of each kind, the easiest to guess first: the seed of a release is not stored in it.
SEEDS: Mapping[str, Callable[[], int | pf.RStream]] = {
    "integer": lambda: 0,
    "state": lambda: pf.RStream(0),
    "fresh": lambda: pf.RStream(None),
}


def _opened(
    verb: str, table: Plain, methods: Iterable[Procedure], roles: Plain, options: Plain
) -> tuple[Any, pf.Roles, Plain]:
    """The frame, the roles and the options of a verb. Raises InvalidInput if a column that they name is missing."""
    r_table = table_of(table)
    chosen = roles_of(roles)
    settings = values_of(options)
    if chosen == pf.Roles():
        chosen = next((m.roles for m in methods if isinstance(m, pf.Steps)), chosen)
    if verb == "audit":
        chosen = replace(chosen, identifiers=(), unknown=())  # these columns stay in R
    needed = [name for role in (*LISTS, *SINGLE) for name in chosen.columns(role)]
    for method in methods:
        needed += method.columns(chosen)
    for rule in declared_constraints(verb, settings.get("constraints")):
        needed += rule.columns
    needed += names(verb, "strata", settings.get("strata"))
    weights = one_name(verb, "weights", settings.get("weights"))
    if weights is not None:
        needed.append(weights)
    needed += names(verb, "preserve", settings.get("preserve"))
    r_table.require(verb, needed)
    return frame_of(r_table, chosen.identifiers), chosen, with_variables(with_structure(settings))


@errors_as_data
def protect(
    table: Plain,
    method: Plain,
    roles: Plain,
    seed: Any,
    state: Any,
    options: Plain,
    *,
    progress: Progress | None = None,
) -> Plain:
    """pf.protect. table : see `table_of`; seed, state : see `seed_of`.

    Returns the release as `_release_to_r`, further copies, notes in brief and in full, the kind of the seed and the seed,
    and the state after the draws.
    """
    chosen = method_of(method)
    stream = stream_of(state)
    if chosen.makes_new_file():
        rule = "must be used with protect_file(): it generates a whole file, and protect() passes only some columns to Python"
        raise InvalidParameter("protect", "method", rule, str(chosen))
    frame, columns, settings = _opened("protect", table, [chosen], roles, options)
    columns = replace(columns, unknown=())  # R releases these columns unchanged
    given = protect_roles(chosen, roles_of(roles)) if isinstance(chosen, pf.Steps) else columns
    released = pf.protect(frame, chosen, given, seed_of(seed, stream), progress=progress, **settings)
    changed = [*columns.dependent, *columns.ids]
    all_notes = [*released.all_notes, *seed_notes(seed, stream, released)]
    entry = released.registration
    releases = zip(released.frames, released.rows, strict=True)
    kinds = kinds_of(table)
    first, *copies = [_release_to_r(frame, copy, rows, changed, kinds) for copy, rows in releases]
    return first | {
        "copies": copies,
        "notes": note_texts(brief_notes(all_notes)),
        "all_notes": note_texts(all_notes),
        "seed": seed_to_r(released.seed),
        "seed_kind": seed_kind(released.seed),
        "state": state_to_r(stream),
        "ledger": None if entry is None else json.dumps(entry.facts()),
    }


def _release_to_r(frame: Any, released: Any, rows: Any, changed: Sequence[str], kinds: Mapping[str, str]) -> Plain:
    """The changed columns, new gaps in other columns, the records in the release, and a random key.

    R stores under the key what a release must not carry: its seed, notes and options. rows : see Protected; kinds : of R's
    columns. Raises InvalidInput for a changed column that R cannot get: R would release the original one.
    """
    columns = columns_to_r(released, changed, kinds)
    sent = {column[0] for column in columns}
    for name in changed:
        if name not in sent:
            rule = f"column `{name}` must have a type that can be returned to R (convert it to numbers or text)"
            raise InvalidInput("protect", rule, str(released[name].dtype))
    gap_columns, gap_records = new_gaps(frame if rows is None else frame.iloc[rows], released)
    return {
        "columns": columns,
        "gap_columns": gap_columns,
        "gap_records": gap_records,
        "rows": None if rows is None else whole_bytes(rows + 1),
        "key": token_hex(16),
    }


@errors_as_data
def combine(terms: bytes, fits: list[Plain], rule: str | None) -> Plain:
    """pf.combine of fits in R: coef, se, records, freedom of each. Returns rows, rule, title and notes."""
    estimates = []
    for fit in fits:
        # One coefficient is a number, not a list.
        coef = np.atleast_1d(np.asarray(fit["coef"], dtype=np.float64))
        se = np.atleast_1d(np.asarray(fit["se"], dtype=np.float64))
        estimates.append(Estimates(tuple(unpacked(terms)), coef, se, int(fit["records"]), int(fit["freedom"])))
    return _combined_to_r(pf.combine(estimates, value_of(rule)))


@errors_as_data
def combine_copies(copies: list[Plain], options: Plain, roles: Plain | None = None) -> Plain:
    """pf.combine of copies, by a sampling design or with declared variables. Returns rows, rule, title and notes.

    options : rule, formula and variables.
    """
    frames = [frame_of(table_of(copy)) for copy in copies]
    settings = with_variables(values_of(options))
    return _combined_to_r(pf.combine(frames, roles=None if roles is None else roles_of(roles), **settings))


def _combined_to_r(result: pf.Combined) -> Plain:
    """Combined estimates: rows, rule, title and notes."""
    rows = table_to_r(result.to_frame())
    return {"rows": rows, "rule": result.rule, "title": result.title, "notes": note_texts(result.notes)}


@errors_as_data
def evaluate(
    original: Plain,
    protected: list[Plain],
    options: Plain,
    roles: Plain | None = None,
    method: Plain | None = None,
    provenance: Plain | None = None,
    *,
    progress: Progress | None = None,
) -> Plain:
    """pf.evaluate. protected : the copies of a release, evaluated together; provenance : see `protected_of`.

    Returns the report's rows, titles of measures, verdict, utility panel, columns, sample uniques, number of records, and notes.
    """
    settings = with_variables(values_of(options))
    unknown = names("evaluate", "unknown", settings.pop("unknown", None))

    def named(*parts: str) -> list[str]:
        """The columns that these options name."""
        return [name for part in parts for name in names("evaluate", part, settings.get(part))]

    before = table_of(original)
    copies = [table_of(copy) for copy in protected]
    before.require("evaluate, original", named("columns", "keys", "targets"))
    for copy in copies:
        copy.require("evaluate, protected", named("columns", "keys", "targets"))
    before.require("evaluate, original", named("strata", "domains", "weights"))
    before.require("evaluate, independent", named("independent"))
    before.require("evaluate", unknown)
    frame = frame_of(before)
    frames = [frame_of(copy) for copy in copies]
    settings["roles"] = None if roles is None else roles_of(roles)
    settings["method"] = None if method is None else method_of(method)
    release: Any = frames[0] if len(frames) == 1 else frames
    if provenance is not None:
        release = protected_of(frames, provenance)
    report = pf.evaluate(frame, release, progress=progress, **settings)
    return {
        "rows": table_to_r(report.rows()),
        "titles": table_to_r([{"measure": key, "title": MEASURES[key].title} for key in report.results]),
        "verdict": verdict_to_r(report.verdict),
        "utility": utility_to_r(report.utility),
        "columns": list(report.columns),
        "unmodified": None if report.kept is None else _uniques_to_r(report.kept),
        "records": report.records,
        "remarks": pil_sentence(report),
        "notes": note_texts(report.notes),
        "all_notes": note_texts(report.all_notes),
    }


def protected_of(frames: Sequence[Any], provenance: Plain) -> pf.Protected:
    """A release from R. provenance : its attribute in R: roles, method, kind of seed, options and ledger entry."""
    method = method_of(provenance["method"])
    options = with_variables(with_structure(values_of(provenance["options"])))
    roles = method.roles if isinstance(method, pf.Steps) else roles_of(provenance["roles"])
    for key in options.keys() & {"strata", "preserve"}:
        options[key] = names("evaluate", key, options[key])  # R's single name is a string
    registration = None
    if provenance.get("ledger"):
        registration = Registration.recorded(json.loads(str(provenance["ledger"])))
    return pf.Protected(
        frame=frames[0],
        all_notes=[],
        method=method,
        roles=roles,
        seed=SEEDS[_weakest_seed(method, provenance["seed"])](),
        path=None,
        more=tuple(frames[1:]),
        options=Options(**options),
        registration=registration,
        labels=frames[0].attrs["column_labels"],
    )


def _weakest_seed(method: Procedure, kinds: Any) -> str:
    """The kind of seed that is easiest to guess. kinds : one for the release, or one for each step.

    Steps that a seed does not undo do not count.
    """
    kinds = [str(kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    if isinstance(method, pf.Steps) and len(kinds) == len(method.steps):
        facts = [step.facts(own) for step, own in method.steps]
        undone = [k for k, each in enumerate(facts) if each.undone_by_seed or each.weak_generator]
        kinds = [kinds[k] for k in undone] or kinds
    return min(kinds, key=list(SEEDS).index)


@errors_as_data
def key_risk(table: Plain, options: Plain, *, progress: Progress | None = None) -> Plain:
    """pf.key_risk. Returns one row a record, figures of the whole file, and these in sentences."""
    r_table = table_of(table)
    settings = with_variables(values_of(options))
    for part in ("keys", "weights", "household"):
        r_table.require("key_risk", names("key_risk", part, settings[part]))
    result = pf.key_risk(frame_of(r_table), progress=progress, **settings)
    rows = result.to_frame()
    figures = {name: getattr(result, name) for name in ("expected", "global_risk", "global_household_risk")}
    return {
        "rows": columns_to_r(rows, list(rows.columns)),
        "sentences": [text_in_r(sentence) for sentence in result.describe()],
        **figures,
    }


@errors_as_data
def audit(
    table: Plain,
    method: Plain,
    roles: Plain,
    seed: Any,
    state: Any,
    options: Plain,
    *,
    progress: Progress | None = None,
) -> Plain:
    """pf.audit. Returns values by key, one row an attack, alarms, sentences, and the state after the draws."""
    chosen = method_of(method)
    stream = stream_of(state)
    frame, columns, settings = _opened("audit", table, [chosen], roles, options)
    result = pf.audit(frame, chosen, columns, seed_of(seed, stream), progress=progress, **settings)
    return {
        "keys": result.keys(),
        "values": [result[key] for key in result.keys()],  # noqa: SIM118
        "rows": table_to_r(result.rows()),
        "alarms": [text_in_r(str(alarm)) for alarm in result.alarms],
        "sentences": [text_in_r(sentence) for sentence in result.describe()],
        "title": text_in_r(result.title),
        "method": text_in_r(str(chosen)),
        "digest": result.digest,
        "notes": note_texts(result.notes),
        "state": state_to_r(stream),
    }


@errors_as_data
def find_structure(table: Plain, roles: Plain, options: Plain) -> Plain:
    """pf.find_structure. Returns one row a proposal, with the proposal as JSON in `proposal`. options : variables."""
    settings = with_variables(values_of(options))
    result = pf.find_structure(frame_of(table_of(table)), roles_of(roles), **settings)
    rows = result.to_frame().assign(proposal=[json.dumps(row) for row in result.rows()])
    return {"rows": columns_to_r(rows, list(rows.columns))}


@errors_as_data
def sweep(
    table: Plain,
    methods: list[Plain],
    roles: Plain,
    seed: Any,
    state: Any,
    options: Plain,
    *,
    progress: Progress | None = None,
) -> Plain:
    """pf.sweep. Returns one row a candidate, its notes, the seed that repeats them, and the state after the draws."""
    candidates = [method_of(method) for method in methods]
    stream = stream_of(state)
    frame, columns, settings = _opened("sweep", table, candidates, roles, options)
    start = seed_of(seed, stream)
    if stream is not None and seed is None:  # R's own stream advances by one integer, drawn as by sample.int()
        start = int(stream.sample_int(LARGEST_INTEGER, 1)[0])
    frontier = pf.sweep(frame, columns, candidates, start, progress=progress, **settings)
    marks = zip(frontier.candidates, frontier.nondominated(), strict=True)
    return {
        "rows": table_to_r([candidate.row() | {"nondominated": mark} for candidate, mark in marks]),
        "notes": [note_texts(candidate.notes) for candidate in frontier.candidates],
        "seed": seed_to_r(frontier.seed),
        "limit": LIMITS["risk"].values[0],
        "state": state_to_r(stream),
    }


@errors_as_data
def recommend(
    table: Plain,
    candidates: Any,
    roles: Plain,
    seed: Any,
    state: Any,
    options: Plain,
    *,
    progress: Progress | None = None,
) -> Plain:
    """pf.recommend. candidates : methods as `method_of` reads them, or None.

    Returns one row a method, the methods as `method_to_r`, their notes, verdict, headline and reasons, methods that were set
    aside, seeds, and the state after the draws.
    """
    methods = None if candidates is None else [method_of(method) for method in candidates]
    stream = stream_of(state)
    frame, columns, settings = _opened("recommend", table, methods or (), roles, options)
    result = pf.recommend(frame, columns, seed=seed_of(seed, stream), candidates=methods, progress=progress, **settings)
    rows = [{key: None if value != value else value for key, value in row.items()} for row in result.rows()]
    order = {id(candidate): k for k, candidate in enumerate(result.candidates, 1)}
    return {
        "rows": table_to_r(rows),
        "methods": [method_to_r(candidate.method) for candidate in result.candidates],
        "notes": [note_texts(candidate.notes) for candidate in result.candidates],
        "nearest": [order[id(candidate)] for candidate in result.nearest],
        "verdict": verdict_to_r(result.verdict),
        "labels": [text_in_r(str(candidate.method)) for candidate in result.candidates],
        "headline": text_in_r(result.headline),
        "reasons": [text_in_r(reason) for reason in result.reasons],
        "set_aside": [[text_in_r(name), text_in_r(reason)] for name, reason in result.set_aside.items()],
        "seeds": [seed_to_r(seed) for seed in result.seeds],
        "state": state_to_r(stream),
    }


@errors_as_data
def dataset(name: str, n: Any, seed: Any, state: Any) -> Plain:
    """A simulated data set of `n` records, by name. Whole numbers beyond R's integers are doubles."""
    stream = stream_of(state)
    frame = DATASETS[name](value_of(n), seed_of(seed, stream))
    wide = [column for column in frame.select_dtypes("number") if frame[column].abs().max() > LARGEST_INTEGER]
    columns = columns_to_r(frame.astype(dict.fromkeys(wide, "float64")), list(frame.columns))
    return {"columns": columns, "state": state_to_r(stream)}


def _uniques_to_r(uniques: SampleUniques) -> Plain:
    """Sample uniques on the unmodified columns; pairs as lists of two names and a count."""
    return {
        "columns": list(uniques.columns),
        "unknown": list(uniques.unknown),
        "records": uniques.records,
        "alone": [uniques.alone[name] for name in uniques.columns],
        "pairs": [[a, b, count] for (a, b), count in uniques.pairs.items()],
        "together": uniques.together,
        "share": uniques.share,
        "sentences": list(uniques.sentences()),
    }

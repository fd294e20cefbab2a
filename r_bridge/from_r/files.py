"""Functions for files that the R package in r_scripts/fcrm calls: arguments are paths; only `read_table` returns data."""

import os
import warnings

import pyfcrm as pf
from pyfcrm.arguments import whole_number
from pyfcrm.errors import unknown_name
from pyfcrm.files import check_output, write_table, write_text
from pyfcrm.files.paths import copy_paths
from pyfcrm.notes import brief_notes
from pyfcrm.progress import Progress
from pyfcrm.protection.options import MAX_COPIES
from pyfcrm.trust.board.dossier import filed_dossier, recorded_filing
from pyfcrm.trust.verify import recorded_release

from ..frames import from_frame
from .arguments import (
    Plain,
    errors_as_data,
    method_of,
    note_texts,
    protect_roles,
    roles_of,
    seed_notes,
    seed_of,
    seed_to_r,
    state_to_r,
    stream_of,
    value_of,
    values_of,
    verdict_to_r,
    with_structure,
    with_variables,
)
from .calls import DATASETS
from .frames import durations_to_r, packed, table_to_r
from .words import text_in_r


def _paths(paths: Plain) -> Plain:
    """Paths by name, encoded as system calls of this process need them: in an R with a C locale they accept ASCII only."""
    decoded = values_of(paths)
    return {name: None if text is None else os.fsdecode(str(text).encode("utf-8")) for name, text in decoded.items()}


@errors_as_data
def protect_file(
    paths: Plain,
    method: Plain,
    roles: Plain,
    seed: object,
    state: object,
    options: Plain,
    *,
    progress: Progress | None = None,
) -> Plain:
    """pf.protect_file. paths : `source`, `output`, `manifest` and `ledger`.

    Returns notes in brief and in full, the seed, and the state after the draws.
    """
    stream = stream_of(state)
    chosen = method_of(method)
    settings = _paths(paths) | with_variables(with_structure(values_of(options)))
    source = settings.pop("source")
    output = settings.pop("output")
    given = protect_roles(chosen, roles_of(roles))
    released = pf.protect_file(source, output, chosen, given, seed_of(seed, stream), progress=progress, **settings)
    all_notes = [*released.all_notes, *seed_notes(seed, stream, released)]
    texts = {"notes": note_texts(brief_notes(all_notes)), "all_notes": note_texts(all_notes)}
    return {**texts, "seed": seed_to_r(released.seed), "state": state_to_r(stream)}


@errors_as_data
def dataset_file(name: bytes, paths: Plain) -> Plain:
    """Writes a simulated data set, with its default arguments, into the file `output`."""
    known = DATASETS | {"example": pf.datasets.example}
    key = str(value_of(name))
    if key not in known:
        raise unknown_name("dataset_file", "data set", key, known)
    write_table(known[key](), _paths(paths)["output"])
    return {}


@errors_as_data
def verify(paths: Plain, *, progress: Progress | None = None) -> Plain:
    """pf.verify. paths : `manifest`, `release`, `original` and `dossier`. Returns the checks, and the outcome in sentences."""
    result = pf.verify(**_paths(paths), progress=progress)
    return {
        "ok": result.ok,
        "rows": table_to_r(result.to_frame()),
        "sentences": [text_in_r(sentence) for sentence in result.sentences()],
        "prov": result.to_prov() if result.ok else None,
    }


@errors_as_data
def dossier(paths: Plain, options: Plain, *, progress: Progress | None = None) -> Plain:
    """A dossier of files. paths : `original`, `release`, `manifest`, `output`; options : limits, audit, purpose, recipients, copies.

    Returns the paths of page and document, the outcome in sentences, the open items, and notes.
    """
    files = _paths(paths)
    settings = values_of(options)
    texts = {name: str(settings[name]) for name in ("purpose", "recipients")}
    copies = copy_paths(files["release"], whole_number("dossier", "copies", settings["copies"], low=1, high=MAX_COPIES))
    released = recorded_release(files["manifest"], copies, files["original"])
    judged = {"limits": settings.get("limits"), "audit": settings["audit"]}
    report = pf.evaluate(files["original"], released, progress=progress, **judged)
    filing = recorded_filing(files["original"], copies, files["manifest"])
    result = filed_dossier(files["original"], released, report, filing, **texts)
    return {
        "files": [str(path) for path in result.write(files["output"])],
        "sentences": [text_in_r(sentence) for sentence in result.lines()],
        "rows": table_to_r(result.to_frame()),
        "notes": note_texts(report.notes),
    }


@errors_as_data
def run_plan(paths: Plain, options: Plain, *, progress: Progress | None = None) -> Plain:
    """pf.run. paths : `plan`. Returns the verdict, the outcome in sentences, and notes."""
    result = pf.run(_paths(paths)["plan"], progress=progress, **values_of(options))
    return {
        "ok": result.ok,
        "verdict": verdict_to_r(result.verdict),
        "sentences": [text_in_r(sentence) for sentence in result.sentences()],
        "notes": note_texts(result.notes),
    }


@errors_as_data
def read_table(paths: Plain, options: Plain) -> Plain:
    """pf.read_table. paths : `path`. Returns columns, their labels, labels of values by code, durations and the reader's warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = pf.read_table(_paths(paths)["path"], **values_of(options))
    labels = frame.attrs.get("column_labels", {})
    values = frame.attrs.get("variable_value_labels", {})
    frame, durations = durations_to_r(frame)
    return {
        "columns": [packed(column) for column in from_frame(frame).columns],
        "labels": [[str(name), str(text)] for name, text in labels.items()],
        "values": [[str(name), [[code, str(text)] for code, text in known.items()]] for name, known in values.items()],
        "durations": [[name, kind] for name, kind in durations.items()],
        "notes": [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)],
    }


@errors_as_data
def qualify(paths: Plain, *, progress: Progress | None = None) -> Plain:
    """pf.qualify. paths : `html`. Returns one row a comparison, and the outcome in sentences."""
    html = _paths(paths)["html"]
    path = None if html is None else check_output(html, extensions=("html", "htm"))
    result = pf.qualify(progress=progress)
    if path is not None:
        write_text(path, result.page())
    fields = ("what", "found", "required", "verdict")
    rows = [
        {"requirement": requirement.name} | {field: getattr(row, field) for field in fields}
        for requirement in result.requirements
        for row in requirement.rows
    ]
    return {
        "ok": result.ok,
        "rows": table_to_r(rows),
        "sentences": [text_in_r(sentence) for sentence in result.sentences()],
    }

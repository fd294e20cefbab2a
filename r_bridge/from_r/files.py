"""What R calls for files: a path comes in, a release or a verdict goes out, nothing of the data crossing but in `read_table`."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pyfcrm as pf
from pyfcrm.errors import unknown_name
from pyfcrm.files import check_output, write_table, write_text

from ..frames import from_frame
from .arguments import (
    Answer,
    answered,
    as_method,
    as_text,
    roles_of,
    seed_notes,
    seed_of,
    sent_verdict,
    start_of,
    state_of,
    stream_of,
    structured,
    words_of,
)
from .calls import DATASETS
from .frames import five, table_of


@answered
def protect_file(paths: Answer, method: Answer, roles: Answer, seed: Any, state: Any, options: Answer) -> Answer:
    """pf.protect_file. paths : `source`, `output`, `manifest` and `ledger`, packed. Answers with the notes, what it started from, and the
    state after the draws."""
    where = words_of(paths)
    stream = stream_of(state)
    released = pf.protect_file(
        _path(where["source"]),
        _path(where["output"]),
        as_method(method),
        roles_of(roles),
        seed_of(seed, stream),
        manifest=None if where["manifest"] is None else _path(where["manifest"]),
        ledger=None if where["ledger"] is None else _path(where["ledger"]),
        **structured(words_of(options)),
    )
    notes = as_text([*released.notes, *seed_notes(seed, stream, released)])
    return {"notes": notes, "start": start_of(released.seed), "state": state_of(stream)}


@answered
def dataset_file(paths: Answer) -> Answer:
    """One of the simulated data sets, `name`, as it is by default, in the file `output`."""
    where = words_of(paths)
    known = DATASETS | {"example": pf.datasets.example}
    if where["name"] not in known:
        raise unknown_name("dataset_file", "data set", str(where["name"]), known)
    write_table(known[where["name"]](), _path(where["output"]))
    return {}


def _path(text: Any) -> str:
    """A path as this process's system calls take it: inside an R of a plain C locale they know ASCII only."""
    return os.fsdecode(str(text).encode("utf-8"))


@answered
def verify(paths: Answer) -> Answer:
    """pf.verify. paths : `manifest`, `release` and `original`, packed. Answers with its checks, and all in sentences."""
    where = words_of(paths)
    original = None if where["original"] is None else _path(where["original"])
    found = pf.verify(_path(where["manifest"]), _path(where["release"]), original)
    checks = [{"what": one.what, "holds": one.holds, "said": one.said} for one in found.checks]
    return {"ok": found.ok, "rows": table_of(checks), "said": found.sentences()}


@answered
def run_plan(paths: Answer, options: Answer) -> Answer:
    """pf.run. paths : `plan`, packed. Answers with the verdict, all in sentences, and the notes."""
    result = pf.run(_path(words_of(paths)["plan"]), **words_of(options))
    return {
        "ok": result.ok,
        "verdict": sent_verdict(result.verdict),
        "said": result.sentences(),
        "notes": as_text(result.notes),
    }


@answered
def read_table(paths: Answer, options: Answer) -> Answer:
    """pf.read_table. paths : `path`, packed. Answers with the columns, their labels, the labels of their values by code, and
    what the reader had to say."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = pf.read_table(_path(words_of(paths)["path"]), **words_of(options))
    labels, values = (frame.attrs.get(key, {}) for key in ("column_labels", "variable_value_labels"))
    return {
        "columns": [five(column) for column in from_frame(frame).columns],
        "labels": [[str(name), str(text)] for name, text in labels.items()],
        "values": [[str(name), [[code, str(text)] for code, text in known.items()]] for name, known in values.items()],
        "notes": [str(one.message) for one in caught if issubclass(one.category, UserWarning)],
    }


@answered
def qualify(paths: Answer) -> Answer:
    """pf.qualify. paths : `html`, packed. Answers with one row a comparison, and all in sentences."""
    html = words_of(paths)["html"]
    path = None if html is None else check_output(_path(html), extensions=("html", "htm"))
    found = pf.qualify()
    if path is not None:
        write_text(path, found.page())
    rows = [
        {
            "requirement": one.name,
            "what": row.what,
            "found": row.found,
            "required": row.required,
            "verdict": row.verdict,
        }
        for one in found.requirements
        for row in one.rows
    ]
    return {"ok": found.ok, "rows": table_of(rows), "said": found.sentences()}

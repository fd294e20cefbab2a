"""The door that R calls for files: a path in, a release out, nothing of the data crossing. Otherwise as `calls`."""

from __future__ import annotations

import os
from typing import Any

from pyfcrm import datasets
from pyfcrm.errors import unknown_name
from pyfcrm.files import write_table
from pyfcrm.releasing import protect_file as protect_the_file

from .calls import Answer, _after, _of_r, _roles, _seed, _start, _stream, _words, answered, as_method

_SETS = (datasets.survey, datasets.census_like, datasets.enterprises, datasets.accounts, datasets.example)
DATASETS = {one.__name__: one for one in _SETS}


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
    notes = [*released.notes, *_of_r(seed, stream, released)]
    return {"notes": notes, "start": _start(released.seed), "state": _after(stream)}


@answered
def dataset_file(paths: Answer) -> Answer:
    """One of the simulated data sets, `name`, as it is by default, in the file `output`."""
    where = _words(paths)
    if where["name"] not in DATASETS:
        raise unknown_name("dataset_file", "data set", str(where["name"]), DATASETS)
    write_table(DATASETS[where["name"]](), _path(where["output"]))
    return {}


def _path(text: Any) -> str:
    """A path as this process's system calls take it: inside an R of a plain C locale they know ASCII only."""
    return os.fsdecode(str(text).encode("utf-8"))

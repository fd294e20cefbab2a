"""What the package's own studies share: their result, and their command."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from pyfcrm.cli.show import print_lines, progress, table
from pyfcrm.files.manifest import json_value


@dataclass(frozen=True)
class Sheet:
    """A table to print: its title, head and cells."""

    title: str
    head: Sequence[str]
    cells: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Outcome:
    """The result of a study.

    seeds : the seeds used; rows : one flat row for each setting; sheets, notes : printed below each other; tables : rows
    to write, by file name; more : further entries of the JSON document; holds : whether the goals are met.
    """

    seeds: tuple[int, ...]
    rows: Sequence[Mapping[str, Any]]
    sheets: Sequence[Sheet]
    notes: Sequence[str]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    more: Mapping[str, Any] = field(default_factory=dict)
    holds: bool = True


@dataclass(frozen=True)
class OwnStudy:
    """key : the name of its folder; load : path of the Census file, or None, to data; reproduce : data and seeds to an Outcome."""

    key: str
    title: str
    files: tuple[str, ...]
    load: Callable[[str | None], Any]
    reproduce: Callable[..., Outcome]


def main(study: OwnStudy) -> None:
    """Runs this study with the options of the command line. Exit status 1 where its goals are missed."""
    parser = argparse.ArgumentParser(description=study.title)
    parser.add_argument("--census", default=os.environ.get("PYFCRM_CENSUS"), help="the Census file")
    parser.add_argument("--seeds", type=int, help="how many")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output, and no files")
    parser.add_argument("-o", "--output", default=f"pyfcrm-reproduce-{study.key}", help="the folder of the tables")
    options = parser.parse_args()
    seeds = None if options.seeds is None else tuple(range(1, options.seeds + 1))
    with progress(study.title) as advance:
        outcome = study.reproduce(study.load(options.census), seeds, advance)
    if options.json:
        head = {"study": study.key, "title": study.title, "seeds": outcome.seeds, "rows": outcome.rows}
        print(json.dumps(json_value({**head, **outcome.more, "notes": outcome.notes})))
    else:
        for sheet in outcome.sheets:
            table(sheet.title, sheet.head, sheet.cells)
        print_lines(*(f"- {line}" for line in outcome.notes))
        folder = Path(options.output)
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in outcome.tables.items():
            pd.DataFrame(rows).to_csv(folder / name, index=False)
    sys.exit(int(not outcome.holds))

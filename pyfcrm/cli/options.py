"""The options of the command line, each declared once in its group of the help; their texts as values; output folders."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from ..arguments import listed
from ..data import Frame, Roles, open_data
from ..engine import Local
from ..errors import InvalidInput, InvalidParameter
from ..files import check_output
from ..files.paths import path_text
from ..methods import METHODS, External, Method
from ..methods.text import make_method, value_of
from ..plans.limits import Limits, read_limits
from ..plans.plan import read_structure

ROLES = ("independent", "dependent", "identifiers", "unknown")
SHELL_METHODS = {**METHODS, "external": External}  # a plan or a page of the studio runs no command


def separator(text: str) -> str:
    """An option's separator; a tab is hard to type in a shell."""
    return {"\\t": "\t", "tab": "\t"}.get(text, text)


def bounds(text: str) -> Any:
    """sign, none or default; or limits by column, "wage=0:5000,tax=0:" as {"wage": (0, 5000), "tax": (0, None)}."""
    if "=" not in text:
        return value_of(text)
    return {name: tuple(value_of(end or "none") for end in ends.split(":")) for name, ends in _by_column(text)}


def decimals(text: str) -> Any:
    """original, none or default; or digits by column, "wage=2,tax=0" as {"wage": 2, "tax": 0}."""
    return {name: value_of(digits) for name, digits in _by_column(text)} if "=" in text else value_of(text)


def _by_column(text: str) -> list[tuple[str, str]]:
    """The name of each column and the text after its "="."""
    items = (item.rpartition("=") for item in text.split(","))
    return [(name.strip(), value) for name, _, value in items]


def predictors(text: str) -> list[str]:
    """ "a, b" as ["a", "b"], and "" as no names; a name with a comma in double quotes, which are doubled inside."""
    columns = listed(text) if text.strip() else []
    if columns is None:
        rule = 'must stand between commas, as in a,b (a name with a comma in double quotes: "a, b",c)'
        raise click.BadParameter(f"{rule}; got {text!r}")
    return columns


def names(text: str) -> list[str]:
    """At least one name: no text may be a shell variable that is not set."""
    columns = predictors(text)
    if not columns:
        raise click.BadParameter(f"must name at least one column (or leave the option out); got {text!r}")
    return columns


def column(text: str) -> str:
    """One name, quoted as in lists of names."""
    columns = names(text)
    if len(columns) > 1:
        rule = 'must name one column (a name with a comma in double quotes: "a, b")'
        raise click.BadParameter(f"{rule}; got {text!r}")
    return columns[0]


# Kind and help; `list` may be repeated, `bool` is a flag. A number is checked where it is used.
OPTION_GROUPS: Mapping[str, Mapping[str, tuple[Any, str]]] = {
    "Columns": {
        "--dependent": (names, "the confidential columns: c,d"),
        "--independent": (predictors, 'unmodified predictors: a,b (a name with a comma in double quotes: "a, b",c)'),
        "--identifiers": (names, "columns that are dropped from the release"),
        "--unknown": (names, "unmodified columns that no intruder can know: excluded from the key variables"),
        "--weights": (column, "the column of survey weights"),
        "--household": (column, "the column that identifies households"),
        "--unit": (column, "the column that identifies units observed repeatedly"),
        "--time": (column, "the column with the period of a record of a unit"),
        "--columns": (names, "the columns to evaluate: c,d; default: numeric columns of both files"),
        "--keys": (names, "key variables: e,f"),
        "--targets": (names, "the columns that disco, dcap, tcap, rapid and alc predict from the keys: c,d"),
        "--domains": (names, "columns; PIL is evaluated within each of their levels: e,f"),
        "--strata": (names, "columns; each combination of their values is a stratum: e,f"),
    },
    "Method": {
        "--method": (str, "one of " + ", ".join(SHELL_METHODS)),
        "--set": (
            list,
            'a parameter of the method: c=8, or of a method in it: "method={ipso:kind=B}" (may be repeated)',
        ),
        "--candidates": (str, 'methods and parameters, such as "fcrm:c=2..15,ipso:kind=A|B|C"'),
        "--seed": (value_of, "for repeatable results; leave it out for a real release: it can be found by trying"),
        "--copies": (value_of, "number of synthetic datasets: out-1.csv, out-2.csv and so on for out.csv"),
        "--missing": (str, "records with missing values: refuse, protect or drop"),
        "--bounds": (bounds, "of released values: sign, none, or limits such as wage=0:5000,tax=0:"),
        "--decimals": (decimals, "of released values: original, none, or digits such as wage=2,tax=0"),
        "--share": (value_of, "the share of the records that each split protects"),
        "--repeats": (value_of, "how many splits"),
        "--shadows": (value_of, "how many shadow releases train the membership attack"),
    },
    "What is preserved and required": {
        "--constraints": (
            str,
            "edit rules, such as 'A == B + C; D >= 0'; names that are not plain words in double quotes or backticks",
        ),
        "--structure": (str, "find, or a FILE of accepted rules: pyfcrm structure IN --accept 1,3 --json > FILE"),
        "--preserve": (names, "columns, within each level of which totals and regressions are preserved"),
        "--strict-totals": (bool, "refuse a release that preserves a total which discloses a contribution"),
        "--allow-unprotected": (
            bool,
            "release even if strata are small, or many records keep every confidential value",
        ),
        "--measures": (names, "keys: pil,dbrl,...; default: the six of the score"),
        "--limit": (list, "KEY=VALUE: a limit of the verdict: dr=15, range=0,2 (may be repeated)"),
        "--limits": (str, "a TOML file with a table [limits]; --limit has priority"),
        "--max-dr": (value_of, "the largest disclosure risk (DR), per cent"),
        "--audit": (str, "run: audit the method; or a file of `pyfcrm audit --json`"),
        "--allow-undecided": (
            bool,
            "exit status 0 although the data leave some rows undecided; 1 remains for a difference",
        ),
        "--check": (bool, "exit status 1 unless the verdict is pass"),
    },
    "Files and output": {
        "--accept": (names, "the proposals to accept, by their numbers: 1,3"),
        "--by": (str, "the person responsible for --despite-hold"),
        "--by-blocks": (bool, "Parquet larger than memory: read, protect and write by blocks of records"),
        "--census": (str, "the Census file, where sdcMicro is not installed"),
        "--decimal": (str, "decimal mark of a CSV file, . or ,; default: detected"),
        "--despite-hold": (str, "release whatever the verdict is, for this reason; with --by"),
        "--disarm": (bool, "CSV: an apostrophe before text that a spreadsheet would run as a formula"),
        "--form": (str, "report: internal or external; key-risk: approx or exact"),
        "--html": (str, "an HTML page to write"),
        "--input": (str, "a CSV or Parquet file; default: simulated data"),
        "--ipso-r": (str, "a file of IPSO R code to run instead of ours"),
        "--json": (bool, "one JSON document on standard output"),
        "--ledger": (str, "a private register of earlier releases, against which this one is checked"),
        "--manifest": (str, "the private provenance record of the release"),
        "--no-browser": (bool, "do not open a browser"),
        "--original": (str, "the original: it is protected again, and the releases are compared byte by byte"),
        "--output": (str, "path of the output"),
        "--overwrite": (bool, "replace outputs that exist"),
        "--plan": (str, "write the request as a plan for `pyfcrm run`"),
        "--port": (value_of, "default: 8765, or the next that is free"),
        "--release": (str, "the released file, wherever it is now"),
        "--sdcmicro": (bool, "compare with sdcMicro's routines too"),
        "--seeds": (value_of, "how many seeds to average over"),
        "--separator": (separator, "of a CSV file, tab for a tab; default: detected"),
        "--threads": (value_of, "number of threads; it does not change the result"),
    },
}
OPTIONS = {name: row for group in OPTION_GROUPS.values() for name, row in group.items()}
FILE = [
    "source", "--dependent!", "--independent", "--identifiers", "--unknown", "--constraints", "--missing=refuse",
    "--strata", "--weights", "--household", "--unit", "--time", "--bounds=default", "--decimals=default",
    "--preserve", "--structure", "--threads", "--separator", "--decimal",
]  # fmt: skip
RELEASE = [
    "original", "protected", "--columns", "--measures", "--separator", "--decimal", "--copies=1", "--manifest",
    "--dependent", "--independent", "--identifiers", "--unknown", "--method", "--set", "--limit",
    "--limits", "--audit", "--check",
]  # fmt: skip


class Request(SimpleNamespace):
    """The options of one command by name, as values."""

    def opened(self, owner: str, path: Path | str | None = None, *, whole: bool | None = None) -> Frame:
        """The source, or another file with its marks, by blocks where that is requested. whole : as in open_data."""
        whole = False if getattr(self, "by_blocks", False) else whole
        return open_data(owner, path or self.source, whole, self.separator, self.decimal)

    def roles(self) -> Roles:
        """The columns by role."""
        single = {"weight": "weights", "household": "household", "unit": "unit", "time": "time"}
        named = {role: getattr(self, name, None) for role, name in single.items()}
        return Roles(*(getattr(self, role, None) or () for role in ROLES), **named)

    def protect_options(self) -> dict[str, Any]:
        """Arguments that protect(), sweep(), recommend() and audit() share."""
        shared = ("constraints", "missing", "strata", "preserve", "bounds", "decimals")
        options = {name: getattr(self, name) for name in shared}
        return options | {"engine": Local(self.threads), "structure": read_structure(self.structure)}

    def chosen_method(self) -> Method:
        """The method of --method and --set."""
        return make_method(self.method, self.set, SHELL_METHODS)


def parameter(word: str) -> click.Parameter:
    """An option of OPTIONS, "!" behind one that is required, or "=" and its default as it is typed; or an argument, "?" behind
    one that may be left out."""
    name, _, default = word.rstrip("!?").partition("=")
    if not name.startswith("-"):
        return click.Argument(
            [name], metavar="IN" if name == "source" else name.upper(), required=not word.endswith("?")
        )
    kind, text = OPTIONS[name]
    more: dict[str, Any] = {"type": kind, "metavar": "TEXT"} | ({"default": default} if default else {})
    return click.Option(
        [name, "-o"] if name == "--output" else [name],
        required=word.endswith("!"),
        help=text,
        shell_complete=_complete_method if name == "--method" else None,
        **{bool: {"is_flag": True}, list: {"multiple": True}}.get(kind, more),
    )


def _complete_method(context: click.Context, option: click.Parameter, start: str) -> list[str]:
    return [name for name in SHELL_METHODS if name.startswith(start.lower())]


def limits_from(file: str | None, texts: Iterable[str]) -> Limits:
    """The limits of --limits FILE and, before these, of --limit key=value or key=value,value.

    Raises InvalidInput or InvalidParameter.
    """
    limits = dict[str, Any](read_limits("--limits", file))
    for text in texts:
        key, is_pair, figures = text.partition("=")
        if not is_pair:
            raise InvalidParameter("--limit", "limit", "must be a key and a number, such as dr=15", text)
        limits[key.strip()] = list(map(value_of, figures.split(",")))
    return read_limits("--limit", limits)


def check_folder(folder: str, files: Iterable[str] = (), inputs: Iterable[str | None] = ()) -> Path:
    """The folder as a path. files : its outputs; inputs : files that these must not replace. Raises InvalidInput."""
    path = Path(path_text("output", folder))
    existing = next(parent for parent in [path, *path.absolute().parents] if os.path.lexists(parent))
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InvalidInput(
            str(path), "the output folder must not be a file, and must be one you may write to", str(existing)
        )
    if existing == path:
        for name in files:
            check_output(path / name, inputs)
    return path

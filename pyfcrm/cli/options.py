"""The options of the command line, each declared once; their texts as values; output folders."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from ..arguments import listed
from ..data import Roles
from ..engine import Local
from ..errors import InvalidInput, InvalidParameter
from ..files import check_output
from ..files.paths import path_text
from ..methods import METHODS, External, Method
from ..methods.text import REAL, WHOLE, make_method
from ..plans.limits import Limits, read_limits
from ..plans.plan import read_structure
from ..plans.tables import NONE

ROLES = ("independent", "dependent", "identifiers", "unknown")


def whole(text: str, option: str) -> int:
    """An option's whole number."""
    if not WHOLE.fullmatch(text.strip()):
        raise click.BadParameter(f"must be a whole number; got {text!r}", param_hint=f"'{option}'")
    return int(text)


def real(text: str, option: str) -> float:
    """An option's number."""
    if not REAL.fullmatch(text.strip()):
        raise click.BadParameter(f"must be a number; got {text!r}", param_hint=f"'{option}'")
    return float(text)


def separator(text: str, option: str) -> str:
    """An option's separator; a tab is hard to type in a shell."""
    return {"\\t": "\t", "tab": "\t"}.get(text, text)


def _by_column(text: str, value: Callable[[str], Any]) -> Any:
    """none as None, another word as it is, and "wage=2,tax=0" as the values by column."""
    if "=" not in text:
        return None if text == NONE else text
    items = (item.rpartition("=") for item in text.split(","))
    return {name.strip(): value(each) for name, _, each in items}


def bounds_of(text: str, option: str) -> Any:
    """sign, none or default; or limits by column, "wage=0:5000,tax=0:" as {"wage": (0, 5000), "tax": (0, None)}."""

    def limits(ends: str) -> tuple[float | None, ...]:
        if ends.count(":") != 1:
            raise click.BadParameter(f"must be such as wage=0:5000,tax=0:; got {text!r}", param_hint=f"'{option}'")
        return tuple(real(end, option) if end.strip() else None for end in ends.split(":"))

    return _by_column(text, limits)


def decimals_of(text: str, option: str) -> Any:
    """original, none or default; or digits by column, "wage=2,tax=0" as {"wage": 2, "tax": 0}."""
    return _by_column(text, lambda digits: whole(digits, option))


def name_list(text: str, option: str) -> list[str]:
    """ "a, b" as ["a", "b"]; a name with a comma in double quotes, which are doubled inside.

    Raises InvalidParameter for an empty name, which may be a shell variable that is not set.
    """
    names = listed(text) if text.strip() else []
    if names is None:
        rule = 'must stand between commas, as in a,b (a name with a comma in double quotes: "a, b",c)'
        raise InvalidParameter(option, "names", rule, text)
    if not names and option != "--independent":
        raise InvalidParameter(option, "names", "must name at least one (or leave the option out)", text)
    return names


Kind = type | Callable[[str, str], Any]
# Kind, help and default; `list` may be repeated, `bool` is a flag.
OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "--accept": (name_list, "the proposals to accept, by their numbers: 1,3"),
    "--allow-unprotected": (bool, "release even if strata are small, or many records keep every confidential value"),
    "--audit": (str, "run: audit the method; or a file of `pyfcrm audit --json`"),
    "--bounds": (bounds_of, "of released values: sign, none, or limits such as wage=0:5000,tax=0:", "default"),
    "--by": (str, "the person responsible for --despite-hold"),
    "--by-blocks": (bool, "Parquet larger than memory: read, protect and write by blocks of records"),
    "--candidates": (str, 'methods and parameters, such as "fcrm:c=2..15,ipso:kind=A|B|C"'),
    "--census": (str, "the Census file, where sdcMicro is not installed"),
    "--check": (bool, "exit status 1 unless the verdict is pass"),
    "--columns": (name_list, "the columns to evaluate: c,d; default: numeric columns of both files"),
    "--constraints": (
        str,
        "edit rules, such as 'A == B + C; D >= 0'; names that are not plain words in double quotes or backticks",
    ),
    "--copies": (whole, "number of synthetic datasets: out-1.csv, out-2.csv and so on for out.csv", 1),
    "--decimal": (str, "decimal mark of a CSV file, . or ,; default: detected"),
    "--decimals": (decimals_of, "of released values: original, none, or digits such as wage=2,tax=0", "default"),
    "--dependent": (name_list, "the confidential columns: c,d"),
    "--despite-hold": (str, "release whatever the verdict is, for this reason; with --by"),
    "--disarm": (bool, "CSV: an apostrophe before text that a spreadsheet would run as a formula"),
    "--domains": (name_list, "columns; PIL is evaluated within each of their levels: e,f"),
    "--external": (
        list,
        "NAME=COMMAND: a third-party synthesizer as a method; it reads a CSV file at {input} and writes {output}",
    ),
    "--form": (str, "report: internal or external; key-risk: approx or exact"),
    "--host": (str, "the address to listen on; default: this machine only", "127.0.0.1"),
    "--household": (str, "the column that identifies households"),
    "--html": (str, "an HTML page to write"),
    "--identifiers": (name_list, "columns that are dropped from the release"),
    "--independent": (name_list, 'unmodified predictors: a,b (a name with a comma in double quotes: "a, b",c)'),
    "--input": (str, "a CSV or Parquet file; default: simulated data"),
    "--ipso-r": (str, "a file of IPSO R code to run instead of ours"),
    "--json": (bool, "one JSON document on standard output"),
    "--keys": (name_list, "key variables: e,f"),
    "--ledger": (str, "a private register of earlier releases, against which this one is checked"),
    "--limit": (list, "KEY=VALUE: a limit of the verdict: dr=15, range=0,2 (may be repeated)"),
    "--limits": (str, "a TOML file with a table [limits]; --limit has priority"),
    "--manifest": (str, "the private provenance record of the release"),
    "--max-dr": (real, "the largest disclosure risk (DR), per cent"),
    "--measures": (name_list, "keys: pil,dbrl,...; default: the six of the score"),
    "--method": (str, "one of " + ", ".join(METHODS)),
    "--missing": (str, "records with missing values: refuse, protect or drop", "refuse"),
    "--no-browser": (bool, "do not open a browser"),
    "--original": (str, "the original: it is protected again, and the releases are compared byte by byte"),
    "--output": (str, "path of the output"),
    "--overwrite": (bool, "replace outputs that exist"),
    "--plan": (str, "write the request as a plan for `pyfcrm run`"),
    "--port": (whole, "default: 8765, or the next that is free"),
    "--preserve": (name_list, "columns, within each level of which totals and regressions are preserved"),
    "--release": (str, "the released file, wherever it is now"),
    "--repeats": (whole, "how many splits", 3),
    "--sdcmicro": (bool, "compare with sdcMicro's routines too"),
    "--seed": (whole, "for repeatable results; leave it out for a real release: it can be found by trying"),
    "--seeds": (whole, "how many seeds to average over"),
    "--separator": (separator, "of a CSV file, tab for a tab; default: detected"),
    "--set": (list, "a parameter of the method: c=8 (may be repeated)"),
    "--shadows": (whole, "how many shadow releases train the membership attack", 8),
    "--share": (real, "the share of the records that each split protects", 0.5),
    "--strata": (name_list, "columns; each combination of their values is a stratum: e,f"),
    "--strict-totals": (bool, "refuse a release that preserves a total which discloses a contribution"),
    "--structure": (str, "find, or a FILE of accepted rules: pyfcrm structure IN --accept 1,3 --json > FILE"),
    "--targets": (name_list, "the columns that disco, dcap, tcap, rapid and alc predict from the keys: c,d"),
    "--threads": (whole, "number of threads; it does not change the result"),
    "--time": (str, "the column with the period of a record of a unit"),
    "--unit": (str, "the column that identifies units observed repeatedly"),
    "--unknown": (name_list, "unmodified columns that no intruder can know: excluded from the key variables"),
    "--weights": (str, "the column of survey weights"),
}
OPTION_GROUPS = {
    "Columns": ("--dependent", "--independent", "--identifiers", "--unknown", "--weights", "--household", "--unit", "--time",
                "--columns", "--keys", "--targets", "--domains", "--strata"),
    "Method": ("--method", "--set", "--candidates", "--external", "--seed", "--copies", "--missing", "--bounds", "--decimals",
               "--share", "--repeats", "--shadows"),
    "What is preserved and required": ("--constraints", "--structure", "--preserve", "--strict-totals", "--allow-unprotected",
                                       "--measures", "--limit", "--limits", "--max-dr", "--audit", "--check"),
}  # fmt: skip
ARGUMENTS = {"source": "IN", "plan": "PLAN.toml", "formula": "FORMULA"}
FILE = [
    "source", "--dependent!", "--independent", "--identifiers", "--unknown", "--constraints", "--missing",
    "--strata", "--weights", "--household", "--unit", "--time", "--bounds", "--decimals",
    "--preserve", "--structure", "--threads", "--separator", "--decimal", "--external",
]  # fmt: skip
RELEASE = [
    "original", "protected", "--columns", "--measures", "--separator", "--decimal", "--copies", "--manifest",
    "--dependent", "--independent", "--identifiers", "--unknown", "--method", "--set", "--external", "--limit",
    "--limits", "--audit", "--check",
]  # fmt: skip


class Request(SimpleNamespace):
    """The options of one command by name, as values."""

    def roles(self) -> Roles:
        """The columns by role."""
        single = {"weight": "weights", "household": "household", "unit": "unit", "time": "time"}
        named = {role: getattr(self, name, None) for role, name in single.items()}
        return Roles(*(getattr(self, role, None) or () for role in ROLES), **named)

    def protect_options(self) -> dict[str, Any]:
        """Arguments that protect(), sweep(), recommend() and audit() share."""
        names = ("constraints", "missing", "strata", "preserve", "bounds", "decimals")
        options = {name: getattr(self, name) for name in names}
        return options | {"engine": Local(self.threads), "structure": read_structure(self.structure)}

    def chosen_method(self) -> Method:
        """The method of --method, --set and --external."""
        return make_method(self.method, self.set, externals(self.external))


def parameter(word: str) -> click.Parameter:
    """An option of OPTIONS, "!" behind one that is required; or an argument, "?" behind one that may be left out."""
    name = word.rstrip("!?")
    if not name.startswith("-"):
        return click.Argument([name], metavar=ARGUMENTS.get(name, name.upper()), required=not word.endswith("?"))
    kind, text = OPTIONS[name][:2]
    names = [name, "-o"] if name == "--output" else [name]
    return click.Option(
        names, is_flag=kind is bool or None, multiple=kind is list, required=word.endswith("!"), help=text,
        shell_complete=_complete_method if name == "--method" else None,
    )  # fmt: skip


def _complete_method(context: click.Context, option: click.Parameter, start: str) -> list[str]:
    return [name for name in METHODS if name.startswith(start.lower())]


def request_of(values: Mapping[str, Any]) -> Request:
    """The texts of options as values. Raises click.BadParameter or InvalidParameter."""
    request = Request()
    for name, value in values.items():
        option = "--" + name.replace("_", "-")
        kind, _, *default = OPTIONS.get(option, (str, ""))
        if value is None:
            value = default[0] if default else None
        elif kind not in (str, bool, list) and isinstance(value, str):
            value = kind(value, option)
        setattr(request, name, value)
    return request


def limits_from(file: str | None, texts: Iterable[str]) -> Limits:
    """The limits of --limits FILE and, before these, of --limit key=value or key=value,value.

    Raises InvalidInput or InvalidParameter.
    """
    limits = dict[str, Any](read_limits("--limits", file))
    for text in texts:
        key, _, values = text.partition("=")
        figures = [value.strip() for value in values.split(",")]
        if not all(map(REAL.fullmatch, figures)):
            raise InvalidParameter("--limit", "limit", "must be a key and a number, such as dr=15", text)
        limits[key.strip()] = [float(value) for value in figures]
    return read_limits("--limit", limits)


def externals(texts: Iterable[str]) -> dict[str, External]:
    """The methods of --external, by name. Raises InvalidParameter."""
    methods = dict[str, External]()
    for text in texts:
        name, equals, command = text.partition("=")
        name = name.strip()
        if not equals or not re.fullmatch(r"[^\W\d][\w-]*", name) or not command.strip():
            raise InvalidParameter("--external", "external", "must be NAME=COMMAND, the name a plain word", text)
        if name.lower() in METHODS or name in methods:
            raise InvalidParameter(
                "--external", "external", "must have a name that differs from those of the methods", name
            )
        methods[name] = External(command, name=name)
    return methods


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
            check_output(path / name, inputs, extensions=None)
    return path

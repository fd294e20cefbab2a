"""The options that commands share, each declared once; what stands after one, as text to a value; and output folders,
found good before any work is done."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..data import Roles
from ..data.names import listed
from ..engine import Local
from ..errors import InvalidInput, InvalidParameter
from ..files import check_output
from ..methods import METHODS, External
from ..methods.text import REAL, WHOLE
from ..plans.limits import Limits, read_limits
from ..plans.plan import read_structure

_BARE = r'[^,\s"][^,]*?'
ROLES = ("independent", "dependent", "identifiers", "unknown")  # options, in the order of Roles
NO_FOLDER = "the output folder cannot be made"
_SEPARATORS = {"\\t": "\t", "tab": "\t"}


def whole(text: str) -> int:
    """An option's whole number."""
    if not WHOLE.fullmatch(str(text).strip()):
        raise typer.BadParameter(f"must be a whole number; got {text!r}")
    return int(text)


def real(text: str) -> float:
    """An option's number."""
    if not REAL.fullmatch(str(text).strip()):
        raise typer.BadParameter(f"must be a number; got {text!r}")
    return float(text)


def separator(text: str) -> str:
    """An option's separator: a shell makes a tab hard to type, so \\t and tab stand for it."""
    return _SEPARATORS.get(text, text)


Source = Annotated[str, typer.Argument(metavar="IN", help="a CSV, Excel, Parquet, SPSS, Stata or SAS file")]
Original = Annotated[str, typer.Argument(metavar="ORIGINAL")]
Release = Annotated[str, typer.Argument(metavar="PROTECTED")]
MethodName = Annotated[str, typer.Option(help="one of " + ", ".join(METHODS))]
Settings = Annotated[list[str] | None, typer.Option("--set", help="a parameter: c=8 (may be repeated)")]
Unknown = Annotated[
    str | None,
    typer.Option(
        help="columns that leave as they came and that no intruder knows: left out of the counts of unique records"
    ),
]
Columns = Annotated[str | None, typer.Option(help="the columns to judge: c,d; all numeric ones both have if not given")]
Measures = Annotated[str | None, typer.Option(help="keys: pil,dbrl,...; the six of the score if not given")]
Seed = Annotated[
    int | None,
    typer.Option(
        parser=whole,
        metavar="INTEGER",
        help="to show that a result repeats; leave it out for what goes out: it can be guessed",
    ),
]
Threads = Annotated[
    int | None, typer.Option(parser=whole, metavar="INTEGER", help="how many to use; the result does not depend on it")
]
Missing = Annotated[
    str, typer.Option(help="of records with missing values: refuse; protect them too, gaps stay; drop them")
]
MaxDr = Annotated[
    float | None, typer.Option(parser=real, metavar="FLOAT", help="the most disclosure risk (DR), per cent")
]
Strata = Annotated[str | None, typer.Option(help="columns whose every combination of values is taken by itself: e,f")]
ByBlocks = Annotated[
    bool, typer.Option("--by-blocks", help="Parquet larger than memory: read, work and write some records at a time")
]
Separator = Annotated[
    str | None,
    typer.Option(parser=separator, metavar="TEXT", help="of a CSV file, tab for a tab; detected if not given"),
]
Decimal = Annotated[str | None, typer.Option(help="decimal mark of a CSV file, . or ,; detected if not given")]
CopiesJudged = Annotated[
    int,
    typer.Option(
        parser=whole,
        metavar="INTEGER",
        help="PROTECTED out.csv stands for so many copies, out-1.csv, out-2.csv and so on, judged together",
    ),
]
Copies = Annotated[
    int,
    typer.Option(
        parser=whole,
        metavar="INTEGER",
        help="so many releases, drawn one after another: out-1.csv, out-2.csv and so on for out.csv",
    ),
]
Externals = Annotated[
    list[str] | None,
    typer.Option(
        "--external",
        metavar="NAME=COMMAND",
        help="a generator from elsewhere, as a method of this name: a command that reads one CSV file and writes another, "
        "at {input} and {output} or as its last two words (may be repeated)",
    ),
]
MAP_FOLDER = typer.Option("--output", "-o", help="where the table and the map go")
LimitOptions = Annotated[
    list[str] | None,
    typer.Option("--limit", metavar="KEY=VALUE", help="a limit of the verdict: dr=15, range=0,2 (may be repeated)"),
]
LimitsFile = Annotated[str | None, typer.Option(help="a TOML file with a table [limits]; --limit goes before it")]
Json = Annotated[bool, typer.Option("--json", help="one JSON document on standard output")]


@dataclass(frozen=True, kw_only=True)
class FileRequest:
    """What commands that protect a file's columns ask of it, as it was typed: each option, declared."""

    source: Source
    dependent: Annotated[str, typer.Option(help="columns to protect: c,d")]
    independent: Annotated[
        str,
        typer.Option(
            help='columns kept, which explain the others: a,b (a name with a comma in double quotes: "a, b",c)'
        ),
    ] = ""
    identifiers: Annotated[str | None, typer.Option(help="columns dropped from the release")] = None
    unknown: Unknown = None
    constraints: Annotated[
        str | None,
        typer.Option(
            help="what every release must keep, such as 'A == B + C; D >= 0'; odd names in double quotes or `"
        ),
    ] = None
    missing: Missing = "refuse"
    strata: Strata = None
    weights: Annotated[
        str | None, typer.Option(help="a column of survey weights: weighted totals and regressions are kept too")
    ] = None
    preserve: Annotated[
        str | None,
        typer.Option(
            help="kept likewise: within each level of a column, or as a formula says: 'region,wage ~ age + hours'"
        ),
    ] = None
    structure: Annotated[
        str | None,
        typer.Option(
            metavar="find|FILE",
            help="keep the exact identities found, or what FILE accepts: pyfcrm structure IN --accept 1,3 --json > FILE",
        ),
    ] = None
    threads: Threads = None
    separator: Separator = None
    decimal: Decimal = None
    external: Externals = None

    @property
    def roles(self) -> Roles:
        """The columns by their part."""
        return Roles(*(column_list(getattr(self, role), f"--{role}") for role in ROLES))

    def options(self) -> dict[str, Any]:
        """What protect(), sweep(), recommend() and audit() take by these names."""
        return {
            "constraints": self.constraints,
            "missing": self.missing,
            "strata": chosen(self.strata, "--strata"),
            "engine": Local(self.threads),
            "weights": self.weights,
            "preserve": chosen(self.preserve, "--preserve"),
            "structure": read_structure(self.structure),
        }


@dataclass(frozen=True, kw_only=True)
class PlannedRequest(FileRequest):
    """The same of those that write a plan of what was done."""

    seed: Seed = None
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            metavar="PLAN.toml",
            help="write what was done as a plan, which `pyfcrm run` repeats",
        ),
    ] = None


def column_list(text: str | None, option: str) -> list[str] | None:
    """ "a, b" as ["a", "b"]; a name with a comma in double quotes, which are doubled inside; None stays None.

    Raises InvalidParameter for an empty name: it may be a variable that was not set, and a column left out.
    """
    if text is None:
        return None
    if not text.strip():
        return []
    names = listed(text, _BARE)
    if names is None:
        rule = 'must stand between commas, as in a,b (a name with a comma in double quotes: "a, b",c)'
        raise InvalidParameter(option, "names", rule, text)
    return [name for name, _ in names]


def chosen(text: str | None, option: str) -> list[str] | None:
    """As `column_list`, for an option that must name something where it is given."""
    names = column_list(text, option)
    if names == []:
        raise InvalidParameter(option, "names", "must name at least one (or leave the option out)", text)
    return names


def limits_from(file: str | None, texts: Iterable[str] | None) -> Limits:
    """The verdict's limits of --limits FILE and, before these, of --limit key=value; a test of two quantities takes
    key=value,value. Raises InvalidInput or InvalidParameter."""
    given = dict[str, Any](read_limits("--limits", file))
    for text in texts or ():
        key, _, values = text.partition("=")
        figures = [value.strip() for value in values.split(",")]
        if not all(map(REAL.fullmatch, figures)):
            raise InvalidParameter("--limit", "limit", "must be a key and a number, such as dr=15", text)
        given[key.strip()] = [float(value) for value in figures]
    return read_limits("--limit", given)


def externals(given: Iterable[str] | None) -> dict[str, External]:
    """What --external names, by name. Raises InvalidParameter."""
    made = dict[str, External]()
    for text in given or ():
        name, equals, command = text.partition("=")
        name = name.strip()
        if not equals or not re.fullmatch(r"[^\W\d][\w-]*", name) or not command.strip():
            raise InvalidParameter("--external", "external", "must be NAME=COMMAND, the name a plain word", text)
        if name.lower() in METHODS or name in made:
            raise InvalidParameter("--external", "external", "must have a name that no other method has", name)
        made[name] = External(command, name=name)
    return made


def check_folder(folder: str, files: Iterable[str] = (), inputs: Iterable[str | None] = ()) -> Path:
    """The folder as a path, or one sentence on why it cannot be one.

    files : what will be written into it; inputs : files of this run, which those must not replace.
    """
    if not folder or "\0" in folder:
        raise InvalidParameter("output", "folder", "must be the path of a folder", folder)
    path = Path(folder).expanduser()
    standing = next(p for p in [path, *path.absolute().parents] if os.path.lexists(p))
    if not standing.is_dir():
        rule = "an output folder must not be a file" if standing == path else NO_FOLDER
        raise InvalidInput(str(path), rule, None if standing == path else f"{standing}, which is a file")
    if not os.access(standing, os.W_OK | os.X_OK):
        raise InvalidInput(str(path), "the output folder must be one you may write to", str(standing))
    if standing == path:
        for name in files:
            check_output(path / name, inputs, extensions=None)
    return path


def make_folder(path: Path) -> None:
    """Make it, with the folders above it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(str(path), NO_FOLDER, error.strerror) from error

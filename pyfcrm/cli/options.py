"""The options of the command line in the groups of the help; their texts as values; output folders.

Options of protect(), evaluate() and audit() are declared with these functions; those of the command line alone are below.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from ..arguments import listed
from ..data import Frame, Roles, open_data
from ..data.replicate_factors import REPLICATE_TYPES
from ..data.roles import LISTS, PRODUCTS, RESEARCH, SINGLE, VALUES
from ..data.variable import NUMBERS, Variable
from ..engine import Local
from ..errors import InvalidInput, InvalidParameter, unknown_name
from ..evaluation.options import AuditOptions, EvaluateOptions
from ..files import check_output
from ..files.manifest import read_document
from ..files.paths import path_text
from ..files.reading import Reading, reading_of
from ..methods import METHODS, External, Method
from ..methods.text import make_method, value_of
from ..plans.limits import Limits, read_limits
from ..plans.plan import read_declarations, read_structure
from ..protection.declaration import Declared, Option
from ..protection.options import Options
from .pipes import InputFile

Word = str | click.Parameter
"""An argument or an option of a command: see `parameter`."""
"""Roles that several columns may have."""
LEAVE = "leave"
"""What a file of roles has for a column that is released unchanged and is no predictor."""
NO_ROLES = "--roles takes a file that `pyfcrm roles --json` wrote"
FILES = ("source", "original", "protected", "plan", "manifest")
"""Arguments that are the paths of files; - is standard input."""
SHELL_METHODS = {**METHODS, "external": External}  # a plan or a page of the studio runs no command


def separator(text: str) -> str:
    """An option's separator; a tab is hard to type in a shell."""
    return {"\\t": "\t", "tab": "\t"}.get(text, text)


def _by_column(text: str) -> list[tuple[str, str]]:
    """The name of each column and the text after its "="."""
    items = (item.rpartition("=") for item in text.split(","))
    return [(name.strip(), value) for name, _, value in items]


def missing_codes(text: str) -> dict[str, list[Any]]:
    """Codes of missing values by column: "wage=99999,kids=98|99" as {"wage": [99999], "kids": [98, 99]}."""
    codes = {name: [value_of(code) for code in listed.split("|")] for name, listed in _by_column(text)}
    if "" in codes:
        raise click.BadParameter(f"must be columns with their codes, such as wage=99999,kids=98|99; got {text!r}")
    return codes


def marks(text: str) -> list[str]:
    """Words between commas, and "" as none."""
    return [word for word in text.split(",") if word.strip()]


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


def numbers(text: str) -> list[float]:
    """Numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"must be numbers with commas between them; got {text!r}") from None


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
        "--roles": (
            str,
            "a FILE of `pyfcrm roles IN --json`; columns that are named beside it have the role that is typed",
        ),
        "--product": (str, "research: keep predictors; public: every column is synthetic; default: research"),
        "--missing-marks": (
            marks,
            "words that mean missing in CSV and Excel: ':,..'; default: NA where numbers have it, and empty cells",
        ),
        "--missing-codes": (missing_codes, "values that mean missing, by column: wage=99999,kids=98|99"),
        "--weight": (column, "the column of survey weights, a role"),
        "--household": (column, "the column that identifies households"),
        "--unit": (column, "the column that identifies units observed repeatedly"),
        "--time": (column, "the column with the period of a record of a unit"),
        "--psu": (column, "the column with the primary sampling unit of a record, for standard errors"),
        "--sampling-stratum": (column, "the column with the stratum of the sampling design, for standard errors"),
        "--replicate-weights": (names, "replicate weights, released unchanged: one key variable together"),
        "--replicate-type": (str, f"how replicate weights were made, one of {', '.join(REPLICATE_TYPES)}"),
        "--replicate-scale": (value_of, "the factor of the sum over replicates, as scale of R's svrepdesign"),
        "--replicate-rscales": (numbers, "the factor of each replicate, or one for all: 0.5,0.5,0.75"),
    },
    "Method": {
        "--method": (str, "one of " + ", ".join(SHELL_METHODS)),
        "--set": (
            list,
            'a parameter of the method: c=8, or of a method in it: "method={ipso:kind=B}" (may be repeated)',
        ),
        "--hierarchies": (
            list,
            "levels of a key: KEY=FILE of ARX's CSV form, KEY=digits:3,2 of codes, or KEY=cuts:20,40,60;40 (may be repeated)",
        ),
        "--k": (value_of, "the least number of records in a group of equal keys"),
        "--l": (value_of, "the least number of distinct values of each target in a group"),
        "--t": (value_of, "the largest distance between a target's distribution in a group and in the file"),
        "--loss": (str, "what the search keeps small: entropy or discernibility"),
        "--max-suppressed": (
            value_of,
            "at most so many per cent of the records fail; default: 5",
        ),
        "--candidates": (str, 'methods and parameters, such as "fcrm:c=2..15,ipso:kind=A|B|C"'),
        "--seed": (value_of, "for repeatable results; leave it out for a real release: it can be found by trying"),
    },
    "What is preserved and required": {
        "--limit": (list, "KEY=VALUE: a limit of the verdict: dr=15, linkage=5,1 (may be repeated)"),
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
        "--dossier": (bool, "a page for the board that decides, and a JSON document of its facts beside it: internal"),
        "--purpose": (str, "of a dossier: why the file is released; without it the dossier asks"),
        "--recipients": (str, "of a dossier: who receives the file; without it the dossier asks"),
        "--encoding": (str, "encoding of a CSV file, such as latin-1; default: detected"),
        "--despite-hold": (str, "release whatever the verdict is, for this reason; with --by"),
        "--disarm": (bool, "CSV: an apostrophe before text that a spreadsheet would run as a formula"),
        "--family": (str, "gaussian: least squares; or binomial: a logistic regression of a response of two values"),
        "--format": (str, "ddi: XML of DDI-Codebook 2.5; or frictionless: JSON of a Table Schema"),
        "--form": (str, "report: internal or external; key-risk: approx or exact"),
        "--html": (str, "an HTML page to write"),
        "--input": (str, "a CSV or Parquet file; default: simulated data"),
        "--ipso-r": (str, "a file of IPSO R code to run instead of ours"),
        "--json": (bool, "one JSON document on standard output"),
        "--ledger": (str, "a private register of earlier releases, against which this one is checked"),
        "--manifest": (str, "the private provenance record of the release"),
        "--no-browser": (bool, "do not open a browser"),
        "--original": (str, "the original: it is protected again, and the releases are compared byte by byte"),
        "--output": (str, "path of the output; - is standard output for protect (as CSV) and report"),
        "--overwrite": (bool, "replace outputs that exist"),
        "--plan": (str, "write the request as a plan for `pyfcrm run`"),
        "--port": (value_of, "default: 8765, or the next that is free"),
        "--prov": (str, "write the manifest as W3C PROV-JSON, if every check holds: internal, without seed and paths"),
        "--quantile": (value_of, "a level such as 0.5: quantiles by class in place of a regression"),
        "--release": (str, "the released file, wherever it is now"),
        "--rule": (
            str,
            "how copies are combined: partial, simple, proper or exact; default: partial, of one copy simple",
        ),
        "--sdcmicro": (bool, "compare with sdcMicro's routines too"),
        "--seeds": (value_of, "how many seeds to average over"),
        "--separator": (separator, "of a CSV file, tab for a tab; default: detected"),
        "--sheet": (value_of, "sheet of an Excel file, by name or number from 1; default: the first"),
        "--thousands": (str, "what separates thousands in a CSV file: , . blank or '; default: nothing"),
        "--yes": (bool, "accept the roles that are proposed where none is given"),
        "--toml": (bool, "tables [variables.NAME] of TOML on standard output, to be changed and declared"),
        "--threads": (value_of, "number of threads; it does not change the result"),
    },
}
OPTIONS = {name: row for group in OPTION_GROUPS.values() for name, row in group.items()}
READERS: Mapping[str, Callable[[str], Any]] = {
    "names": names,
    "name": column,
    "rules": str,
    "choice": str,
    "structure": str,
    "limits": str,
    "whole": value_of,
    "number": value_of,
    "variables": read_declarations,
}
"""By kind of a declared option, how its text is read; a number is checked where it is used."""
DECLARED: Mapping[str, Option] = {
    each.flag: each for declared in (Options, EvaluateOptions, AuditOptions) for each in declared.declared()
}


def declared(option: Option, *, required: bool = False) -> click.Option:
    """The option of the command line for one that is declared in Python; a flag that is on by default takes yes or no."""
    if option.kind == "flag" and not option.default:
        return click.Option([option.flag], is_flag=True, help=option.help)
    if option.kind == "flag":
        return click.Option([option.flag], type=click.BOOL, default="yes", metavar="yes|no", help=option.help)
    more: dict[str, Any] = {} if option.default is None else {"default": str(option.default)}
    if option.kind == "yes_no":
        return click.Option([option.flag], type=click.BOOL, metavar="yes|no", help=option.help)
    reader: Any = READERS[option.kind]
    return click.Option([option.flag], type=reader, metavar="TEXT", required=required, help=option.help, **more)


def of_verb(options: type[Declared], verb: str) -> list[click.Option]:
    """The options of the command line for those that a function takes."""
    return [declared(each) for each in options.of_verb(verb) if each.flag not in OPTIONS]


def evaluate_option(name: str, *, required: bool = False) -> click.Option:
    """The option of the command line for one of evaluate()."""
    [found] = [each for each in EvaluateOptions.declared() if each.name == name]
    return declared(found, required=required)


MARKS = ["--separator", "--decimal", "--thousands", "--encoding", "--missing-marks", "--sheet"]
MARK_NAMES = [flag.removeprefix("--").replace("-", "_") for flag in MARKS]
OF_DESIGN = [
    "--psu", "--sampling-stratum", "--replicate-weights", "--replicate-type", "--replicate-scale", "--replicate-rscales",
]  # fmt: skip
OF_ROLES = [
    "--dependent", "--independent", "--identifiers", "--unknown", "--weight", "--household", "--unit", "--time",
    *OF_DESIGN, "--roles",
]  # fmt: skip
OF_VARIABLES: list[Word] = [evaluate_option("variables"), "--missing-codes"]
DOSSIER_FILE = click.Option(["--dossier"], metavar="TEXT", help="the release's dossier, page or JSON: both are checked")
MISSING, COPIES = (declared(each) for each in Options.declared() if each.name in ("missing", "copies"))
RELEASE: list[Word] = [
    "original", "protected", evaluate_option("columns"), evaluate_option("measures"), *MARKS, COPIES, "--manifest",
    *OF_ROLES, "--method", "--set", "--limit", evaluate_option("limits"), *OF_VARIABLES, "--audit", "--check",
    evaluate_option("paired"),
]  # fmt: skip


def file_words(verb: str) -> list[Word]:
    """The arguments of a command that protects a file: source, roles, and the options of the function."""
    return ["source", *OF_ROLES, *of_verb(Options, verb), "--missing-codes", "--threads", *MARKS]


def group_of(option: click.Parameter) -> str | None:
    """The group of the help that lists an option; None for an argument."""
    flag = option.opts[0]
    if flag in OPTIONS:
        return next(title for title, names in OPTION_GROUPS.items() if flag in names)
    return DECLARED[flag].group if flag in DECLARED else None


class Request(SimpleNamespace):
    """The options of one command by name, as values."""

    def opened(self, owner: str, path: Path | str | None = None, *, whole: bool | None = None) -> Frame:
        """The source, or another file with its marks, by blocks where that is requested. whole : as in open_data."""
        whole = False if getattr(self, "by_blocks", False) else whole
        return open_data(owner, path or self.source, whole, self.reading())

    def reading(self) -> Reading:
        """How the files are read, as far as it is typed. Raises InvalidParameter."""
        return reading_of("read_table", **{name: getattr(self, name) for name in MARK_NAMES})

    def chosen_roles(self) -> Roles:
        """The columns by role: those of --roles FILE, and those that are typed."""
        file = getattr(self, "roles", None)
        if file is not None:
            return _with_typed(read_roles(file), self._typed_columns(), self._typed_values())
        if not self.dependent:
            raise click.UsageError("Missing option '--dependent' (or '--roles FILE', or '--yes' to protect).")
        return self.typed_roles()

    def typed_roles(self) -> Roles:
        """The columns by role that are typed."""
        typed = self._typed_columns()
        lists = {role: typed[role] or () for role in LISTS}
        return Roles(**(typed | lists), **self._typed_values())

    def _typed_columns(self) -> dict[str, Any]:
        """The columns that are typed, by role; None where there are none."""
        return {role: getattr(self, role, None) for role in (*LISTS, *SINGLE)}

    def _typed_values(self) -> dict[str, Any]:
        """The other parameters of Roles that are typed."""
        typed = {name: getattr(self, name, None) for name in VALUES}
        return {name: value for name, value in typed.items() if value is not None}

    def release_options(self, verb: str) -> dict[str, Any]:
        """The options of protect() that a function takes, and its engine."""
        values = {each.name: getattr(self, each.name) for each in Options.of_verb(verb)}
        values["variables"] = self.declared_variables()
        return values | {"engine": Local(self.threads), "structure": read_structure(self.structure)}

    def declared_variables(self) -> Any:
        """What --variables declares, with the codes of --missing-codes. Raises InvalidParameter."""
        if self.missing_codes is None:
            return self.variables
        if self.variables == NUMBERS:
            rule = "must be left out with --missing-codes, which declares a variable"
            raise InvalidParameter("--variables", "variables", rule, NUMBERS)
        declared = dict(self.variables or {})
        for name, codes in self.missing_codes.items():
            fields = declared[name].table() if name in declared else {}
            declared[name] = Variable(**(fields | {"missing_codes": codes}))
        return declared

    def chosen_method(self) -> Method:
        """The method of --method and --set."""
        return make_method(self.method, self.set, SHELL_METHODS)


def read_roles(path: str) -> dict[str, Any]:
    """The names of columns by role, and the product, in a file of `pyfcrm roles --json`. Raises InvalidInput."""
    contents = read_document(path, "roles", NO_ROLES)
    rows = contents.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) and {"column", "role"} <= {*row} for row in rows):
        raise InvalidInput(path, NO_ROLES)
    found: dict[str, Any] = {role: [] for role in (*LISTS, *SINGLE)}
    for row in rows:
        role = row["role"]
        if role == LEAVE:
            continue
        if role not in found:
            raise unknown_name(path, "role", role, (*found, LEAVE))
        found[role].append(row["column"])
    for role in SINGLE:
        if len(found[role]) > 1:
            raise InvalidInput(path, f"one column may have the role `{role}`", found[role])
    product = contents.get("product", RESEARCH)
    if product not in PRODUCTS:
        raise unknown_name(path, "product", product, PRODUCTS)
    return {**found, "product": product}


def _with_typed(found: Mapping[str, Any], typed: Mapping[str, Any], values: Mapping[str, Any]) -> Roles:
    """The roles of a file; a column that is typed has the role that is typed alone. values : other parameters that are typed."""
    given = {role: listed if isinstance(listed, list) else [listed] for role, listed in typed.items() if listed}
    moved = {name for names in given.values() for name in names}
    columns: dict[str, Any] = {}
    for role in LISTS:
        columns[role] = [*(name for name in found[role] if name not in moved), *given.get(role, [])]
    for role in SINGLE:
        names = given.get(role) or [name for name in found[role] if name not in moved]
        columns[role] = names[0] if names else None
    of_file = {name: found[name] for name in VALUES if name in found}
    return Roles(**columns, **(of_file | dict(values)))


def parameter(word: Word) -> click.Parameter:
    """The parameter of a word: an argument, an option of OPTIONS, or an option that is declared, as it is.

    "?" stands behind an argument that may be left out, "!" behind an option that is required, "=" before the default of an option.
    """
    if isinstance(word, click.Parameter):
        return word
    name, _, default = word.rstrip("!?").partition("=")
    if not name.startswith("-"):
        metavar = "IN" if name == "source" else name.upper()
        path = InputFile() if name in FILES else None
        return click.Argument([name], type=path, metavar=metavar, required=not word.endswith("?"))
    kind, text = OPTIONS[name]
    settings: dict[str, Any]
    if kind is bool:
        settings = {"is_flag": True}
    elif kind is list:
        settings = {"multiple": True}
    else:
        settings = {"type": kind, "metavar": "TEXT"}
        if default:
            settings["default"] = default
    return click.Option(
        [name, "-o"] if name == "--output" else [name],
        required=word.endswith("!"),
        help=text,
        shell_complete=_complete_method if name == "--method" else None,
        **settings,
    )


def _complete_method(context: click.Context, option: click.Parameter, start: str) -> list[str]:
    return [name for name in SHELL_METHODS if name.startswith(start.lower())]


def hierarchies_from(texts: Iterable[str]) -> dict[str, Any]:
    """The hierarchies of --hierarchies KEY=FILE, KEY=digits:3,2 or KEY=cuts:20,40,60;40. Raises InvalidParameter."""
    forms = dict[str, Any]()
    for text in texts:
        key, is_pair, form = text.partition("=")
        if not (is_pair and form):
            raise InvalidParameter("--hierarchies", "hierarchies", "must be a key and its levels, KEY=FILE", text)
        kind, _, levels = form.partition(":")
        if kind == "digits":
            forms[key.strip()] = {kind: numbers(levels)}
        elif kind == "cuts":
            forms[key.strip()] = {kind: [numbers(level) for level in levels.split(";")]}
        else:
            forms[key.strip()] = form
    return forms


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

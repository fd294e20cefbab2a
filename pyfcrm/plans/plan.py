"""The model of a plan, one reviewed TOML file for one release; a manifest contains the same tables."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    PlainSerializer,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)

from ..data import Roles
from ..data.structure import NOT_ROWS, Structure
from ..data.variable import NUMBERS, declared_variables
from ..data.variables import declarations_of
from ..errors import InvalidInput, InvalidParameter, shown
from ..files.manifest import read_document
from ..files.paths import Path, path_text
from ..files.reading import Reading, reading_of
from ..methods import Procedure, Steps
from ..protection.declaration import Option
from ..protection.options import MAX_COPIES, Options
from ..rstream import RStream, as_stream
from .tables import (
    STEP,
    check_keys,
    limits_table,
    method_table,
    plain,
    roles_table,
    to_limits,
    to_method,
    to_roles,
    to_steps,
    with_none,
)

NOT_PLAN = "a plan must be TOML, in UTF-8"
NOT_DECLARATIONS = "declared variables must be a file that `pyfcrm describe --toml` wrote, or numbers"


STRUCTURE_WORDS = ("default", "find", "none")
"""What `structure` may be besides rules or a file of them."""


def to_structure(value: Any, info: ValidationInfo) -> Any:
    """Accepted proposals: their rows, or the path of a file of `pyfcrm structure --json`; words stay."""
    if isinstance(value, str) and value not in STRUCTURE_WORDS:
        return read_structure(_from_folder(value, info))
    return Structure.of(value) if isinstance(value, list) else value


def read_structure(path: str | None) -> Any:
    """The proposals in a file of `pyfcrm structure --json`; None and words stay, and "none" is None. Raises InvalidInput."""
    if path is None or path == "none":
        return None
    if path in STRUCTURE_WORDS:
        return path
    rows = read_document(path, "structure", NOT_ROWS).get("rows")
    if not isinstance(rows, list):
        raise InvalidInput(path, NOT_ROWS)
    return Structure.of(rows)


def read_declarations(path: str) -> Any:
    """The declared variables in a file of `pyfcrm describe --toml`; "numbers" stays. Raises InvalidInput or InvalidParameter."""
    if path == NUMBERS:
        return path
    contents = read_document(os.path.expanduser(path), "variables", NOT_DECLARATIONS, tomllib.load)
    return declarations_of(contents, path)


def _from_folder(value: str, info: ValidationInfo) -> str:
    """A path relative to the plan's folder."""
    return os.path.join((info.context or {}).get("folder", ""), os.path.expanduser(value))


FilePath = Annotated[str, Field(min_length=1), AfterValidator(_from_folder)]
Text = Annotated[str, Field(min_length=1)]
Names = list[Text] | None


class Table(BaseModel):
    """A table of a plan; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, strict=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, table: Any) -> Any:
        return check_keys(table, cls.model_fields)


class Input(Table):
    """The file, and how it is read: as arguments of read_table()."""

    file: FilePath
    separator: Text | None = None
    decimal: Text | None = None
    thousands: Text | None = None
    encoding: Text | None = None
    missing_marks: list[Text] | None = None
    sheet: Text | int | None = None

    @model_validator(mode="after")
    def _check_reading(self) -> Input:
        self.reading  # noqa: B018
        return self

    @property
    def reading(self) -> Reading:
        """How the file is read."""
        return reading_of("plan", **{name: value for name, value in self if name != "file"})


STRUCTURE = Annotated[InstanceOf[Structure] | Literal["default", "find", "none"], BeforeValidator(to_structure)]
VALUES: Mapping[str, Any] = {
    "names": Names,
    "name": Text | None,
    "rules": Names,
    "flag": bool,
    "yes_no": bool | None,
    "structure": STRUCTURE,
}
"""By kind of an option, what it may be in a plan; choices and numbers have it in their declaration."""
WITH_NONE = ("structure",)
"""The kinds for which None is written as "none", since it is not their default."""


def _value_type(option: Option) -> Any:
    """The values that an option may have in a plan."""
    if option.kind == "choice":
        words: Any = Literal.__getitem__(option.words)
        return words | None if option.default is None else words
    if option.kind in ("whole", "number"):
        number = int if option.kind == "whole" else float
        return Annotated[number, Field(ge=option.ends.get("low"), le=option.ends.get("high"))]
    return VALUES[option.kind]


KEPT = tuple(option for option in Options.declared() if option.table == "keep")
"""The options of the table [keep]."""
Keep: Any = create_model("Keep", __base__=Table, **{each.name: (_value_type(each), each.default) for each in KEPT})
"""The table [keep]: what the release preserves, and what is done with incomplete and unprotected records."""


def to_keep(value: Any, info: ValidationInfo) -> Any:
    """The table [keep] as options of protect()."""
    if isinstance(value, Options):
        return value
    table = Keep.model_validate(value, context=info.context)
    values = {each.name: getattr(table, each.name) for each in KEPT}
    values |= {each.name: with_none(values[each.name]) for each in KEPT if each.kind in WITH_NONE}
    return Options(**values)


def to_variables(value: Any) -> Any:
    """The tables [variables.NAME] as declarations by column; "numbers" stays."""
    return declared_variables("plan", value) or {}


def variables_table(variables: Any) -> Any:
    """The declarations as tables of TOML."""
    if not isinstance(variables, Mapping):
        return variables
    return {name: variable.table() for name, variable in variables.items()}


def keep_table(options: Options) -> dict[str, Any]:
    """The options of the table [keep] that are not at their default, in types of TOML."""
    table: dict[str, Any] = {}
    for each in KEPT:
        value = getattr(options, each.name)
        empty = value is None or (isinstance(value, list | tuple) and not value)
        if isinstance(value, Structure):
            value = value.rows()
        elif empty and each.kind not in WITH_NONE:
            continue
        if value != each.default:
            table[each.name] = plain(value)
    return table


class Release(Table):
    """Why and by whom a release is written without a verdict of "pass"."""

    despite_hold: Text
    by: Text


class Output(Table):
    """The files that are written, of a release or of its copies."""

    release: FilePath
    manifest: FilePath | None = None
    report: FilePath | None = None
    report_external: FilePath | None = None
    dossier: FilePath | None = None
    purpose: Text | None = None
    recipients: Text | None = None
    ledger: FilePath | None = None
    disarm: bool = False
    copies: Annotated[int, Field(ge=1, le=MAX_COPIES)] = 1

    @model_validator(mode="after")
    def _check_dossier(self) -> Output:
        if self.dossier is None:
            for key in ("purpose", "recipients"):
                if (text := getattr(self, key)) is not None:
                    raise InvalidInput(f"output.{key}", "belongs to `dossier`", text)
        return self


class Random(Table):
    """The start of the random numbers: an integer, or a state of R's generator; fresh entropy without either."""

    seed: int | None = None
    state: list[int] | None = None
    fresh: bool = False

    @classmethod
    def of(cls, start: int | RStream | None) -> Random:
        """The table of a seed argument."""
        if isinstance(start, RStream):
            return cls(state=[int(word) for word in start.to_r_state()], fresh=start.fresh)
        return cls(seed=start)

    @property
    def start(self) -> int | RStream | None:
        """The seed argument of protect()."""
        if self.state is None:
            return self.seed
        stream = RStream.from_r_state(self.state)
        stream.fresh = self.fresh
        return stream

    @model_validator(mode="after")
    def _check_start(self) -> Random:
        if self.start is not None:
            as_stream(self.start)
        return self


class Plan(Table):
    """One release: input, roles, method, limits and outputs, checked.

    Parameters
    ----------
    input : Input
        The file that is protected.
    roles : Roles
        The columns by role; of several steps, those of the whole release.
    method : Method or Steps
        With its parameters; Steps where the plan has tables [[step]] in place of [roles] and [method].
    keep : Options
        What is preserved, as arguments of `protect`.
    variables : mapping of str to Variable, or "numbers"
        What is declared of columns, tables [variables.NAME].
    limits : mapping of str to tuple
        Changes of the verdict's limits, by test or measure key.
    release : Release or None
        A reason and a name, for a release without a verdict of "pass".
    output : Output
        The files that are written.
    random : Random
        A seed or a state; fresh entropy by default.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyfcrm as pf
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = pf.datasets.example()
    >>> frame.to_csv(folder / "in.csv", index=False)
    >>> plan = folder / "plan.toml"
    >>> text = '[input]\\nfile = "in.csv"\\n[roles]\\nunknown = ["{}"]\\ndependent = ["{}"]\\n'.format(*frame)
    >>> text += '[method]\\nname = "topbottomcoding"\\ntop = 9\\n[output]\\nrelease = "out.csv"\\nmanifest = "private.json"'
    >>> _ = plan.write_text(text)
    >>> str(pf.read_plan(plan).method)
    'TopBottomCoding(top=9)'
    """

    input: Input
    roles: Annotated[InstanceOf[Roles], BeforeValidator(to_roles), PlainSerializer(roles_table)]
    method: Annotated[InstanceOf[Procedure], BeforeValidator(to_method), PlainSerializer(method_table)]
    keep: Annotated[InstanceOf[Options], BeforeValidator(to_keep), PlainSerializer(keep_table)] = Options()
    variables: Annotated[Any, BeforeValidator(to_variables), PlainSerializer(variables_table)] = {}
    limits: Annotated[dict[str, Any], BeforeValidator(to_limits), PlainSerializer(limits_table)] = {}
    release: Release | None = None
    output: Output
    random: Random = Random()

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, table: Any) -> Any:
        check_keys(table, [*cls.model_fields, "step"])
        if not isinstance(table, Mapping) or "step" not in table:
            return table
        if twice := [name for name in STEP if name in table]:
            raise InvalidInput("plan", "a plan has either [[step]] or [roles] and [method]", twice)
        tables = dict(table)
        steps = to_steps(tables.pop("step"))
        return tables | {"method": steps, "roles": steps.roles}

    def options(self) -> dict[str, Any]:
        """Further arguments of `protect_file`.

        Returns
        -------
        dict
            By name: those of [keep], and `disarm` and `copies`.
        """
        return {**options_of(self).given("protect_file"), "disarm": self.output.disarm}

    def tables(self) -> dict[str, Any]:
        """The plan in types of TOML and JSON, without what is at its default.

        Returns
        -------
        dict
            By table.
        """
        tables: dict[str, Any] = self.model_dump(exclude_defaults=True)
        if not tables.get("keep"):  # options that differ only in how they are written: [] for None
            tables.pop("keep", None)
        if isinstance(self.method, Steps):
            tables["step"] = tables.pop("method")
            del tables["roles"]
        return tables

    def text(self) -> str:
        """The plan as TOML.

        Returns
        -------
        str
            `read_plan` reads it.

        Raises
        ------
        InvalidParameter
            For a third-party synthesizer, and for text that is not UTF-8.
        """
        if self.method.makes_new_file():
            rule = "must be a method of this package: a plan runs no command"
            raise InvalidParameter("plan", "method", rule, str(self.method))
        text = tomli_w.dumps(self.tables())
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            bad = ascii(error.object[error.start : error.end])
            raise InvalidParameter("plan", "text", "must be UTF-8", bad) from error
        return text


def options_of(plan: Plan) -> Options:
    """The options of protect() that a plan has."""
    return plan.keep.changed(copies=plan.output.copies, variables=plan.variables or None)


def read_plan(path: Path) -> Plan:
    """Read a plan, and check every key, type, limit, role and parameter of it.

    Parameters
    ----------
    path : path
        A file of TOML, UTF-8. Paths in it are relative to its folder.

    Returns
    -------
    Plan
        With its paths as this process opens them.

    Raises
    ------
    InvalidInput
        One sentence with the path of the field.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyfcrm as pf
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = pf.datasets.example()
    >>> frame.to_csv(folder / "in.csv", index=False)
    >>> plan = folder / "plan.toml"
    >>> text = '[input]\\nfile = "in.csv"\\n[roles]\\nunknown = ["{}"]\\ndependent = ["{}"]\\n'.format(*frame)
    >>> text += '[method]\\nname = "topbottomcoding"\\ntop = 9\\n[output]\\nrelease = "out.csv"\\nmanifest = "private.json"'
    >>> _ = plan.write_text(text)
    >>> pf.read_plan(plan).roles.unknown == (frame.columns[0],)
    True
    """
    name = path_text("plan", path)
    return to_plan(name, read_document(name, "plan", NOT_PLAN, tomllib.load), os.path.dirname(name))


def to_plan(owner: str, tables: Mapping[str, Any], folder: str = "") -> Plan:
    """The tables as a plan, with paths relative to `folder`. Raises InvalidInput with the path of the field."""
    try:
        plan: Plan = Plan.model_validate(tables, context={"folder": folder})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if isinstance(part, int) or part.isidentifier())
        owner = f"{owner}, {place}" if place else owner
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, InvalidInput) and cause.owner == "plan":
            raise InvalidInput(owner, cause.rule, cause.value) from None
        if cause is not None:
            raise InvalidInput(owner, str(cause)) from None
        if first["type"] == "missing":
            raise InvalidInput(owner, "a plan must have this key") from None
        raise InvalidInput(owner, re.sub(r"^\w+ should", "must", first["msg"]), shown(first["input"])) from None
    return plan

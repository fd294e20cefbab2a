"""A plan: one reviewed file that says what comes in, what is done with it, by which limits, and what goes out."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..arguments import choice, whole_number
from ..constraints import parsed
from ..data import Roles
from ..data.strata import strata_names
from ..errors import InvalidInput, InvalidParameter, PyfcrmError, shown, unknown_name
from ..files.paths import Path, path_text
from ..files.read import check_reading
from ..measures import MEASURES
from ..methods import Method
from ..methods.text import method_called, method_of
from ..plans.limits import LIMITS, Limits, read_limits
from ..protection.promise import asked_of
from ..protection.request import MISSING, MOST_COPIES
from ..rstream import RStream
from .plan_text import NONE, place

TEXT, TEXTS, FLAG, WHOLE = ("a text", "a list of texts", "true or false", "a whole number")
NUMBERS = "a number, or a list of numbers"
SHAPE: Mapping[str, Mapping[str, str]] = {
    "input": {"file": TEXT, "separator": TEXT, "decimal": TEXT},
    "roles": dict.fromkeys(("independent", "dependent", "identifiers", "unknown"), TEXTS),
    "keep": {
        "constraints": TEXTS,
        "strata": TEXTS,
        "missing": TEXT,
        "strict_totals": FLAG,
        "allow_unprotected": FLAG,
        "structure": TEXT,
        "weights": TEXT,
        "preserve": TEXTS,
    },
    "limits": dict.fromkeys((*LIMITS, *MEASURES), NUMBERS),
    "release": {"despite_hold": TEXT, "by": TEXT},
    "output": dict.fromkeys(("release", "manifest", "report", "report_external"), TEXT)
    | {"disarm": FLAG, "copies": WHOLE},
    "random": {"seed": WHOLE},
}
TABLES = ("input", "roles", "method", "keep", "limits", "release", "output", "random")
REQUIRED = (("input", "file"), ("roles", "dependent"), ("method", "name"), ("output", "release"))


@dataclass(frozen=True)
class Plan:
    """What a plan's file says, every part of it checked; paths are relative to its folder.

    Parameters
    ----------
    path : str
        The plan's own file.
    method : Method
        As its table [method] says.
    roles : Roles
        As its table [roles] says.
    tables : mapping of str to mapping
        The file's tables as they stand: "input", "keep", "limits", "release", "output" and "random".
    text : str
        The file's own text, by which a line of it is told.
    """

    path: str
    method: Method
    roles: Roles
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    text: str = field(default="", repr=False, compare=False)

    def table(self, name: str) -> Mapping[str, Any]:
        """One of its tables.

        Parameters
        ----------
        name : str
            Such as "keep".

        Returns
        -------
        mapping of str to object
            Empty where the file has none of that name.
        """
        return self.tables.get(name, {})

    @property
    def limits(self) -> Limits:
        """Those of the verdict that it names."""
        return read_limits("plan", self.table("limits"))

    def file(self, table: str, key: str) -> str | None:
        """A path that the plan names, from the plan's folder.

        Parameters
        ----------
        table, key : str
            Where it stands: "output", "release".

        Returns
        -------
        str or None
            None where the plan names none.
        """
        given = self.table(table).get(key)
        return None if given is None else os.path.join(os.path.dirname(self.path), os.path.expanduser(given))


def read_plan(path: Path) -> Plan:
    """Read a plan, and check every key, type, limit, role and parameter of it.

    Parameters
    ----------
    path : path
        A file of TOML, UTF-8.

    Returns
    -------
    Plan
        What it says.

    Raises
    ------
    InvalidInput
        In one sentence with the line, where it cannot be read or breaks a rule.
    """
    name = path_text("plan", path)
    try:
        with open(name, "rb") as file:
            text = file.read().decode("utf-8")
        tables = tomllib.loads(text)
    except OSError as error:
        raise InvalidInput(name, "the plan could not be read", error.strerror) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(name, "a plan must be UTF-8") from error
    except (ValueError, RecursionError) as error:  # a whole number of thousands of digits, tables in tables without end
        raise InvalidInput(name, "a plan must be TOML", str(error)) from error
    return _Reader(name, text, tables).plan()


def _with_none(value: Any) -> Any:
    """A method's table with None for the word "none", which TOML has none for."""
    if isinstance(value, Mapping):
        return {key: _with_none(item) for key, item in value.items()}
    return None if value == NONE else value


@dataclass(frozen=True)
class _Reader:
    """A plan's path, its text, by which a line is told, and what TOML makes of it."""

    path: str
    text: str
    found: Mapping[str, Any]

    def plan(self) -> Plan:
        for table, content in self.found.items():
            if table not in TABLES:
                raise unknown_name(self.at(table), "table", table, TABLES)
            if not isinstance(content, Mapping):
                raise InvalidInput(self.at(table), f"`{table}` must be a table, [{table}]", shown(content))
            for key, value in content.items() if table in SHAPE else ():
                self._check(table, key, value)
        for table, key in REQUIRED:
            if key not in self.found.get(table, {}):
                raise InvalidInput(self.at(table), f"a plan must have `{key}` in its table [{table}]")
        self._check_method(self.found["method"])
        keep = self.found.get("keep", {})
        method = self._told("method", lambda: method_of("plan", _with_none(self.found["method"])))
        roles = self._told("roles", lambda: Roles(**self.found["roles"]))
        self._told("keep", lambda: parsed("plan", keep.get("constraints")))
        self._told("keep", lambda: choice("plan", "missing", keep.get("missing", "refuse"), MISSING))
        self._told("keep", lambda: strata_names("plan", keep.get("strata") or None, roles))
        self._told("keep", lambda: asked_of(keep.get("weights"), keep.get("preserve"), roles, "plan"))
        reading, copies = self.found.get("input", {}), self.found["output"].get("copies", 1)
        for key, value in self.found.get("limits", {}).items():
            self._told("limits", partial(read_limits, "plan", {key: value}), key)
        if self.found.get("release", {}).keys() not in (set(), {"despite_hold", "by"}):
            raise InvalidInput(self.at("release"), "`despite_hold` and `by` must come together, a reason and a name")
        self._told("input", lambda: check_reading("plan", reading.get("separator"), reading.get("decimal")))
        self._told("output", lambda: whole_number("plan", "copies", copies, low=1, high=MOST_COPIES))
        self._told("random", lambda: RStream(self.found.get("random", {}).get("seed", 0)))
        tables = {name: self.found[name] for name in SHAPE if name in self.found}
        return Plan(self.path, method, roles, tables, self.text)

    def _check_method(self, method_table: Mapping[str, Any]) -> None:
        if isinstance(method_table["name"], str):
            kind = self._told("method", lambda: method_called("plan", method_table["name"]))
            known = ["name", *(each.name for each in kind.declared())]
            for key in method_table:
                if key not in known:
                    raise unknown_name(self.at("method", key), f"parameter of {kind.__name__}", key, known[1:])

    def at(self, table: str, key: str | None = None) -> str:
        return place(self.path, self.text, table, key)

    def _check(self, table: str, key: str, value: Any) -> None:
        if key not in SHAPE[table]:
            raise unknown_name(self.at(table, key), f"key of [{table}]", key, SHAPE[table])
        if table == "limits" and key in MEASURES and MEASURES[key].needs_keys:
            raise InvalidInput(self.at(table, key), f"`{key}` needs key attributes, which a plan does not name")
        kind = SHAPE[table][key]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = {
            TEXT: isinstance(value, str) and bool(value),
            TEXTS: isinstance(value, list) and all(isinstance(one, str) for one in value),
            FLAG: isinstance(value, bool),
            NUMBERS: number or isinstance(value, list),
            WHOLE: number and isinstance(value, int),
        }
        if not fits[kind]:
            raise InvalidInput(self.at(table, key), f"`{key}` must be {kind}", shown(value))

    def _told(self, table: str, make: Any, key: str | None = None) -> Any:
        """What `make` gives, its mistakes told with the line of the table, or of a key in it."""
        try:
            return make()
        except PyfcrmError as error:
            key = key or (error.name if isinstance(error, InvalidParameter) else None)
            at = self.at(table, key) if key in self.found.get(table, {}) else self.at(table)
            raise InvalidInput(at, str(error)) from error

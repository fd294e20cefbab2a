"""The declaration of an option of a verb: default, kind, words, help, table of the plan, and what a privacy budget allows.

The Python interface, the command line, plans, manifests and R read it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, Self, get_args, get_type_hints

from ..arguments import choice, flag, names, one_name, real_number, whole_number
from ..errors import InvalidParameter

Kind = Literal[
    "names", "name", "path", "text", "flag", "yes_no", "whole", "number", "choice", "structure", "rules", "variables", "limits",
    "method", "roles", "other",
]  # fmt: skip
Group = Literal["Columns", "Method", "What is preserved and required", "Files and output"]

VERBS = ("protect", "protect_file", "audit", "sweep", "recommend")  # that release files, and take their options
RELEASING = ("protect", "protect_file")  # those of them whose releases are published


@dataclass(frozen=True)
class Option:
    """One option, as a field of a class of options declares it."""

    name: str
    """The name of the argument in Python and in R, and of the key of a plan."""

    type: str
    """The annotation, as the source has it."""

    default: Any
    """The value where nothing is given."""

    kind: Kind
    """The kind of its value: decides the check, the reading of the command line, and the conversion in R."""

    help: str
    """Its effect, in a line: for `--help` and forms."""

    text: str
    """Its effect, in a paragraph. Values and functions stand in braces, `{True}`, `{evaluate()}`: see `in_python`."""

    words: tuple[str, ...]
    """The words that a choice may be."""

    table: str | None
    """The table of a plan that holds it; None where no plan does."""

    budget: tuple[Sequence[Any], str] | None
    """The values that a privacy budget allows, mappings aside, and the reason; None where it allows all."""

    verbs: tuple[str, ...]
    """The functions that take it."""

    group: Group
    """The group of the command line's help that lists it."""

    ends: Mapping[str, Any]
    """The range of a number: "low" (at least), "high" (at most), "above", "below"."""

    r_default: str | None
    """The default in R, where it is not the translation of the one in Python."""

    @classmethod
    def of(cls, declared: Field[Any], hint: Any) -> Option:
        """The option that a field declares. hint : its type."""
        words = words_of(hint) if declared.metadata["kind"] == "choice" else ()
        return cls(
            name=declared.name, type=str(declared.type), default=declared.default, words=words, **declared.metadata
        )

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return "--" + self.name.replace("_", "-")

    def checked(self, owner: str, value: Any) -> Any:
        """The value as it is used, such as 3 for 3.0. Raises InvalidParameter.

        A value whose rule depends on the roles or the method is checked where these are known.
        """
        optional = self.default is None or " | None" in self.type
        if value is None and optional and self.kind != "names":
            return None
        check = CHECKS.get(self.kind)
        return value if check is None else check(self, owner, value)


def words_of(hint: Any) -> tuple[str, ...]:
    """The words of a type such as Literal["a", "b"] | None."""
    arguments = get_args(hint)
    return tuple(word for each in arguments for word in ([each] if isinstance(each, str) else words_of(each)))


CHECKS: Mapping[str, Callable[[Option, str, Any], Any]] = {
    "choice": lambda option, owner, value: choice(owner, option.name, value, option.words),
    "flag": lambda option, owner, value: flag(owner, option.name, value),
    "yes_no": lambda option, owner, value: flag(owner, option.name, value),
    "name": lambda option, owner, value: one_name(owner, option.name, value),
    "names": lambda option, owner, value: names(owner, option.name, value),
    "number": lambda option, owner, value: real_number(owner, option.name, value, **option.ends),
    "whole": lambda option, owner, value: whole_number(owner, option.name, value, **option.ends),
}
"""By kind, the check of a value: of the option, the owner and the value."""


def option(
    default: Any,
    *,
    help: str,
    text: str,
    kind: Kind,
    table: str | None = None,
    budget: tuple[Sequence[Any], str] | None = None,
    r_default: str | None = None,
    group: Group = "What is preserved and required",
    verbs: tuple[str, ...] = VERBS,
    **ends: float,
) -> Any:
    """A dataclass field that is an option: see Option for each argument. ends : low, high, above, below, of a number."""
    return field(
        default=default,
        metadata={
            "help": help,
            "text": text,
            "kind": kind,
            "table": table,
            "budget": budget,
            "r_default": r_default,
            "group": group,
            "verbs": verbs,
            "ends": ends,
        },
    )


class Declared:
    """A dataclass whose fields are options."""

    @classmethod
    @cache
    def declared(cls) -> tuple[Option, ...]:
        """Its options, in order."""
        hints = get_type_hints(cls)
        return tuple(Option.of(each, hints[each.name]) for each in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def of_verb(cls, verb: str) -> tuple[Option, ...]:
        """The options that a verb takes."""
        return tuple(each for each in cls.declared() if verb in each.verbs)

    def given(self, verb: str) -> dict[str, Any]:
        """The values of the options that a verb takes, by name."""
        return {each.name: getattr(self, each.name) for each in self.of_verb(verb)}

    def values(self, owner: str) -> dict[str, Any]:
        """The checked values of all options, by name. Raises InvalidParameter."""
        return {each.name: each.checked(owner, getattr(self, each.name)) for each in self.declared()}

    def changed(self, **changes: Any) -> Self:
        """The options with other values."""
        return replace(self, **changes)  # type: ignore[type-var]


def require_within_budget(owner: str, options: Sequence[Option], given: Mapping[str, Any]) -> None:
    """Raises InvalidParameter for an option with a value that reads confidential values outside of a privacy budget."""
    for each in options:
        if each.budget is not None:
            require_allowed(owner, each.name, given[each.name], each.budget)


def require_allowed(owner: str, name: str, value: Any, budget: tuple[Sequence[Any], str]) -> None:
    """Raises InvalidParameter for a value that a privacy budget does not allow. Mappings are declared, not read."""
    allowed, why = budget
    if not isinstance(value, Mapping) and value not in allowed:
        raise InvalidParameter(owner, name, f"must be {allowed[0]!r} with epsilon: {why}", value)

"""The declaration of a method's parameters: kind, default, range, words, unit and help.

The method's check, the studio's form, the command line and R read it. Parameters that are dependent columns, and blocks of
columns with a k each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field
from typing import Any, Literal

from ..arguments import (
    FINITE_NUMBER,
    WHOLE_NUMBER,
    choice,
    choice_rule,
    flag,
    names,
    number_rule,
    real_number,
    whole_number,
)
from ..errors import InvalidParameter, unknown_name

Kind = Literal["whole", "number", "flag", "choice", "columns", "method", "other"]
Check = Callable[[str, str, Any], Any]
BLOCKS = 'pairs of columns and k, such as [(["a", "b"], 3), ("c", 8)]'

ENDS = ("low", "high", "above", "below")
_KINDS: dict[str, Kind] = {"int": "whole", "float": "number", "bool": "flag", "Method": "method"}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a method, as `Method.declared` gives it.

    Parameters
    ----------
    name : str
        As in the constructor.
    kind : str
        "whole", "number", "flag" or "choice" (one of `words`); "columns", names of columns; "method", another method;
        "other", as `requirement` has it.
    default : object
        None where it is `required`.
    required : bool
        Whether it must be given.
    optional : bool
        Whether None may be given.
    ends : mapping of str to float
        The range: "low" (at least), "high" (at most), "above" (more than), "below" (less than), as far as it has them.
    words : tuple of str
        All that a choice may be.
    unit : str
        What a number counts or measures, if anything.
    help : str
        What the parameter does, in a line.
    only : tuple of str and tuple of str, or None
        Another parameter and those of its words with which this one has an effect.
    dial : tuple of two numbers, or None
        The range to search, for the parameter that trades information loss for risk.
    requirement : str
        The rule in messages, after "must be", where kind, range and words are not enough.
    example : object
        A usual value of a parameter without a useful default: forms begin with it, and stored results and tests are made with it.
    check : callable or None
        Of the owner's name, the parameter's name and a value: the value as it is stored. It replaces the check by kind,
        range and words; raises InvalidParameter.
    """

    name: str
    kind: Kind
    default: Any = None
    required: bool = False
    optional: bool = False
    ends: Mapping[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    unit: str = ""
    help: str = ""
    only: tuple[str, tuple[str, ...]] | None = None
    dial: tuple[float, float] | None = None
    requirement: str = ""
    example: Any = None
    check: Check | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, declared: Field[Any]) -> Parameter:
        """The parameter of a dataclass's field; one without declaration accepts anything."""
        more = dict(declared.metadata) or {"requirement": "any value that the method accepts"}
        written = getattr(declared.type, "__name__", str(declared.type))  # a type, or its text
        plain = written.removesuffix(" | None")
        kind = more.pop("kind", "choice" if more.get("words") else _KINDS.get(plain, "other"))
        ends = {end: more.pop(end) for end in ENDS if end in more}
        required = declared.default is MISSING
        optional = plain != written or declared.default is None
        return cls(
            name=declared.name,
            kind=kind,
            default=None if required else declared.default,
            required=required,
            optional=optional,
            ends=ends,
            **more,
        )

    @property
    def rule(self) -> str:
        """The rule, as a message states it: "must be a whole number, at least 1"."""
        if self.requirement:
            return f"must be {self.requirement}"
        if self.kind in ("whole", "number"):
            return number_rule(WHOLE_NUMBER if self.kind == "whole" else FINITE_NUMBER, **self.ends)
        return choice_rule(self.words) if self.kind == "choice" else "must be True or False"

    @property
    def accepts(self) -> str:
        """The accepted values in words, without a unit: "a whole number, at least 1"."""
        return self.rule.removeprefix("must be ") + (", or None" if self.optional else "")

    @property
    def condition(self) -> str:
        """The values of another parameter with which this one has an effect, as code: 'margins="smooth"'; empty without."""
        if self.only is None:
            return ""
        name, words = self.only
        return f"{name}=" + " or ".join(f'"{word}"' for word in words)

    def checked(self, owner: str, value: Any) -> Any:
        """The value as it is stored: 3 for 3.0. Raises InvalidParameter in the name of `owner`."""
        if value is None and self.optional:
            return None
        if self.check is not None:
            return self.check(owner, self.name, value)
        if self.kind in ("whole", "number"):
            return (whole_number if self.kind == "whole" else real_number)(owner, self.name, value, **self.ends)
        if self.kind == "choice":
            return choice(owner, self.name, value, self.words)
        return flag(owner, self.name, value) if self.kind == "flag" else value


def param(default: Any = MISSING, *, help: str, words: Iterable[str] = (), **declared: Any) -> Any:
    """A dataclass field that is a parameter. Its kind comes from its type, and from `words`, for a choice.

    Parameters
    ----------
    default : object
        What it is where nothing is given; None also makes None a value that may be given, as "| None" in its type does.
        Without a default the parameter must be given.
    help, words, **declared
        See Parameter: low, high, above, below, unit, only, dial, requirement, example, check, and kind if the type does
        not determine it.
    """
    return field(default=default, metadata={"help": help, "words": tuple(words), **declared})


def by_column(check: Check) -> Check:
    """A check that also accepts a mapping from column to such a value."""

    def checked(owner: str, name: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return check(owner, name, value)
        return {column: check(owner, name, item) for column, item in value.items()}

    return checked


def as_blocks(owner: str, name: str, value: Any) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Blocks from a mapping or a list of pairs. No column is in two of them. Raises InvalidParameter."""
    try:
        pairs = [(columns, k) for columns, k in (value.items() if isinstance(value, Mapping) else value)]
    except (TypeError, ValueError):
        raise InvalidParameter(owner, name, f"must be {BLOCKS}", value) from None
    blocks = tuple((names(owner, name, c), whole_number(owner, "k of a block", k, low=1)) for c, k in pairs)
    if not blocks or not all(columns for columns, _ in blocks):
        raise InvalidParameter(owner, name, f"must be {BLOCKS}", value)
    names(owner, name, [column for columns, _ in blocks for column in columns])
    return blocks


def indices(owner: str, columns: Sequence[str], dependent: Sequence[str]) -> list[int]:
    """The positions from 0 of the columns. Raises InvalidInput, with similar names, for one that is not dependent."""
    for column in columns:
        if column not in dependent:
            raise unknown_name(owner, "dependent column", column, dependent)
    return [list(dependent).index(column) for column in columns]

"""The roles of columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..arguments import names
from ..display import Shown, View
from ..errors import InvalidParameter

_ROLES = ("independent", "dependent", "identifiers")


@dataclass(frozen=True, repr=False)
class Roles(Shown):
    """The columns of a microdata file by their role in its protection.

    Each takes a list of names or a single name, and may be empty; no column has two roles. Columns in none of them
    pass through untouched.

    Parameters
    ----------
    independent : str or iterable of str
        Released unchanged, and predictors of the others.
    dependent : str or iterable of str
        Replaced by protected values.
    identifiers : str or iterable of str
        Dropped from a release.
    unknown : str or iterable of str
        Columns that are released unchanged, independent ones or without a role, of which no intruder knows the values:
        they are left out of the counts of unique records, and the reports name them.

    Raises
    ------
    InvalidParameter
        For a name that is no text, is repeated, or has two roles; for an unknown column that is dependent or dropped.
    """

    independent: tuple[str, ...] = field(default=())
    dependent: tuple[str, ...] = field(default=())
    identifiers: tuple[str, ...] = field(default=())
    unknown: tuple[str, ...] = field(default=())

    def __init__(
        self,
        independent: str | Iterable[str] | None = (),
        dependent: str | Iterable[str] | None = (),
        identifiers: str | Iterable[str] | None = (),
        unknown: str | Iterable[str] | None = (),
    ) -> None:
        columns = (independent, dependent, identifiers, unknown)
        for role, listed in zip((*_ROLES, "unknown"), columns, strict=True):
            object.__setattr__(self, role, names("Roles", role, listed))
        seen: dict[str, str] = {}
        for role in _ROLES:
            for name in getattr(self, role):
                if name in seen:
                    raise InvalidParameter("Roles", role, f"must not name a column that is already {seen[name]}", name)
                seen[name] = role
        for name in self.unknown:
            if seen.get(name, "independent") != "independent":
                part = "dependent" if seen[name] == "dependent" else "an identifier"
                rule = f"must name columns that are released unchanged, not one that is {part}"
                raise InvalidParameter("Roles", "unknown", rule, name)

    def _view(self) -> View:
        rows = [(role, ", ".join(getattr(self, role)) or "-") for role in (*_ROLES, "unknown")]
        return View("Roles", ("role", "columns"), rows, words=2)


def refuse_identifier(owner: str, name: str, column: str, roles: Roles) -> None:
    """Raises InvalidParameter where a column of the parameter `name` is an identifier."""
    if column in roles.identifiers:
        raise InvalidParameter(owner, name, "must not name an identifier, which is dropped", column)


def as_roles(owner: str, roles: object) -> Roles:
    """`roles` as Roles, with at least one dependent column. Raises InvalidParameter otherwise."""
    if not isinstance(roles, Roles):
        raise InvalidParameter(
            owner, "roles", "must be a Roles(independent=[...], dependent=[...])", type(roles).__name__
        )
    if not roles.dependent:
        raise InvalidParameter(owner, "dependent", "must name at least one column to protect", list(roles.dependent))
    return plain_roles(roles)


def plain_roles(roles: Roles) -> Roles:
    """The roles as plain Roles, without reasons."""
    return (
        roles if type(roles) is Roles else Roles(roles.independent, roles.dependent, roles.identifiers, roles.unknown)
    )

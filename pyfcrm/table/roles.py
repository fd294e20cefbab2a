"""What each column is for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..arguments import names
from ..errors import InvalidParameter


@dataclass(frozen=True)
class Roles:
    """The columns of a microdata file by their part in its protection.

    independent : kept as they are, and used to explain the others; dependent : replaced by protected values;
    identifiers : dropped from a release. Columns in none of them pass through untouched.
    Each takes a list of names or a single name, and may be empty; no column has two roles.
    """

    independent: tuple[str, ...] = field(default=())
    dependent: tuple[str, ...] = field(default=())
    identifiers: tuple[str, ...] = field(default=())

    def __init__(
        self,
        independent: str | Iterable[str] | None = (),
        dependent: str | Iterable[str] | None = (),
        identifiers: str | Iterable[str] | None = (),
    ) -> None:
        object.__setattr__(self, "independent", names("Roles", "independent", independent))
        object.__setattr__(self, "dependent", names("Roles", "dependent", dependent))
        object.__setattr__(self, "identifiers", names("Roles", "identifiers", identifiers))
        seen: dict[str, str] = {}
        for role in ("independent", "dependent", "identifiers"):
            for name in getattr(self, role):
                if name in seen:
                    raise InvalidParameter("Roles", role, f"must not name a column that is already {seen[name]}", name)
                seen[name] = role


def as_roles(owner: str, roles: object) -> Roles:
    """`roles` as Roles, with at least one dependent column. Raises InvalidParameter otherwise."""
    if not isinstance(roles, Roles):
        raise InvalidParameter(
            owner, "roles", "must be a Roles(independent=[...], dependent=[...])", type(roles).__name__
        )
    if not roles.dependent:
        raise InvalidParameter(owner, "dependent", "must name at least one column to protect", list(roles.dependent))
    return roles

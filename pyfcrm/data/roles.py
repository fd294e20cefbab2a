"""The roles of columns."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from ..arguments import choice, names, one_name
from ..display import Shown, View
from ..errors import InvalidParameter

LISTS = ("independent", "dependent", "identifiers", "unknown", "replicate_weights")
SINGLE = ("weight", "household", "unit", "time")
RESEARCH = "research"
PUBLIC = "public"
PRODUCTS = (RESEARCH, PUBLIC)
"""Kinds of product; the first, in which predictors are released unchanged, is the default."""
SHARED = {"time": ("independent",), "unknown": ("independent", "replicate_weights", *SINGLE)}
"""By role, the roles that a column of it may have too."""


@dataclass(frozen=True, repr=False)
class Roles(Shown):
    """The columns of a microdata file by their role in its protection.

    Lists take names or a single name, and may be empty; no column has two roles. Columns without a role are released unchanged.

    Parameters
    ----------
    independent : str or iterable of str
        Unmodified predictors: released unchanged; numbers, dates or categories.
    dependent : str or iterable of str
        Confidential variables: replaced by protected values.
    identifiers : str or iterable of str
        Direct identifiers: dropped from a release.
    unknown : str or iterable of str
        Columns released unchanged that no intruder can know: they are no key variables, and the verdict names them.
    weight : str, optional
        The survey weight, released unchanged; protect(), evaluate() and key_risk() use it.
    household, unit : str, optional
        The id of the household of a record, and of the unit observed repeatedly. Releases have new ids.
    time : str, optional
        The period of a record of a unit.
    replicate_weights : str or iterable of str
        The replicate weights of a survey, released unchanged. Together they are one key variable: they identify primary sampling units.
    product : {"research", "public"}
        What the release is for. "public": a file that anyone may download, of which no column is a respondent's own. protect()
        refuses unmodified columns, draws which cells are missing, protects all members of a household together, and releases the
        records in random order; evaluate() has stricter limits.

    Raises
    ------
    InvalidParameter
        For a name that is no text, is repeated, or has two roles; for an unknown column that is dependent or dropped; for
        another product.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.Roles(["age", "sex"], "wage", identifiers="name", weight="w").dependent
    ('wage',)
    """

    independent: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    weight: str | None = None
    household: str | None = None
    unit: str | None = None
    time: str | None = None
    replicate_weights: tuple[str, ...] = ()
    product: str = RESEARCH

    def __init__(
        self,
        independent: str | Iterable[str] | None = (),
        dependent: str | Iterable[str] | None = (),
        identifiers: str | Iterable[str] | None = (),
        unknown: str | Iterable[str] | None = (),
        *,
        weight: str | None = None,
        household: str | None = None,
        unit: str | None = None,
        time: str | None = None,
        replicate_weights: str | Iterable[str] | None = (),
        product: str = RESEARCH,
    ) -> None:
        vars(self)["product"] = choice("Roles", "product", product, PRODUCTS)
        lists = (independent, dependent, identifiers, unknown, replicate_weights)
        for role, listed in zip(LISTS, lists, strict=True):
            vars(self)[role] = names("Roles", role, listed)
        for role, name in zip(SINGLE, (weight, household, unit, time), strict=True):
            vars(self)[role] = one_name("Roles", role, name)
        seen: dict[str, str] = {}
        # `unknown` comes last, as its columns may have another role too.
        others = [role for role in (*LISTS, *SINGLE) if role != "unknown"]
        for role in (*others, "unknown"):
            for name in self.columns(role):
                if name in seen and seen[name] not in SHARED.get(role, ()):
                    raise InvalidParameter("Roles", role, f"must not name a column that is already {seen[name]}", name)
                seen[name] = role
        if self.time is not None and self.unit is None:
            raise InvalidParameter(
                "Roles", "time", "must come with `unit`, the id of the unit observed repeatedly", self.time
            )

    def columns(self, role: str) -> tuple[str, ...]:
        """The columns of a role.

        Parameters
        ----------
        role : str
            Such as "dependent" or "weight".

        Returns
        -------
        tuple of str
            Their names, none for a role that no column has.
        """
        value = getattr(self, role)
        return () if value is None else (value,) if isinstance(value, str) else value

    @property
    def ids(self) -> tuple[str, ...]:
        """The columns whose ids are replaced by new ones."""
        return tuple(name for name in (self.household, self.unit) if name is not None)

    def _view(self) -> View:
        rows = [(role, ", ".join(self.columns(role)) or "-") for role in (*LISTS, *SINGLE)]
        title = "Roles" if self.product == RESEARCH else f"Roles, product {self.product}"
        return View(title, ("role", "columns"), rows, words=2)


def refuse_identifiers(owner: str, name: str, columns: Iterable[str], roles: Roles) -> None:
    """Raises InvalidParameter where a column of the parameter `name` is an identifier."""
    for column in columns:
        if column in roles.identifiers:
            raise InvalidParameter(owner, name, "must not name an identifier, which is dropped", column)


def refuse_replaced(owner: str, name: str, columns: Iterable[str], roles: Roles) -> None:
    """Raises InvalidParameter where a column of the parameter `name` is dependent or an identifier."""
    for column in columns:
        if column in roles.dependent:
            raise InvalidParameter(owner, name, "must not name a dependent column, which changes", column)
    refuse_identifiers(owner, name, columns, roles)


def strata_names(owner: str, strata: object, roles: Roles | None = None) -> tuple[str, ...]:
    """The columns that `strata` names; none for None. Raises InvalidParameter where one is protected or dropped."""
    columns = names(owner, "strata", strata)
    if strata is not None and not columns:
        raise InvalidParameter(owner, "strata", "must name at least one column (or be left out)", list(columns))
    if roles is not None:
        refuse_replaced(owner, "strata", columns, roles)
    return columns


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
    return roles if type(roles) is Roles else Roles(**{each.name: getattr(roles, each.name) for each in fields(Roles)})

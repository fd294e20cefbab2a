"""The roles of columns."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from ..arguments import choice, names, one_name
from ..display import Shown, View
from ..errors import InvalidParameter
from .replicate_factors import checked_factors

LISTS = ("independent", "dependent", "identifiers", "unknown", "replicate_weights")
SINGLE = ("weight", "household", "unit", "time", "psu", "sampling_stratum")
RESEARCH = "research"
PUBLIC = "public"
PRODUCTS = (RESEARCH, PUBLIC)
"""Kinds of product; the first, in which predictors are released unchanged, is the default."""
VALUES = ("product", "replicate_type", "replicate_scale", "replicate_rscales")
"""Parameters of Roles that name no columns."""
SHARED = {
    "time": ("independent",),
    "psu": ("independent", "household", "unit"),
    "sampling_stratum": ("independent", "household", "unit"),
    "unknown": ("independent", "replicate_weights", *SINGLE),
}
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
    psu, sampling_stratum : str, optional
        The primary sampling unit and the stratum of a record in the sampling design, released unchanged. Standard errors of
        evaluate() and analyse() use them. Codes of units count within strata. They are no key variables unless they are independent
        too, and the verdict names them.
    replicate_weights : str or iterable of str
        The replicate weights of a survey, released unchanged. Together they are one key variable: they identify primary sampling units.
    replicate_type : {"BRR", "Fay", "JK1", "JKn", "bootstrap", "SDR"}, optional
        How the replicate weights were made, after which standard errors use them, in place of units and strata. None: they are not used.
    replicate_scale : float, optional
        The factor of the sum of squares over replicates, as `scale` of R's svrepdesign. None: that of the type: 1/R for "BRR", (R - 1)/R
        for "JK1", 1 for "JKn", 1/(R - 1) for "bootstrap", 4/R for "SDR", with R replicates. "Fay" needs 1/(R (1 - rho)^2).
    replicate_rscales : float or iterable of float, optional
        The factor of each replicate, as `rscales` of R's svrepdesign; "JKn" needs it, for all others None is 1.
    product : {"research", "public"}
        What the release is for. "public": a file that anyone may download, of which no column is a respondent's own. protect()
        refuses unmodified columns, draws which cells are missing, protects all members of a household together, and releases the
        records in random order; evaluate() has stricter limits.

    Raises
    ------
    InvalidParameter
        For a name that is no text, is repeated, or has two roles; for an unknown column that is dependent or dropped; for
        another product or type of replicates, and factors that the type does not have.

    References
    ----------
    Wolter (2007), Introduction to Variance Estimation; Lumley (2010), Complex Surveys.

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
    psu: str | None = None
    sampling_stratum: str | None = None
    replicate_weights: tuple[str, ...] = ()
    replicate_type: str | None = None
    replicate_scale: float | None = None
    replicate_rscales: tuple[float, ...] = ()
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
        psu: str | None = None,
        sampling_stratum: str | None = None,
        replicate_weights: str | Iterable[str] | None = (),
        replicate_type: str | None = None,
        replicate_scale: float | None = None,
        replicate_rscales: float | Iterable[float] | None = (),
        product: str = RESEARCH,
    ) -> None:
        vars(self)["product"] = choice("Roles", "product", product, PRODUCTS)
        lists = (independent, dependent, identifiers, unknown, replicate_weights)
        for role, listed in zip(LISTS, lists, strict=True):
            vars(self)[role] = names("Roles", role, listed)
        single = (weight, household, unit, time, psu, sampling_stratum)
        for role, name in zip(SINGLE, single, strict=True):
            vars(self)[role] = one_name("Roles", role, name)
        factors = checked_factors(len(self.replicate_weights), replicate_type, replicate_scale, replicate_rscales)
        vars(self).update(factors)
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

    @property
    def design_columns(self) -> tuple[str, ...]:
        """The primary sampling unit and the stratum of the sampling design, as far as they are named."""
        return tuple(name for name in (self.psu, self.sampling_stratum) if name is not None)

    @property
    def has_sampling_design(self) -> bool:
        """Whether standard errors are those of a sampling design: of units, strata, or replicate weights of a known type."""
        return bool(self.design_columns) or self.replicate_type is not None

    @property
    def not_known(self) -> tuple[str, ...]:
        """The columns that no intruder is assumed to know: the unknown ones, and those of the sampling design that are no predictors."""
        design = [name for name in self.design_columns if name not in (*self.independent, *self.ids)]
        return tuple(dict.fromkeys((*self.unknown, *design)))

    @property
    def values(self) -> dict[str, Any]:
        """The parameters that name no columns and are not at their defaults."""
        given = {name: getattr(self, name) for name in VALUES}
        return {name: value for name, value in given.items() if value not in (None, (), RESEARCH)}

    def _view(self) -> View:
        rows = [(role, ", ".join(self.columns(role)) or "-") for role in (*LISTS, *SINGLE)]
        if self.replicate_type is not None:
            rows.append(("replicate_type", self.replicate_type))
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

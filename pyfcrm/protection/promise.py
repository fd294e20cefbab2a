"""What a release will give as its original does: of any formula, before and after it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..arguments import names, one_name
from ..data import Roles
from ..data.names import parse_formula
from ..data.roles import refuse_identifier
from ..errors import InvalidParameter
from ..methods import Method

EXACT, NEAR, AVERAGE, NOT = "exactly", "nearly", "on average over draws", "not"


@dataclass(frozen=True)
class Asked:
    """Which answers a release is to give as the original does, beside what its method keeps by itself.

    weights : the column of survey weights, or None; levels : columns, within each of whose levels; formulas : each as its
    response and regressors; after : what moves answers once they are kept, in words.
    """

    weights: str | None = None
    levels: tuple[str, ...] = ()
    formulas: tuple[tuple[str, ...], ...] = ()
    after: tuple[str, ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        return self.weights is not None or bool(self.levels or self.formulas)

    def beside(self, roles: Roles) -> tuple[str, ...]:
        """Columns that formulas regress dependent ones on, and that are not independent: they join the design."""
        known = {*roles.independent, *roles.dependent}
        return tuple(dict.fromkeys(name for formula in self.formulas for name in formula if name not in known))

    def said(self) -> str:
        """Such as "plain and weighted by `w`, of all records and within each level of `region`"."""
        how = "plain" if self.weights is None else f"plain and weighted by `{self.weights}`"
        levels = " and of ".join(f"`{name}`" for name in self.levels)
        return f"{how}, of all records and within each level of {levels}" if levels else how

    def but(self) -> str:
        """Such as " but for rounding to whole numbers"; empty where nothing moves what is kept."""
        return f" but for {' and '.join(self.after)}" if self.after else ""


NOTHING = Asked()


@dataclass(frozen=True)
class Promise:
    """how : EXACT, NEAR, AVERAGE or NOT; why : the reason; errors : whether the standard errors are kept as the
    coefficients are; but : for what they are not."""

    how: str
    why: str
    errors: bool = False
    but: str = ""

    def __str__(self) -> str:
        if self.how == NOT:
            return f"not kept: {self.why}"
        return f"kept {self.how}{self.but}, {'standard errors too' if self.errors else 'but no standard errors'}: {self.why}"


def asked_of(weights: object, preserve: object, roles: Roles, owner: str = "protect") -> Asked:
    """The arguments `weights` and `preserve` of protect(), checked by name. Raises InvalidParameter."""
    weights = one_name(owner, "weights", weights)
    entries = names(owner, "preserve", preserve)
    formulas = tuple(parse_formula(one, owner, "preserve") for one in entries if "~" in one)
    asked = Asked(weights, tuple(one for one in entries if "~" not in one), formulas)
    of_names = [("weights", name) for name in (weights,) if name is not None]
    of_names += [("preserve", name) for name in asked.levels]
    for parameter, name in of_names:
        if name in roles.dependent:
            rule = 'must not name a dependent column, which changes (a formula may: "wage ~ age")'
            raise InvalidParameter(owner, parameter, rule, name)
    for parameter, name in [*of_names, *(("preserve", name) for formula in formulas for name in formula)]:
        refuse_identifier(owner, parameter, name, roles)
    return asked


def promise(
    terms: Sequence[str],
    method: Method,
    roles: Roles,
    asked: Asked,
    *,
    weights: str | None = None,
    by: str | None = None,
) -> Promise:
    """What is known of the regression of the first of `terms` on the others before the release is looked at.

    weights : the column that it is weighted by; by : the column within whose levels it is fitted.
    """
    changed = [name for name in terms if name in roles.dependent]
    if not changed:
        return Promise(EXACT, "none of its columns is changed", True)
    known = {*roles.dependent, *roles.independent, *asked.beside(roles)}
    plain, linear = weights is None and by is None, changed == [terms[0]]
    outside = [f"`{name}`" for name in terms if name not in known]
    if not method.keeps:
        return Promise(NOT, f"{type(method).__name__} keeps no sums by design")
    if outside:
        return Promise(NOT, f"{', '.join(outside)} did not explain the dependent columns (preserve= takes the formula)")
    if weights is not None and weights != asked.weights:
        return Promise(NOT, f"the release was not made with weights=`{weights}`")
    if by is not None and by not in asked.levels:
        return Promise(NOT, f"`{by}` is not among the columns of preserve")
    if method.keeps == "swaps":
        return Promise(NEAR, "exchanges bring these very sums to the original's", True, asked.but())
    if not linear and not (plain and method.keeps in ("moments", "average")):
        so = "plain only" if method.keeps in ("moments", "average") else "by no sum of this method"
        why = f"products of released columns are kept {so} (Calibrated with margins keeps them nearly, by exchanges)"
        return Promise(NOT, why)
    how = AVERAGE if method.keeps == "average" else EXACT
    why = "means and covariances" if plain else "the sums that its coefficients are made of"
    return Promise(how, f"{why} are the original's", plain and method.keeps in ("moments", "average"), asked.but())

"""find_structure(): proposes rules between the columns of a file that nobody declared."""

from typing import Any

import numpy as np

from ..data import as_roles, checked, numeric_names, open_data, require_columns
from ..data.structure import Proposal, Structure
from ..types import Array
from .identities import identities
from .proposal import coefficients, proposal, solved_for
from .relations import FEWEST, relations
from .reporting import often_equal, round_numbers


def find_structure(frame: Any, roles: Any = None) -> Structure:
    """Propose rules between the columns of a file that nobody declared.

    Identities, exact or up to rounding; joint zeros; columns that are at most another one and come near it; signs.
    Habits of reporting: columns that often equal another one, or a multiple of it, and round numbers.

    An identity needs twice as many records as terms, and twelve more; each term is needed in six. It holds in 99 per
    cent of the records that have it. Other rules hold in 99.5 per cent, more often than by chance. An order that all
    records keep needs 10 that reach three quarters of the other column, and 12 that would break it by chance. Columns
    of unrelated units have neither. What follows from other rules is left out. Whether one is meant to hold no program
    can know: a person accepts it.

    Parameters
    ----------
    frame : DataFrame, Table, opened frame or path
        Of pandas, polars or arrow, or of a file; it is not changed.
    roles : Roles, optional
        With roles, each proposal has a dependent column, and else only independent ones. Without, all columns count. Those that
        are not numbers are left out.

    Returns
    -------
    Structure
        The proposals; `accept(1, 3)` keeps some of them, `exact` those that a release can be held to exactly.

    Raises
    ------
    InvalidInput
        For what is no frame, an unknown column, or infinite numbers.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> found = pf.find_structure(pf.datasets.enterprises(200))
    >>> "identity" in {proposal.kind for proposal in found}
    True
    """
    owner = "find_structure"
    opened = open_data(owner, frame)
    names = numeric_names(opened)
    dependent = set(names)
    if roles is not None:
        roles = as_roles(owner, roles)
        require_columns(owner, opened, [*roles.independent, *roles.dependent])
        names = [name for name in (*roles.independent, *roles.dependent) if name in names]
        dependent = {name for name in roles.dependent if name in names}
    A = checked(owner, opened, names)
    values = {name: A[:, j] for j, name in enumerate(names)}
    found = [one for one in identities(values) if dependent & set(one.columns)]
    targets = _targets(found, values, dependent)
    sums = [solved_for(one, target) for one, target in zip(found, targets, strict=True)]
    pairs = [one for one in relations(values) if dependent & set(one.columns) and not _implied(one, sums, values)]
    signs = _signs(values, dependent, [*sums, *pairs])
    totals = {one.columns[0] for one in sums}
    confidential = {name: v for name, v in values.items() if name in dependent}
    habits = [*often_equal(values, dependent, totals), *round_numbers(confidential)]
    return Structure((*sums, *pairs, *signs, *habits))


def _targets(found: list[Proposal], values: dict[str, Any], dependent: set[str]) -> list[str]:
    """Columns to be derived, one for each identity; exact identities have different ones.

    A dependent one is preferred that is the others' sum, or else has both signs, or varies most.
    """

    def rank(name: str, whole: dict[str, float]) -> tuple[bool, bool, bool, bool, float]:
        """The preference for a column of the sum `whole`, the larger the better."""
        factors = [-c / whole[name] for other, c in whole.items() if other != name]
        v = values[name]
        whole_factors = all(c == round(c) for c in factors)
        is_sum = all(c > 0 for c in factors)
        both_signs = bool(np.nanmin(v) < 0 < np.nanmax(v))
        return name in dependent, whole_factors, is_sum, both_signs, float(np.nanstd(v))

    targets = list[str]()
    taken = set[str]()
    for one in found:
        whole = coefficients(one)
        order = sorted(whole, key=lambda name: rank(name, whole), reverse=True)
        if one.within:
            targets.append(order[0])
            continue
        left = [name for name in order if name in dependent - taken]
        targets.append((left or order)[0])
        taken.add(targets[-1])
    return targets


def _signs(values: dict[str, Array], dependent: set[str], rules: list[Proposal]) -> list[Proposal]:
    """Dependent columns that are never below zero, or never above, where this does not follow from rules that all keep.

    Columns with as many values are one proposal.
    """
    known = {name: v[np.isfinite(v)] for name, v in values.items()}
    known = {name: v for name, v in known.items() if len(v) >= FEWEST and v.any()}
    found = []
    for sign in (1.0, -1.0):
        keep = {name for name, v in known.items() if (sign * v >= 0).all()}
        implied = _implied_signs(keep, sign, rules)
        own = [name for name in known if name in keep & dependent - implied]
        for count in dict.fromkeys(len(known[name]) for name in own):
            columns = tuple(name for name in own if len(known[name]) == count)
            terms = tuple((name, sign) for name in columns)
            found.append(proposal("sign", columns, count, count, terms=terms))
    return found


def _implied_signs(keep: set[str], sign: float, rules: list[Proposal]) -> set[str]:
    """The columns whose sign follows from a rule that all records keep and the signs of the columns `keep`.

    A sum of parts that are at least 0 is at least 0; so is a column that is at least one of them.
    """
    implied = set[str]()
    for rule in rules:
        if not rule.exact:
            continue
        low, high = rule.columns[0], rule.columns[-1]
        if rule.kind == "identity":
            if all(c > 0 and name in keep for name, c in rule.terms):
                implied.add(rule.columns[0])
        elif sign > 0 and low in keep:
            implied.add(high)
        elif sign < 0 and high in keep:
            implied.add(low)
    return implied


def _implied(one: Proposal, sums: list[Proposal], values: dict[str, Any]) -> bool:
    """Whether it follows from identities: two equal columns, a part of a sum of parts that are at least 0.

    What all records keep follows from exact identities alone.
    """
    return any(_follows(one, each, values) for each in sums if each.exact or not one.exact)


def _follows(one: Proposal, identity: Proposal, values: dict[str, Any]) -> bool:
    """Whether a rule of two columns follows from an identity."""
    if one.kind != "zero_together" and set(one.columns) == set(identity.columns):
        return True
    if one.kind != "at_most" or not set(one.columns) < set(identity.columns):
        return False
    low, high = one.columns
    # high - low, as a sum of the other columns: at least 0 if each of its parts is.
    rest = dict(solved_for(identity, high).terms)
    rest[low] -= 1
    return all(c == 0 or (c > 0 and np.nanmin(values[name]) >= 0) for name, c in rest.items())

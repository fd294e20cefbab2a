"""find_structure(): proposes rules between the columns of a file that nobody declared."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ..data import Frame, as_roles, checked, numeric_names, open_data, require_columns
from ..data.encoded import EncodedFrame
from ..data.encoding import encodings
from ..data.predictors import is_categorical
from ..data.structure import Proposal, Structure
from ..data.variable import NUMBERS, Variable, declared_variables
from ..types import Array
from .identities import WIDE, identities
from .nested_codes import nested_codes
from .proposal import CONSTANT, coefficients, proposal, solved_for
from .relations import FEWEST, relations
from .reporting import often_equal, round_numbers


def find_structure(
    frame: Any,
    roles: Any = None,
    *,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
) -> Structure:
    """Propose rules between the columns of a file that nobody declared.

    Identities, with or without a constant, exact or up to rounding; columns that are zero together, or one where the other
    is; columns that are at most another one and come near it; nested codes; signs. Habits of reporting: columns that often
    equal another one, or a multiple of it, and round numbers.

    An identity needs twice as many records as terms, and twelve more; each term is needed in six. It holds in 99 per
    cent of the records that have it. Other rules hold in 99.5 per cent, more often than by chance, or in 99 per cent and
    in all but 10. An order that so many keep needs 10 that reach three quarters of the other column, five for each that
    breaks it. If records were paired at random, 12 would break an order, and ten for each that does: columns of unrelated
    units, or whose ranges hardly overlap, have none. Each side of a joint zero has 10 records. What follows from other
    rules is left out. Whether one is meant to hold no program can know: a person accepts it.

    In files of more than 60 columns neither sums of two that hold but for rounding nor habits are looked for. Codes have at most
    1,000 values, of 10 records on average.

    Parameters
    ----------
    frame : DataFrame, Table, opened frame or path
        Of pandas, polars or arrow, or of a file; it is not changed.
    roles : Roles, optional
        With roles, each proposal has a dependent column, and else only independent ones. Without, all columns count. Columns that
        are not numbers have nested codes only.
    variables : mapping or "numbers", optional
        What columns may contain, a Variable by name; the rest is inferred, as `describe` shows. Codes of missing values are gaps,
        dates are days, as in `protect`. "numbers" takes numeric columns as they are.

    Returns
    -------
    Structure
        The proposals; `accept(1, 3)` keeps some of them, `exact` those that a release can be held to exactly.

    Raises
    ------
    InvalidInput
        For what is no frame, an unknown column, or infinite numbers.
    InvalidParameter
        If a declaration breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> found = pf.find_structure(pf.datasets.enterprises(200))
    >>> "identity" in {proposal.kind for proposal in found}
    True
    """
    owner = "find_structure"
    opened = open_data(owner, frame)
    columns = list(opened.names)
    dependent = set(columns)
    if roles is not None:
        roles = as_roles(owner, roles)
        require_columns(owner, opened, [*roles.independent, *roles.dependent])
        columns = [*roles.independent, *roles.dependent]
        dependent = set(roles.dependent)
    declared = declared_variables(owner, variables)
    if declared == NUMBERS:
        return structure_of(opened, columns, dependent, habits=True)
    encoded = EncodedFrame(opened, encodings(owner, opened, declared))
    categories = [name for name in columns if is_categorical(encoded, name)]
    return structure_of(encoded, columns, dependent, habits=True, categories=categories)


def structure_of(
    frame: Frame,
    columns: Sequence[str],
    dependent: Collection[str],
    *,
    habits: bool,
    categories: Collection[str] = (),
) -> Structure:
    """The rules among some columns of an opened frame. See find_structure.

    dependent : the columns of which each rule has one; habits : whether habits of reporting are looked for; categories : columns
    whose numbers are codes.
    """
    numeric = {*numeric_names(frame)}.difference(categories)
    names = [name for name in columns if name in numeric]
    A = checked("find_structure", frame, names)
    values = {name: A[:, j] for j, name in enumerate(names)}
    found = [one for one in identities(values) if any(name in dependent for name in one.columns)]
    targets = _targets(found, values, dependent)
    sums = [solved_for(one, target) for one, target in zip(found, targets, strict=True)]
    pairs = [one for one in relations(values, dependent) if not _implied(one, sums, values)]
    signs = _signs(values, dependent, [*sums, *pairs])
    codes = [one for one in nested_codes(frame, columns, dependent) if not _is_linear(one, [*sums, *pairs])]
    found = [*sums, *pairs, *codes, *signs]
    if habits:
        totals = {one.columns[0] for one in sums}
        confidential = {name: v for name, v in values.items() if name in dependent}
        if len(values) <= WIDE:
            found += often_equal(values, dependent, totals)
        found += round_numbers(confidential)
    return Structure(tuple(found))


def _is_linear(one: Proposal, rules: list[Proposal]) -> bool:
    """Whether the columns of nested codes are in another rule of two columns, or both multiples of a third one."""
    multiples = [set(rule.columns) for rule in rules if rule.kind == "identity" and len(rule.columns) == 2]
    thirds = [{name for pair in multiples if column in pair for name in pair} for column in one.columns]
    return any(set(rule.columns) == set(one.columns) for rule in rules) or bool(thirds[0] & thirds[1])


def _targets(found: list[Proposal], values: dict[str, Any], dependent: Collection[str]) -> list[str]:
    """Columns to be derived, one for each identity; exact identities have different ones, and of the others those whose column has
    both signs: a difference that must not be negative would be cut off at zero.

    A dependent one is preferred that is the others' sum, or else has both signs, or varies most.
    """

    def rank(name: str, whole: dict[str, float]) -> tuple[bool, bool, bool, bool, float]:
        """The preference for a column of the sum `whole`, the larger the better."""
        factors = [-c / whole[name] for other, c in whole.items() if other not in (name, CONSTANT)]
        v = values[name]
        whole_factors = all(c == round(c) for c in factors)
        is_sum = all(c > 0 for c in factors)
        return name in dependent, whole_factors, is_sum, has_both_signs[name], float(np.nanstd(v))

    has_both_signs = {name: bool((v < 0).any() and (v > 0).any()) for name, v in values.items()}
    targets = dict[int, str]()
    taken = set[str]()
    # Multiples of one column come last: the total of a sum is then not taken by a share of it.
    for place in sorted(range(len(found)), key=lambda place: len(found[place].terms) == 1):
        one = found[place]
        whole = coefficients(one)
        order = sorted(one.columns, key=lambda name: rank(name, whole), reverse=True)
        left = [name for name in order if name in dependent and name not in taken]
        is_better = bool(left) and (left[0] == order[0] or has_both_signs[left[0]])
        if one.within and not is_better:
            targets[place] = order[0]
            continue
        targets[place] = (left or order)[0]
        taken.add(targets[place])
    return [targets[place] for place in range(len(found))]


def _signs(values: dict[str, Array], dependent: Collection[str], rules: list[Proposal]) -> list[Proposal]:
    """Dependent columns that are never below zero, or never above, where this does not follow from rules that all keep.

    Columns with as many values are one proposal.
    """
    known = {name: v[np.isfinite(v)] for name, v in values.items()}
    known = {name: v for name, v in known.items() if len(v) >= FEWEST and v.any()}
    found = []
    for sign in (1.0, -1.0):
        keep = {name for name, v in known.items() if (sign * v >= 0).all()}
        implied = _implied_signs(keep, sign, rules)
        own = [name for name in known if name in keep - implied and name in dependent]
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
            if sign * rule.constant >= 0 and all(c > 0 and name in keep for name, c in rule.terms):
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
    if one.kind == "zero_where" and set(one.columns) < set(identity.columns):
        # A part of a sum of parts that are at least 0.
        solved = solved_for(identity, one.columns[1])
        return solved.constant == 0 and all(c > 0 and np.nanmin(values[name]) >= 0 for name, c in solved.terms)
    if one.kind != "at_most":
        # Two columns that are equal, or multiples, are zero together.
        return not identity.constant and set(one.columns) == set(identity.columns)
    if set(one.columns) == set(identity.columns):
        return True
    if not set(one.columns) < set(identity.columns):
        return False
    low, high = one.columns
    # high - low, as a sum of the other columns: at least 0 if each of its parts is.
    solved = solved_for(identity, high)
    rest = dict(solved.terms)
    rest[low] -= 1
    return solved.constant >= 0 and all(c == 0 or (c > 0 and np.nanmin(values[name]) >= 0) for name, c in rest.items())

"""Formulas of regressions, `log(wage) ~ sex * age + region`, and their designs as R's model.matrix has them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput, InvalidParameter
from ..types import Array
from .check import checked
from .frame import Frame
from .predictors import CodedFrame, Term, is_categorical, ordered_levels

FUNCTIONS: Mapping[str, Callable[[Array], Array]] = {"log": np.log, "sqrt": np.sqrt, "exp": np.exp}
RULE = (
    'must be like "y ~ a * b + log(c)": column names, others `in backticks`, one ~, and +, :, *, log(), sqrt() or exp()'
)
# A column or a function of it, and the sign after it.
_FACTOR = re.compile(rf"\s*(?:({'|'.join(FUNCTIONS)})\s*\(\s*)?(?:`([^`]+)`|([^\W\d][\w.]*))\s*(?(1)\)\s*)([~+*:]|\Z)")


@dataclass(frozen=True)
class Factor:
    """A column, or a function of it."""

    column: str
    function: str = ""

    def __str__(self) -> str:
        return f"{self.function}({self.column})" if self.function else self.column


@dataclass(frozen=True)
class Formula:
    """A response and terms, each the product of its factors: main effects first, then interactions by their number of factors."""

    response: Factor
    terms: tuple[tuple[Factor, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, the response first."""
        return tuple(dict.fromkeys([self.response.column, *(factor.column for term in self.terms for factor in term)]))


def parse_formula(formula: object, owner: str = "analyse") -> Formula:
    """A formula as text. Raises InvalidParameter for anything but names, functions, +, : and *."""
    sums, place, sign = list[list[tuple[Factor, ...]]](), 0, "start"
    response: Factor | None = None
    while sign:
        match = _FACTOR.match(formula, place) if isinstance(formula, str) else None
        if match is None or (match[4] == "~") != (sign == "start"):
            raise InvalidParameter(owner, "formula", RULE, formula)
        factor = Factor(match[2] or match[3], match[1] or "")
        if response is None:
            response = factor
        elif sign == ":":
            sums[-1][-1] += (factor,)
        elif sign == "*":
            sums[-1].append((factor,))
        else:
            sums.append([(factor,)])
        place, sign = match.end(), match[4]
    assert response is not None
    unique = dict[frozenset[Factor], tuple[Factor, ...]]()
    for crossed in sums:
        for size in range(1, len(crossed) + 1):
            for parts in itertools.combinations(crossed, size):
                term = tuple(itertools.chain(*parts))
                if len(set(term)) < len(term) or response in term:
                    rule = f"must name `{term[-1]}` once in a term, and no response in it"
                    raise InvalidParameter(owner, "formula", rule, formula)
                unique.setdefault(frozenset(term), term)
    return Formula(response, tuple(sorted(unique.values(), key=len)))


@dataclass(frozen=True)
class FormulaDesign:
    """A formula with the levels of its categorical columns."""

    formula: Formula
    levels: Mapping[str, Term]

    @classmethod
    def of(cls, owner: str, frame: Frame, formula: Formula) -> FormulaDesign:
        """The design with the levels of a frame, none of them pooled."""
        levels = {}
        for name in formula.columns[1:]:
            if name in frame.names and is_categorical(frame, name):
                known = ordered_levels(frame, name, frame.distinct(name)[1], as_declared=True)
                columns = tuple(
                    f"{name}{'TRUE' if v is True else 'FALSE' if v is False else label}" for v, label in known
                )
                levels[name] = Term(name, columns, {value: k for k, (value, _) in enumerate(known)})
        return cls(formula, levels)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of its design."""
        return tuple(":".join(label for _, label in reversed(column)) for column in self._columns())

    def _labels(self, factor: Factor, whole: bool) -> tuple[str, ...]:
        term = self.levels.get(factor.column)
        return (str(factor),) if term is None else term.names[0 if whole else 1 :]

    def _columns(self) -> Iterator[tuple[tuple[Factor, str], ...]]:
        """Each column as the factors whose product it is, with a label each; the last factor varies fastest.

        All levels of a factor count where no term of the others is in the model, as in R.
        """
        present = {frozenset(), *map(frozenset, self.formula.terms)}
        for term in self.formula.terms:
            labels = [self._labels(factor, frozenset(term) - {factor} not in present) for factor in term]
            choices = [[(factor, label) for label in own] for factor, own in zip(term, labels, strict=True)]
            yield from itertools.product(*reversed(choices))

    def columns(self, owner: str, frame: Frame) -> tuple[Array, Array]:
        """The design (n, k) and the response (n,) of a frame, NaN for missing. Raises InvalidInput."""
        coded, response = CodedFrame(frame, list(self.levels.values())), self.formula.response
        checked(owner, frame, [name for name in self.formula.columns if name not in self.levels])

        def values(factor: Factor, label: str) -> Array:
            of_level = factor.column in self.levels
            return coded.values(label) if of_level else _computed(owner, factor, frame.values(factor.column))

        products = [np.prod([values(*part) for part in column], axis=0) for column in self._columns()]
        return np.column_stack(products), _computed(owner, response, frame.values(response.column))


def _computed(owner: str, factor: Factor, values: Array) -> Array:
    if not factor.function:
        return values
    with np.errstate(all="ignore"):
        result = np.asarray(FUNCTIONS[factor.function](values))
    bad = ~np.isfinite(result) & np.isfinite(values)
    if bad.any():
        rule = f"{factor} must be a number in every record"
        raise InvalidInput(owner, rule, f"{values[bad][0]:g} in record {int(np.argmax(bad)) + 1}")
    return result

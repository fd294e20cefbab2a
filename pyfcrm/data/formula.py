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
POWER, POLYNOMIAL = "I", "poly"  # R's functions for a power, and for orthogonal polynomials
KNOWN = f"{', '.join(f'{name}()' for name in FUNCTIONS)}, I(a^2) and poly(a, 2)"
RULE = (
    f'must be like "y ~ a * b + log(c)": column names, others `in backticks`, one ~, and +, :, *, {KNOWN}; '
    '"y ~ 1" for a mean'
)
INTERCEPT_ONLY = "1"  # R's right side without terms
# A column or a function of it, with an exponent (R's ^, or **) or a degree, and the sign after it.
_FACTOR = re.compile(
    r"\s*(?:(?P<function>[^\W\d][\w.]*)\s*\(\s*)?"
    r"(?:`(?P<quoted>[^`]+)`|(?P<plain>[^\W\d][\w.]*))\s*"
    r"(?:(?:\^|\*\*)\s*(?P<exponent>[2-9])\s*)?(?:,\s*(?P<degree>[1-9])\s*)?"
    r"(?(function)\)\s*)(?P<sign>[~+*:]|\Z)"
)


@dataclass(frozen=True)
class Factor:
    """A column, or a function of it."""

    column: str
    function: str = ""
    """One of FUNCTIONS, POWER or POLYNOMIAL; "" for the column itself."""
    power: int = 1
    """The exponent of a power, or the degree of polynomials."""

    def __str__(self) -> str:
        if self.function == POWER:
            return f"I({self.column}^{self.power})"
        if self.function == POLYNOMIAL:
            return f"poly({self.column}, {self.power})"
        return f"{self.function}({self.column})" if self.function else self.column

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its columns, of a column of numbers: as R has them."""
        if self.function == POLYNOMIAL:
            return tuple(f"{self}{k}" for k in range(1, self.power + 1))
        return (str(self),)


@dataclass(frozen=True)
class Formula:
    """A response and terms, each the product of its factors: main effects first, then interactions by their number of factors.

    Without terms the regression is a mean.
    """

    response: Factor
    terms: tuple[tuple[Factor, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, the response first."""
        return tuple(dict.fromkeys([self.response.column, *(factor.column for term in self.terms for factor in term)]))


def parse_formula(formula: object, owner: str = "analyse") -> Formula:
    """A formula as text. Raises InvalidParameter for anything but names, known functions, +, : and *."""
    if not isinstance(formula, str):
        raise InvalidParameter(owner, "formula", RULE, formula)
    sums = list[list[tuple[Factor, ...]]]()  # by +, then by *, then by :
    place = 0
    sign = "start"
    response: Factor | None = None
    while sign:
        match = _FACTOR.match(formula, place)
        if match is None or (match["sign"] == "~") != (sign == "start"):
            raise InvalidParameter(owner, "formula", RULE, formula)
        factor = _factor(owner, formula, match)
        if response is None:
            if factor.function == POLYNOMIAL:
                raise InvalidParameter(owner, "formula", f"must have one column as response, not {factor}", formula)
            response = factor
        elif sign == ":":
            sums[-1][-1] += (factor,)
        elif sign == "*":
            sums[-1].append((factor,))
        else:
            sums.append([(factor,)])
        place = match.end()
        sign = match["sign"]
        if sign == "~" and formula[place:].strip() == INTERCEPT_ONLY:
            return Formula(response, ())
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


def _factor(owner: str, formula: str, match: re.Match[str]) -> Factor:
    """The factor that was read. Raises InvalidParameter for a function that is not known, or is called in another way."""
    function = match["function"] or ""
    if function and function not in (*FUNCTIONS, POWER, POLYNOMIAL):
        raise InvalidParameter(owner, "formula", f"knows no function {function}(), only {KNOWN}", formula)
    has_exponent = match["exponent"] is not None
    has_degree = match["degree"] is not None
    if has_exponent != (function == POWER) or has_degree != (function == POLYNOMIAL):
        raise InvalidParameter(owner, "formula", RULE, formula)
    power = int(match["exponent"] or match["degree"] or 1)
    return Factor(match["quoted"] or match["plain"], function, power)


@dataclass(frozen=True)
class Polynomials:
    """Polynomials of degrees 1 to k that are orthogonal on the values of a column, with sums of squares 1; as R's poly.

    By the recursion p_{j+1}(x) = (x - a_j) p_j(x) - (s_j / s_{j-1}) p_{j-1}(x), p_0 = 1, with s_j the sum of p_j(x)^2.
    Source: Kennedy and Gentle (1980), Statistical Computing, pages 343 to 344.
    """

    centres: tuple[float, ...]
    """a_0 to a_{k-1}: means of x weighted by p_j(x)^2."""
    squares: tuple[float, ...]
    """s_0 to s_k."""

    @classmethod
    def of(cls, owner: str, factor: Factor, values: Array) -> Polynomials:
        """The polynomials on the known values (n,). Raises InvalidInput where too few are different."""
        x = values[np.isfinite(values)]
        if len(np.unique(x)) <= factor.power:
            rule = f"{factor} needs more different values than its degree"
            raise InvalidInput(owner, rule, len(np.unique(x)))
        centres = list[float]()
        squares = [float(len(x))]
        before = np.zeros(len(x))
        p = np.ones(len(x))
        for j in range(factor.power):
            centres.append(float(x @ p**2) / squares[j])
            ratio = squares[j] / squares[j - 1] if j else 0.0
            before, p = p, (x - centres[j]) * p - ratio * before
            squares.append(float(p @ p))
        return cls(tuple(centres), tuple(squares))

    def value(self, x: Array, degree: int) -> Array:
        """The polynomial (n,) of one degree at the values (n,)."""
        before = np.zeros(len(x))
        p = np.ones(len(x))
        for j in range(degree):
            ratio = self.squares[j] / self.squares[j - 1] if j else 0.0
            before, p = p, (x - self.centres[j]) * p - ratio * before
        return np.asarray(p / np.sqrt(self.squares[degree]))


@dataclass(frozen=True)
class FormulaDesign:
    """A formula with the levels of its categorical columns, and its polynomials."""

    formula: Formula
    levels: Mapping[str, Term]
    polynomials: Mapping[Factor, Polynomials]
    """On the values of the file that was fitted first."""
    outcome: Term | None = None
    """The two levels of a category as response: the first is 0, the second 1; None for a response of numbers."""

    @classmethod
    def of(cls, owner: str, frame: Frame, formula: Formula, *, of_outcome: bool = False) -> FormulaDesign:
        """The design with the levels of a frame, none of them pooled. of_outcome : whether the response may be a category of two."""
        levels = {}
        for name in formula.columns[1:]:
            if name in frame.names and is_categorical(frame, name):
                levels[name] = level_columns(frame, name)
        factors = dict.fromkeys(factor for term in formula.terms for factor in term)
        polynomials = {}
        for factor in factors:
            if factor.function and factor.column in levels:
                raise InvalidInput(owner, f"{factor} needs a column of numbers", "a category")
            if factor.function == POLYNOMIAL:
                checked(owner, frame, [factor.column])
                polynomials[factor] = Polynomials.of(owner, factor, frame.values(factor.column))
        outcome = two_levels(owner, frame, formula.response) if of_outcome else None
        return cls(formula, levels, polynomials, outcome)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of its design."""
        return tuple(":".join(label for _, label in reversed(column)) for column in self._columns())

    def _labels(self, factor: Factor, whole: bool) -> tuple[str, ...]:
        term = self.levels.get(factor.column)
        return factor.labels if term is None else term.names[0 if whole else 1 :]

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
        coded = CodedFrame(frame, list(self.levels.values()))
        y = self.response_values(owner, frame)
        checked(owner, frame, [name for name in self.formula.columns[1:] if name not in self.levels])

        def values(factor: Factor, label: str) -> Array:
            if factor.column in self.levels:
                return coded.values(label)
            if factor in self.polynomials:
                degree = factor.labels.index(label) + 1
                return self.polynomials[factor].value(frame.values(factor.column), degree)
            return _computed(owner, factor, frame.values(factor.column))

        products = [np.prod([values(*part) for part in column], axis=0) for column in self._columns()]
        return np.column_stack(products) if products else np.empty((len(y), 0)), y

    def response_values(self, owner: str, frame: Frame) -> Array:
        """The response (n,) of a frame, NaN for missing. Raises InvalidInput."""
        if self.outcome is None:
            return response_numbers(owner, frame, self.formula.response)
        return CodedFrame(frame, [self.outcome]).values(self.outcome.names[1])


def response_numbers(owner: str, frame: Frame, response: Factor) -> Array:
    """The numbers (n,) of a response of a frame, NaN for missing; of yes and no 1 and 0. Raises InvalidInput."""
    if not (response.column in frame.names and frame.kind(response.column) == "boolean"):
        checked(owner, frame, [response.column])
    return _computed(owner, response, frame.values(response.column))


def level_columns(frame: Frame, name: str) -> Term:
    """The levels of a category in order, each with the name that R gives its column of a design."""
    known = ordered_levels(frame, name, frame.distinct(name)[1], as_declared=True)
    in_r = {True: "TRUE", False: "FALSE"}
    columns = tuple(f"{name}{in_r[value] if isinstance(value, bool) else label}" for value, label in known)
    return Term(name, columns, {value: k for k, (value, _) in enumerate(known)})


def two_levels(owner: str, frame: Frame, response: Factor) -> Term | None:
    """The two levels of a response that is a category; None for numbers, and for yes and no. Raises InvalidInput for other categories."""
    name = response.column
    if name not in frame.names or frame.kind(name) == "boolean" or not is_categorical(frame, name):
        return None
    if response.function:
        raise InvalidInput(owner, f"{response} needs a column of numbers", "a category")
    term = level_columns(frame, name)
    levels = [value for value in term.positions if value is not None]
    if len(levels) != 2:
        rule = f"the response of family binomial must be 0 or 1, or a category of two levels, as `{name}` is not"
        raise InvalidInput(owner, rule, f"{len(levels)} levels")
    positions = {value: position for value, position in term.positions.items() if value is not None}
    return Term(name, term.names[:2], positions)


def _computed(owner: str, factor: Factor, values: Array) -> Array:
    if not factor.function:
        return values
    with np.errstate(all="ignore"):
        if factor.function == POWER:
            result = np.asarray(values**factor.power)
        else:
            result = np.asarray(FUNCTIONS[factor.function](values))
    bad = ~np.isfinite(result) & np.isfinite(values)
    if bad.any():
        rule = f"{factor} must be a number in every record"
        raise InvalidInput(owner, rule, f"{values[bad][0]:g} in record {int(np.argmax(bad)) + 1}")
    return result

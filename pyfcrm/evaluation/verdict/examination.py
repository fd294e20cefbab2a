"""A release to be examined: both files, how it was made as far as known, and a sample of records for the slow tests."""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from ...data import Frame, Roles, SampleUniques, paired_rows
from ...data.check import require_columns
from ...data.codes import combinations
from ...data.pairs import key_codes, unchanged_columns
from ...data.strata import Strata, strata_codes
from ...data.unmodified import count_uniques
from ...engine import on_this_machine
from ...measures import MEASURES
from ...methods import Method
from ...rstream import RStream
from ...types import Array, Codes, Rows
from ..auditing.guessed_seed import NOT_TRIED, SeedSearch
from ..columns import is_category, knowledge_of, predictors, unit_codes
from ..evaluate_request import EvaluateRequest
from ..risk.attributable import Attributable, Sample, attributable_risk
from ..risk.reference_releases import References
from ..systematic_sample import systematic_sample
from .outcomes import NotExamined

STREAM_SEED = 1  # of all draws of a verdict, so that every interface prints the same numbers
MISSING_CELLS = "missing cells"  # which confidential cells are missing, as a key variable


@dataclass(frozen=True, kw_only=True)
class Case(EvaluateRequest):
    """One release and its original, with the request.

    original, released : opened frames; reordered : whether the release has the records in another order;
    seed_search : the integer that was found as the seed.
    """

    original: Frame
    released: Frame
    reordered: bool = False
    seed_search: SeedSearch | NotExamined = NOT_TRIED

    @cached_property
    def confidential(self) -> tuple[str, ...]:
        """The confidential variables that both files have; the judged columns where the roles are not known."""
        names = (self.columns or ()) if self.roles is None else self.roles.dependent
        return tuple(name for name in names if name in self.released.names and name in self.original.names)

    @property
    def predictors(self) -> tuple[str, ...]:
        """The unmodified predictors of the original."""
        return self.independent or ()

    @property
    def weight(self) -> str | None:
        """The survey weight."""
        return self.weights or self.options.get("weights")

    def masks_of(self, name: str) -> str:
        """How the method treats a confidential variable; an unknown method counts as "values"."""
        method = self._treating(name)
        return "values" if method is None else method.masks

    def _treating(self, name: str) -> Method | None:
        """The step of the method that treats a confidential variable."""
        return None if self.method is None else self.method.treating(name, self.roles or Roles(dependent=name))

    @cached_property
    def masks(self) -> set[str]:
        """How the method treats the confidential variables."""
        return {*map(self.masks_of, self.confidential)} or {"values" if self.method is None else self.method.masks}

    @cached_property
    def coarsened(self) -> tuple[str, ...]:
        """The confidential variables that the method coarsens, as it does key variables."""
        return tuple(name for name in self.confidential if self.masks_of(name) == "keys")

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The confidential variables that are compared record by record: those that are not coarsened, if there are any."""
        return tuple(name for name in self.confidential if name not in self.coarsened) or self.confidential

    @cached_property
    def rows(self) -> tuple[Rows, Rows] | None:
        """Rows of the original and of the release that belong together; None where records do not pair."""
        pairs = "always" if self.method is None else self.method.pairs
        common = [name for name in self.predictors if name in self.released.names]
        in_order = not self.reordered and unchanged_columns(self.original, self.released, common) == common
        if not in_order or pairs == "never" or (pairs == "by columns" and not self.predictors):
            return None
        return paired_rows(self.original, self.released)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The confidential variables that are numbers in both files."""
        return tuple(name for name in self.confidential if not is_category(self.original, self.released, name))

    @cached_property
    def compared_numbers(self) -> tuple[str, ...]:
        """Those of the compared variables that are numbers."""
        return tuple(name for name in self.numbers if name in self.compared)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The other compared variables."""
        return tuple(name for name in self.compared if name not in self.numbers)

    def numeric_pairs(self, names: Sequence[str]) -> Iterator[tuple[Array, Array]]:
        """Original and released values of numeric columns (n,) of the records that pair, a column at a time."""
        assert self.rows is not None
        for name in names:
            yield self.original.values(name)[self.rows[0]], self.released.values(name)[self.rows[1]]

    def deniable(self, name: str) -> bool:
        """Whether the method changes few cells of a variable by design, and no intruder can find out which."""
        method = self._treating(name)
        return method is not None and method.deniable

    @cached_property
    def codes(self) -> tuple[Array, Array]:
        """(n, q) codes of the categorical variables of the records that pair, of both files, NaN for missing."""
        assert self.rows is not None
        K, L = key_codes("evaluate", self.original, self.released, self.categories)
        return np.where(K < 0, np.nan, K)[self.rows[0]], np.where(L < 0, np.nan, L)[self.rows[1]]

    @cached_property
    def units(self) -> Codes | None:
        """(n,) the unit, or household, of each record that pairs, from 0; None without."""
        if self.roles is None or self.rows is None:
            return None
        return unit_codes(self.released, self.roles, self.rows[1])

    @cached_property
    def strata_codes(self) -> Codes:
        """(n,) the stratum of each record that pairs; all are in one without strata."""
        assert self.rows is not None
        strata = self.options.get("strata") or ()
        return strata_codes("evaluate, original", self.original, strata, "drop")[self.rows[0]]

    @cached_property
    def sample(self) -> Sample | None:
        """At most 5,000 records that pair; None where records do not pair, or no confidential variable is compared."""
        numbers, known = self.compared_numbers, self.roles is not None or self.predictors
        if not known or self.rows is None or not self.compared or len(self.rows[0]) < 2:
            return None
        total, stream = len(self.rows[0]), RStream(STREAM_SEED)
        chosen = systematic_sample(self.strata_codes, self.units, stream)
        old, new = self.rows[0][chosen], self.rows[1][chosen]
        Y, Z = self.original.matrix(numbers)[old], self.released.matrix(numbers)[new]
        unit = None if self.units is None else self.units[chosen]
        groups = Strata.of((), self.strata_codes[chosen]).rows
        X, terms = predictors(self.original, self.predictors, old)
        if self.coarsened != self.compared:
            more, places = predictors(self.released, self.coarsened, new)
            terms = [*terms, *([X.shape[1] + j for j in term] for term in places)]
            X = np.hstack([X, more])
        weights = None if self.weights is None else self.original.values(self.weights)[old]
        C, D = (codes[chosen] for codes in self.codes)
        key, references = sha256(pickle.dumps((X, Y, C, groups, terms, unit, weights))).digest(), self.references
        if key not in references:
            references[key] = References.of(X, Y, stream, groups, C, terms=terms, unit=unit)
        known_method = None
        if self.method is not None and numbers:
            known_method = knowledge_of(self.method, self.original, self.predictors, numbers, old)
        return Sample(references[key], Z, groups, weights, known_method, total, D, new)

    @cached_property
    def risk(self) -> Attributable | None:
        """Risks of the sample and their inference baselines."""
        if self.sample is None:
            return None
        measures = [(key, MEASURES[key]) for key in self.measures]
        risks = [key for key, each in measures if each.kind == "risk" and each.paired and not each.informed]
        engine, columns = on_this_machine(self.engine), self.compared_numbers
        return attributable_risk(self.sample, columns, risks, engine, self.progress, by_strata=bool(self.strata))

    @cached_property
    def unmodified(self) -> SampleUniques | None:
        """Sample uniques on the key variables: columns equal in both files whatever their role, those that a method of
        masks "keys" treats, and which confidential cells are missing. None where records do not pair."""
        original, released, roles = self.original, self.released, self.roles
        if roles is None:
            return None
        require_columns("evaluate", original, roles.unknown)
        if self.method is not None and self.method.generates:
            return count_uniques(released.codes, (), released.records)
        if self.rows is None and not self.coarsened:
            return None
        every = [name for name in released.names if name in original.names]
        names = every if self.rows is None else unchanged_columns(original, released, released.names)
        names += [name for name in self.coarsened if name not in names]
        keys = [name for name in names if name not in (*roles.unknown, self.weight)]
        gaps = [released.codes(name) < 0 for name in self.confidential]
        pattern = {MISSING_CELLS: combinations(np.column_stack(gaps).astype(np.int64))} if np.any(gaps) else {}
        keys += list(pattern)

        def codes(name: str) -> Codes:
            return pattern[name] if name in pattern else released.codes(name)

        unknown = tuple(name for name in names if name in roles.unknown)
        units = unit_codes(released, roles, np.arange(released.records))
        return count_uniques(codes, keys, released.records, unknown, units)

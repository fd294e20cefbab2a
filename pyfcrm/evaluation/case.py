"""A release to be examined: both files, how it was made as far as known, and a sample of records for the slow tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..data import Frame, Roles, SampleUniques, as_roles, paired_rows
from ..data.check import require_columns
from ..data.codes import combinations
from ..data.pairs import key_codes, unchanged_columns
from ..data.strata import Strata, strata_codes, strata_names
from ..data.unmodified import count_uniques, uniques_of
from ..engine import Engine, Local, on_this_machine
from ..errors import InvalidInput, InvalidParameter
from ..methods import Method, Steps
from ..methods.method import require_method
from ..plans.limits import Limits
from ..progress import Progress, within
from ..protection.ledger import Registration
from ..protection.protect import Protected
from ..rstream import RStream
from ..types import Array, Codes, Rows
from .audit import audit as run_audit
from .audit_file import systematic_sample
from .audit_result import AUDITED, Audit
from .dependence import unit_codes
from .judge import is_category, knowledge_of, predictors
from .references import KnownReferences, References, Sample, attributable_risk
from .report import Attributable

AUDIT_SEED = 1  # so that every interface prints the same audit
STREAM_SEED = 1  # of all draws of a verdict, so that every interface prints the same numbers
MISSING_CELLS = "missing cells"  # which confidential cells are missing, as a key variable


@dataclass(frozen=True)
class ReleaseFacts:
    """A release and what is known of it.

    release : frame, path, or several copies; roles, method, seed, audit : None if they are not known; options : further
    arguments of protect(); limits : of the verdict, changed or added; registration : in a ledger,
    None without one.
    """

    release: Any
    roles: Roles | None = None
    method: Method | None = None
    seed: int | RStream | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    audit: Audit | str | None = None
    limits: Limits = field(default_factory=dict)
    registration: Registration | None = None


@dataclass(frozen=True, kw_only=True)
class Case(ReleaseFacts):
    """One release and its original.

    original, released : opened frames; confidential : the confidential variables that the release has; independent : the
    unmodified predictors; weights : the survey weight, of which shares are `weighted` or not; in_order : whether records of
    both files stand in the same order; keys : the measures that have an inference baseline; by_strata : whether records are
    linked within strata; seeds_tried, seed_found : whether integers were tried as the seed, and one was found; references : of
    other releases of the same file.
    """

    original: Frame
    released: Frame
    confidential: tuple[str, ...]
    independent: tuple[str, ...] = ()
    weights: str | None = None
    weighted: bool = False
    in_order: bool = True
    keys: Sequence[str] = ()
    by_strata: bool = False
    seeds_tried: bool = False
    seed_found: bool = False
    references: KnownReferences = field(default_factory=dict)
    engine: Engine = field(default_factory=Local)
    progress: Progress | None = None

    @property
    def strata(self) -> tuple[str, ...]:
        """The columns of the strata."""
        return tuple(self.options.get("strata") or ())

    def masks_of(self, name: str) -> str:
        """How the method treats a confidential variable; an unknown method counts as "values"."""
        method = self._treating(name)
        return "values" if method is None else method.masks

    def _treating(self, name: str) -> Method | None:
        """The step of the method that treats a confidential variable."""
        return None if self.method is None else self.method.treating(name, self.roles or Roles(dependent=name))

    @cached_property
    def masks(self) -> frozenset[str]:
        """How the method treats the confidential variables."""
        return frozenset(
            {*map(self.masks_of, self.confidential)} or {"values" if self.method is None else self.method.masks}
        )

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
        if not self.in_order or pairs == "never" or (pairs == "by columns" and not self.independent):
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

    def columns(self, names: Sequence[str]) -> Iterator[tuple[str, Array, Array]]:
        """Numeric columns (n,) of the records that pair, a column at a time: name, original and released values."""
        assert self.rows is not None
        for name in names:
            yield name, self.original.values(name)[self.rows[0]], self.released.values(name)[self.rows[1]]

    def deniable(self, name: str) -> bool:
        """Whether the method changes few cells of a variable by design, and no intruder can find out which."""
        method = self._treating(name)
        return method is not None and method.deniable

    @cached_property
    def codes(self) -> tuple[Array, Array]:
        """(n, q) codes of the categorical variables of the records that pair, of both files, NaN for missing."""
        assert self.rows is not None
        pair = key_codes("evaluate", self.original, self.released, self.categories)
        return tuple(np.where(K < 0, np.nan, K)[rows] for K, rows in zip(pair, self.rows, strict=True))  # type: ignore[return-value]

    @cached_property
    def units(self) -> Codes | None:
        """(n,) the unit, or household, of each record that pairs, from 0; None without."""
        if self.roles is None or self.rows is None:
            return None
        return unit_codes(self.released, self.roles, self.rows[1])

    @cached_property
    def strata_codes(self) -> Codes | None:
        """(n,) the stratum of each record that pairs, None without strata."""
        if not self.strata or self.rows is None:
            return None
        return strata_codes("evaluate, original", self.original, self.strata, "drop")[self.rows[0]]

    @cached_property
    def sample(self) -> Sample | None:
        """At most 5,000 records that pair; None where records do not pair, or no confidential variable is compared."""
        known = self.roles is not None or self.independent
        return sample_of(self, RStream(STREAM_SEED)) if known else None

    @cached_property
    def risk(self) -> Attributable | None:
        """Risks of the sample and their inference baselines."""
        if self.sample is None:
            return None
        engine, columns = on_this_machine(self.engine), self.compared_numbers
        return attributable_risk(self.sample, columns, self.keys, engine, self.progress, by_strata=self.by_strata)

    @cached_property
    def unmodified(self) -> SampleUniques | None:
        """Sample uniques on the key variables: columns equal in both files whatever their role, those that a method of
        masks "keys" treats, and which confidential cells are missing. None where records do not pair."""
        original, released, roles = self.original, self.released, self.roles
        if roles is None:
            return None
        require_columns("evaluate", original, roles.unknown)
        if self.method is not None and self.method.generates:
            return uniques_of(released, ())
        if self.rows is None and not self.coarsened:
            return None
        every = [name for name in released.names if name in original.names]
        names = every if self.rows is None else unchanged_columns(original, released, released.names)
        names += [name for name in self.coarsened if name not in names]
        keys = [name for name in names if name not in (*roles.unknown, self.weights)]
        gaps = np.column_stack(
            [np.empty((released.records, 0)), *(released.codes(name) < 0 for name in self.confidential)]
        )
        pattern = combinations(gaps.astype(np.int64)) if gaps.any() else np.empty(0, np.int64)
        keys += [MISSING_CELLS] * bool(len(pattern))

        def codes(name: str) -> Codes:
            return pattern if name == MISSING_CELLS else released.codes(name)

        unknown = tuple(name for name in names if name in roles.unknown)
        units = unit_codes(released, roles, np.arange(released.records))
        return count_uniques(codes, keys, released.records, unknown, units)


def case_of(
    facts: ReleaseFacts,
    original: Frame,
    released: Frame,
    confidential: Sequence[str],
    independent: Sequence[str],
    **more: Any,
) -> Case:
    """The case of opened files, with the columns that they have. more : further fields; weights : of which shares are weighted."""
    weights = more.pop("weights", None)
    return Case(
        **vars(facts),
        original=original,
        released=released,
        confidential=tuple(name for name in confidential if name in released.names and name in original.names),
        independent=tuple(name for name in independent if name in original.names),
        weights=weights or facts.options.get("weights"),
        weighted=weights is not None,
        **more,
    )


def sample_of(case: Case, stream: RStream) -> Sample | None:
    """The sample of a case; None where records do not pair, or no confidential variable is compared."""
    numbers = case.compared_numbers
    if case.rows is None or not (numbers or case.categories) or len(case.rows[0]) < 2:
        return None
    total = len(case.rows[0])
    chosen = systematic_sample(total, case.strata_codes, case.units, stream)
    old, new = case.rows[0][chosen], case.rows[1][chosen]
    Y, Z = case.original.matrix(numbers)[old], case.released.matrix(numbers)[new]
    unit = None if case.units is None else case.units[chosen]
    codes = np.zeros(len(chosen), np.int64) if case.strata_codes is None else case.strata_codes[chosen]
    groups = Strata.of((), codes).rows
    X, terms = predictors(case.original, case.independent, old)
    if case.coarsened != case.compared:
        more, places = predictors(case.released, case.coarsened, new)
        terms = [*terms, *([X.shape[1] + j for j in term] for term in places)]
        X = np.hstack([X, more])
    weights = None if case.weights is None or not case.weighted else case.original.values(case.weights)[old]
    C, D = (codes[chosen] for codes in case.codes)
    references = References.shared(X, Y, C, stream, groups, case.references, terms=terms, unit=unit)
    known, method = None, case.method
    if method is not None and numbers:
        known = knowledge_of(method, case.original, case.independent, numbers, old)
    return Sample(references, Z, groups, weights, known, total, D, new)


def release_facts(protected: Any, roles: Roles | None, method: Method | None, strata: Any) -> ReleaseFacts:
    """The release and what is known of it; arguments of evaluate() go before what a result of protect() has."""
    by = strata_names("evaluate", strata)
    if method is not None:
        require_method("evaluate", method, "RankSwapping(p=10)")
    if roles is None and isinstance(method, Steps):
        roles = method.roles
    roles = None if roles is None else as_roles("evaluate", roles)
    if not isinstance(protected, Protected):
        return ReleaseFacts(protected, roles, method, options={"strata": by or None})
    frames = protected.frames
    return ReleaseFacts(
        frames[0] if len(frames) == 1 else frames,
        roles or protected.roles,
        method or protected.method,
        protected.seed,
        {**protected.options, "strata": by or protected.options.get("strata")},
        registration=protected.registration,
    )


def audit_of(
    audit: Any, original: Frame, facts: ReleaseFacts, engine: Engine, progress: Progress | None
) -> Audit | str | None:
    """The audit of a release: a result that the caller has, or one that is run now unless the method only coarsens; the reason where
    it could not run."""
    if audit is None or audit is False or isinstance(audit, Audit):
        return audit or None
    if audit is not True:
        raise InvalidParameter("evaluate", "audit", "must be a result of audit(), or True", audit)
    if facts.method is None or facts.roles is None:
        raise InvalidParameter("evaluate", "audit", "needs method= and roles=", audit)
    if facts.method.masks == "keys":
        return None
    options = {key: facts.options[key] for key in AUDITED if key in facts.options}
    part = within(progress, 0, 2, "audit")
    try:
        return run_audit(original.frame, facts.method, facts.roles, AUDIT_SEED, engine=engine, progress=part, **options)
    except (InvalidInput, InvalidParameter) as error:
        return f"the audit could not run: {error}"

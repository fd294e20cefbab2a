"""A release that is examined: both files, how it was made as far as known, and what several tests compute from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...data import Frame, Roles, SampleUniques, is_numeric, numeric_names, paired_rows
from ...data.check import require_columns
from ...data.codes import combinations
from ...data.encoding import Encodings, encodings
from ...data.pairs import Knowledge, key_codes, paired_by_position, unchanged_columns
from ...data.replicate_weights import REPLICATE_WEIGHTS, joint_codes
from ...data.sampled_units import sampled_units
from ...data.strata import Strata, strata_codes
from ...data.structure import Structure
from ...data.units import name_of_joint_unit, unit_codes
from ...data.unmodified import count_uniques
from ...engine import on_this_machine
from ...measures import MEASURES
from ...methods import Procedure
from ...methods.facts import Facts
from ...methods.gaps import gap_indicators
from ...rstream import RStream
from ...types import Array, Codes, Mask, Rows, Terms
from ..auditing.guessed_seed import NOT_TRIED, SeedSearch
from ..columns import is_category, knowledge_of, predictors
from ..encoded_files import plain_cells
from ..evaluate_request import EvaluateRequest
from ..risk.attributable import Attributable, Sample, attributable_risk
from ..risk.key_variables import checked_weights
from ..risk.nearly_unchanged import treated_unchanged, untreated_unchanged
from ..risk.reference_releases import SampledRecords
from ..risk.reference_store import ReferenceStore
from ..systematic_sample import systematic_sample
from .edit_rules import EditRule, accepted_rules, declared_rules, found_rules
from .outcomes import NO_PAIRS, PAIRS_UNKNOWN, NotExamined

STREAM_SEED = 1  # of all draws of a verdict, so that every interface prints the same numbers
OWN_GAPS = 0.5  # Cohen's kappa from which on the gaps of a release are the records' own
MISSING_CELLS = "missing cells"  # which confidential cells are missing, as a key variable


@dataclass(kw_only=True, eq=False)
class ExaminedRelease:
    """One release and its original.

    What several tests need is computed at its first use and remembered, which is why this class is not frozen. Nothing
    else changes after its construction.
    """

    request: EvaluateRequest
    """The request of evaluate(), and what is known of the release."""
    original: Frame
    """The original, opened."""
    protected: Frame
    """The release, opened."""
    reordered: tuple[str, ...] = ()
    """The columns by which the release seems to have its records in another order; none where it has not."""
    seed_search: SeedSearch | NotExamined = NOT_TRIED
    """The search for the seed of the release."""
    references: ReferenceStore = field(default_factory=ReferenceStore, repr=False)
    """The references of this original."""

    @property
    def roles(self) -> Roles | None:
        """The roles of the columns; None where they are not known."""
        return self.request.roles

    @property
    def method(self) -> Procedure | None:
        """The method of the release; None where it is not known."""
        return self.request.method

    @property
    def predictors(self) -> tuple[str, ...]:
        """The unmodified predictors of the original."""
        return self.request.independent or ()

    @property
    def weight(self) -> str | None:
        """The survey weight."""
        return self.request.weights or self.request.options.weights

    @cached_property
    def released_weights(self) -> Array | None:
        """The survey weights (n,) of the release; None where it has none. Raises InvalidInput where one is missing or negative."""
        if self.weight is None or self.weight not in self.protected.names:
            return None
        return checked_weights("evaluate, protected", self.protected, self.weight)

    @cached_property
    def confidential(self) -> tuple[str, ...]:
        """The confidential variables that both files have; the judged columns where the roles are not known."""
        names = (self.request.columns or ()) if self.roles is None else self.roles.dependent
        return tuple(name for name in names if name in self.protected.names and name in self.original.names)

    def masks_of(self, name: str) -> str:
        """The method's treatment of a confidential variable; an unknown method counts as "values"."""
        facts = self._facts_of(name)
        return "values" if facts is None else facts.masks

    def _treats(self, name: str) -> bool:
        """Whether a method treats a column; an unknown method treats every confidential one."""
        if self.method is None:
            return name in self.confidential
        return self.method.treating(name, self.roles or Roles(dependent=name)) is not None

    def deniable(self, name: str) -> bool:
        """Whether the method changes few cells of a variable by design, and no intruder can find out which."""
        facts = self._facts_of(name)
        return facts is not None and facts.deniable

    def _facts_of(self, name: str) -> Facts | None:
        """The facts of the method that treats a confidential variable, of Steps those of the last one that does."""
        if self.method is None:
            return None
        roles = self.roles or Roles(dependent=name)
        treating = self.method.treating(name, roles)
        return None if treating is None else treating.facts(roles)

    @property
    def facts(self) -> Facts | None:
        """The facts of the method; None where it is not known."""
        return None if self.method is None else self.method.facts(self.roles or Roles(dependent=self.confidential))

    @cached_property
    def masks(self) -> set[str]:
        """The method's treatment of each confidential variable."""
        if self.confidential:
            return {self.masks_of(name) for name in self.confidential}
        return {"values" if self.facts is None else self.facts.masks}

    def recoded(self, name: str) -> bool:
        """Whether a step of the method coarsens a variable, so that it may have new levels."""
        if self.method is None:
            return False
        parts = self.method.parts(self.roles or Roles(dependent=name))
        return any(method.facts(own).masks == "keys" for method, own in parts if name in method.columns(own))

    @cached_property
    def encodings(self) -> Encodings:
        """Encodings with the numbers that the confidential variables may have, signs included, by the original and what is declared of it.

        Where all variables are declared plain numbers this is inferred, so that no release passes unexamined.
        """
        declared = self.request.variables
        known = None if declared == "numbers" else declared
        return encodings("evaluate", plain_cells(self.original), known, self.numbers, signs=True)

    @cached_property
    def edit_rules(self) -> tuple[EditRule, ...]:
        """The rules about a confidential variable: declared, accepted, and found in the original, each once."""
        options = self.request.options
        accepted = options.structure if isinstance(options.structure, Structure) else ()
        found = found_rules(self.original, self.predictors, self.confidential, self._unit)
        rules = [*declared_rules(options.constraints or ()), *accepted_rules(accepted, self._unit), *found]
        by_words = {rule.words: rule for rule in rules if self._is_judged(rule)}
        return tuple(by_words.values())

    @property
    def _unit(self) -> str | None:
        """The column of ids of units that may have several records, which are protected together."""
        if self.roles is None:
            return None
        name = name_of_joint_unit(self.roles)
        return name if name in self.original.names else None

    def _is_judged(self, rule: EditRule) -> bool:
        """Whether the columns of a rule are of one kind in both files, one of them is confidential, and none has new levels."""
        if not {*rule.columns} & {*self.confidential}:
            return False
        if rule.of_numbers:
            return {*rule.columns} <= {*numeric_names(self.protected)}
        return all(
            name in self.protected.names
            and is_numeric(self.protected, name) == is_numeric(self.original, name)
            and not self.recoded(name)
            for name in rule.columns
        )

    @cached_property
    def coarsened(self) -> tuple[str, ...]:
        """The confidential variables that the method coarsens, as it does key variables."""
        return tuple(name for name in self.confidential if self.masks_of(name) == "keys")

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The confidential variables that are compared record by record: those that are not coarsened, if there are any."""
        not_coarsened = tuple(name for name in self.confidential if name not in self.coarsened)
        return not_coarsened or self.confidential

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The confidential variables that are numbers in both files."""
        return tuple(name for name in self.confidential if not is_category(self.original, self.protected, name))

    @cached_property
    def compared_numbers(self) -> tuple[str, ...]:
        """The compared variables that are numbers."""
        return tuple(name for name in self.numbers if name in self.compared)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The other compared variables."""
        return tuple(name for name in self.compared if name not in self.numbers)

    @property
    def is_new_file(self) -> bool:
        """Whether the method makes records that pair with no original ones."""
        pairs = "always" if self.method is None else self.method.pairs(self.roles or Roles(dependent=self.confidential))
        return pairs == "never" or (pairs == "by columns" and not self.predictors)

    @cached_property
    def rows(self) -> tuple[Rows, Rows] | None:
        """Rows of the original and of the release that belong together; None where records do not pair."""
        if self.reordered or self.is_new_file or self.pairs_unknown:
            return None
        rows = paired_rows(self.original, self.protected)
        if rows is None or self.request.paired:
            return rows
        common = [name for name in self.predictors if name in self.protected.names]
        equal = {*unchanged_columns(self.original, self.protected, common)}
        # A predictor that has other values shows another order, unless only few of its cells were edited.
        for name in common:
            if name not in equal and not untreated_unchanged(self.original, self.protected, name, rows, None):
                return None
        return rows

    @cached_property
    def pairs_unknown(self) -> bool:
        """Whether only the position pairs records, nobody states that it does, and no column shows it.

        A column shows it that is equal in every record and has several values: in another order it would not be.
        """
        if self.request.paired or not paired_by_position(self.original, self.protected):
            return False
        if paired_rows(self.original, self.protected) is None:
            return False  # records cannot pair, which is known
        common = [
            name
            for name in self.protected.names
            if name in self.original.names and self.protected.kind(name) != "other"
        ]
        likely = sorted(common, key=lambda name: name not in self.predictors)  # the first equal one decides
        return not any(
            unchanged_columns(self.original, self.protected, [name]) and len(np.unique(self.protected.codes(name))) > 1
            for name in likely
        )

    @property
    def no_pairs(self) -> str:
        """Why records are not compared, where `rows` is None."""
        return PAIRS_UNKNOWN if self.pairs_unknown else NO_PAIRS

    @cached_property
    def shuffled(self) -> bool:
        """Whether the released records are known to have another order than the original's."""
        if self.rows is None:
            return False
        old, new = self.rows
        in_order_of_release = old[np.argsort(new)]
        return bool((np.diff(in_order_of_release) < 0).any())

    @cached_property
    def codes(self) -> tuple[Array, Array]:
        """Codes (n, q) of the categorical variables of the records that pair, of both files, NaN for missing."""
        assert self.rows is not None
        old, new = self.rows
        K, L = key_codes("evaluate", self.original, self.protected, self.categories)
        before = np.where(K < 0, np.nan, K)
        after = np.where(L < 0, np.nan, L)
        return before[old], after[new]

    @cached_property
    def units(self) -> Codes | None:
        """Unit (n,), or household, of each record that pairs, from 0; None without."""
        if self.roles is None or self.rows is None:
            return None
        return unit_codes(self.protected, self.roles, self.rows[1])

    @cached_property
    def sampling_units(self) -> Codes | None:
        """Primary sampling unit (N,) of each released record, from 0; None where the release has none."""
        return None if self.roles is None else sampled_units(self.protected, self.roles)

    @cached_property
    def strata_codes(self) -> Codes:
        """Stratum (n,) of each record that pairs; all are in one without strata."""
        assert self.rows is not None
        strata = tuple(self.request.options.strata or ())
        return strata_codes("evaluate, original", self.original, strata, "drop")[self.rows[0]]

    def numeric_pairs(self, names: Sequence[str]) -> Iterator[tuple[Array, Array]]:
        """Original and released values of numeric columns (n,) of the records that pair, a column at a time."""
        assert self.rows is not None
        old, new = self.rows
        for name in names:
            yield self.original.values(name)[old], self.protected.values(name)[new]

    @cached_property
    def sample(self) -> Sample | None:
        """At most 5,000 records that pair; None where records do not pair, or no confidential variable is compared."""
        known = self.roles is not None or self.predictors
        if not known or self.rows is None or not self.compared or len(self.rows[0]) < 2:
            return None
        stream = RStream(STREAM_SEED)
        chosen = systematic_sample(self.strata_codes, self.units, stream)
        old = self.rows[0][chosen]
        new = self.rows[1][chosen]
        X, terms = self._predictor_values(old, new)
        before, after = self.codes
        weights = self.request.weights
        records = SampledRecords(
            X=X,
            terms=terms,
            Y=self.original.matrix(self.compared_numbers)[old],
            C=before[chosen],
            groups=Strata.of((), self.strata_codes[chosen]).rows,
            unit=None if self.units is None else self.units[chosen],
            weights=None if weights is None else self.original.values(weights)[old],
            sampling_unit=None if self.sampling_units is None else self.sampling_units[new],
            gaps=self._kept_gaps(new),
        )
        stored = self.references.of(records, stream)
        return Sample(
            records=records,
            references=stored.references,
            measures=stored.measures,
            Z=self.protected.matrix(self.compared_numbers)[new],
            D=after[chosen],
            rows=new,
            originals=old,
            knowledge=self._knowledge(old),
            total=len(self.rows[0]),
        )

    def _predictor_values(self, old: Rows, new: Rows) -> tuple[Array, Terms]:
        """Predictors (n, s) of some records, and the coarsened variables of their release, as numbers; see `predictors`."""
        X, terms = predictors(self.original, self.predictors, old)
        if self.coarsened == self.compared:
            return X, terms
        coarsened, places = predictors(self.protected, self.coarsened, new)
        shifted = [[X.shape[1] + j for j in term] for term in places]
        return np.hstack([X, coarsened]), [*terms, *shifted]

    def _knowledge(self, old: Rows) -> Knowledge | None:
        """Knowledge of some original records of an intruder who knows the method."""
        if self.method is None or not self.compared_numbers:
            return None
        return knowledge_of(self.method, self.original, self.predictors, self.compared_numbers, old)

    @cached_property
    def risk(self) -> Attributable | None:
        """Risks of the sample and their inference baselines."""
        if self.sample is None:
            return None
        risks = list[str]()
        for key in self.request.measures:
            measure = MEASURES[key]
            if measure.kind == "risk" and measure.paired and not measure.informed:
                risks.append(key)
        engine = on_this_machine(self.request.engine)
        return attributable_risk(
            self.sample,
            self.compared_numbers,
            risks,
            engine,
            self.request.progress,
            by_strata=bool(self.request.strata),
        )

    @cached_property
    def unmodified(self) -> SampleUniques | None:
        """Sample uniques on the key variables; None where the roles are not known, or records do not pair."""
        roles = self.roles
        protected = self.protected
        if roles is None:
            return None
        require_columns("evaluate", self.original, roles.not_known)
        all_are_new = self.is_new_file and {*protected.names} <= {*roles.dependent, *roles.ids}
        if all_are_new or (self.method is not None and self.method.makes_new_file()):
            return count_uniques(protected.codes, (), protected.records)
        if self.rows is None and not self.coarsened:
            return None
        names = self._key_variables()
        pattern = self.missing_cells()
        replicates = self.replicate_weights
        if replicates:
            pattern[REPLICATE_WEIGHTS] = joint_codes(protected, replicates)
        keys = [name for name in names if name not in (*roles.not_known, *roles.replicate_weights, self.weight)]

        def codes(name: str) -> Codes:
            """Codes (N,) of a key variable: a column, or one that is computed."""
            return pattern[name] if name in pattern else protected.codes(name)

        unknown = tuple(name for name in names if name in roles.not_known)
        units = unit_codes(protected, roles, np.arange(protected.records))
        what = "units" if roles.household is None or roles.unit is not None else "households"
        order = self._order_in_panel
        return count_uniques(codes, [*keys, *pattern], protected.records, unknown, units, order=order, what=what)

    @property
    def _order_in_panel(self) -> Codes | None:
        """Ranks (n,) of the records of a panel by time, then by position; None without a unit."""
        roles = self.roles
        if roles is None or roles.unit not in self.protected.names:
            return None
        if roles.time not in self.protected.names or not is_numeric(self.protected, roles.time):
            return np.arange(self.protected.records)
        records_by_time = np.argsort(self.protected.values(roles.time), kind="stable")
        return np.argsort(records_by_time, kind="stable")

    @cached_property
    def replicate_weights(self) -> list[str]:
        """The replicate weights in the release that an intruder may know; they are one key variable."""
        if self.roles is None:
            return []
        released = [name for name in self.roles.replicate_weights if name in self.protected.names]
        return [name for name in released if name not in self.roles.unknown]

    def _key_variables(self) -> list[str]:
        """The columns that are equal in both files, or nearly so, whatever their role, and those that the method coarsens.

        Where records do not pair it is not known which columns are equal: all that both files have.
        """
        common = [name for name in self.protected.names if name in self.original.names]
        if self.rows is None:
            names = common
        else:
            equal = {*unchanged_columns(self.original, self.protected, common)}
            names = [name for name in common if name in equal or self._nearly_unchanged(name)]
        return [*names, *(name for name in self.coarsened if name not in names)]

    def _nearly_unchanged(self, name: str) -> bool:
        """Whether a column that is not equal in both files still tells the original's values."""
        assert self.roles is not None
        assert self.rows is not None
        if name in self.coarsened or name in self.roles.ids:
            return False
        if name not in self.confidential or not self._treats(name):
            # A predictor explains itself: only for other columns do the predictors' values count as chance.
            by_chance = None if name in self.predictors else self.sample
            return untreated_unchanged(self.original, self.protected, name, self.rows, by_chance)
        sample = self.sample
        # Who keeps a randomised cell cannot be found out; the test `unprotected` counts such cells.
        if self.deniable(name) or sample is None or name not in self.compared:
            return False
        records = sample.records
        if name in self.categories:
            j = self.categories.index(name)
            near = sample.references.categories[0][:, :, j]
            return treated_unchanged(records.C[:, j], sample.D[:, j], near, numeric=False)
        j = self.compared_numbers.index(name)
        near = sample.references.releases[0][:, :, j]
        return treated_unchanged(records.Y[:, j], sample.Z[:, j], near, numeric=True)

    def missing_cells(self) -> dict[str, Codes]:
        """Patterns of the missing confidential cells of each released record, as the codes of a key variable; none without gaps.

        Columns whose gaps are drawn tell nothing of the record, and are left out.
        """
        gaps = self._own_gaps
        if gaps is None:
            return {}
        return {MISSING_CELLS: combinations(gaps.astype(np.int64))}

    def _kept_gaps(self, new: Rows) -> Array | None:
        """Indicators (m, k) of the missing confidential cells of some released records; None without gaps."""
        gaps = self._own_gaps
        return None if gaps is None else gap_indicators(gaps[new])

    @cached_property
    def _own_gaps(self) -> Mask | None:
        """The missing confidential cells (N, k) of the release, of columns whose gaps are the records' own; None without gaps."""
        gaps = [self._is_missing(self.protected, name) for name in self.confidential if not self._has_drawn_gaps(name)]
        return np.column_stack(gaps) if np.any(gaps) else None

    def _has_drawn_gaps(self, name: str) -> bool:
        """Whether the missing cells of a column are others than the record's own, beyond half of what chance leaves.

        Their agreement is Cohen's kappa: 1 for gaps that stay, and about 0 for drawn ones. Where pairs are unknown they may be its own.
        """
        if self.rows is None:
            return False
        old, new = self.rows
        before = self._is_missing(self.original, name)[old]
        after = self._is_missing(self.protected, name)[new]
        by_chance = before.mean() * after.mean() + (1 - before.mean()) * (1 - after.mean())
        if by_chance == 1:  # no cell is missing in either file, or every one
            return False
        agreement = (before == after).mean()
        return bool((agreement - by_chance) / (1 - by_chance) < OWN_GAPS)

    def _is_missing(self, frame: Frame, name: str) -> Mask:
        """(n,) the cells of a column that are missing in a file, those with codes of missing values included."""
        if name in self.numbers:
            return np.isnan(frame.values(name))
        return frame.codes(name) < 0

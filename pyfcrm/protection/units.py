"""Units with several records, protected as one record each: a column for every variable and period.

A unit is a person observed in several periods, or a household some of whose confidential columns are the same for all
its members. Units with the same periods are one group, which becomes a wide file: a record for each unit. What a method
preserves in the wide file holds for the variables in every period, for their sums, and for correlations over time.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..constraints import Constraint
from ..data import Frame, Roles, open_frame, require_columns
from ..data.check import complete_records
from ..data.codes import groups_of
from ..data.encoded import EncodedFrame
from ..data.roles import PUBLIC, RESEARCH
from ..data.strata import NoteSummary
from ..data.structure import Proposal, Structure
from ..data.variable import NUMBERS
from ..data.wide import Group, holders_of, missing_holders, protected_as_cells, wide_column, wide_frame
from ..errors import Count, InvalidInput, InvalidParameter, Note
from ..progress import Progress, within
from ..types import Codes, Mask, Rows
from .households import DRAWN, Households, drawn_households, ids_of, new_ids
from .ids import with_ids
from .members import ALIKE, SPARE, Cells, places_of_persons, replaced_columns
from .release import ReleaseRules, released_frame
from .request import ProtectRequest
from .strata import unseeded
from .structure import constrained
from .unprotected import MIN_STRATUM
from .variables import wide_variables

Release = Callable[[ProtectRequest, Frame, list[Note]], Any]
"""Protects a frame whose records are units, and adds to the notes."""
NEARLY_ALL = 0.99  # of the records, in which a column is the size of the household
POOL = "others"  # key of the group of units whose own groups are too small
TOGETHER = (
    "the records of each {columns} are protected together: {count} units in {groups} {groups:group|groups}, {how}"
)
SHARED = "a column that all members of a `{household}` share cannot stay so where a unit has several periods (take the household as unit)"
BY_PERIODS, BY_NUMBER = "by their periods", "by their numbers of records"
ABSENT = (
    "{count} units with rarer sets of periods are one group, in which the method sees draws in place of absent records"
)
UNCHANGED = "{columns} {count:has|have} one value only there, and {count:is|are} released unchanged"
TOO_FEW = (
    "a group of units must have at least {fewest} units, max(15, 3 (s + 1), s + t + 2) with s predictors and t confidential "
    "columns (name fewer columns, or give allow_unprotected=True)"
)


def joint_unit(request: ProtectRequest, frame: Frame) -> str | None:
    """The column of ids whose records are protected together; None if every record is protected separately.

    This is the unit where a column has times, else the household where a confidential column is constant within each, and in a
    public file always: its members have new values that fit together.
    """
    roles = request.roles
    if not request.method.replaces_numbers() or not roles.ids:
        return None
    require_columns("protect", frame, [*roles.ids, *request.columns, *roles.columns("time")])
    observed_repeatedly = roles.unit if roles.time is not None else None
    shared_columns: list[str] = []
    if roles.household is not None and frame.source is None and request.facts.privacy is None:
        households = frame.codes(roles.household)
        shared_columns = [column for column in roles.dependent if _is_constant(frame, column, households)]
        # Households in which a unit has several records: both would be protected together.
        repeated = observed_repeatedly is not None and not _is_constant(frame, observed_repeatedly, households)
        if shared_columns and repeated:
            rule = SHARED.format(household=roles.household)
            raise InvalidInput("protect", rule, f"column `{shared_columns[0]}`")
    unit = observed_repeatedly
    is_public = roles.product == PUBLIC and frame.source is None and request.facts.privacy is None
    if unit is None and roles.household is not None and (shared_columns or is_public):
        unit = roles.household
    if unit is not None:
        _require_possible(request, frame, unit)
    return unit


def _require_possible(request: ProtectRequest, frame: Frame, unit: str) -> None:
    """Check for options that units with several records cannot have. Raises InvalidInput or InvalidParameter."""
    if frame.source is not None:
        raise InvalidInput("protect", "units observed repeatedly must fit in memory", f"column `{unit}`")
    if request.facts.privacy is not None:
        raise InvalidParameter("protect", "roles", "must not have units with several records with epsilon", unit)
    for column in (unit, *request.roles.columns("time")):
        if (frame.codes(column) < 0).any():
            raise InvalidInput("protect", f"column `{column}` must not miss values, as units are protected together")


def _is_constant(frame: Frame, name: str, units: Codes) -> bool:
    """Whether a column has one value in every unit, of which one or more have several records.

    units : (n,) the unit of each record.
    """
    _, first_records, unit_of_record = np.unique(units, return_index=True, return_inverse=True)
    if len(first_records) == len(units):  # every unit has one record
        return False
    codes = frame.codes(name)
    return bool((codes == codes[first_records[unit_of_record]]).all())


def protect_units(
    request: ProtectRequest, frame: EncodedFrame, release: Release, notes: list[Note], *, new_households: bool = False
) -> Any:
    """The release of a frame in which the records of each unit are protected together. Raises InvalidInput.

    new_households : whether sizes of households are drawn, and ids are new.
    """
    unit = joint_unit(request, frame)
    assert unit is not None
    included: Mask = np.ones(frame.records, dtype=bool)
    if request.missing != "protect":
        gaps = np.column_stack([frame.codes(name) < 0 for name in request.columns])
        included, notes_on_gaps = complete_records("protect", gaps, request.columns, request.missing)
        notes += notes_on_gaps

    units = frame.codes(unit)
    columns = (*request.columns, *request.strata, *request.preserve)
    constant = {name: _is_constant(frame, name, units) for name in columns}
    for option, names in (("strata", request.strata), ("preserve", request.preserve)):
        for name in names:
            if not constant[name]:
                raise InvalidParameter("protect", option, f"must be constant within every `{unit}`", name)

    wide = Wide(request, frame, constant, units)
    groups = wide.groups(np.flatnonzero(included))
    if request.options.structure is not None:
        wide = replace(wide, request=constrained(request, frame, notes, partial(wide.codes, groups)))
    count = sum(len(group.rows) for group in groups)
    how = BY_NUMBER if request.roles.time is None else BY_PERIODS
    notes.append(Note.of("by_strata", TOGETHER, [unit], count=count, groups=Count(len(groups)), how=how))
    for group in groups:
        if (group.rows < 0).any():
            notes.append(Note.of("pooled", ABSENT, [unit], count=len(group.rows)))
    if new_households:
        return wide.with_new_households(groups, release, notes)
    return wide.released(groups, release, included, notes)


@dataclass(frozen=True)
class Wide:
    """The change of a file into wide files, and of these into a release."""

    request: ProtectRequest
    """The request for the whole file."""
    frame: EncodedFrame
    """The file of n records, by encoded numbers."""
    constant: Mapping[str, bool]
    """Whether a column has one value in every unit: of each column with a role, a stratum or a level."""
    units: Codes
    """The unit (n,) of each record, from 0."""

    def groups(self, rows: Rows) -> list[Group]:
        """The groups of the units of these records, in order of first appearance.

        Units with the same periods are a group. Small groups are merged into groups by the number of records. Of these,
        small ones become the pool, which the smallest other groups join until it has enough units.
        """
        time = self.request.roles.time
        if time is None:
            members = [rows[places] for places in groups_of(self.units[rows])]  # of each unit, its records
            keys: list[Hashable] = [len(records) for records in members]
        else:
            periods = np.unique(self.frame.cells(time), return_inverse=True)[1]
            by_time = rows[np.argsort(periods[rows], kind="stable")]
            members = [by_time[places] for places in groups_of(self.units[by_time])]
            if any(len(np.unique(periods[records])) < len(records) for records in members):
                raise InvalidInput("protect", f"each `{self.request.roles.unit}` must have a `{time}` once at most")
            keys = [tuple(periods[records].tolist()) for records in members]

        small = self._small(keys, members)
        keys = [len(records) if key in small else key for key, records in zip(keys, members, strict=True)]
        small = self._small(keys, members)
        keys = [POOL if key in small else key for key in keys]
        keys = self._with_large_pool(keys, members)
        return [self._group(key, [members[j] for j in places]) for key, places in _places(keys).items()]

    def codes(self, groups: Sequence[Group], name: str) -> list[Codes]:
        """The codes of a column in each period of each group, by unit; -1 for an absent record."""
        codes = self.frame.codes(name)
        return [
            np.where(rows < 0, -1, codes[rows])
            for group in groups
            for _, rows in group.cells(name, self.constant[name])
        ]

    def _small(self, keys: Sequence[Hashable], members: Sequence[Rows]) -> dict[Hashable, int]:
        """The groups with too few units, and how many each must have.

        keys : the group of each unit; members : the records of each unit.
        """
        small = {}
        for key, places in _places(keys).items():
            length = max(len(members[j]) for j in places)
            s = self._width(self._predictors(dated=isinstance(key, tuple)), length)
            t = self._width(self.request.roles.dependent, length)
            fewest = max(MIN_STRATUM, 3 * (s + 1), s + t + 2)
            if len(places) < fewest:
                small[key] = fewest
        return small

    def _width(self, columns: Sequence[str], length: int) -> int:
        """The number of columns in a wide file of `length` records for each unit."""
        return sum(1 if self.constant[name] else length for name in columns)

    def _with_large_pool(self, keys: list[Hashable], members: Sequence[Rows]) -> list[Hashable]:
        """The keys, of which the smallest groups join the pool until it has enough units. Raises InvalidInput."""
        small = self._small(keys, members)
        while POOL in small:
            counts = Counter(key for key in keys if key != POOL)
            if not counts:
                if self.request.options.allow_unprotected:
                    break
                raise InvalidInput("protect", TOO_FEW.format(fewest=small[POOL]), len(members))
            smallest = min(counts, key=counts.__getitem__)
            keys = [POOL if key == smallest else key for key in keys]
            small = self._small(keys, members)
        return keys

    def _group(self, key: Hashable, members: Sequence[Rows]) -> Group:
        """The group of these units. key : a tuple where all have the same periods; members : the records of each unit."""
        length = max(len(records) for records in members)
        rows = np.full((len(members), length), -1)
        for j, records in enumerate(members):
            rows[j, : len(records)] = records
        time = self.request.roles.time
        if isinstance(key, tuple) and time is not None:
            cells = self.frame.cells(time)
            periods = tuple(f"in {cells[row]}" for row in rows[0])
            return Group(rows, periods, dated=True)
        periods = tuple(f"in record {j + 1}" for j in range(length))
        return Group(rows, periods, dated=False)

    def _predictors(self, *, dated: bool) -> list[str]:
        """The independent columns. dated : whether all units of a group have the same periods, which then explain nothing."""
        roles = self.request.roles
        return [name for name in roles.independent if not (dated and name == roles.time)]

    def released(self, groups: Sequence[Group], release: Release, included: Mask, notes: list[Note]) -> Any:
        """The release of all groups, in the order of the file. included : (n,) the records that are in a group."""
        request = self.request
        dependent = request.roles.dependent
        numbers = [name for name in dependent if not protected_as_cells(self.frame, name)]
        Z = np.full((self.frame.records, len(numbers)), np.nan)
        # Of each column of cells, the record from which each record's released cell comes: (n,).
        holders = {name: np.arange(self.frame.records) for name in dependent if name not in numbers}
        summary = NoteSummary(len(groups), "groups of units", "group")
        with unseeded(request.stream):
            for k, group in enumerate(groups):
                progress = within(request.progress, k, len(groups), f"group {k + 1} of {len(groups)}")
                wide, group_notes = self._released_group(group, release, progress)
                for note in group_notes:
                    summary.note(k, note)
                for name in dependent:
                    for column, rows in group.cells(name, self.constant[name]):
                        present = rows >= 0
                        records = rows[present]
                        if name in holders:
                            cells = wide.cells(column)[present]
                            holders[name][records] = holders_of(self.frame, name, cells, request.stream)
                        else:
                            Z[records, numbers.index(name)] = wide.values(column)[present]
        notes += summary.texts()
        if request.roles.product == PUBLIC:  # gaps are drawn; else they are those of the record
            for j, name in enumerate(numbers):
                gaps = np.flatnonzero(included & np.isnan(Z[:, j]))
                holders[name] = np.arange(self.frame.records)
                holders[name][gaps] = missing_holders(self.frame, name, len(gaps), request.stream)
        # Constraints held in each period of the wide files; what else a release obeys is applied to the whole.
        rules = ReleaseRules(replace(request, constraints=()), self.frame, numbers, fixed=[], complete=[])
        Z_rules = rules.applied(self.frame, Z[included], included)
        moved = self.frame.block(open_frame("protect", self.frame.moved(holders)))
        return released_frame(request, moved, numbers, Z_rules, included)

    def with_new_households(self, groups: Sequence[Group], release: Release, notes: list[Note]) -> Any:
        """A release of as many households as the file has, whose sizes are drawn: one after another, with new ids."""
        request, frame, stream = self.request, self.frame, self.request.stream
        roles = request.roles
        numbers = [name for name in roles.dependent if not protected_as_cells(frame, name)]
        summary = NoteSummary(len(groups), "groups of units", "group")

        def group_release(k: int, is_first: bool) -> Frame:
            progress = within(request.progress, k, len(groups) + 1, f"group {k + 1} of {len(groups)}")
            wide, group_notes = self._released_group(groups[k], release, progress)
            for note in group_notes if is_first else ():
                summary.note(k, note)
            return wide

        with unseeded(stream):
            releases = [partial(group_release, k) for k in range(len(groups))]
            households = drawn_households(groups, releases, stream, notes)
            rows = np.concatenate([each.member_rows() for each in households])
            columns = {
                name: np.concatenate([self._members(name, each) for each in households]) for name in roles.dependent
            }
            progress = within(request.progress, len(groups), len(groups) + 1, "all members")
            columns |= self._of_persons(groups, columns, release, progress, notes)
            Z = np.empty((len(rows), len(numbers)))
            holders = dict[str, Rows]()
            for name, cells in columns.items():
                if name in numbers:
                    Z[:, numbers.index(name)] = cells
                    gaps = np.flatnonzero(np.isnan(cells))
                    holders[name] = rows.copy()
                    holders[name][gaps] = missing_holders(frame, name, len(gaps), stream)
                else:
                    holders[name] = holders_of(frame, name, cells, stream)
            for name in numbers:
                if self._is_size(name):
                    Z[:, numbers.index(name)] = np.concatenate(
                        [np.repeat(each.sizes, each.sizes) for each in households]
                    )
            codes = {roles.household: ids_of(households)} if roles.household is not None else {}
            if roles.unit is not None:
                codes[roles.unit] = np.arange(len(rows))
            ids = new_ids(codes, stream)
        notes += summary.texts()
        notes.append(Note.of("chosen", DRAWN, count=len(rows), total=frame.records))
        every = np.ones(len(rows), dtype=bool)
        rules = ReleaseRules(replace(request, constraints=()), frame, numbers, fixed=[], complete=[])
        part = frame.block(open_frame("protect", frame.gathered(rows, holders)))
        released = released_frame(request, part, numbers, rules.applied(part, Z, every), every)
        return with_ids(released, ids)

    def _of_persons(
        self,
        groups: Sequence[Group],
        drawn: Mapping[str, Cells],
        release: Release,
        progress: Progress | None,
        notes: list[Note],
    ) -> dict[str, Cells]:
        """By column the cells (m,) of persons of a release of all members, each in the place of a drawn member like it.

        Columns of the household stay, those that are the same for all first members, and those that a rule relates to them.
        drawn : of each dependent column, the cells (m,) of the drawn members. Draws: those of the release, and a sample.
        """
        request = self.request
        shared = [name for name in drawn if self.constant[name]]
        fixed = [*shared, *(name for name in drawn if self._is_of_first_members(name, groups))]
        rules = [constraint.columns for constraint in request.constraints]
        if isinstance(request.options.structure, Structure):
            rules += [rule.columns for rule in request.options.structure]
        replaced = replaced_columns(tuple(drawn), fixed, rules)
        if not replaced:
            return {}
        rows = np.sort(np.concatenate([group.rows[group.rows >= 0] for group in groups]))
        everyone = Group(rows[:, None], ("",), dated=False)
        by_person = replace(self, constant=dict.fromkeys(self.constant, True), units=np.arange(len(self.units)))
        count = int(SPARE * len(drawn[replaced[0]]))
        parts: dict[str, list[Cells]] = {name: [] for name in drawn}
        found = 0
        while found < count:
            frame, notes_of_persons = by_person._released_group(everyone, release, progress)
            if found == 0:
                notes += notes_of_persons
            chosen = request.stream.sample_int(len(rows), min(count - found, len(rows))) - 1
            for name, cells in parts.items():
                all_cells = frame.cells(name) if protected_as_cells(self.frame, name) else frame.values(name)
                cells.append(all_cells[chosen])
            found += len(chosen)
        persons = {name: np.concatenate(cells) for name, cells in parts.items()}
        of_members = [name for name in fixed if name not in shared]
        places = places_of_persons(self.frame, groups, drawn, persons, shared=shared, fixed=of_members)
        notes.append(Note.of("chosen", ALIKE, list(replaced), count=len(replaced)))
        return {name: persons[name][places] for name in replaced}

    def _is_of_first_members(self, name: str, groups: Sequence[Group]) -> bool:
        """Whether the first members of all households have the same cell, such as the reference person's relationship."""
        codes = self.frame.codes(name)
        return len(np.unique(np.concatenate([codes[group.rows[:, 0]] for group in groups]))) == 1

    def _is_size(self, name: str) -> bool:
        """Whether a column has the number of the records of each household, in nearly all records."""
        sizes = np.bincount(self.units)[self.units]
        return bool(np.mean(self.frame.values(name) == sizes) >= NEARLY_ALL)

    def _members(self, name: str, households: Households) -> Any:
        """The released cells (k,) of a column of the members of some households."""
        columns = households.group.cells(name, self.constant[name])
        is_number = not protected_as_cells(self.frame, name)
        return households.in_order(
            [households.wide.values(column) if is_number else households.wide.cells(column) for column, _ in columns]
        )

    def _released_group(self, group: Group, release: Release, progress: Progress | None) -> tuple[Frame, list[Note]]:
        """The released wide file of a group, and its notes; the file itself where no column varies."""
        notes: list[Note] = []
        wide = self._frame(group)
        request = replace(self._request(group, wide, notes), progress=progress)
        if request.roles.dependent:
            wide = open_frame("protect", release(request, wide, notes))
        return wide, notes

    def _frame(self, group: Group) -> Frame:
        """The wide file of a group."""
        columns = {}
        for name, constant in self.constant.items():
            for column, rows in group.cells(name, constant):
                if column not in columns:
                    columns[column] = wide_column(self.frame, name, rows)
        weights = self.request.options.weights
        if weights is not None:
            # (N, T) weights of each unit's records; the unit has their mean
            weights_of_records = np.where(group.rows < 0, np.nan, self.frame.values(weights)[group.rows])
            columns[weights] = np.nanmean(weights_of_records, axis=1)
        return wide_frame(columns)

    def _request(self, group: Group, wide: Frame, notes: list[Note]) -> ProtectRequest:
        """The request for the wide file of a group, without columns that have one value only there."""
        request = self.request
        roles = request.roles
        wide_names = {
            name: list(dict(group.cells(name, constant)))  # a constant column has the same name in each period
            for name, constant in self.constant.items()
        }
        varying = {column for column in wide.names if wide.codes(column).max() > 0}
        confidential = [column for name in roles.dependent for column in wide_names[name]]
        dependent = [column for column in confidential if column in varying]
        unchanged = [column for column in confidential if column not in varying]
        if unchanged:
            notes.append(Note.of("constant", UNCHANGED, unchanged, count=len(unchanged)))
        explaining = [column for name in self._predictors(dated=group.dated) for column in wide_names[name]]
        independent = [column for column in explaining if column in varying]

        has_absent = bool((group.rows < 0).any())
        missing = "protect" if has_absent else request.missing
        # Where records are absent, drawn gaps would be those of absent records too.
        product = RESEARCH if has_absent else roles.product
        variables = request.options.variables
        if variables != NUMBERS:
            variables = wide_variables(self.frame.encodings, wide_names)
        structure = None
        if isinstance(request.options.structure, Structure):
            rules = [rule for each in request.options.structure for rule in self._rules(each, wide_names, group)]
            structure = Structure(tuple(rules)) if rules else None
        constraints = [
            in_period
            for constraint in request.constraints
            for in_period in self._constraints(constraint, wide_names, group)
        ]
        return replace(
            request,
            options=request.options.changed(copies=1, missing=missing, variables=variables, structure=structure),
            roles=Roles(independent, dependent, product=product),
            constraints=tuple(constraints),
            by_unit=len(group.periods) > 1,
        )

    def _rules(self, rule: Proposal, wide_names: Mapping[str, list[str]], group: Group) -> Iterator[Proposal]:
        """Joint zeros or nested codes in each period; see _constraints."""
        once = all(self.constant[name] for name in rule.columns)
        for j in range(1 if once else len(group.periods)):
            names = tuple(wide_names[name][0 if self.constant[name] else j] for name in rule.columns)
            yield replace(rule, columns=names)

    def _constraints(
        self, constraint: Constraint, wide_names: Mapping[str, list[str]], group: Group
    ) -> Iterator[Constraint]:
        """A constraint in each period; once where all its columns are constant within units.

        wide_names : of each column, its columns of the wide file.
        """
        if not {*constraint.columns} <= {*wide_names}:
            raise InvalidParameter("protect", "constraints", "must be about columns with a role", constraint.text)
        once = all(self.constant[name] for name in constraint.columns)
        periods = group.periods[:1] if once else group.periods
        for j, period in enumerate(periods):
            terms = []
            for name, coefficient in constraint.terms:
                column = wide_names[name][0] if self.constant[name] else wide_names[name][j]
                terms.append((column, coefficient))
            text = constraint.text if once else f"{constraint.text} {period}"
            yield replace(constraint, terms=tuple(terms), text=text)


def _places(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """The places of each key, in order of first appearance."""
    places: dict[Hashable, list[int]] = {}
    for j, key in enumerate(keys):
        places.setdefault(key, []).append(j)
    return places

"""Units with several records, protected as one record each: a column for every variable and period.

A unit is a person observed in several periods, or a household some of whose confidential columns are the same for all
its members. Units with the same periods are one group. What a method keeps of the wide file holds for the variables in
every period, for their sums, and for correlations over time.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..constraints import Constraint
from ..data import Frame, Roles, open_frame, require_columns
from ..data.check import complete_records
from ..data.codes import groups_of
from ..data.strata import NoteSummary
from ..data.wide import Group, holders_of, protected_as_cells, wide_column, wide_frame
from ..errors import Count, InvalidInput, InvalidParameter, Note
from ..progress import within
from ..types import Codes, Mask, Rows
from .release import ReleaseRules, released_frame
from .request import ProtectRequest
from .strata import unseeded
from .structure import constrained
from .unprotected import MIN_STRATUM

Release = Callable[[ProtectRequest, Frame, list[Note]], Any]
"""Protects a frame whose records are units, and adds to the notes."""
POOL = "others"
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
    """The column of ids whose records are protected together; None if every record is protected separately."""
    roles = request.roles
    constant = list[str]()
    if not request.method.replaces_numbers() or not roles.ids:
        return None
    require_columns("protect", frame, [*roles.ids, *request.columns, *roles.columns("time")])
    name = roles.unit if roles.time is not None else None
    if roles.household is not None and frame.source is None and request.facts.privacy is None:
        households = frame.codes(roles.household)
        constant = [column for column in roles.dependent if _constant(frame, column, households)]
        if constant and name is not None and not _constant(frame, name, households):
            raise InvalidInput("protect", SHARED.format(household=roles.household), f"column `{constant[0]}`")
    name = roles.household if constant and name is None else name
    if name is not None:
        _require_possible(request, frame, name)
    return name


def _require_possible(request: ProtectRequest, frame: Frame, name: str) -> None:
    """Raises InvalidInput or InvalidParameter for options that units with several records cannot have."""
    if frame.source is not None:
        raise InvalidInput("protect", "units observed repeatedly must fit in memory", f"column `{name}`")
    if request.facts.privacy is not None:
        raise InvalidParameter("protect", "roles", "must not have units with several records with epsilon", name)
    for one in (name, *request.roles.columns("time")):
        if (frame.codes(one) < 0).any():
            raise InvalidInput("protect", f"column `{one}` must not miss values, as units are protected together")


def _constant(frame: Frame, name: str, units: Codes) -> bool:
    """Whether a column has one value in every unit, of which one or more have several records."""
    _, first, which = np.unique(units, return_index=True, return_inverse=True)
    codes = frame.codes(name)
    return len(first) < len(units) and bool((codes == codes[first[which]]).all())


def protect_units(request: ProtectRequest, frame: Frame, release: Release, notes: list[Note]) -> Any:
    """The release of a frame in which the records of each unit are protected together. Raises InvalidInput."""
    unit = joint_unit(request, frame)
    assert unit is not None
    if request.options.structure is not None:
        request = constrained(request, frame, notes)
    gaps = np.column_stack([frame.codes(name) < 0 for name in request.columns])
    there: Mask = np.ones(frame.records, dtype=bool)
    if request.options.missing != "protect":
        there, left_out = complete_records("protect", gaps, request.columns, request.options.missing)
        notes += left_out
    units = frame.codes(unit)
    more = {"strata": request.strata, "preserve": request.preserve}
    constant = {name: _constant(frame, name, units) for name in (*request.columns, *more["strata"], *more["preserve"])}
    for option, names in more.items():
        for name in names:
            if not constant[name]:
                raise InvalidParameter("protect", option, f"must be constant within every `{unit}`", name)
    wide = Wide(request, frame, constant, units)
    groups = wide.groups(np.flatnonzero(there))
    sizes = [len(group.rows) for group in groups]
    how = BY_NUMBER if request.roles.time is None else BY_PERIODS
    notes.append(Note.of("by_strata", TOGETHER, [unit], count=sum(sizes), groups=Count(len(sizes)), how=how))
    notes += [Note.of("pooled", ABSENT, [unit], count=len(group.rows)) for group in groups if (group.rows < 0).any()]
    return wide.released(groups, release, there, notes)


@dataclass(frozen=True)
class Wide:
    """How a file becomes wide files, and these a release.

    constant : by column, whether it has one value in every unit; units (n,) : the unit of each record, from 0.
    """

    request: ProtectRequest
    frame: Frame
    constant: Mapping[str, bool]
    units: Codes

    def groups(self, rows: Rows) -> list[Group]:
        """The groups of the units of these records, in order of first appearance.

        Small groups by periods become groups by the number of periods; of these, small ones are pooled, with the
        smallest others where they must be.
        """
        time, order = self.request.roles.time, rows
        if time is not None:
            periods = np.unique(self.frame.cells(time), return_inverse=True)[1]
            order = rows[np.argsort(periods[rows], kind="stable")]
        members = [order[places] for places in groups_of(self.units[order])]
        keys: list[Hashable] = [len(one) for one in members]
        if time is not None:
            if any(len(np.unique(periods[one])) < len(one) for one in members):
                raise InvalidInput("protect", f"each `{self.request.roles.unit}` must have a `{time}` once at most")
            keys = [tuple(periods[one].tolist()) for one in members]
        coarser: tuple[Callable[[Rows], Hashable], ...] = (len, lambda one: POOL)
        for key_of in coarser:
            small = self._small(keys, members)
            keys = [key_of(one) if key in small else key for key, one in zip(keys, members, strict=True)]
        keys = self._with_large_pool(keys, members)
        return [self._group(key, [members[j] for j in places]) for key, places in _places(keys).items()]

    def _small(self, keys: Sequence[Hashable], members: Sequence[Rows]) -> dict[Hashable, int]:
        """The groups with too few units, and how many each must have."""
        small = {}
        for key, places in _places(keys).items():
            length = max(len(members[j]) for j in places)
            s, t = (
                sum(1 if self.constant[name] else length for name in columns)
                for columns in (self._predictors(dated=isinstance(key, tuple)), self.request.roles.dependent)
            )
            fewest = max(MIN_STRATUM, 3 * (s + 1), s + t + 2)
            if len(places) < fewest:
                small[key] = fewest
        return small

    def _with_large_pool(self, keys: list[Hashable], members: Sequence[Rows]) -> list[Hashable]:
        """The keys, of which the smallest groups join the pool until it has enough units. Raises InvalidInput."""
        while POOL in (short := self._small(keys, members)):
            counts = Counter(key for key in keys if key != POOL)
            if not counts:
                if self.request.options.allow_unprotected:
                    break
                raise InvalidInput("protect", TOO_FEW.format(fewest=short[POOL]), len(members))
            smallest = min(counts, key=counts.__getitem__)
            keys = [POOL if key == smallest else key for key in keys]
        return keys

    def _group(self, key: Hashable, members: Sequence[Rows]) -> Group:
        length, time = max(map(len, members)), self.request.roles.time
        rows = np.full((len(members), length), -1)
        for j, one in enumerate(members):
            rows[j, : len(one)] = one
        if isinstance(key, tuple) and time is not None:
            cells = self.frame.cells(time)
            return Group(rows, tuple(f"in {cells[row]}" for row in rows[0]), dated=True)
        return Group(rows, tuple(f"in record {j + 1}" for j in range(length)), dated=False)

    def _predictors(self, *, dated: bool) -> list[str]:
        """The independent columns. dated : whether all units of a group have the same periods, which then explain nothing."""
        roles = self.request.roles
        return [name for name in roles.independent if not (dated and name == roles.time)]

    def released(self, groups: Sequence[Group], release: Release, there: Mask, notes: list[Note]) -> Any:
        """The release of all groups, in the order of the file."""
        request, frame = self.request, self.frame
        numbers = [name for name in request.roles.dependent if not protected_as_cells(frame, name)]
        Z = np.full((frame.records, len(numbers)), np.nan)
        holders = {name: np.arange(frame.records) for name in request.roles.dependent if name not in numbers}
        summary = NoteSummary(len(groups), "groups of units", "group")
        with unseeded(request.stream):
            for k, group in enumerate(groups):
                own, part = list[Note](), self._frame(group)
                progress = within(request.progress, k, len(groups), f"group {k + 1} of {len(groups)}")
                work = replace(self._request(group, part, own), progress=progress)
                if work.roles.dependent:
                    part = open_frame("protect", release(work, part, own))
                for note in own:
                    summary.note(k, note)
                for name in request.roles.dependent:
                    for column, rows in group.cells(name, self.constant[name]):
                        at = rows[rows >= 0]
                        if name in holders:
                            holders[name][at] = holders_of(frame, name, part.cells(column)[rows >= 0], at)
                        else:
                            Z[at, numbers.index(name)] = part.values(column)[rows >= 0]
        notes += summary.texts()
        rules = ReleaseRules(replace(request, constraints=()), frame, numbers, fixed=[], complete=[])
        frame = open_frame("protect", frame.moved(holders))
        return released_frame(request, frame, numbers, rules.applied(self.frame, Z[there], there), there)

    def _frame(self, group: Group) -> Frame:
        """The wide file of a group."""
        columns = {}
        weights = self.request.options.weights
        for name, constant in self.constant.items():
            for column, rows in group.cells(name, constant):
                if column not in columns:
                    columns[column] = wide_column(self.frame, name, rows)
        if weights is not None:
            w = np.where(group.rows < 0, np.nan, self.frame.values(weights)[group.rows])
            columns[weights] = np.nanmean(w, axis=1)
        return wide_frame(columns)

    def _request(self, group: Group, part: Frame, notes: list[Note]) -> ProtectRequest:
        """The request for the wide file of a group, without columns that have one value only there."""
        request, roles = self.request, self.request.roles
        names = {name: list(dict(group.cells(name, constant))) for name, constant in self.constant.items()}
        absent = bool((group.rows < 0).any())
        varying = {column for column in part.names if part.codes(column).max() > 0}
        confidential = [column for name in roles.dependent for column in names[name]]
        dependent = [column for column in confidential if column in varying]
        if unchanged := [column for column in confidential if column not in varying]:
            notes.append(Note.of("constant", UNCHANGED, unchanged, count=len(unchanged)))

        def by_column(rules: Any) -> Any:
            if not isinstance(rules, Mapping):
                return rules
            return {column: rule for name, rule in rules.items() for column in names[name] if column in dependent}

        independent = [column for name in self._predictors(dated=group.dated) for column in names[name]]
        independent = [column for column in independent if column in varying]
        options = request.options.changed(copies=1, missing="protect" if absent else request.options.missing)
        return replace(
            request,
            options=options,
            roles=Roles(independent, dependent),
            constraints=tuple(one for each in request.constraints for one in self._constraints(each, names, group)),
            bounds=by_column(request.bounds),
            decimals=by_column(request.decimals),
        )

    def _constraints(
        self, constraint: Constraint, names: Mapping[str, list[str]], group: Group
    ) -> Iterator[Constraint]:
        """A constraint in each period."""
        if not {*constraint.columns} <= {*names}:
            raise InvalidParameter("protect", "constraints", "must be about columns with a role", constraint.text)
        once = all(self.constant[name] for name in constraint.columns)
        for j, period in enumerate(group.periods[:1] if once else group.periods):
            terms = tuple((names[name][0 if self.constant[name] else j], c) for name, c in constraint.terms)
            yield replace(constraint, terms=terms, text=constraint.text if once else f"{constraint.text} {period}")


def _places(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """The places of each key, in order of first appearance."""
    places: dict[Hashable, list[int]] = {}
    for j, key in enumerate(keys):
        places.setdefault(key, []).append(j)
    return places

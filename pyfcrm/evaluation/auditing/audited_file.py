"""The file of an audit: its records, a sample of them where they are many, and the splits of which parts are protected."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...data import Frame, Roles, checked, complete_records, is_numeric, open_frame, paired_rows, plain_roles
from ...data.check import left_out, require_columns
from ...data.codes import groups_of
from ...data.levels import levels_of
from ...data.predictors import Predictors, coded_predictors, column_levels, is_categorical, levels_in_pools
from ...data.sampled_units import sampled_units
from ...data.strata import Strata, strata_codes
from ...data.units import name_of_joint_unit
from ...engine import Engine
from ...errors import InvalidInput, Note
from ...methods import Method, Procedure, Steps
from ...numerics.kept_sums import RECORDS_A_COLUMN, kept_levels
from ...progress import Progress
from ...protection.options import Options
from ...protection.protect import run_protect
from ...protection.protected import open_copies
from ...protection.request import protect_request, seed_for
from ...protection.variables import described_frame, with_missing
from ...rstream import RStream
from ...types import Array, Codes, Mask, Rows
from ..copies import mean_of
from ..encoded_files import encoded_original, encoded_release
from ..systematic_sample import POWER, systematic_sample
from .attacks import Split
from .moment_attack import PublishedGroups, PublishedSums
from .replicated import Keys

FEWEST = 20  # records in either part
SMALL = "the file has {count} records: below {total} an audit has no power, and finding nothing means nothing"
UNATTACKED = "{count} of {total} records miss values: they are protected with the others and not attacked"
SAMPLED = "the audit works on a random sample of {count} of the {total} records"
MERGED = "strata are too small in a part of the file: the smallest are merged, {count} of {total} are left"
ONE_EACH = "the records of each {columns} are protected, or not, together, and one of them is attacked: {count} units are attacked"
NO_PREDICTORS = "there are no independent columns: attribute hits are not judged"


@dataclass(frozen=True)
class AuditFile:
    """The records of an audit, and how parts of them are protected."""

    method: Procedure
    """The audited method."""
    roles: Roles
    """The roles of the columns."""
    stream: RStream
    """Draws the splits, and starts the releases."""
    share: float
    """The share of the records that is protected."""
    options: Options
    """Options of protect()."""
    engine: Engine
    """Runs the sums of the releases."""
    frame: Frame
    """The records."""
    encoded: Frame
    """The whole file by its variables, whose numbers are attacked."""
    design: Predictors
    """The independent columns as numbers."""
    confidential: tuple[str, ...]
    """The columns that are attacked."""
    X: Array
    """(n, s) the values of the independent columns."""
    Y: Array
    """(n, t) the values of the attacked columns."""
    complete: Mask
    """(n,) the records that are attacked: all but those that miss values."""
    units: Codes
    """(n,) the unit of each record; one record of a unit is attacked."""
    strata: Strata
    """The strata; one without strata."""
    pooled: Mask | None = None
    """(n, q) the records of each level of X that shares its column with others, which draws tell apart; None where there are none."""
    keys: Keys | None = None
    """The columns whose combinations a release may replicate; None without such a column."""

    @cached_property
    def sampling_units(self) -> Codes | None:
        """The primary sampling unit (n,) of each record, which is released; None without."""
        return sampled_units(self.frame, self.roles)

    @property
    def published_sums(self) -> PublishedSums | None:
        """The sums that releases preserve, of the attacked records; None where the method preserves none.

        They are sums within each stratum, and within each level of a column of `preserve` in it. What a level keeps is
        what a release of the protected share of its records keeps.
        """
        keeps = self.method.facts(self.roles).keeps
        if not keeps:
            return None
        stratum = self.strata.codes[self.complete]
        groups = [PublishedGroups.whole(stratum, cross=keeps in ("swaps", "moments"))]
        # Of the methods that preserve cross sums only swaps do so within levels.
        groups += [self._published_in_levels(name, cross=keeps == "swaps") for name in self.options.preserve or ()]
        return PublishedSums(groups=groups, share=self.share)

    def _published_in_levels(self, name: str, *, cross: bool) -> PublishedGroups:
        """The levels of a column in each stratum, small ones joined as protect() does in a protected part."""
        X = self.X[self.complete]
        rows = np.flatnonzero(self.complete)
        weights = None if self.options.weights is None else self.frame.values(self.options.weights)[rows]
        columns = (1 + X.shape[1]) * (1 if weights is None else 2)  # of a level's own design
        fewest = math.ceil(RECORDS_A_COLUMN * columns / self.share)
        codes = np.empty(len(rows), dtype=np.int64)
        means_only = list[bool]()
        stratum = self.strata.codes[rows]
        for members in groups_of(stratum):
            levels = levels_of("audit", self.frame, name, rows[members]).joined(fewest)
            of_members = None if weights is None else weights[members]
            kept = kept_levels(
                X[members], of_members, levels.indicators, self.Y.shape[1], cross=cross, times=self.share
            )
            codes[members] = len(means_only) + levels.codes
            means_only += kept.means_only.tolist()
        return PublishedGroups(codes=codes, means_only=np.array(means_only, dtype=bool), cross=cross)

    def splits(self, progress: Progress | None, copies: int) -> tuple[list[Split], Split | None]:
        """One random part protected: a split for each copy of its release, and that of the mean of several copies.

        Draws: the members, then the seed of the release.
        """
        member = self._members()
        part = _taken(self.frame, np.flatnonzero(member))
        seed = seed_for(self.method, self.stream)
        options = self.options.changed(copies=copies, shuffle=False)
        roles = self._roles_in_part(member)
        method = self.method.of_part(part.records / self.encoded.records)
        released = run_protect(part, method, roles, seed, options, engine=self.engine, progress=progress)
        frames = [encoded_release(self.encoded, copy) for copy in open_copies("audit", released)]
        of_copies = [self._split(part, member, frame) for frame in frames]
        mean = mean_of(frames) if copies > 1 else None
        if mean is None:
            return of_copies, None
        return of_copies, self._split(part, member, mean)

    def _members(self) -> Mask:
        """(n,) the records to protect: a random share of the complete ones in each stratum, and of the incomplete ones.

        Records are drawn one of each unit; the other records of its unit are protected with it. Draws: for each stratum, a
        uniform and a sample.
        """
        complete = self.complete
        first_of_unit = one_of_each(self.units, complete)
        drawn = np.zeros(len(self.Y), dtype=bool)
        for part in (first_of_unit & complete, first_of_unit & ~complete):
            for records in self.strata.rows:
                rows = records[part[records]]
                if not len(rows):
                    continue
                # The share of the rows, rounded up with the probability of its fraction: the expected size is the share.
                size = self.share * len(rows)
                rounded_up = self.stream.runif(1)[0] < size - np.floor(size)
                places = self.stream.sample_int(len(rows), int(size) + int(rounded_up)) - 1
                drawn[rows[places]] = True
        member = np.isin(self.units, self.units[drawn])
        of_members = int((member & complete).sum())
        of_others = int((~member & complete).sum())
        if min(of_members, of_others) < FEWEST:
            rule = f"needs at least {FEWEST} records that are protected and {FEWEST} that are not"
            raise InvalidInput("audit", rule, min(of_members, of_others))
        return member

    def _roles_in_part(self, member: Mask) -> Roles:
        """The roles without columns that have one value in the members, which no regression takes: they are released unchanged.

        All roles for Steps and a new file, and where no dependent column would be left.
        """
        roles = self.roles
        if isinstance(self.method, Steps) or self.method.makes_new_file():
            return roles
        names = (*self.design.roles.independent, *roles.dependent)
        values = np.hstack([self.X[member], self.Y[member]])
        constant = {name for name, y in zip(names, values.T, strict=True) if np.nanmin(y) == np.nanmax(y)}
        independent = tuple(name for name in roles.independent if name not in constant)
        dependent = tuple(name for name in roles.dependent if name not in constant)
        if not constant or not dependent:
            return roles
        return replace(plain_roles(roles), independent=independent, dependent=dependent)

    def _split(self, part: Frame, member: Mask, released: Frame) -> Split:
        """One release of the members, whose frame is `part`: its complete records, and the attacked originals."""
        predictors = self.design.roles.independent
        columns = (*predictors, *self.confidential)
        coded = self.design.frame(released)
        values = checked(f"audit, release of {self.method}", coded, columns)  # (N, s + t)
        known = ~np.isnan(values).any(axis=1)
        if known.sum() < FEWEST:
            raise InvalidInput("audit", f"needs at least {FEWEST} complete records in each release", int(known.sum()))
        is_new = self.method.makes_new_file() or self.method.draws_households(self.roles)
        pairs = None if is_new else paired_rows(part, coded)
        # For each original, the place of its released record among the complete ones; -1 if it has none.
        own = np.full(len(member), -1)
        if pairs is not None:
            rows_of_part, rows_of_release = pairs
            place = np.full(len(values), -1)
            place[known] = np.arange(known.sum())
            rows_of_file = np.flatnonzero(member)
            own[rows_of_file[rows_of_part]] = place[rows_of_release]
        s = len(predictors)
        attacked = self.complete
        return Split(
            X=self.X[attacked],
            Y=self.Y[attacked],
            member=member[attacked],
            own=own[attacked],
            released=values[known, :s],
            Z=values[known, s:],
        )


@dataclass(frozen=True)
class AuditRecords:
    """The records of an audit, and what is known of each."""

    frame: Frame
    """The records."""
    values: Array
    """(n, s + t) the independent columns, as the design has them, then the attacked columns; NaN for missing."""
    complete: Mask
    """(n,) whether a record misses none of these values."""
    strata: Codes
    """(n,) the stratum of each record."""
    units: Codes
    """(n,) the unit of each record."""

    def taken(self, rows: Rows) -> AuditRecords:
        """Some of the records."""
        return AuditRecords(
            frame=_taken(self.frame, rows),
            values=self.values[rows],
            complete=self.complete[rows],
            strata=self.strata[rows],
            units=self.units[rows],
        )

    def sample(self, protected: Mask, stream: RStream) -> Rows:
        """The rows of a random sample of the records to protect: all where they are few, else whole units within strata."""
        rows = np.flatnonzero(protected)
        units_from_0 = np.unique(self.units[rows], return_inverse=True)[1]
        return rows[systematic_sample(self.strata[rows], units_from_0, stream)]


def opened(
    source: Frame, method: Procedure, roles: Roles, *, stream: RStream, share: float, options: Options, engine: Engine
) -> tuple[AuditFile, tuple[Note, ...]]:
    """The file of an audit, a random sample of it where it has more than SAMPLE records, and the notes.

    options : of protect(). Incomplete records are protected too where `missing` is "protect", and are not attacked.
    """
    missing = _missing_option(source, method, roles, options)
    strata = tuple(options.strata or ())
    require_columns("audit", source, (*strata, *roles.identifiers, *roles.unknown, *roles.independent))
    attacked = attacked_columns(method, roles)
    encoded = encoded_original("audit", source, options.variables)
    # A new file has no columns that are released unchanged: the independent ones are attacked too.
    unchanged = replace(plain_roles(roles), independent=()) if method.makes_new_file() else roles
    design = _design(encoded, unchanged, attacked, missing)
    values, complete, notes = _values(design.frame(encoded), (*design.roles.independent, *attacked), missing)
    notes = [*source.notes, *notes]
    unit = name_of_joint_unit(roles)
    records = AuditRecords(
        frame=source,
        values=values,
        complete=complete,
        strata=strata_codes("audit", source, strata, missing),
        units=source.codes(unit) if unit else np.arange(len(complete)),
    )
    # The records that protect() would release: all of them, or the complete ones.
    protected = np.ones(len(complete), dtype=bool) if missing == "protect" else complete
    rows = records.sample(protected, stream)
    if len(rows) < protected.sum():
        notes.append(Note.of("left_out", SAMPLED, count=len(rows), total=int(protected.sum())))
    pooled = levels_in_pools("audit", encoded, design.terms)
    if len(rows) < len(complete):
        records = records.taken(rows)
        pooled = None if pooled is None else pooled[rows]
    complete = records.complete
    if unit is not None:
        complete = complete & one_of_each(records.units, complete)
        notes.append(Note.of("left_out", ONE_EACH, [unit], count=int(complete.sum())))
    if complete.sum() < POWER:
        notes.append(Note.of("unreliable", SMALL, count=int(complete.sum()), total=POWER))
    s = len(design.roles.independent)
    if s == 0:
        notes.append(Note.of("left_out", NO_PREDICTORS))
    file = AuditFile(
        method=method,
        roles=roles,
        stream=stream,
        share=share,
        options=options,
        engine=engine,
        frame=records.frame,
        encoded=encoded,
        design=design,
        confidential=tuple(attacked),
        X=records.values[:, :s],
        Y=records.values[:, s:],
        complete=complete,
        units=records.units,
        strata=Strata.of(strata, records.strata),
        pooled=pooled,
        keys=Keys.of(records.frame, design, tuple(attacked)),
    )
    file, merging = _with_large_strata(file)
    return file, (*notes, *merging)


def _missing_option(source: Frame, method: Procedure, roles: Roles, options: Options) -> str:
    """The option `missing` as protect() would have it: where it is left open, the file decides."""
    named = None if isinstance(method, Steps) else roles
    request = protect_request(method, named, None, options, None)
    return with_missing(request, described_frame(request, source)).missing


def _values(coded: Frame, columns: Sequence[str], missing: str) -> tuple[Array, Mask, list[Note]]:
    """Values (n, p) of the columns, which records (n,) are complete, and a note on the others. Raises InvalidInput."""
    values = checked("audit", coded, columns)
    incomplete = "refuse" if missing == "refuse" else "drop"
    complete, _ = complete_records("audit", np.isnan(values), coded.stored(columns), incomplete)
    notes = left_out(complete)
    if missing == "protect":
        notes = [note.changed(wording=UNATTACKED, brief=None) for note in notes]
    return values, complete, notes


def _design(source: Frame, roles: Roles, steps: Mapping[str, Method | None], missing: str) -> Predictors:
    """The design of the independent columns, and the levels of the attacked columns that are categories."""
    known = [name for name in roles.independent if is_numeric(source, name) or is_categorical(source, name)]
    design = coded_predictors("audit", source, replace(plain_roles(roles), independent=tuple(known)), missing)
    levels = [
        name
        for name, step in steps.items()
        if not is_numeric(source, name) or (step and step.work(roles, None).takes_categories)
    ]
    return replace(design, levels=column_levels("audit", source, levels, missing))


def _with_large_strata(file: AuditFile) -> tuple[AuditFile, list[Note]]:
    """The file with strata that protect() would refuse in the protected part merged, and a note on them.

    The numbers of the merged strata replace a column of the strata that has no other part in the release.
    """
    fewest = max(15, 3 * (len(file.roles.independent) + 1))  # records of a stratum that protect() processes alone
    large = merged(file.strata, fewest / file.share)
    used = (*file.roles.independent, file.options.weights, *(file.options.preserve or ()))
    name = next((name for name in file.strata.columns if name not in used), None)
    if len(large) == len(file.strata) or name is None:
        return file, []
    note = Note.of("by_strata", MERGED, count=len(large), total=len(file.strata))
    numbers = large.codes.astype(str).astype(object)
    levels = [str(k) for k in range(len(large))]
    frame = open_frame("audit", file.frame.reshaped({name: (numbers, levels)}, {}, None))
    return replace(file, frame=frame, options=file.options.changed(strata=(name,)), strata=large), [note]


def _taken(frame: Frame, rows: Rows) -> Frame:
    """Some records of a frame, with its labels."""
    return open_frame("audit", frame.taken(rows)).with_labels_of(frame)


def attacked_columns(method: Procedure, roles: Roles) -> dict[str, Method | None]:
    """The columns that are attacked, each with the step that treats it; None where no single step does.

    The dependent columns, of Steps those that are not coarsened as key variables are; all columns of a method that makes a new
    file, which has independent ones of its own.
    """
    if method.makes_new_file():
        return dict.fromkeys((*roles.independent, *roles.dependent))
    steps = {name: method.treating(name, roles) for name in roles.dependent}
    not_coarsened: dict[str, Method | None] = {
        name: step for name, step in steps.items() if step is not None and step.facts(roles).masks != "keys"
    }
    return not_coarsened or steps


def merged(strata: Strata, least: float) -> Strata:
    """Strata of at least `least` records, or one: the smallest joins the next smallest."""
    groups = sorted(strata.rows, key=len)
    while len(groups) > 1 and len(groups[0]) < least:
        smallest, next_smallest, *others = groups
        together = np.sort(np.concatenate([smallest, next_smallest]))
        groups = sorted([together, *others], key=len)
    in_order_of_appearance = sorted(groups, key=lambda rows: int(rows[0]))
    return Strata(strata.columns, tuple(in_order_of_appearance))


def one_of_each(units: Codes, complete: Mask) -> Mask:
    """(n,) one record of each unit: the first that is complete, else the first."""
    # By unit, complete records first. np.unique returns the first place of each unit in this order.
    order = np.lexsort((~complete, units))
    places = np.unique(units[order], return_index=True)[1]
    chosen = np.zeros(len(units), dtype=bool)
    chosen[order[places]] = True
    return chosen

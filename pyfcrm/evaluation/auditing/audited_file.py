"""The file of an audit: its records, a sample of them where they are many, and the splits of which parts are protected."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...data import Frame, Roles, checked, complete_records, is_numeric, open_frame, paired_rows, plain_roles
from ...data.check import left_out, require_columns
from ...data.codes import combinations
from ...data.predictors import Predictors, coded_predictors, column_levels, is_categorical
from ...data.strata import Strata, strata_codes
from ...engine import Engine
from ...errors import InvalidInput, Note
from ...methods import Method, Procedure, Steps
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
from .moment_attack import PublishedSums
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
    keys: Keys | None = None
    """The columns whose combinations a release may replicate; None without such a column."""

    @property
    def published_sums(self) -> PublishedSums | None:
        """The sums that releases preserve, of the attacked records: of each stratum, or of each level of `preserve` within it."""
        keeps = self.method.facts(self.roles).keeps
        if not keeps:
            return None
        whole, preserve = self.complete, tuple(self.options.preserve or ())
        stratum = self.strata.codes[whole]
        levels = [self.frame.codes(name)[whole] for name in preserve]
        groups = [combinations(np.column_stack([stratum, codes])) for codes in levels] or [stratum]
        # Of the methods that preserve cross sums only swaps do so within levels.
        cross = keeps == "swaps" or (keeps == "moments" and not preserve)
        return PublishedSums(groups=groups, cross=cross, share=self.share)

    def splits(self, progress: Progress | None, copies: int) -> tuple[list[Split], Split | None]:
        """One random part protected: a split for each copy of its release, and that of the mean of several copies."""
        member = self._members()
        part = _taken(self.frame, np.flatnonzero(member))
        seed = seed_for(self.method, self.stream)
        options = self.options.changed(copies=copies, shuffle=False)
        released = run_protect(
            part, self.method, self._varying(member), seed, options, engine=self.engine, progress=progress
        )
        frames = [encoded_release(self.encoded, copy) for copy in open_copies("audit", released)]
        mean = mean_of(frames) if copies > 1 else None
        of_each = [self._split(part, member, frame) for frame in frames]
        return of_each, None if mean is None else self._split(part, member, mean)

    def _members(self) -> Mask:
        """(n,) a random share of the complete records, in each stratum separately, and of the others."""
        member, complete = np.zeros(len(self.Y), dtype=bool), self.complete
        first = one_of_each(self.units, complete)
        for part in (first & complete, first & ~complete):
            for rows in (rows[part[rows]] for rows in self.strata.rows):
                size = self.share * len(rows)
                up = len(rows) > 0 and self.stream.runif(1)[0] < size - np.floor(size)
                member[rows[self.stream.sample_int(len(rows), int(size) + int(up)) - 1]] = True
        member = np.isin(self.units, self.units[member])
        fewest = min(int(member[complete].sum()), int((~member[complete]).sum()))
        if fewest < FEWEST:
            rule = f"needs at least {FEWEST} records that are protected and {FEWEST} that are not"
            raise InvalidInput("audit", rule, fewest)
        return member

    def _varying(self, member: Mask) -> Roles:
        """The roles without columns that have one value in the members: such a column is released unchanged."""
        roles, A = self.roles, np.hstack([self.X[member], self.Y[member]])
        if isinstance(self.method, Steps) or self.method.makes_new_file():
            return roles
        names = (*self.design.roles.independent, *roles.dependent)
        constant = {name for name, y in zip(names, A.T, strict=True) if np.nanmin(y) == np.nanmax(y)}
        if not constant or {*roles.dependent} <= constant:
            return roles
        X, Y = ([name for name in part if name not in constant] for part in (roles.independent, roles.dependent))
        return replace(plain_roles(roles), independent=tuple(X), dependent=tuple(Y))

    def _split(self, part: Frame, member: Mask, released: Frame) -> Split:
        """One release of the members, the frame `part`."""
        predictors, whole = self.design.roles.independent, self.complete
        s, released = len(predictors), self.design.frame(released)
        A = checked(f"audit, release of {self.method}", released, (*predictors, *self.confidential))
        known = ~np.isnan(A).any(axis=1)
        if known.sum() < FEWEST:
            raise InvalidInput("audit", f"needs at least {FEWEST} complete records in each release", int(known.sum()))
        # For each original, the place of its released record among the complete ones; -1 if it has none.
        own = np.full(len(member), -1)
        pairs = None if self.method.makes_new_file() else paired_rows(part, released)
        if pairs is not None:
            rows_of_part, rows_of_release = pairs
            place = np.full(len(A), -1)
            place[known] = np.arange(known.sum())
            own[np.flatnonzero(member)[rows_of_part]] = place[rows_of_release]
        return Split(
            X=self.X[whole],
            Y=self.Y[whole],
            member=member[whole],
            own=own[whole],
            released=A[known, :s],
            Z=A[known, s:],
        )


def opened(
    source: Frame, method: Procedure, roles: Roles, *, stream: RStream, share: float, options: Options, engine: Engine
) -> tuple[AuditFile, tuple[Note, ...]]:
    """The file of an audit, a random sample of it where it has more than SAMPLE records, and the notes.

    options : of protect(). Incomplete records are protected too where `missing` is "protect", and are not attacked.
    """
    named = None if isinstance(method, Steps) else roles
    request = protect_request(method, named, None, options, None)
    missing = with_missing(request, described_frame(request, source)).missing
    strata = tuple(options.strata or ())
    require_columns("audit", source, (*strata, *roles.identifiers, *roles.unknown, *roles.independent))
    attacked = attacked_columns(method, roles)
    encoded = encoded_original("audit", source, options.variables)
    # A new file has no columns that are released unchanged: the independent ones are attacked too.
    unchanged = replace(plain_roles(roles), independent=()) if method.makes_new_file() else roles
    design = _design(encoded, unchanged, attacked, missing)
    columns = (*design.roles.independent, *attacked)
    coded = design.frame(encoded)
    A = checked("audit", coded, columns)
    incomplete = "refuse" if missing == "refuse" else "drop"
    whole, _ = complete_records("audit", np.isnan(A), coded.stored(columns), incomplete)
    notes = left_out(whole)
    if missing == "protect":
        notes = [note.changed(wording=UNATTACKED, brief=None) for note in notes]
    notes = [*source.notes, *notes]
    # Of a large file a sample: within strata, of whole units, from the records that are protected.
    n = len(whole)
    unit = roles.unit or roles.household
    codes = strata_codes("audit", source, strata, missing)
    units = source.codes(unit) if unit else np.arange(n)
    protected = np.flatnonzero(whole | (missing == "protect"))
    unit_numbers = np.unique(units[protected], return_inverse=True)[1]
    rows = protected[systematic_sample(codes[protected], unit_numbers, stream)]
    if len(rows) < len(protected):
        notes.append(Note.of("left_out", SAMPLED, count=len(rows), total=len(protected)))
    if len(rows) < n:
        source = _taken(source, rows)
        A = A[rows]
        codes = codes[rows]
        whole = whole[rows]
        units = units[rows]
    if unit is not None:
        whole = whole & one_of_each(units, whole)
        notes.append(Note.of("left_out", ONE_EACH, [unit], count=int(whole.sum())))
    if whole.sum() < POWER:
        notes.append(Note.of("unreliable", SMALL, count=int(whole.sum()), total=POWER))
    X, Y = np.hsplit(A, [len(design.roles.independent)])
    if not X.shape[1]:
        notes.append(Note.of("left_out", NO_PREDICTORS))
    groups = Strata.of(strata, codes)
    file = AuditFile(
        method=method,
        roles=roles,
        stream=stream,
        share=share,
        options=options,
        engine=engine,
        frame=source,
        encoded=encoded,
        design=design,
        confidential=tuple(attacked),
        X=X,
        Y=Y,
        complete=whole,
        units=units,
        strata=groups,
        keys=Keys.of(source, design, tuple(attacked)),
    )
    # Strata that protect() would refuse in the protected part are merged.
    large = merged(groups, max(15, 3 * (len(roles.independent) + 1)) / share)
    used = (*roles.independent, options.weights, *(options.preserve or ()))
    name = next((name for name in strata if name not in used), None)
    if len(large) < len(groups) and name is not None:
        notes.append(Note.of("by_strata", MERGED, count=len(large), total=len(groups)))
        file = _with_strata(file, large, name)
    return file, tuple(notes)


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


def _with_strata(file: AuditFile, strata: Strata, name: str) -> AuditFile:
    """The file with other strata, whose numbers are in column `name`."""
    codes = strata.codes.astype(str).astype(object), [str(k) for k in range(len(strata))]
    frame = open_frame("audit", file.frame.reshaped({name: codes}, {}, None))
    return replace(file, frame=frame, options=file.options.changed(strata=(name,)), strata=strata)


def _taken(frame: Frame, rows: Rows) -> Frame:
    """Some records of a frame, with its labels."""
    return open_frame("audit", frame.taken(rows)).with_labels_of(frame)


def attacked_columns(method: Procedure, roles: Roles) -> dict[str, Method | None]:
    """The columns that are attacked, each with the step that treats it.

    The dependent columns, of Steps those that are not coarsened as key variables are; all columns of a method that makes a new
    file, which has independent ones of its own.
    """
    if method.makes_new_file():
        return dict.fromkeys((*roles.independent, *roles.dependent))
    steps = {name: method.treating(name, roles) for name in roles.dependent}
    finer: dict[str, Method | None] = {
        name: step for name, step in steps.items() if step is not None and step.facts(roles).masks != "keys"
    }
    return finer or steps


def merged(strata: Strata, least: float) -> Strata:
    """Strata of at least `least` records, or one: the smallest joins the next smallest."""
    groups = sorted(strata.rows, key=len)
    while len(groups) > 1 and len(groups[0]) < least:
        groups = sorted([np.sort(np.concatenate(groups[:2])), *groups[2:]], key=len)
    return Strata(strata.columns, tuple(sorted(groups, key=lambda rows: int(rows[0]))))


def one_of_each(units: Codes, complete: Mask) -> Mask:
    """(n,) one record of each unit: the first that is complete, else the first."""
    order, first = np.lexsort((~complete, units)), np.zeros(len(units), dtype=bool)
    first[order[np.unique(units[order], return_index=True)[1]]] = True
    return first

"""audit(): attacks on the release of a random part of the records, with the other records as control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import choice, names, real_number, whole_number
from ..constraints import parsed
from ..data import Frame, Roles, checked, complete_records, is_numeric, open_frame, paired_rows, plain_roles
from ..data.check import left_out
from ..data.predictors import Predictors, coded_predictors, column_levels, is_categorical
from ..data.source import open_data
from ..data.strata import Numbering, Strata, strata_names
from ..data.structure import require_structure
from ..engine import Engine, chosen, on_this_machine
from ..errors import InvalidInput, Note
from ..measures.detection import held_out
from ..methods import Method, Steps
from ..methods.text import as_method
from ..progress import Progress, report_progress, within
from ..protection.protect import protect
from ..protection.request import MISSING, roles_of, seed_for
from ..rstream import RStream, as_stream
from ..types import Array, Codes, Mask, Rows
from .attacks import MEAN, SHADOWS, Originals, Shadows, Split, attack, hits, together
from .audit_result import Audit, audit_digest
from .audit_sample import one_of_each, sampled_records
from .audit_statistics import Detected, SplitResult, audit_of_splits
from .copies import mean_of
from .references import near_records

MOST_SHADOWS = 100
FOLDS = 3  # of the classifier of detection
FEWEST = 20  # records in either part
POWER = 100  # records below which no attack can stand out
SMALL = "the file has {count} records: below {total} an audit has no power, and finding nothing means nothing"
UNATTACKED = "{count} of {total} records miss values: they are protected with the others and not attacked"
SAMPLED = "the audit works on a random sample of {count} of the {total} records"
MERGED = "strata are too small in a part of the file: the smallest are merged, {count} of {total} are left"
ONE_EACH = "the records of each {columns} are protected, or not, together, and one of them is attacked: {count} units are attacked"
NO_PREDICTORS = "there are no independent columns: attribute hits are not judged"


def audit(
    frame: Any,
    method: Method,
    roles: Roles | None = None,
    seed: int | RStream | None = 1,
    share: float = 0.5,
    repeats: int = 3,
    *,
    shadows: int = 8,
    strata: str | Iterable[str] | None = None,
    constraints: Any = None,
    missing: str = "refuse",
    round_integers: bool = True,
    engine: str | Engine = "local",
    copies: int = 1,
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    structure: Any = None,
    bounds: Any = "default",
    decimals: Any = "default",
    progress: Progress | None = None,
) -> Audit:
    """Attack releases of random parts of a file, with the other records as control.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Whose records must fit in memory; of more than 5,000 complete ones, a random sample of 5,000 is audited.
    method : Method
        Any that releases the dependent columns in their type, one that drops records or leaves gaps too. Categories are
        attacked as positions of their levels.
    roles : Roles, optional
        As in `protect`; those of Steps by default.
    seed : int or RStream, optional
        Starts the splits, the releases, and the draws of the evaluation; None takes the system's entropy.
    share : float
        Of the records, or of each stratum, that are protected: the members.
    repeats : int
        How many splits, each with a release of its own; values are their means.
    shadows : int
        How many further releases train the attack "shadow releases"; 0 leaves it out.
    strata, constraints, missing, round_integers, engine : optional
        As in `protect`, for each release; "protect" fills incomplete records in the releases, which are not
        attacked; "drop" leaves them out.
    copies : int
        How many releases the intruder has of the same members, as `copies` of `protect`: every attack is made on all copies
        together and on their mean, each a line of its own; detection is of the first copy.
    weights, preserve : str or iterable of str, optional
        As in `protect`, for each release: what is preserved exactly is also disclosed.
    structure : Structure or "find", optional
        As in `protect`; "find" searches the members only, as their release would.
    bounds, decimals : optional
        As in `protect`, for each release.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.

    Returns
    -------
    Audit
        Each attack with its control, and the alarms.

    Raises
    ------
    InvalidInput
        As `protect` does, where either part has fewer than 20 records, and for a method that makes categories of numbers.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    The attacks are those of pyfcrm.evaluation.attacks and shadows, on the dependent columns. The independent columns are
    released unchanged: a record that is unique on them is known to be in the file without any attack. Below 100 records an
    audit has no power, and says so. Strata that are too small in a part of the file are merged. The chance of any false
    alarm is 3 per cent over all attacks on membership and attributes together, by permuted labels. Detection, by a
    classifier with three folds, measures utility and raises no alarm. An attack that is not among these may find more. Source: own;
    after El Emam, Mosquera and Fang (2022), Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Westfall and Young (1993).
    """
    choice("audit", "missing", missing, MISSING)
    share = real_number("audit", "share", share, above=0, below=1)
    repeats = whole_number("audit", "repeats", repeats, low=1, high=1000)
    shadows = whole_number("audit", "shadows", shadows, low=0, high=MOST_SHADOWS)
    method = as_method("audit", method)
    roles, stream, steps = roles_of("audit", method, roles), as_stream(seed), repeats + 3
    options = release_options(
        "audit", roles, strata, constraints, structure,
        missing=missing, round_integers=round_integers, copies=copies, weights=weights,
        preserve=names("audit", "preserve", preserve), bounds=bounds, decimals=decimals,
        allow_unprotected=True,  # an attacked half is not published
    )  # fmt: skip
    source = open_data("audit", frame, whole=True)
    with chosen("audit", engine) as runs:
        file, notes = opened(source, method, roles, stream, share, options | {"engine": runs})
        report_progress(progress, 0, steps, "the originals")
        originals, trained = Originals.of(file.Y[file.complete]), None
        if shadows:
            part, last = within(progress, 1, steps), shadows + 1
            parts = (within(part, k, last, f"shadow release {k + 1} of {shadows}") for k in range(shadows))
            releases = [file.splits(each, 1)[0][0] for each in parts]
            report_progress(part, shadows, last, "training")
            trained = Shadows.trained(releases, originals, stream)
        results = [
            _result(file, originals, within(progress, 2 + k, steps, f"split {k + 1} of {repeats}"), trained)
            for k in range(repeats)
        ]
        digest = audit_digest(source, roles, method, options)
        report_progress(progress, repeats + 2, steps, "permuted labels")
        texts = tuple(dict.fromkeys(notes))
        result = audit_of_splits(method, results, stream, notes=texts, shadows=shadows, digest=digest)
    report_progress(progress, 1, 1, "done")
    return result


def release_options(
    owner: str, roles: Roles, strata: Any, constraints: Any, structure: Any, **others: Any
) -> dict[str, Any]:
    """The options of protect() for every release of `owner`, checked as far as all methods share them."""
    require_structure(owner, structure)
    by = strata_names(owner, strata, roles) or None
    return {**others, "strata": by, "constraints": parsed(owner, constraints), "structure": structure}


def _result(file: AuditFile, originals: Originals, progress: Progress | None, shadows: Shadows | None) -> SplitResult:
    """One split: the release and every attack on it."""

    def every_attack(split: Split) -> Iterator[tuple[str, Array]]:
        yield from attack(split, originals)
        if shadows is not None:
            yield SHADOWS, shadows.scores(originals, split.Z)

    copies, mean = file.splits(within(progress, 0, 4, "protecting"), file.options["copies"])
    split = copies[0]
    report_progress(progress, 1, 4, "attacks on membership")
    scores = together(copies, mean, every_attack)
    report_progress(progress, 2, 4, "attribute hits")
    excluded, included, inferred = _hits(split, mean, file)
    report_progress(progress, 3, 4, "detection")
    detected = _detection_scores(split, split.released, split.Z, file.stream)
    control = _detection_scores(split, split.X[split.member], split.Y[split.member], file.stream)
    report_progress(progress, 4, 4, "detection")
    return SplitResult(split.member, scores, excluded, included, inferred, detected, control)


def _hits(split: Split, mean: Split | None, file: AuditFile) -> list[dict[str, Array]]:
    """Hits by kind: own record excluded, included, and included in the control release; none without X.

    The control is a reference release, which does not use the records' own values. mean : of several copies, whose kinds
    come first.
    """
    if not split.X.shape[1]:
        return [{}, {}, {}]
    member = split.member
    draw = near_records(split.X, split.Y, file.stream, on_this_machine(file.options["engine"]))[member]
    control = replace(split, own=np.where(member, np.cumsum(member) - 1, -1), released=split.X[member], Z=draw)
    tables = list[dict[str, Array]]()
    for excluded, part, other in ((True, split, mean), (False, split, mean), (False, control, control)):
        of_mean = {} if mean is None or other is None else hits(other, excluded)
        tables.append({f"{kind}, {MEAN}": share for kind, share in of_mean.items()} | hits(part, excluded))
    return tables


def _detection_scores(split: Split, X: Array, Z: Array, stream: RStream) -> Detected:
    """Held-out scores of a classifier that separates records (X, Z) from the originals that were not protected."""
    others = np.hstack([split.X[~split.member], split.Y[~split.member]])
    released = np.hstack([X, Z])
    folds = [stream.sample_int(len(A)) % FOLDS for A in (others, released)]
    scores = held_out(others, released, *folds)
    return Detected(scores.original, scores.protected, *folds)


@dataclass(frozen=True)
class AuditFile:
    """The records of an audit, and how parts of them are protected.

    share : of the records that is protected; options : of protect(); frame : the records; design :
    of the independent columns; X (n, s), Y (n, t) : their values and those of the dependent columns; complete (n,) :
    the records that are attacked, all but those that miss values; strata : None without; units (n,) : the unit of each
    record, of which one record is attacked, None without.
    """

    method: Method
    roles: Roles
    stream: RStream
    share: float
    options: Mapping[str, Any]
    frame: Frame
    design: Predictors
    X: Array
    Y: Array
    complete: Mask
    strata: Strata | None = None
    units: Codes | None = None

    @property
    def confidential(self) -> tuple[str, ...]:
        """The columns that are attacked."""
        return attacked_columns(self.method, self.roles)

    def splits(self, progress: Progress | None, copies: int) -> tuple[list[Split], Split | None]:
        """One random part protected: a split for each copy of its release, and that of the mean of several copies."""
        member = self._members()
        part = _taken(self.frame, np.flatnonzero(member))
        options = {**self.options, "copies": copies}
        source, seed = part if part.table is not None else part.frame, seed_for(self.method, self.stream)
        releases = protect(source, self.method, self._varying(member), seed, progress=progress, **options).frames
        frames = [open_frame("audit", release) for release in releases]
        mean = mean_of(frames) if copies > 1 else None
        of_each = [self._split(part, member, frame) for frame in frames]
        return of_each, None if mean is None else self._split(part, member, mean)

    def _members(self) -> Mask:
        """(n,) a random share of the complete records, in each stratum by itself, and of the others."""
        member, complete = np.zeros(len(self.Y), dtype=bool), self.complete
        strata = (np.arange(len(member)),) if self.strata is None else self.strata.rows
        if self.units is not None:
            first = one_of_each(self.units, complete)
            strata = tuple(rows[first[rows]] for rows in strata)
        for rows in (*(rows[complete[rows]] for rows in strata), *(rows[~complete[rows]] for rows in strata)):
            if len(rows):
                size = self.share * len(rows)
                up = self.stream.runif(1)[0] < size - np.floor(size)
                member[rows[self.stream.sample_int(len(rows), int(size) + int(up)) - 1]] = True
        if self.units is not None:
            member = np.isin(self.units, self.units[member])
        fewest = min(int(member[complete].sum()), int((~member[complete]).sum()))
        if fewest < FEWEST:
            rule = f"needs at least {FEWEST} records that are protected and {FEWEST} that are not"
            raise InvalidInput("audit", rule, fewest)
        return member

    def _varying(self, member: Mask) -> Roles:
        """The roles without columns that have one value in the members: such a column is released unchanged."""
        roles, A = self.roles, np.hstack([self.X[member], self.Y[member]])
        if isinstance(self.method, Steps):
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
        columns, s, released = (*predictors, *self.confidential), len(predictors), self.design.frame(released)
        for name in columns:
            if name not in released.names or not is_numeric(released, name):
                rule = f"judges numbers: {self.method} does not release column `{name}` as numbers"
                raise InvalidInput("audit", rule)
        A = checked("audit", released, columns)
        rows = np.flatnonzero(~np.isnan(A).any(axis=1))
        if len(rows) < FEWEST:
            raise InvalidInput("audit", f"needs at least {FEWEST} complete records in each release", len(rows))
        own = np.full(len(member), -1)
        pairs = None if self.method.generates else paired_rows(part, released)
        if pairs is not None:
            place = np.full(released.records, -1)
            place[rows] = np.arange(len(rows))
            own[np.flatnonzero(member)[pairs[0]]] = place[pairs[1]]
        return Split(self.X[whole], self.Y[whole], member[whole], own[whole], A[rows, :s], A[rows, s:])


def opened(
    source: Frame, method: Method, roles: Roles, stream: RStream, share: float, options: Mapping[str, Any]
) -> tuple[AuditFile, tuple[Note, ...]]:
    """The file of an audit, a random sample of it where it has more than SAMPLE records, and the notes.

    options : of protect(). Incomplete records are protected too where `missing` is "protect", and are not attacked.
    """
    notes, missing, strata = list[Note](), options["missing"], options["strata"] or ()
    also = (*strata, *roles.identifiers, *roles.unknown, *roles.independent)
    known = [name for name in roles.independent if is_numeric(source, name) or is_categorical(source, name)]
    design = coded_predictors("audit", source, replace(plain_roles(roles), independent=tuple(known)), missing)
    predictors, attacked = design.roles.independent, attacked_columns(method, roles)
    levels = [name for name in attacked if _takes_categories(method, roles, name) or not is_numeric(source, name)]
    design = replace(design, levels=column_levels("audit", source, levels, missing))
    columns = (*predictors, *attacked)
    A = checked("audit", design.frame(source), columns, also=also)
    whole = complete_records("audit", A, columns, "refuse" if missing == "refuse" else "drop")
    n, complete = len(whole), int(whole.sum())
    protected = whole | (missing == "protect")
    if complete < n and protected.all():
        notes.append(Note.of("left_out", UNATTACKED, count=n - complete, total=n))
    else:
        notes += left_out(whole)
    codes = Numbering("audit", strata, missing).codes(source) if strata else np.zeros(n, dtype=np.int64)
    unit = roles.unit or roles.household
    units = None if unit is None else source.codes(unit)
    rows = sampled_records(protected, codes, units, stream)
    if len(rows) < protected.sum():
        notes.append(Note.of("left_out", SAMPLED, count=len(rows), total=int(protected.sum())))
    if len(rows) < n:
        source = _taken(source, rows)
        A, codes, whole = A[rows], codes[rows], whole[rows]
    if unit is not None and units is not None:
        units = units[rows]
        whole = whole & one_of_each(units, whole)
        notes.append(Note.of("left_out", ONE_EACH, [unit], count=int(whole.sum())))
    if (many := int(whole.sum())) < POWER:
        notes.append(Note.of("unreliable", SMALL, count=many, total=POWER))
    if not predictors:
        notes.append(Note.of("left_out", NO_PREDICTORS))
    s = len(predictors)
    file = AuditFile(method, roles, stream, share, options, source, design, A[:, :s], A[:, s:], whole, None, units)
    if strata:
        file, merger = _with_strata(file, Strata.of(strata, codes))
        notes += merger
    return file, (*source.notes, *notes)


def _taken(frame: Frame, rows: Rows) -> Frame:
    """Some records of a frame, with its labels."""
    part = open_frame("audit", frame.reshaped({}, {}, rows))
    part.table = frame.table
    return part


def attacked_columns(method: Method, roles: Roles) -> tuple[str, ...]:
    """The dependent columns, of Steps those that are not coarsened as key variables are."""
    kinds = {name: treating.masks for name in roles.dependent if (treating := method.treating(name, roles))}
    return tuple(name for name, kind in kinds.items() if kind != "keys") or roles.dependent


def _takes_categories(method: Method, roles: Roles, name: str) -> bool:
    treating = method.treating(name, roles)
    return treating is not None and (treating.takes_categories or not treating.needs_numbers)


def _with_strata(file: AuditFile, strata: Strata) -> tuple[AuditFile, list[Note]]:
    """The file with its strata; the smallest are merged where a part of one could not be protected by itself."""
    large = merged(strata, max(15, 3 * (len(file.roles.independent) + 1)) / file.share)
    used = (*file.roles.independent, file.options["weights"], *" ".join(file.options["preserve"]).split())
    name = next((name for name in strata.columns if name not in used), None)
    if len(large) == len(strata) or name is None:
        return replace(file, strata=strata), []
    labels, order = np.empty(len(file.Y), dtype=object), [str(k) for k in range(len(large))]
    for label, rows in zip(order, large.rows, strict=True):
        labels[rows] = label
    frame = open_frame("audit", file.frame.reshaped({name: (labels, order)}, {}, None))
    note = Note.of("by_strata", MERGED, count=len(large), total=len(strata))
    return replace(file, frame=frame, options={**file.options, "strata": (name,)}, strata=large), [note]


def merged(strata: Strata, least: float) -> Strata:
    """Strata of at least `least` records, or one: the smallest joins the next smallest."""
    groups = sorted(strata.rows, key=len)
    while len(groups) > 1 and len(groups[0]) < least:
        groups = sorted([np.sort(np.concatenate(groups[:2])), *groups[2:]], key=len)
    return Strata(strata.columns, tuple(sorted(groups, key=lambda rows: int(rows[0]))))

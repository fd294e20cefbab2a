"""Puts the accepted structure of a file into the request, or the rules found in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from ..constraints import Constraint, parsed
from ..constraints.accepted import Parts, accepted
from ..constraints.bounds import identities_of
from ..constraints.language import ticked
from ..constraints.structure import structure_of
from ..data import Frame
from ..data.predictors import is_categorical
from ..data.structure import HABITS, Kind, Proposal, Structure
from ..data.tally import FEWEST
from ..engine import is_cluster
from ..errors import InvalidParameter, Note
from ..types import Codes
from .request import ProtectRequest, keeps_signs

FOUND = "found in the original, and kept: {words}"
FOUND_IN_BRIEF = "found in the original, and kept: {alike:a rule|rules} of {columns}"
SIGNS = "found in the original, and kept: the signs of {columns}"
NOTHING = "no rule that nearly all records keep was found"
NOT_SOUGHT = "rules that all records keep were not looked for: {where}"
BY_BLOCKS = "must be left out where a file is read by blocks, or the file be protected by strata (strata=[...]), each of them in memory"
NOT_KEPT = "accepted, but only reported, since this release is not held to it: {words}"
NOT_KEPT_IN_BRIEF = (
    "accepted, but only reported, since this release is not held to it: {alike:a rule|rules} of {columns}"
)
FREQUENT = "{rule} (of codes that at least {fewest} {whose} have)"
TOO_RARE = "found in the original, and not kept, since fewer than {fewest} {whose} have any code of `{column}`: {words}"
RECORDS, UNITS = "records", "units of a group"
CodesOf = Callable[[str], Sequence[Codes]]
"""The codes of a column in each file that the method sees; below 0 where a value is missing."""
FOUND_KINDS: tuple[tuple[Kind, ...], ...] = (
    ("identity", "rounded"),
    ("at_most",),
    ("zero_together", "zero_where"),
    ("nested",),
    HABITS,
)
"""The kinds of rules that share a note."""


def structured(request: ProtectRequest, frame: Frame, notes: list[Note]) -> ProtectRequest:
    """The request with columns derived, and constraints added, as its structure says.

    Under constraints a swap method derives the totals among them too, and has the inequalities. Raises
    InvalidParameter for a file that is read by blocks.
    """
    structure = _structure(request, frame, notes)
    if structure is not None and frame.source is not None and not request.strata:
        value = structure if isinstance(structure, str) else f"{len(structure)} proposals"
        raise InvalidParameter("protect", "structure", BY_BLOCKS, value)
    chosen = _chosen(request, structure, frame, notes, _reported(request))
    by_swaps = request.facts.swaps
    declared = identities_of(request.constraints) if by_swaps else []
    categories = [name for name in request.roles.dependent if is_categorical(frame, name)]
    kept = accepted(chosen, request.roles, declared, categories=categories)
    texts = [*kept.texts, *_signs_of_derived(request, frame, kept.derived)]
    constraints = _with_found(request.constraints, texts, isinstance(structure, str))
    if is_cluster(request.engine) and not kept.is_empty:
        raise InvalidParameter("protect", "engine", "must be local where structure is kept", "a cluster")
    needed = not kept.is_empty or (bool(constraints) and by_swaps)
    known = {name: frame.encoding(name) for name in request.roles.dependent}
    permitted = {name: encoding for name, encoding in known.items() if encoding is not None}
    return replace(request, derivation=kept if needed else None, permitted=permitted, constraints=constraints)


def constrained(request: ProtectRequest, frame: Frame, notes: list[Note], codes_of: CodesOf) -> ProtectRequest:
    """The request with its structure as constraints, which hold in each record of a unit, and as joint zeros and nested codes.

    codes_of : the codes of a column by unit, in each period of each group of units.
    """
    structure = _structure(request, frame, notes)
    chosen = _chosen(request, structure, frame, notes, HABITS, codes_of=codes_of)
    kept = accepted(chosen, request.roles)
    constraints = _with_found(request.constraints, kept.texts, isinstance(structure, str))
    others = chosen.of_kind("zero_together", "zero_where", "nested")
    return replace(request.with_options(structure=others if len(others) else None), constraints=constraints)


def _reported(request: ProtectRequest) -> tuple[Kind, ...]:
    """The kinds of rules that the release is not held to."""
    # Methods whose release looks like the original's, without exact moments, can have its habits too.
    return () if keeps_signs(request.method, request.roles) else HABITS


def _structure(
    request: ProtectRequest, frame: Frame, notes: list[Note]
) -> Structure | Literal["default", "find"] | None:
    """The structure of the request; None for "default" where rules are not looked for.

    They are with methods whose release looks like the original's, of records in memory.
    """
    structure: Structure | Literal["default", "find"] | None = request.options.structure
    if not isinstance(structure, str) or structure != "default":
        return structure
    if request.facts.privacy is not None or not keeps_signs(request.method, request.roles):
        return None
    if is_cluster(request.engine):
        notes.append(Note.of("left_as_is", NOT_SOUGHT, where="the engine is a cluster"))
        return None
    if frame.source is not None and not request.strata:
        notes.append(Note.of("left_as_is", NOT_SOUGHT, where="the file is read by blocks"))
        return None
    return structure


def _signs_of_derived(request: ProtectRequest, frame: Frame, derived: Mapping[str, Parts]) -> list[str]:
    """The constraint of each derived column that keeps its sign, where its parts do not imply it: of 1 - p, that it is at least 0.

    Its values would be cut at 0, and would no longer follow from the parts. So would the parts where they are moved: theirs are
    constraints too.
    """

    def keeps_sign(name: str) -> bool:
        return name in request.roles.dependent and request.keeps_sign(name) and bool(np.nanmin(frame.values(name)) >= 0)

    found = set[str]()
    for name, parts in derived.items():
        if keeps_sign(name) and min(parts.values()) < 0:
            found |= {name, *filter(keeps_sign, parts)}
    return [f"{ticked(name)} >= 0" for name in request.roles.dependent if name in found]


def _with_found(declared: Sequence[Constraint], texts: Sequence[str], found: bool) -> tuple[Constraint, ...]:
    """The declared constraints, and those of a structure. found : whether this was found in the file, not accepted by a person."""
    known = {one.text for one in declared}
    others = parsed("protect", [text for text in texts if text not in known]) if texts else ()
    return (*declared, *(replace(one, found=found) for one in others))


def _chosen(
    request: ProtectRequest,
    structure: Structure | Literal["default", "find"] | None,
    frame: Frame,
    notes: list[Note],
    reported: Sequence[Kind],
    *,
    codes_of: CodesOf | None = None,
) -> Structure:
    """The rules that are kept, none where there is no structure. What was found, and the kinds that are only reported, are
    noted.

    codes_of : see constrained(); None where the method sees records, not units.
    """
    if structure is None:
        return Structure(())
    if isinstance(structure, Structure):
        for one in structure.of_kind(*reported):
            notes.append(Note.of("left_as_is", NOT_KEPT, one.columns, words=one.words, brief=NOT_KEPT_IN_BRIEF))
        return Structure(tuple(one for one in structure if one.kind not in reported))
    roles = request.roles
    columns = [*roles.independent, *roles.dependent]
    categories = [name for name in columns if is_categorical(frame, name)]
    habits = structure == "find" and not {*HABITS} <= {*reported}
    found = structure_of(frame, columns, roles.dependent, habits=habits, categories=categories)
    chosen = [one for one in found if (one.holds or one.kind in HABITS) and one.kind not in reported]
    whose = RECORDS if codes_of is None else UNITS
    for one in [one for one in chosen if one.kind == "nested"]:
        column = _shared_column(one, request)
        files = [frame.codes(column)] if codes_of is None else codes_of(column)
        if not any(_has_frequent(codes) for codes in files):
            chosen.remove(one)
            notes.append(
                Note.of("left_as_is", TOO_RARE, one.columns, words=one.rule, fewest=FEWEST, whose=whose, column=column)
            )
    for kinds in FOUND_KINDS:
        of_kinds = [one for one in chosen if one.kind in kinds]
        if of_kinds:
            names = dict.fromkeys(name for one in of_kinds for name in one.columns)
            words = "; ".join(_kept_rule(one, whose) for one in of_kinds)
            notes.append(Note.of("constraints", FOUND, [*names], words=words, brief=FOUND_IN_BRIEF))
    # Bounds keep the signs already.
    signs = [
        one for one in found.of_kind("sign") if one.exact and not all(request.keeps_sign(name) for name in one.columns)
    ]
    if signs:
        notes.append(Note.of("constraints", SIGNS, [name for one in signs for name in one.columns]))
    if not chosen and not signs and structure == "find":
        notes.append(Note.of("constraints", NOTHING))
    return Structure((*chosen, *signs))


def _shared_column(rule: Proposal, request: ProtectRequest) -> str:
    """The column of nested codes of which a code must be frequent to be kept: the finer one, which is drawn again if confidential."""
    inner, outer = rule.columns
    return outer if inner in request.roles.dependent else inner


def _has_frequent(codes: Codes) -> bool:
    """Whether at least 10 of the codes (n,) are equal, and not missing."""
    counts = np.bincount(codes[codes >= 0])
    return bool((counts >= FEWEST).any())


def _kept_rule(rule: Proposal, whose: str) -> str:
    """A rule as it is kept, in words. whose : what has codes, records or units."""
    if rule.kind != "nested":
        return rule.rule
    return FREQUENT.format(rule=rule.rule, fewest=FEWEST, whose=whose)

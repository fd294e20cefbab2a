"""Puts the accepted structure of a file into the request."""

from collections.abc import Sequence
from dataclasses import replace

from ..constraints import parsed
from ..constraints.accepted import accepted
from ..constraints.bounds import identities_of
from ..constraints.structure import find_structure
from ..data import Frame
from ..data.structure import HABITS, Structure
from ..engine import is_cluster
from ..errors import InvalidParameter, Note
from .request import ProtectRequest, default_bounds

FOUND = "found in the original, and kept: {words}"
FOUND_IN_BRIEF = "found in the original, and kept: {alike:a rule|rules} of {columns}"
SIGNS = "found in the original, and kept: the signs of {columns}"
NOTHING = "no rule that all records keep was found"
BY_BLOCKS = "must be left out where a file is read by blocks, or the file be protected by strata (strata=[...]), each of them in memory"
NOT_KEPT = "accepted, but only reported, since this release is not held to it: {words}"
NOT_KEPT_IN_BRIEF = (
    "accepted, but only reported, since this release is not held to it: {alike:a rule|rules} of {columns}"
)


def structured(request: ProtectRequest, frame: Frame, notes: list[Note]) -> ProtectRequest:
    """The request with columns derived, and constraints added, as its structure says.

    Under constraints a swap method derives the totals among them too, and has the inequalities. Raises
    InvalidParameter for a file that is read by blocks.
    """
    structure = request.options.structure
    if structure is not None and frame.source is not None and not request.strata:
        value = structure if isinstance(structure, str) else f"{len(structure)} proposals"
        raise InvalidParameter("protect", "structure", BY_BLOCKS, value)
    # Methods whose release looks like the original's, without exact moments, have its habits too.
    reported = () if default_bounds(request.method, request.roles) == "sign" else HABITS
    chosen = _chosen(request, frame, notes, reported)
    by_swaps = request.facts.swaps
    declared = identities_of(request.constraints) if by_swaps else []
    kept = accepted(chosen, request.roles, declared)
    constraints = parsed("protect", [*request.constraints, *kept.texts])
    work = bool(kept.derived or kept.together or kept.habits)
    if is_cluster(request.engine) and work:
        raise InvalidParameter("protect", "engine", "must be local where structure is kept", "a cluster")
    needed = work or (bool(constraints) and by_swaps)
    return replace(request, derivation=kept if needed else None, constraints=constraints)


def constrained(request: ProtectRequest, frame: Frame, notes: list[Note]) -> ProtectRequest:
    """The request with its structure as constraints, which hold in each record of a unit."""
    texts = accepted(_chosen(request, frame, notes, ("zero_together", *HABITS)), request.roles).texts
    return replace(request.with_options(structure=None), constraints=parsed("protect", [*request.constraints, *texts]))


def _chosen(request: ProtectRequest, frame: Frame, notes: list[Note], reported: Sequence[str]) -> Structure:
    """The proposals that were accepted, none where there is no structure; what was found, and the kinds that are only reported,
    are noted."""
    structure = request.options.structure
    if structure is None:
        return Structure(())
    if isinstance(structure, Structure):
        for one in structure.of_kind(*reported):
            notes.append(Note.of("left_as_is", NOT_KEPT, one.columns, words=one.words, brief=NOT_KEPT_IN_BRIEF))
        return Structure(tuple(one for one in structure if one.kind not in reported))
    found = find_structure(frame, request.roles)
    kept_habits = {*HABITS} - {*reported}
    chosen = Structure(tuple(one for one in found if one.exact or one.kind in kept_habits))
    if not len(chosen):
        notes.append(Note.of("constraints", NOTHING))
        return chosen
    for one in chosen:
        if one.kind != "sign":
            notes.append(Note.of("constraints", FOUND, one.columns, words=one.words, brief=FOUND_IN_BRIEF))
    signs = [name for one in chosen.of_kind("sign") for name in one.columns]
    if signs:
        notes.append(Note.of("constraints", SIGNS, signs))
    return chosen

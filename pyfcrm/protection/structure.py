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
SIGNS = "found in the original, and kept: the signs of {columns}"
NOTHING = "no rule that all records keep was found"
BY_BLOCKS = "must be left out where a file is read by blocks, or the file be protected by strata (strata=[...]), each of them in memory"
NOT_KEPT = "accepted, but only reported, since this release is not held to it: {words}"


def structured(request: ProtectRequest, frame: Frame, notes: list[Note]) -> ProtectRequest:
    """The request with columns derived, and constraints added, as its structure says.

    Under constraints a swap method derives the totals among them too, and has the inequalities. Raises
    InvalidParameter for a file that is read by blocks.
    """
    if request.options.structure is not None and frame.source is not None and not request.strata:
        value = (
            request.options.structure
            if isinstance(request.options.structure, str)
            else f"{len(request.options.structure)} proposals"
        )
        raise InvalidParameter("protect", "structure", BY_BLOCKS, value)
    # Methods whose release looks like the original's, without exact moments, have its habits too.
    reported = () if default_bounds(request.method, request.roles) == "sign" else HABITS
    chosen = _chosen(request, frame, notes, reported)
    limits = request.constraints
    by_swaps = request.facts.swaps
    declared = identities_of(limits) if by_swaps else []
    kept = accepted(chosen, request.roles, declared)
    both = parsed("protect", [*limits, *kept.texts])
    work = bool(kept.derived or kept.together or kept.habits)
    if is_cluster(request.engine) and work:
        raise InvalidParameter("protect", "engine", "must be local where structure is kept", "a cluster")
    derivation = kept if work or (both and by_swaps) else None
    return replace(request, derivation=derivation, constraints=both)


def constrained(request: ProtectRequest, frame: Frame, notes: list[Note]) -> ProtectRequest:
    """The request with its structure as constraints, which hold in each record of a unit."""
    texts = accepted(_chosen(request, frame, notes, ("zero_together", *HABITS)), request.roles).texts
    return replace(request.with_options(structure=None), constraints=parsed("protect", [*request.constraints, *texts]))


def _chosen(request: ProtectRequest, frame: Frame, notes: list[Note], reported: Sequence[str]) -> Structure:
    """The proposals that were accepted, none where there is no structure; what was found, and the kinds that are only reported,
    are noted."""
    if isinstance(request.options.structure, Structure):
        notes += [
            Note.of("left_as_is", NOT_KEPT, one.columns, words=one.words)
            for one in request.options.structure.of_kind(*reported)
        ]
        return Structure(tuple(one for one in request.options.structure if one.kind not in reported))
    if request.options.structure is None:
        return Structure(())
    found = find_structure(frame, request.roles)
    chosen = Structure(tuple(one for one in found if one.exact or one.kind in {*HABITS} - {*reported}))
    signs = [name for one in chosen.of_kind("sign") for name in one.columns]
    notes += [Note.of("constraints", FOUND, one.columns, words=one.words) for one in chosen if one.kind != "sign"]
    notes += [Note.of("constraints", SIGNS, signs)] if signs else []
    if not len(chosen):
        notes.append(Note.of("constraints", NOTHING))
    return chosen

"""What was accepted of a file's structure, put into what is asked of protect()."""

from __future__ import annotations

from dataclasses import replace

from ..constraints import parsed
from ..constraints.accepted import accepted
from ..constraints.bounds import identities_of
from ..constraints.structure import find_structure
from ..data import Frame
from ..data.structure import Structure
from ..errors import InvalidParameter, Note
from ..methods.derived import Derived
from .request import ProtectRequest

FOUND = "found in the original, and kept: {words}"
NOTHING = "no exact identity was found between the columns"
BY_BLOCKS = "must be left out where a file is read by blocks, or the file be protected by strata (strata=[...]), each of them in memory"
NOT_KEPT = "accepted, but only told, since no release is held to a ratio: {words}"


def structured(asked: ProtectRequest, door: Frame, notes: list[Note]) -> ProtectRequest:
    """The request with columns derived, and constraints added, as its structure says; itself where it has none.

    Under constraints a method of exchanges derives the totals among them too, and is told the inequalities. Raises
    InvalidParameter for a file that is read by blocks.
    """
    if asked.structure is not None and door.source is not None and not asked.strata:
        given = asked.structure if isinstance(asked.structure, str) else f"{len(asked.structure)} proposals"
        raise InvalidParameter("protect", "structure", BY_BLOCKS, given)
    chosen, limits = _chosen(asked, door, notes), asked.limits.constraints
    declared = identities_of(limits) if asked.method.exchanges else []
    kept = accepted(chosen, asked.roles, declared)
    both = parsed("protect", [*limits, *kept.texts]) if kept.texts else limits
    held = both if asked.method.exchanges else ()
    if not (kept.derived or kept.together or both):
        return asked
    work = Derived(asked.method, kept, limits=held) if kept.derived or kept.together or held else asked.method
    return replace(asked, method=work, limits=replace(asked.limits, constraints=both))


def _chosen(asked: ProtectRequest, door: Frame, notes: list[Note]) -> Structure:
    """The proposals that were accepted, none where there is no structure; what is only told or was found is noted."""
    if isinstance(asked.structure, Structure):
        ratios = asked.structure.of_kind("ratio")
        notes += [Note.of("left_as_is", NOT_KEPT, one.columns, words=one.words) for one in ratios]
        return asked.structure
    if asked.structure is None:
        return Structure(())
    chosen = find_structure(door, asked.roles).exact
    notes += [Note.of("constraints", FOUND, one.columns, words=one.words) for one in chosen]
    if not len(chosen):
        notes.append(Note.of("constraints", NOTHING))
    return chosen

"""What was accepted of a file's structure, put into what is asked of protect()."""

from __future__ import annotations

from dataclasses import replace

from ..constraints import parsed
from ..constraints.accepted import accepted
from ..constraints.structure import find_structure
from ..data import Frame
from ..data.structure import Structure
from ..errors import Note
from ..methods.derived import Derived
from .request import ProtectRequest

FOUND = "found in the original, and kept: {words}"
NOTHING = "no exact identity was found between the columns"
NOT_KEPT = "accepted, but only told, since no release is held to a ratio: {words}"


def structured(asked: ProtectRequest, door: Frame, notes: list[Note]) -> ProtectRequest:
    """The request with columns derived, and constraints added, as its structure says; itself where it has none."""
    if asked.structure is None:
        return asked
    if isinstance(asked.structure, Structure):
        chosen = asked.structure
        notes += [
            Note.of("left_as_is", NOT_KEPT, one.columns, words=one.words) for one in chosen if one.kind == "ratio"
        ]
    else:
        chosen = find_structure(door, asked.roles).exact
        notes += [Note.of("constraints", FOUND, one.columns, words=one.words) for one in chosen]
        if not len(chosen):
            notes.append(Note.of("constraints", NOTHING))
    kept = accepted(chosen, asked.roles)
    if not (kept.derived or kept.together or kept.texts):
        return asked
    both = parsed("protect", [*asked.limits.constraints, *kept.texts])
    method = Derived(asked.method, kept) if kept.derived or kept.together else asked.method
    return replace(asked, method=method, limits=replace(asked.limits, constraints=both))

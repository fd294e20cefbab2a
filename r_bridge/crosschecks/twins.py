"""R's value of a measure of one of the ground's releases, computed once: the twins compare every pair."""

from __future__ import annotations

from collections.abc import Callable

from .. import reference
from .ground import Array, Ground

MEASURES: dict[str, Callable[[Array, Array], reference.Twin]] = {
    "pil": reference.pil,
    "dbrl": reference.dbrl,
    "prl": reference.prl,
    "id": reference.interval_disclosure,
    "id_rank": reference.interval_disclosure_rank,
}
OF = {"IPSO-C's release": "released", "FCRM's release": "near"}


def twin(ground: Ground, measure: str, release: str) -> reference.Twin:
    """What R's twin of `measure` says of the release in the ground's attribute `release`, "released" or "near"."""
    if (measure, release) not in ground.kept:
        ground.kept[measure, release] = MEASURES[measure](ground.Y, getattr(ground, release))
    found: reference.Twin = ground.kept[measure, release]
    return found

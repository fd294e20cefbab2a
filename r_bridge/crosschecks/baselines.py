"""What chance alone discloses: closed forms and sorted counts here, all pairs counted there."""

from __future__ import annotations

from collections.abc import Callable

from pyfcrm.measures.dbrl import dbrl
from pyfcrm.measures.interval_disclosure import interval_disclosure, interval_disclosure_rank
from pyfcrm.measures.measure import Parts
from pyfcrm.measures.prl import prl
from pyfcrm.measures.score import disclosure_risk

from .. import reference
from .case import COUNTED, Case, Line, Results
from .ground import Array, Ground
from .twins import twin

OURS: dict[str, Callable[[Array, Array], Parts]] = {
    "DBRL": dbrl,
    "PRL": prl,
    "ID, sd": interval_disclosure,
    "ID, rank": interval_disclosure_rank,
}
TWINS = {"DBRL": "dbrl", "PRL": "prl", "ID, sd": "id", "ID, rank": "id_rank"}


def _python(ground: Ground) -> Results:
    found = {name: ours(ground.Y, ground.near) for name, ours in OURS.items()}
    risk = disclosure_risk(found["DBRL"], found["PRL"], found["ID, sd"])
    return {name: parts.baseline for name, parts in found.items()} | {"DR": risk.baseline}


def _r(ground: Ground) -> Results:
    found = {name: float(twin(ground, measure, "near")["baseline"]) for name, measure in TWINS.items()}
    return found | {"DR": reference.dr(found["DBRL"], found["PRL"], found["ID, sd"])}


CASES = (Case("baselines", _python, _r, tuple(Line(name, 1e-12, COUNTED) for name in (*OURS, "DR"))),)

"""The methods that have a reference implementation in R, with their parameters here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pyfcrm.methods import EGADP, FCRM, GADP, IPSO, Calibrated, Hybrid, Method, Permutation, Sequential
from pyfcrm.types import Array

from ..columns import Columns
from ..to_r import reference
from ..to_r.reference import KINDS, Release
from .case import ROUNDING
from .fits import CLUSTERS, FEW

ALPHA = 0.3
"""The share of the original in a hybrid."""
BLOCK = 10
"""Ranks that are permuted together."""
ROUNDS = 3
"""Iterations of fuzzy c-regression."""
SPLINES = "values by model.matrix, natural splines by splines::ns in R, by other columns of the same span in Python"
ALGEBRA = "the same draws and the same algebra: an orthonormal basis in Python, a solved covariance or a QR in R"
NEAREST = "the nearest residuals of the original's covariance: an orthonormal factor in Python, singular values in R"
CUTS = "the same cuts between ranks and the same donors: identical"
PLACED = "original values in the places of the release's ranks: identical"


@dataclass(frozen=True)
class Synthesis:
    """A method, and its reference implementation in R."""

    family: str
    """The first word of its rows."""
    method: Method
    """The method in Python."""
    function: str
    """The name of the R function, of X and Y."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the R function."""
    label: str = ""
    """The parameters in words; empty, or ends with a comma and a space."""
    tolerance: float = 1e-10
    """The tolerance of a release."""
    reason: str = ALGEBRA
    """The reason for this tolerance."""

    def r(self, X: Array | Columns, Y: Array, stream: int) -> Release:
        """The release by R. X : (n, s), or a table with categories."""
        return reference.synthesis(self.function, X, np.asarray(Y), stream, **self.arguments)


def around(wrapped: Synthesis) -> Synthesis:
    """Calibrated without margins, around a synthesis, on the predictors alone."""
    return Synthesis(
        family="Calibrated",
        method=Calibrated(wrapped.method, margins=None, basis="linear"),
        function="calibrated",
        arguments={"wrapped": wrapped.function, **wrapped.arguments},
        label=f"{wrapped.family}, {wrapped.label}",
        tolerance=1e-9,
        reason=NEAREST,
    )


def fuzzy(rounds: int) -> Synthesis:
    """FCRM after some rounds."""
    return Synthesis(
        family="FCRM",
        method=FCRM(c=CLUSTERS, max_iter=rounds),
        function="fcrm_protect",
        arguments={"c": CLUSTERS, "max_iter": rounds},
        label=f"c = {CLUSTERS}, {rounds} rounds, ",
        tolerance=1e-8,
        reason=FEW,
    )


FUZZY = fuzzy(ROUNDS)
FUZZY_OF_STRATA = fuzzy(
    ROUNDS - 1
)  # a stratum has few records, of which one round more amplifies rounding beyond the tolerance
IPSO_KINDS = {
    kind: Synthesis("IPSO", IPSO(kind), "ipso_burridge", {"kind": kind}, f"{kind}, burridge, ") for kind in KINDS
}
NORMAL = Synthesis("GADP", GADP(), "gadp")
EXACT_NORMAL = Synthesis("EGADP", EGADP(), "egadp")
HYBRIDS = tuple(
    Synthesis(f"Hybrid, {kind}", Hybrid(kind, ALPHA), f"hybrid_{kind}", {"alpha": ALPHA})
    for kind in ("linear", "regression")
)
PERMUTED = Synthesis(
    family="Permutation",
    method=Permutation(BLOCK),
    function="permutation_synthesis",
    arguments={"k": BLOCK},
    tolerance=1e-12,
    reason=ROUNDING,
)
CALIBRATED = (around(IPSO_KINDS["B"]), around(NORMAL), around(PERMUTED))
RANKED = Synthesis(
    family="Calibrated",
    method=Calibrated(IPSO("C"), moments=False, margins="original", basis="linear"),
    function="original_margins",
    arguments={"wrapped": "ipso_burridge", "kind": "C"},
    label="original margins by ranks, ",
    tolerance=0.0,
    reason=PLACED,
)
# On columns of values and splines of the predictors.
FLEXIBLE = (
    Synthesis(
        family="IPSO",
        method=IPSO("C", basis="flexible"),
        function="ipso_flexible",
        arguments={"kind": "C"},
        label="C, burridge, flexible basis, ",
        tolerance=1e-9,
        reason=SPLINES,
    ),
    Synthesis(
        family="Calibrated",
        method=Calibrated(IPSO("B"), margins=None),
        function="calibrated_flexible",
        arguments={"wrapped": "ipso_burridge", "kind": "B"},
        label="IPSO, B, burridge, flexible basis, ",
        tolerance=1e-9,
        reason=SPLINES,
    ),
)
# Of values of donors: smoothed draws have no publication from which a reference could be written.
TREES = Synthesis(
    family="Sequential",
    method=Sequential(smooth=False),
    function="sequential_trees",
    label="leaves of 20, first column given all others, ",
    tolerance=0.0,
    reason=CUTS,
)
SYNTHESES = (FUZZY, *IPSO_KINDS.values(), NORMAL, EXACT_NORMAL, *HYBRIDS, PERMUTED, *CALIBRATED, RANKED)
"""Those that are compared on every file."""

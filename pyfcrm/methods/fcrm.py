"""Protection by fuzzy c-regression: each record leaves with its cluster's prediction (Cano and Torra 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arguments import choice, flag, real_number, whole_number
from ..errors import InvalidParameter
from ..fuzzy import FCRMFit, fcrm
from ..rstream import RStream
from .method import Method, Note, unheard

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FCRM(Method):
    """Fuzzy c-regression, released as the prediction x'beta of the cluster each record belongs to most.

    c : number of clusters, the dial between information loss (few) and disclosure risk (many); m : fuzzifier, > 1;
    tol, max_iter : when to stop; intercept : whether the regressions have one; joint : one partition for all
    dependent attributes instead of one for each (the thesis's tables come from one for each); basis : "linear".
    Draws: for each dependent attribute (once, if joint) n*c uniforms, filled by columns.
    Beware: the cluster is chosen by the record's own dependent value, so a release sits near the original, and the
    more clusters the nearer. Source: Cano and Torra (2009); thesis 4.2.
    """

    c: int
    m: float = 1.5
    tol: float = 1e-5
    max_iter: int = 30
    intercept: bool = True
    joint: bool = False
    basis: str = "linear"

    about: ClassVar[str] = "fuzzy c-regression: the prediction of the cluster each record belongs to most"
    source: ClassVar[str] = "Cano and Torra (2009)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", whole_number("FCRM", "c", self.c, low=1))
        object.__setattr__(self, "m", real_number("FCRM", "m", self.m, above=1))
        object.__setattr__(self, "tol", real_number("FCRM", "tol", self.tol, low=0))
        object.__setattr__(self, "max_iter", whole_number("FCRM", "max_iter", self.max_iter, low=1))
        flag("FCRM", "intercept", self.intercept)
        flag("FCRM", "joint", self.joint)
        choice("FCRM", "basis", self.basis, ("linear",))

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard) -> Array:
        """See Method.protect."""
        if self.c > len(Y):
            raise InvalidParameter("FCRM", "c", f"must be at most the number of records, {len(Y)}", self.c)
        note("each record's cluster is chosen by its own dependent values: look at its record linkage before release")
        fits = self.fits(X, Y, stream)
        for k, fit in enumerate(fits):
            which = "" if self.joint else f"dependent attribute {k + 1}: "
            for text in fit.notes:
                note(which + text)
        return np.hstack([fit.fitted for fit in fits])

    def fits(self, X: Array, Y: Array, stream: RStream) -> list[FCRMFit]:
        """The fuzzy c-regressions behind a release: one for each column of Y (n, t), or a single joint one."""
        blocks = [Y] if self.joint else [Y[:, [j]] for j in range(Y.shape[1])]
        settings = (self.c, self.m, self.tol, self.max_iter, self.intercept, self.basis)
        return [fcrm(X, block, *settings, seed=stream) for block in blocks]

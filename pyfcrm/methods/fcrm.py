"""Protection by fuzzy c-regression: each record leaves with its cluster's prediction (Cano and Torra 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arguments import choice, flag, real_number, whole_number
from ..engine import Engine
from ..errors import InvalidParameter
from ..fuzzy import FCRMFit, fcrm
from ..fuzzy.fcm import finite_matrix
from ..fuzzy.radial import CENTRES, RadialBasis, Table, radial_basis, usable_centres, usable_width
from ..progress import Note, ignore, step
from ..rstream import RStream
from ..types import Array
from .donors import donors_near
from .method import Threaded


@dataclass(frozen=True)
class FCRM(Threaded):
    """Fuzzy c-regression: each record is released by the regression of a cluster.

    c : number of clusters, the dial between information loss (few) and disclosure risk (many); m : fuzzifier, > 1;
    tol, max_iter : when to stop; intercept : whether the regressions have one; joint : one partition for all
    dependent attributes instead of one for each (the thesis's tables come from one for each); basis : "linear", or
    "rbf" (ours), Gaussian functions of standardised X instead of X; centres : of those, a number found by fuzzy c-means
    or a table of them in X's units; width : of those, in sd of X, None for the median distance of a record from a centre.
    release : "predict", the paper's, x'beta of the cluster the record belongs to most. Beware: its own dependent value
    chose that cluster, so a release sits near the original, and the more clusters the nearer. "draw" (ours) takes a
    donor for each record, another one among the donors records nearest in standardised X, the same for all dependent
    attributes: x'beta of the donor's cluster plus the donor's residual; a record's own dependent values only count
    in the regressions, with all others. donors : how many records a donor is chosen from.
    Seed: "predict": gives the partition that the fit began with, which it forgets. "draw": undoes it: every donor is then
    known, donors that two records share give the slopes away, and a slope the donor's own values.
    Draws: with "rbf" and a number k of centres n*k uniforms; then for each dependent attribute (once, if joint) n*c
    uniforms, filled by columns; then with "draw" n uniforms, one for each record's donor.
    Source: Cano and Torra (2009); thesis 4.2.
    """

    c: int
    m: float = 1.5
    tol: float = 1e-5
    max_iter: int = 30
    intercept: bool = True
    joint: bool = False
    basis: str = "linear"
    release: str = "predict"
    donors: int = 50
    centres: int | Table = CENTRES
    width: float | None = None

    about: ClassVar[str] = "fuzzy c-regression: the prediction of the cluster each record belongs to most, or a donor's"
    source: ClassVar[str] = "Cano and Torra (2009)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", whole_number("FCRM", "c", self.c, low=1))
        object.__setattr__(self, "m", real_number("FCRM", "m", self.m, above=1))
        object.__setattr__(self, "tol", real_number("FCRM", "tol", self.tol, low=0))
        object.__setattr__(self, "max_iter", whole_number("FCRM", "max_iter", self.max_iter, low=1))
        flag("FCRM", "intercept", self.intercept)
        flag("FCRM", "joint", self.joint)
        choice("FCRM", "basis", self.basis, ("linear", "rbf"))
        choice("FCRM", "release", self.release, ("predict", "draw"))
        object.__setattr__(self, "donors", whole_number("FCRM", "donors", self.donors, low=1))
        object.__setattr__(self, "centres", usable_centres("FCRM", self.centres))
        object.__setattr__(self, "width", usable_width("FCRM", self.width))

    @property
    def undone_by_seed(self) -> bool:
        """See Method.undone_by_seed."""
        return self.release != "predict"

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = ignore, engine: Engine | None = None) -> Array:
        """See Threaded.protect. engine : what the fits run on."""
        if self.c > len(Y):
            raise InvalidParameter("FCRM", "c", f"must be at most the number of records, {len(Y)}", self.c)
        if self.release == "predict":
            note(
                "each record's cluster is chosen by its own dependent values: look at its record linkage before release"
            )
        radial = self.radial(X, stream, engine)
        fits = self._fitted(X, Y, radial, stream, engine, note)
        if radial is not None:
            for text in radial.notes:
                note(text)
        for k, fit in enumerate(fits):
            which = "" if self.joint else f"dependent attribute {k + 1}: "
            for text in fit.notes:
                note(which + text)
        if self.release == "predict":
            return np.hstack([fit.fitted for fit in fits])
        return self._drawn(X, Y, X if radial is None else radial.columns(X), fits, stream, note, engine)

    def radial(self, X: Array, stream: RStream, engine: Engine | None = None) -> RadialBasis | None:
        """The radial basis of X (n, s), None where the regressions are linear."""
        if self.basis == "linear":
            return None
        return radial_basis("FCRM", finite_matrix("FCRM", "X", X), self.centres, self.width, stream, engine)

    def fits(self, X: Array, Y: Array, stream: RStream, engine: Engine | None = None) -> list[FCRMFit]:
        """The fuzzy c-regressions behind a release: one for each column of Y (n, t), or a single joint one."""
        return self._fitted(X, Y, self.radial(X, stream, engine), stream, engine, ignore)

    def _fitted(
        self,
        X: Array,
        Y: Array,
        radial: RadialBasis | None,
        stream: RStream,
        engine: Engine | None,
        note: Note,
    ) -> list[FCRMFit]:
        blocks = [Y] if self.joint else [Y[:, [j]] for j in range(Y.shape[1])]
        settings = (self.c, self.m, self.tol, self.max_iter, self.intercept)
        fits = []
        for done, block in enumerate(blocks):
            step(note, done, len(blocks))
            fits.append(fcrm(X, block, *settings, seed=stream, engine=engine, radial=radial))
        return fits

    def _drawn(
        self,
        X: Array,
        Y: Array,
        A: Array,
        fits: list[FCRMFit],
        stream: RStream,
        note: Note,
        engine: Engine | None,
    ) -> Array:
        """y_d + (a - a_d)'beta, d the donor, beta of its cluster: the prediction at a with the donor's residual.

        A (n, k) are the regressors, the intercept left out, which cancels.
        """
        donor = donors_near("FCRM", X, self.donors, stream, engine)
        slopes = [fit.coef[:, 1:] if self.intercept else fit.coef for fit in fits]
        away = A - A[donor]
        moved = [np.einsum("kr,krt->kt", away, b[fit.labels[donor]]) for b, fit in zip(slopes, fits, strict=True)]
        given = X[donor]
        alike = int((given == X).all(axis=1).sum())
        if alike:
            note(
                f"{alike} of {len(X)} records have a donor with the same independent values, and take its values whole"
            )
        return Y[donor] + np.hstack(moved)

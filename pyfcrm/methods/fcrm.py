"""Protection by fuzzy c-regression: each record leaves with its cluster's prediction (Cano and Torra 2009)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..engine import Engine
from ..errors import InvalidParameter
from ..fuzzy import FCRMFit, fcrm
from ..fuzzy.fcm import finite_matrix
from ..fuzzy.radial import CENTRES, RadialBasis, Table, radial_basis, usable_centres
from ..progress import Note, ignore, step
from ..rstream import RStream
from ..types import Array
from .donors import donors_near
from .method import Threaded
from .parameter import param, rules


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

    c: int = field(
        metadata=rules(
            low=1, dial=(1, 40), help="number of clusters: few lose information, many disclose", unit="clusters"
        )
    )
    m: float = param(1.5, above=1, help="fuzzifier: how far a record belongs to several clusters")
    tol: float = param(1e-5, low=0, help="the fit stops where no membership changes by more")
    max_iter: int = param(30, low=1, help="the fit stops after so many iterations", unit="iterations")
    intercept: bool = param(True, help="whether the regressions have an intercept")
    joint: bool = param(False, help="one partition for all dependent attributes instead of one for each")
    basis: str = param("linear", words=("linear", "rbf"), help="regressors: X itself, or Gaussian functions of it")
    release: str = param(
        "predict",
        words=("predict", "draw"),
        help="the prediction of the cluster a record belongs to most, or a donor's cluster and residual",
    )
    donors: int = param(
        50, low=1, only=("release", ("draw",)), help="how many near records a donor is chosen from", unit="records"
    )
    centres: int | Table = param(
        CENTRES,
        said="a whole number, at least 1, or a list of centres, each a list of numbers",
        check=lambda owner, _, value: usable_centres(owner, value),
        only=("basis", ("rbf",)),
        help="of the Gaussian functions: a number of them, or a table in X's units",
    )
    width: float | None = param(
        None,
        above=0,
        only=("basis", ("rbf",)),
        help="of the Gaussian functions; None is the median distance of a record from a centre",
        unit="standard deviations of X",
    )

    about: ClassVar[str] = "fuzzy c-regression: the prediction of the cluster each record belongs to most, or a donor's"
    source: ClassVar[str] = "Cano and Torra (2009)"

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

"""Protection by fuzzy c-regression: each record leaves with its cluster's prediction (Cano and Torra 2009)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..data.blocks import Sample, taken
from ..data.roles import Roles
from ..engine import one_blas_thread
from ..errors import InvalidParameter, Note
from ..fuzzy import FCRMFit
from ..fuzzy.fcm import Settings, check_fuzzifier
from ..fuzzy.fcrm import START, RegressionFit, regression, regressors
from ..fuzzy.radial import CENTRES
from ..linkage.informed import Attack, MixtureLikelihood, NormalLikelihood, PredictionBoxes, PredictionLikelihood
from ..numerics.design import design, orthogonal_to
from ..rstream import RStream
from ..types import Array
from .basis import flexible_basis
from .donors import donors_near, near_in_order
from .extremes import Extremes, smooth_extremes, top_coded
from .facts import Facts
from .fcrm_model import MAX_CLUSTERS, modelled
from .margins import point_masses
from .method import PROBED_RECORDS, Method
from .parameter import param
from .work import NumberWork, Released, Run, SumWork

OWN_CLUSTER = "each record's cluster is chosen by its own dependent values: look at its record linkage before release"
SAME_DONOR = "{count} of {total} records {count:has|have} a donor with the same independent values, and {count:takes|take} its values whole"


FITTED = ("release", ("predict", "draw"))  # with which alone a parameter has an effect

CHOSEN = 4  # clusters that an intruder takes where the method chooses their number


@dataclass(frozen=True)
class FCRM(Method):
    """Fuzzy c-regression: each record is released by the regression of a cluster.

    Parameters
    ----------
    c : int, optional
        Number of clusters, the dial between information loss (few) and disclosure risk (many); None lets
        release="model" choose.
    m : float
        Fuzzifier, above 1.
    tol, max_iter : float, int
        When to stop: where no membership changes by more, or after so many iterations.
    intercept : bool
        Whether the regressions have one.
    joint : bool
        One partition for all dependent attributes instead of one for each (the thesis's tables come from one for
        each).
    basis : {"linear", "rbf", "flexible"}, optional
        "rbf" (ours): Gaussian functions of standardised X instead of X, around ten centres by fuzzy c-means. "flexible"
        (ours): columns of X's values and splines too, see IPSO. None is "linear", and under Calibrated its basis.
    release : {"predict", "draw", "model"}
        "predict", the paper's, x'beta of the cluster the record belongs to most. Beware: its own dependent value chose
        that cluster, so a release sits near the original, and the more clusters the nearer. "draw" (ours) takes a
        donor for each record, another one among the donors records nearest in standardised X, the same for all
        dependent attributes: x'beta of the donor's cluster plus the donor's residual; a record's own dependent values
        count only in the regressions, as all others do. "model" (ours) has no donor: it draws from fuzzy clusters in
        normal scores.
    donors : int
        How many records a donor is chosen from.

    Notes
    -----
    Draws: with "rbf" n uniforms for each of its centres, 10 or n. Then for each dependent attribute (once, if joint)
    n*c uniforms, filled by columns. Then with "draw" n uniforms, one for each record's donor. With "model" n normals
    for each column that has point masses; n*c uniforms, filled by columns, unless c is 1 (with c=None for each c that
    is tried, of at most 5,000 records, and again of all where there are more); n uniforms a point mass; n uniforms for
    the clusters; n*t normals, by columns, t the columns with other values too; a uniform for each value of a tail.

    Seed: "predict": gives the partition that the fit began with, which it forgets. "draw": undoes it: every donor is
    then known, donors that two records share give the slopes away, and a slope the donor's own values. "model": gives
    the draws, and by them what the model's few numbers are, of which no record's values follow.

    References
    ----------
    Cano and Torra (2009); thesis 4.2.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.FCRM(2, release="draw"), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    c: int | None = param(
        low=1,
        example=8,
        dial=(1, 40),
        help='number of clusters: few lose information, many disclose; None lets release="model" choose',
        unit="clusters",
    )
    m: float = param(1.5, above=1, help="fuzzifier: how far a record belongs to several clusters")
    tol: float = param(1e-5, low=0, help="the fit stops where no membership changes by more")
    max_iter: int = param(30, low=1, high=10_000, help="the fit stops after so many iterations", unit="iterations")
    intercept: bool = param(True, only=FITTED, help="whether the regressions have an intercept")
    joint: bool = param(False, only=FITTED, help="one partition for all dependent attributes instead of one for each")
    basis: str | None = param(
        None,
        words=("linear", "rbf", "flexible"),
        help="regressors: X itself, Gaussian functions of it, or its values and splines; None is linear, under Calibrated its basis",
    )
    release: str = param(
        "predict",
        words=("predict", "draw", "model"),
        help="the prediction of a record's own cluster, a donor's cluster and residual, or draws from a model without donor",
    )
    donors: int = param(
        50, low=1, only=("release", ("draw",)), help="how many near records a donor is chosen from", unit="records"
    )

    about = "fuzzy c-regression: the prediction of each record's own cluster, a donor's, or a draw from a model"
    term = "fuzzy c-regression"
    source = "Cano and Torra (2009)"
    group = "start"

    def extremes(self, y: Array) -> Extremes | None:
        """See Method.extremes."""
        if self.release != "model":
            return None
        masses = point_masses(y)[0]
        return partial(smooth_extremes, y, masses, top_coded(y, masses))

    @property
    def by_column(self) -> bool:
        """See Method.by_column: each column has clusters of its own."""
        return not self.joint and self.release != "model"

    def work(self, roles: Roles, records: int | None) -> NumberWork | SumWork:
        """See Method.work: donors are looked for, and scores taken, among all records."""
        if self.release == "model":
            return NumberWork(self._modelled, bounds="sign")
        if self.release == "draw":
            return NumberWork(self._drawn)
        # Passes of each fit: those of fuzzy c-means, its own, both starts and a last one.
        fits = 1 if self.joint else len(roles.dependent)
        passes = 2 + fits * (START.max_iter + self.max_iter + 3)
        return SumWork(self.fit, passes=passes, basis="flexible" if self.basis == "flexible" else "linear")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        predicted = self.release == "predict"  # by the cluster that the record's own values choose
        return Facts(
            masks="perturb" if predicted else "values",
            pairs="always",
            keeps="",
            averages=predicted,
            reissues_values=False,
            undone_by_seed=self.release == "draw",
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=self._attacks,
            seed_probe="release",
        )

    def _check(self) -> None:
        if self.release != "model" and self.c is None:
            raise InvalidParameter("FCRM", "c", 'must be given unless release="model" is to choose it', None)
        if self.release == "model" and self.basis == "rbf":
            raise InvalidParameter("FCRM", "basis", 'must be "linear" or "flexible" with release="model"', self.basis)

    @property
    def _attacks(self) -> tuple[Attack, ...]:
        """The nearest prediction, and where clusters are attributes' own their lines; where no record decides its own
        release, how Y depends on X."""
        if self.release != "predict":
            return (MixtureLikelihood(self.c or CHOSEN), NormalLikelihood())
        if self.c is None or self.joint or self.basis == "rbf":
            return (PredictionLikelihood(),)
        return (PredictionBoxes(self.c), PredictionLikelihood())

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """See Method.guesser: for drawn releases the donors' residuals, of the first records; the fits' draws are passed over."""
        if self.release != "draw":
            return super().guesser(X, Y, run)
        n, t = Y.shape
        near = near_in_order(X, self.donors, PROBED_RECORDS, run.terms)
        E = orthogonal_to(design(self._regressors(X, Y, run)), Y[:, :1])[:, 0]
        fits = n * self.c * (1 if self.joint else t)
        radial = n * min(n, CENTRES) if self.basis == "rbf" else 0

        def guess(stream: RStream) -> Array:
            stream.skip(radial + fits)
            m, k = near.shape
            return E[near[np.arange(m), (stream.runif(m) * k).astype(np.int64)]][:, None]

        return guess

    def _modelled(self, X: Array, Y: Array, run: Run) -> Array:
        """The release "model" (n, t), see NumberWork.release."""
        check_fuzzifier("FCRM", self.m, self.c or MAX_CLUSTERS)
        # One layout and one thread, for sums in one order.
        with one_blas_thread():
            X = np.ascontiguousarray(X)
            Y = np.ascontiguousarray(Y)
            return modelled(X, Y, self.c, self._settings, run, flexible=self.basis == "flexible")

    def fit(self, sample: Sample, run: Run) -> Released:
        """See SumWork.fit, of the release "predict"."""
        run.note(Note.of("risk", OWN_CLUSTER))
        with one_blas_thread():
            fits = self._fitted(sample, run)
        s, t = sample.s, sample.t
        predicted = zip(*(fit.partition.predicted(fit.gamma) for fit in fits), strict=True)
        return Released(partial(taken, columns=tuple(range(s + t, s + 2 * t))), list(predicted))

    def fits(self, X: Array, Y: Array, run: Run) -> list[FCRMFit]:
        """The fuzzy c-regressions behind a release: one for each column of Y (n, t), or a single joint one."""
        with one_blas_thread():
            return [fit.in_memory() for fit in self._fitted(Sample.of(X, Y, run.engine), run)]

    def _fitted(self, sample: Sample, run: Run) -> list[RegressionFit]:
        how = self._settings(self.c or 1).checked("FCRM", sample.n, sample.s)
        by = regressors("FCRM", sample, self.intercept, self.basis or "linear", run.stream, terms=run.terms)
        for text in by.notes:
            run.note(text)
        groups = [sample.dependent] if self.joint else [(j,) for j in sample.dependent]
        fits = []
        for done, dependent in enumerate(groups):
            run.tracker.step(done, len(groups))
            fits.append(regression(sample, by, how, run.stream, dependent=dependent))
            for text in fits[-1].notes:
                run.note(text if self.joint else text.changed(columns=[done]).after("{attributes}: "))
        return fits

    def _settings(self, c: int) -> Settings:
        return Settings(c, self.m, self.tol, self.max_iter, self.intercept)

    def _regressors(self, X: Array, Y: Array, run: Run) -> Array:
        """The columns of the basis of X (n, s), which Gaussian functions of X replace later."""
        if self.basis != "flexible":
            return X
        return flexible_basis(Sample.of(X, Y, run.engine), run.terms, note=run.note).design(X)

    def _drawn(self, X: Array, Y: Array, run: Run) -> Array:
        """The release "draw" (n, t), see NumberWork.release.

        y_d + (a - a_d)'beta, d the donor, beta of its cluster: the prediction at regressors a with the donor's residual.
        """
        # One layout and one thread, for sums in one order.
        X = np.ascontiguousarray(X)
        Y = np.ascontiguousarray(Y)
        with one_blas_thread():
            columns = self._regressors(X, Y, run)
            fits = self.fits(columns, Y, run)
            donor = donors_near("FCRM", X, self.donors, run.stream, engine=run.engine, terms=run.terms)
            radial = fits[0].radial
            A = columns if radial is None else radial.columns(X)  # (n, r) regressors
            away = A - A[donor]  # in which an intercept cancels
            slopes = [fit.coef[fit.labels[donor], int(self.intercept) :] for fit in fits]  # (n, r, columns of a fit)
            moved = [np.einsum("kr,krt->kt", away, b) for b in slopes]
            alike = int((X[donor] == X).all(axis=1).sum())
            if alike:
                run.note(Note.of("observed_values", SAME_DONOR, count=alike, total=len(X)))
            return Y[donor] + np.hstack(moved)

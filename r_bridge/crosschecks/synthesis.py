"""Releases of FCRM, IPSO, GADP, EGADP, hybrids and permutation; and protect() on a file with a categorical predictor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pyfcrm.methods import EGADP, FCRM, GADP, IPSO, Hybrid, Method, Permutation
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..columns import Columns
from ..frames import from_frame
from ..to_r import reference
from ..to_r.reference import KINDS, Release
from .case import ROUNDING, Case, Line, Problem, Results, other_seed, single
from .fits import CLUSTERS, FEW

if TYPE_CHECKING:
    from pyfcrm import Roles

Reference = Callable[..., Release]  # of X, Y and `stream`
ALPHA, BLOCK, ROUNDS = 0.3, 10, 3
ALGEBRA = "the same draws and the same algebra: an orthonormal basis in Python, a solved covariance or a QR in R"
RELEASE, STATE, PREDICTORS = "release", ".Random.seed, after the draws", "predictors"
DRAWN = {STATE: (0.0, "as many numbers drawn")}
THESIS = {
    RELEASE: (1e-10, ALGEBRA),
    STATE: (0.0, "as many normals drawn: B's block before C's, for every kind"),
    PREDICTORS: (0.0, "unmodified: the same bits in the same records"),
}
# By family and label: the method, its reference implementation, the tolerance of a release and the reason.
SYNTHESES: dict[tuple[str, str], tuple[Method, Reference, float, str]] = {
    ("FCRM", "c = 3, 3 rounds, "): (
        FCRM(c=CLUSTERS, max_iter=ROUNDS), partial(reference.fcrm_protect, c=CLUSTERS, max_iter=ROUNDS), 1e-8, FEW,
    ),
    **{
        ("IPSO", f"{kind}, burridge, "): (IPSO(kind), partial(reference.ipso_burridge, kind=kind), 1e-10, ALGEBRA)
        for kind in KINDS
    },
    ("GADP", ""): (GADP(), partial(reference.regression_synthesis, "gadp"), 1e-10, ALGEBRA),
    ("EGADP", ""): (EGADP(), partial(reference.regression_synthesis, "egadp"), 1e-10, ALGEBRA),
    **{
        (f"Hybrid, {kind}", ""): (
            Hybrid(kind, ALPHA), partial(reference.regression_synthesis, f"hybrid_{kind}", alpha=ALPHA), 1e-10, ALGEBRA,
        )
        for kind in ("linear", "regression")
    },
    ("Permutation", ""): (
        Permutation(BLOCK), lambda X, Y, stream: reference.permutation(Y, BLOCK, stream), 1e-12, ROUNDING,
    ),
}  # fmt: skip


def _case(
    family: str,
    label: str,
    method: Method,
    r: Reference,
    lines: Mapping[str, tuple[float, str]],
    *,
    seed_number: int = 0,
    option: str = "",
) -> Case:
    """A release and the end of its stream, by one of several seeds. With an agency's R file no seed is the one its scripts may set."""

    def results(release: Release) -> Results:
        values = {RELEASE: release.Z, STATE: release.stream.to_r_state(), PREDICTORS: release.X}
        return {label + name: values[name] for name in lines}

    def seed(problem: Problem) -> int:
        return other_seed(problem.seed, seed_number + (problem.ipso_path is not None))

    def python(problem: Problem) -> Results:
        stream = RStream(seed(problem))
        return results(Release(method.protect(problem.X, problem.Y, stream), stream, problem.X))

    def reference_results(problem: Problem) -> Results:
        return results(r(problem, seed(problem)))

    return Case(
        family,
        python,
        reference_results,
        tuple(Line(label + name, *line) for name, line in lines.items()),
        option=option,
    )


def _roles(problem: Problem) -> Roles:
    """The columns of the file with a category."""
    from pyfcrm import Roles

    names, t = [str(name) for name in problem.mixed], problem.Y.shape[1]
    return Roles(names[:-t], names[-t:])


def _protected(method: Method, problem: Problem) -> Array:
    """The release of the file with a category by pf.protect(); no value is rounded or bounded."""
    from pyfcrm import protect

    roles = _roles(problem)
    released = protect(
        problem.mixed, method, roles, seed=problem.seed, decimals=None, bounds=None, round_integers=False, allow_unprotected=True,
    )  # fmt: skip
    assert released.frame is not None
    values: Array = released.frame[list(roles.dependent)].to_numpy(dtype=np.float64)
    return values


def _predictors(problem: Problem) -> Columns:
    return from_frame(problem.mixed[list(_roles(problem).independent)])


def _design(problem: Problem) -> Array:
    from pyfcrm.data import open_frame
    from pyfcrm.data.predictors import coded_predictors

    frame = open_frame("crosscheck", problem.mixed)
    coded = coded_predictors("crosscheck", frame, _roles(problem))
    return coded.frame(frame).matrix(coded.roles.independent)


def _with_category(name: str, method: Method, r: Reference, tolerance: float, reason: str) -> Case:
    line = Line(name, tolerance, reason + "; categories by model.matrix with contr.treatment in R")
    return single("protect()", line, partial(_protected, method), lambda p: r(_predictors(p), p.Y, stream=p.seed).Z)


def _thesis(problem: Problem, seed: int, kind: str) -> Release:
    return reference.ipso(problem.X, problem.Y, kind, seed, problem.ipso_path)


CASES = (
    *(
        _case(
            family, label, method, lambda p, seed, r=r: r(p.X, p.Y, stream=seed), {RELEASE: (tolerance, reason)} | DRAWN
        )
        for (family, label), (method, r, tolerance, reason) in SYNTHESES.items()
    ),
    *(
        _case(
            "IPSO",
            f"{kind}, thesis, {seed}",
            IPSO(kind, "thesis"),
            partial(_thesis, kind=kind),
            THESIS,
            seed_number=k,
            option="--ipso-r",
        )
        for kind in KINDS
        for k, seed in enumerate(("", "another seed, "))
    ),
    single(
        "protect()",
        Line("design of the predictors, model.matrix", 0.0, "numbers unchanged, categories as 0 and 1"),
        _design,
        lambda p: reference.predictors(_predictors(p), p.Y),
    ),
    *(
        _with_category(f"{family}, {label}with a category", *synthesis)
        for (family, label), synthesis in SYNTHESES.items()
    ),
)

"""IPSO's thesis variant against R's IPSOabc: r_scripts/ipso.R, or an agency's own file, which --ipso-r requests.

Each kind is computed for several requests, and R computes each twice: 24 calls, half of them with the columns in another order and
with one column that is neither independent nor dependent, half of them on a part of the records.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from pyfcrm.methods import IPSO
from pyfcrm.rstream import RStream

from ..to_r import reference
from ..to_r.reference import KINDS, Release
from .case import Case, Line, Problem, Results, other_seed
from .syntheses import ALGEBRA

# Parts of the names of rows.
RELEASE = "release"
STATE = ".Random.seed, after the draws"
PREDICTORS = "predictors"


@dataclass(frozen=True)
class Request:
    """One call of IPSOabc."""

    label: str
    """Its part of the name of a row."""
    seed_number: int
    """Which further seed it uses; 0 is the seed of the cross-check."""
    scattered: bool
    """Whether columns come in another order and with one that is neither independent nor dependent."""
    part: bool
    """Whether it has a part of the records only."""


REQUESTS = (
    Request("", 0, scattered=False, part=False),
    Request("other order of columns, ", 1, scattered=True, part=False),
    Request("part of the records, ", 2, scattered=False, part=True),
    Request("part of the records, other order of columns, ", 3, scattered=True, part=True),
)


def _records(problem: Problem, request: Request) -> slice | np.ndarray:
    """The records of a request: all, or two of three, if these are enough and no column is constant on them."""
    if not request.part:
        return slice(None)
    n, t = problem.Y.shape
    rows = np.flatnonzero(np.arange(n) % 3 < 2)
    columns = np.column_stack([problem.X, problem.Y])[rows]
    enough = len(rows) >= 2 + problem.X.shape[1] + 2 * t
    return rows if enough and (np.ptp(columns, axis=0) > 0).all() else slice(None)


def _seed(problem: Problem, request: Request) -> int:
    """The seed of a request. With an agency's file it is none that its scripts are likely to set."""
    return other_seed(problem.seed, request.seed_number + (problem.ipso_path is not None))


def _results(kind: str, request: Request, release: Release) -> Results:
    """The results of a request by line."""
    values = {RELEASE: release.Z, STATE: release.stream.to_r_state(), PREDICTORS: release.X}
    return {_name(kind, request, part): value for part, value in values.items()}


def _name(kind: str, request: Request, part: str) -> str:
    """The name of a line."""
    return f"{kind}, thesis, {request.label}{part}"


def _python(kind: str, request: Request, problem: Problem) -> Results:
    """Python's release, the state after it, and the predictors, which it does not change."""
    rows = _records(problem, request)
    X = problem.X[rows]
    stream = RStream(_seed(problem, request))
    Z = IPSO(kind, "thesis").protect(X, problem.Y[rows], stream)
    return _results(kind, request, Release(Z, stream, X))


def _r(kind: str, request: Request, problem: Problem) -> Results:
    """The release by IPSOabc, the state after it, and the predictors that it returns."""
    rows = _records(problem, request)
    release = reference.ipso(
        problem.X[rows],
        problem.Y[rows],
        kind,
        _seed(problem, request),
        problem.ipso_path,
        scattered=request.scattered,
    )
    return _results(kind, request, release)


def _case(kind: str, request: Request) -> Case:
    """The case of one kind and one request."""
    lines = (
        Line(_name(kind, request, RELEASE), 1e-10, ALGEBRA),
        Line(_name(kind, request, STATE), 0.0, "as many normals drawn: B's block before C's, for every kind"),
        Line(_name(kind, request, PREDICTORS), 0.0, "unmodified: the same bits in the same records"),
    )
    return Case("IPSO", partial(_python, kind, request), partial(_r, kind, request), lines, option="--ipso-r")


CASES = tuple(_case(kind, request) for kind in KINDS for request in REQUESTS)

"""Post-randomisation (PRAM): categories change at random by a known transition matrix."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.codes import MISSING, factorized, single_values
from ..data.roles import Roles
from ..errors import InvalidParameter, Note
from ..rstream import RStream
from ..types import Array, Codes
from .facts import Facts
from .method import Method
from .parameter import param
from .work import CellRelease, CellWork, Run

MATRIX = "a table of probabilities, {from: {to: probability}}"
ROUNDING = 1e-8  # by which a row of a matrix may miss 1


def _matrix(owner: str, name: str, value: Any) -> dict[str, dict[str, float]]:
    """A transition matrix as plain mappings."""
    if hasattr(value, "to_dict"):  # a data frame, its rows the categories
        value = value.to_dict(orient="index")
    rows = list(value.values()) if isinstance(value, Mapping) else []
    if not rows or not all(isinstance(row, Mapping) and all(isinstance(p, Real) for p in row.values()) for row in rows):
        raise InvalidParameter(owner, name, f"must be {MATRIX}", value)
    matrix = {str(start): {str(end): float(p) for end, p in row.items()} for start, row in value.items()}
    for start, row in matrix.items():
        if (
            min(row.values(), default=-1.0) < 0
            or abs(sum(row.values()) - 1) > ROUNDING
            or not row.keys() <= matrix.keys()
        ):
            rule = f"must have rows of probabilities over its own categories that add up to 1 (row `{start}`)"
            raise InvalidParameter(owner, name, rule, row)
    return matrix


@dataclass(frozen=True)
class PRAM(Method):
    """Change the categories of the dependent columns at random, by a transition matrix.

    Parameters
    ----------
    matrix : mapping or data frame, optional
        Transition probabilities {from: {to: p}}, with a row for each category of each dependent column; rows add up to 1.
        None draws a matrix for each column.
    keep : float
        The smallest probability, before `alpha`, that a category stays; 0 to 1.
    invariant : bool
        Whether the matrix drawn leaves the expected frequencies of the categories unchanged. False gives each category the
        probability `keep`, and the others equal ones.
    alpha : float
        Weight of the invariant matrix against no change at all, 0 to 1.

    Notes
    -----
    With category j of frequency f_j, P has p_jj uniform on (keep, 1) and equal other entries, Q_kj = p_jk f_j / sum_i p_ik f_i,
    and R = alpha P Q + (1 - alpha) I: then f R = f. Missing cells stay missing.

    Draws: for each column the diagonal of P, then, level by level in sorted order, R's sample(levels, size, replace = TRUE, prob).
    The release equals sdcMicro's `pram` from the same seed, for factors whose levels are sorted.

    Seed: undoes it in part. It discloses which cells changed.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and de Wolf (1998); sdcMicro's `pram`.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(100)
    >>> roles = pf.Roles(dependent="region", identifiers="name")
    >>> released = pf.protect(frame, pf.PRAM(keep=0.8), roles, missing="protect")
    >>> set(released.frame["region"].dropna()) <= set(frame["region"].dropna())
    True
    """

    matrix: Any = param(None, requirement=MATRIX, check=_matrix, help="transition probabilities by category")
    keep: float = param(0.8, low=0, high=1, help="the smallest probability that a category stays, before alpha")
    invariant: bool = param(True, help="whether expected frequencies of categories stay the original's")
    alpha: float = param(0.5, low=0, high=1, help="weight of the invariant matrix against no change")

    about = "categories that change at random by a known transition matrix"
    term = "post-randomisation"
    source = "Gouweleeuw et al. (1998)"
    group = "perturb"

    def work(self, roles: Roles, records: int | None) -> CellWork:
        """See Method.work."""
        return CellWork(roles.dependent, self.release, takes="objects")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="perturb",
            pairs="always",
            keeps="",
            averages=True,
            reissues_values=True,
            undone_by_seed=True,
            weak_generator=False,
            deniable=True,
            privacy=None,
            swaps=False,
            attacks=(),
            seed_probe="release",
        )

    def release(self, columns: Mapping[str, Any], n: int, run: Run) -> CellRelease:
        """See CellWork.release."""
        moved = {}
        for name, values in columns.items():
            with single_values("PRAM", name):
                codes, levels = factorized(values, sort=True)
            R = self._transitions(name, codes, levels, run.stream)
            new = randomised(codes, R, run.stream)
            # A record gets the cell of the first record that has the new level.
            there = np.flatnonzero(codes != MISSING)
            backwards = there[::-1]  # the first record of a level is written last
            first = np.empty(len(levels), dtype=np.int64)
            first[codes[backwards]] = backwards
            moved[name] = np.arange(n)
            moved[name][there] = first[new[there]]
            wording = "{columns}: {count} of {total} cells have another category"
            run.note(Note.of("recoded", wording, [name], count=int((new != codes).sum()), total=n))
        return CellRelease(moved=moved)

    def _transitions(self, name: str, codes: Codes, levels: NDArray[Any], stream: RStream) -> Array:
        """Transition matrix (k, k) of a column."""
        k = len(levels)
        if self.matrix is not None:
            rows = [[self.matrix.get(str(a), {}).get(str(b), 0.0) for b in levels] for a in levels]
            R = np.array(rows).reshape(k, k)  # also where all cells are missing
            if (lacking := R.sum(axis=1) < 1 - ROUNDING).any():
                rule = f"must have a row for each category of `{name}`, with probabilities of its own categories alone"
                raise InvalidParameter("PRAM", "matrix", rule, levels[lacking.argmax()])
            return R
        if k < 2:
            return np.eye(k)
        if not self.invariant:
            other = (1 - self.keep) / (k - 1)
            return other + np.eye(k) * (self.keep - other)
        counts = np.bincount(codes[codes != MISSING], minlength=k)
        return invariant_matrix(counts / counts.sum(), self.keep, self.alpha, stream)


def invariant_matrix(frequencies: Array, keep: float, alpha: float, stream: RStream) -> Array:
    """Transition matrix (k, k) that leaves these frequencies (k,) unchanged. Draws: k uniforms."""
    k = len(frequencies)
    stay = keep + (1 - keep) * stream.runif(k)
    P = np.repeat(((1 - stay) / (k - 1))[:, None], k, axis=1)
    np.fill_diagonal(P, stay)
    Q = (P * frequencies[:, None]).T / (frequencies @ P)[:, None]
    return alpha * P @ Q + (1 - alpha) * np.eye(k)


def randomised(codes: Codes, R: Array, stream: RStream) -> Codes:
    """New codes (n,), level by level. Draws: a uniform for each cell, as R's sample with probabilities has them."""
    new = codes.copy()
    for level, chances in enumerate(R):
        rows = np.flatnonzero(codes == level)
        order = np.argsort(-chances, kind="stable")
        ends = np.cumsum(chances[order] / chances.sum())
        new[rows] = order[np.searchsorted(ends[:-1], stream.runif(len(rows)))]
    return new

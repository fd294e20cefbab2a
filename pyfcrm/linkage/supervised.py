"""Supervised record linkage: the weights that link most originals to their own records, as a mixed integer programme.

min sum_i K_i / t_i  subject to  w'[d(i, j) - d(i, i)] + C_ij K_i >= eps  for every rival j of i,  w >= 0, sum w = 1,
K binary. t_i protected records equal i's own, whatever the weights, so linking i has the credit 1/t_i.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array, Mask
from .nearest import weighted_share
from .weights import Files, Rivals, dominated_originals, search_weights

EPS = 1e-6  # squared standard deviations by which a record must be nearer than its rivals
MOST_RECORDS = 100  # beyond, no programme: its first node takes longer than the rest of the search
SUBSETS_TO = 20_000  # records up to which subsets of the attributes are starts
MOST_NODES = 500  # of branch and bound: a limit that is the same on every machine
MOST_ROUNDS = 10  # of solving again with the rivals that the last solution violates
NEAREST = 3  # rivals of each original under the best weights, with which the programme starts
SOLVED = 0  # scipy's status codes
INFEASIBLE = 2
SLACK = 1e-6  # of a cost or a credit: a smaller difference is rounding
SMALL_GAIN = 1e-4  # least improvement of the cost if the credits of links differ


@dataclass(frozen=True)
class Supervised:
    """The best weights found, and a bound of what any weights link."""

    weights: Array
    """Weights (p,) of the attributes, which sum to 1."""
    share: Array
    """Shares (n,): 1/t where an original is linked among t records, else 0; ties count."""
    tie_free_bound: float
    """No weights link a greater share of the originals without ties and by a margin of 1e-6 squared sd."""

    @property
    def bound(self) -> float:
        """The largest share that may be possible: the bound, or what is linked with ties."""
        return max(self.tie_free_bound, float(self.share.mean()))

    @property
    def optimal(self) -> bool:
        """True if the share linked equals the bound: no weights link more without ties, nor do ties link more here."""
        return abs(float(self.share.mean()) - self.tie_free_bound) <= SLACK


def supervised_linkage(X: Array, Z: Array) -> Supervised:
    """The weights of squared differences under which distance links most originals to their own records.

    X, Z : (n, p) original and protected, paired by position; each standardised by its own mean and sd (n - 1).
    Three searches: equal weights on subsets of the attributes (see subset_weights), a heuristic that starts from the best of
    these, and up to MOST_RECORDS the integer programme. The best result counts, ties by their share, so no attribute alone
    links more. The weights are not unique.
    Source: Abril, Navarro-Arribas and Torra (2012). Their p_i >= 1 is read as p_i >= 0.
    """
    n = len(X)
    files = Files.of(X, Z)
    w = subset_weights(X, Z)
    improved, rivals = search_weights(files, w)
    w, share = _better(X, Z, w, improved)
    all_credit = float(files.worth.sum())
    if n > MOST_RECORDS:
        return Supervised(w, share, all_credit / n)

    # The programme lowers the cost, the credit that is not linked, and bounds it from below.
    lost = dominated_originals(files)
    cost = _cost(rivals, w)
    least_cost = cost
    if cost > files.worth[lost].sum() + SLACK:
        solution, least_cost = _programme(_near_binding(rivals, w), lost, cost)
        if solution is not None:
            w, share = _better(X, Z, w, solution)
    return Supervised(w, share, (all_credit - least_cost) / n)


def subset_weights(X: Array, Z: Array) -> Array:
    """Equal weights (p,) on those attributes that link most, ties shared: all, each alone, the best few, all but one.

    X, Z : (n, p) paired by position. The best few are the 2, 3, ... attributes that link most alone; these, and all but one,
    are tried up to 20 000 records. Of equal ones the first counts, so no fewer are linked than by equal weights on all.
    """
    n, p = X.shape
    unit = np.eye(p)

    def linked(weights: Iterable[Array]) -> list[float]:
        """Numbers of links under each set of weights."""
        return [float(weighted_share(X, Z, w).sum()) for w in weights]

    tried = [np.ones(p), *unit]
    links = linked(tried)
    if n <= SUBSETS_TO:
        order = np.argsort(-np.array(links[1:]), kind="stable")
        best_few = [unit[order[:k]].sum(axis=0) for k in range(2, p)]
        all_but_one = [1 - w for w in unit] if p > 2 else []
        subsets = best_few + all_but_one
        tried += subsets
        links += linked(subsets)
    best = 0
    for k, value in enumerate(links):
        if value > links[best] * (1 + SLACK):
            best = k
    return tried[best] / tried[best].sum()


def _better(X: Array, Z: Array, w: Array, other: Array) -> tuple[Array, Array]:
    """The one of two sets of weights that links more, ties shared, and its shares; the first if they are alike."""
    share = weighted_share(X, Z, w)
    share_of_other = weighted_share(X, Z, other)
    if share_of_other.sum() > share.sum() * (1 + SLACK):
        return other, share_of_other
    return w, share


def _cost(rivals: Rivals, w: Array) -> float:
    """The credit of the originals that weights w do not link, against their nearest rivals too."""
    return float(rivals.files.worth[rivals.with_nearest(w, NEAREST).missed(w)].sum())


def _programme(rivals: Rivals, lost: Mask, cost: float) -> tuple[Array | None, float]:
    """Weights of lower cost, or None; and a lower bound of the cost.

    Solves with some rivals, adds those that the solution violates, and solves again. lost : (n,) originals that no weights
    link; cost : of the best weights so far.
    """
    files = rivals.files
    best = None
    least = float(files.worth[lost].sum())
    for _ in range(MOST_ROUNDS):
        solved = _solve(rivals, lost, cost)
        if solved.status == INFEASIBLE:  # no weights have a lower cost
            return best, cost
        if solved.mip_dual_bound is not None:
            least = max(least, min(float(solved.mip_dual_bound), cost))
        if solved.x is None:
            break
        w = np.maximum(solved.x[: files.X.shape[1]], 0.0)
        w /= w.sum()
        before = len(rivals)
        rivals = rivals.with_nearest(w, NEAREST)
        true_cost = _cost(rivals, w)
        if true_cost < cost - SLACK:
            best = w
            cost = true_cost
        if solved.status == SOLVED and len(rivals) == before:
            break
    return best, min(least, cost)


def _near_binding(rivals: Rivals, w: Array) -> Rivals:
    """The NEAREST rivals of each original under weights w; the others are added again when they bind."""
    order = np.lexsort((rivals.D @ w, rivals.owner))
    first = np.searchsorted(rivals.owner, np.arange(len(rivals.files.X)))
    rank = np.arange(len(order)) - first[rivals.owner]
    return Rivals(rivals.files, rivals.key[np.sort(order[rank < NEAREST])])


def _solve(rivals: Rivals, lost: Mask, cost: float) -> Any:
    """scipy's result of the programme against these rivals, for a cost below `cost`.

    The variables are the weights w (p,), then K (n,), which is 1 for an original that is not linked. The rows of the
    constraints are one for each rival, then sum w = 1, then the cost.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    files = rivals.files
    n, p = files.X.shape
    M = len(rivals)
    rows = np.zeros((M + 2, p + n))

    # w'D + C K >= eps. As w'D >= min_a D_a for weights that sum to 1, C = eps - min_a D_a makes K = 1 satisfy the row.
    rows[:M, :p] = rivals.D
    rows[np.arange(M), p + rivals.owner] = np.maximum(EPS - rivals.D.min(axis=1, initial=0.0), EPS)
    rows[M, :p] = 1.0
    # Only solutions of lower cost are of interest; this row prunes the branches.
    rows[M + 1, p:] = files.worth
    least_gain = files.worth[0] / 2 if np.ptp(files.worth) == 0 else SMALL_GAIN
    lower = np.concatenate([np.full(M, EPS), [1.0, -np.inf]])
    upper = np.concatenate([np.full(M, np.inf), [1.0, max(cost - least_gain, 0.0)]])
    return milp(
        rows[-1],
        integrality=np.repeat([0, 1], [p, n]),
        bounds=Bounds(np.concatenate([np.zeros(p), lost]), np.ones(p + n)),
        constraints=LinearConstraint(rows, lower, upper),
        options={"node_limit": MOST_NODES},
    )

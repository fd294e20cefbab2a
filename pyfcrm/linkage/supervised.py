"""Supervised record linkage: the weights that link most originals to their own records, as a mixed integer programme.

min sum_i K_i / t_i  subject to  w'[d(i, j) - d(i, i)] + C_ij K_i >= eps  for every rival j of i,  w >= 0, sum w = 1,
K binary. t_i protected records equal i's own: no weights part them, so linking i earns 1/t_i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Engine
from ..types import Array, Mask
from .distances import weighted_share
from .weights import Files, Rivals, dominated_originals, search_weights

EPS = 1e-6  # squared standard deviations by which a record must be nearer than its rivals
MOST_RECORDS = 100  # beyond, the programme is not even started: its first node takes longer than all the rest
SUBSETS_TO = 20_000  # records up to which subsets of the attributes are tried as starts
MOST_NODES = 500  # of branch and bound: a limit that is the same on every machine
MOST_ROUNDS = 10  # of solving again with the rivals that the last solution lost to
NEAREST = 3
SOLVED, INFEASIBLE = 0, 2  # scipy's words for how the solver ended
SLACK = 1e-6
SMALL_GAIN = 1e-4  # what an improvement must come to where ties make some links worth less than others


@dataclass(frozen=True)
class Supervised:
    """The best weights found, and how good they can be at most.

    weights : (p,) summing to 1; share : (n,) 1/t where linked among t, else 0; tie_free_bound : no weights link, each record alone
    and by a margin of 1e-6 squared sd, a greater share of the originals than this; 1 where nothing was proved; complete :
    nothing between that and the share is left to be searched; searched : "heuristic", or "programme" where the integer
    programme was run as well. Links that records share in a tie are counted in `share`, but not in `tie_free_bound`.
    """

    weights: Array
    share: Array
    tie_free_bound: float
    complete: bool
    searched: str

    @property
    def bound(self) -> float:
        """What is known to be the most, never below what was found."""
        return max(self.tie_free_bound, float(self.share.mean()))

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no weights link more without ties, and ties link no more than that here."""
        return self.complete and float(self.share.mean()) <= self.tie_free_bound + SLACK


def supervised_linkage(X: Array, Z: Array, engine: Engine | None = None) -> Supervised:
    """The weights of squared differences under which distance links most originals to their own records.

    X, Z : (n, p) original and protected, paired by position; each standardised by its own mean and sd (n - 1).
    engine : as in nearest_share. Equal weights on all
    attributes, on each alone and on some of them go first (see subset_weights), then a heuristic that starts from the
    best of these, then the programme; what links most is kept, ties counting their share. So no attribute alone links
    more. The weights are not unique.
    Source: Abril, Navarro-Arribas and Torra (2012). Their p_i >= 1 is taken for p_i >= 0.
    """
    n = len(X)
    files = Files.of(X, Z)
    w = subset_weights(X, Z, engine)
    found, rivals = search_weights(files, w)
    w, share = _better(X, Z, w, found, engine)
    if n > MOST_RECORDS:
        most = float(files.worth.sum()) / n
        return Supervised(w, share, most, bool(share.mean() >= most * (1 - SLACK)), "heuristic")
    lost = dominated_originals(files)
    cost = least = _cost(rivals, w)
    complete = True
    if cost > files.worth[lost].sum() + SLACK:
        solution, least, complete = _programme(_near_binding(rivals, w), lost, cost)
        w, share = (w, share) if solution is None else _better(X, Z, w, solution, engine)
    return Supervised(w, share, (float(files.worth.sum()) - least) / n, complete, "programme")


def subset_weights(X: Array, Z: Array, engine: Engine | None = None) -> Array:
    """Equal weights (p,) on those attributes that link most, ties shared: all, each alone, the best few, all but one.

    X, Z : (n, p) paired by position. The best few are those that link most by themselves: 2, 3 ... of them; these, and
    all but one, are tried up to 20 000 records. Ties go to the first named, so it is never less than equal weights give.
    """
    n, p = X.shape
    unit = np.eye(p)
    share = [float(weighted_share(X, Z, w, engine).sum()) for w in unit]
    tried = [np.ones(p), *unit]
    linked = [float(weighted_share(X, Z, np.ones(p), engine).sum()), *share]
    if n <= SUBSETS_TO:
        order = np.argsort(-np.array(share), kind="stable")
        some = [unit[order[:k]].sum(axis=0) for k in range(2, p)] + [1 - w for w in unit if p > 2]
        tried += some
        linked += [float(weighted_share(X, Z, w, engine).sum()) for w in some]
    best = 0
    for k, value in enumerate(linked):
        if value > linked[best] * (1 + SLACK):
            best = k
    return np.asarray(tried[best] / tried[best].sum())


def _better(X: Array, Z: Array, w: Array, other: Array, engine: Engine | None) -> tuple[Array, Array]:
    """Of two sets of weights the one that links more, ties shared, the first where they are alike."""
    share, others = weighted_share(X, Z, w, engine), weighted_share(X, Z, other, engine)
    return (other, others) if others.sum() > share.sum() * (1 + SLACK) else (w, share)


def _cost(rivals: Rivals, w: Array) -> float:
    """The credit that weights w miss, the nearest rivals under them included."""
    return float(rivals.files.worth[rivals.with_nearest(w, NEAREST).missed(w)].sum())


def _programme(kept: Rivals, lost: Mask, cost: float) -> tuple[Array | None, float, bool]:
    """Weights or None, the least cost there can be, and whether the search was complete.

    Solves with the rivals `kept`, adds those that the solution ignored, and solves again. lost : (n,) originals that no weights
    link; cost : what the best weights so far miss.
    """
    files, best = kept.files, None
    least = float(files.worth[lost].sum())
    for _ in range(MOST_ROUNDS):
        solved = _solve(kept, lost, cost)
        if solved.status == INFEASIBLE:  # nothing is better than what there is
            return best, cost, True
        if solved.mip_dual_bound is not None:
            least = max(least, min(float(solved.mip_dual_bound), cost))
        if solved.x is None:
            break
        w = np.maximum(solved.x[: files.X.shape[1]], 0.0)
        w /= w.sum()
        before, kept = len(kept), kept.with_nearest(w, NEAREST)
        true = _cost(kept, w)
        if true < cost - SLACK:
            best, cost = w, true
        if solved.status == SOLVED and len(kept) == before:
            break
    return best, min(least, cost), least >= cost - SLACK


def _near_binding(rivals: Rivals, w: Array) -> Rivals:
    """Of each original's rivals the few that press most under weights w; the others come back when they bind."""
    order = np.lexsort((rivals.D @ w, rivals.owner))
    first = np.searchsorted(rivals.owner, np.arange(len(rivals.files.X)))
    rank = np.arange(len(order)) - first[rivals.owner]
    return Rivals(rivals.files, rivals.key[np.sort(order[rank < NEAREST])])


def _solve(rivals: Rivals, lost: Mask, cost: float) -> Any:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array, csr_array, hstack, vstack

    files, (n, p), M = rivals.files, rivals.files.X.shape, len(rivals)
    at_least = np.concatenate([np.zeros(p), lost])
    C = np.maximum(EPS - rivals.D.min(axis=1, initial=0.0), EPS)  # w'D is at least min_a D_a
    rows = hstack([csr_array(rivals.D), coo_array((C, (np.arange(M), rivals.owner)), shape=(M, n))])
    total = hstack([csr_array(np.ones((1, p))), csr_array((1, n))])
    # Only what is better than the best so far is of interest; this row is what lets branches be cut.
    cheaper = hstack([csr_array((1, p)), csr_array(files.worth[None, :])])
    step = files.worth[0] / 2 if np.ptp(files.worth) == 0 else SMALL_GAIN
    lower = np.concatenate([np.full(M, EPS), [1.0, -np.inf]])
    upper = np.concatenate([np.full(M, np.inf), [1.0, max(cost - step, 0.0)]])
    return milp(
        np.concatenate([np.zeros(p), files.worth]),
        integrality=np.repeat([0, 1], [p, n]),
        bounds=Bounds(at_least, np.ones(p + n)),
        constraints=LinearConstraint(csr_array(vstack([rows, total, cheaper])), lower, upper),
        options={"node_limit": MOST_NODES},
    )

"""The further measures once more, by loops and by numpy's plainest words: the oracle of their tests.

Nothing here is careful with numbers; the files of the tests are harmless.
"""

import math
from itertools import pairwise, permutations, product

import numpy as np
from scipy.optimize import minimize

from .brute import columns, sd, standardised


def shared_links(d):
    """Mean share of correct links of distances d (n, n), own records on the diagonal, ties 1/t; per cent."""
    earned = []
    for i, row in enumerate(d):
        nearest = [k for k, v in enumerate(row) if v <= min(row) * (1 + 1e-9)]
        earned.append(1 / len(nearest) if i in nearest else 0.0)
    return 100 * float(np.mean(earned))


def mahalanobis(X, Z):
    """(a - b)' (Var X + Var Z - Cov - Cov')^-1 (a - b) for every pair; the matrix must be regular."""
    p = X.shape[1]
    both = np.cov(X.T, Z.T)
    S = both[:p, :p] + both[p:, p:] - both[:p, p:] - both[p:, :p]
    inverse = np.linalg.inv(S)
    return shared_links(np.array([[math.sqrt((a - b) @ inverse @ (a - b)) for b in Z] for a in X]))


def weighted(X, Z, w):
    xs, zs = np.array(standardised(X)), np.array(standardised(Z))
    return shared_links(np.array([[math.sqrt((w * (a - b) ** 2).sum()) for b in zs] for a in xs]))


def best_of_two(X, Z):
    """The most that any weights of two attributes link, by trying one between each two weights where a link may turn."""
    xs, zs = np.array(standardised(X)), np.array(standardised(Z))
    n = len(xs)
    turns = {0.0, 1.0}
    for i, j in product(range(n), range(n)):
        D = (xs[i] - zs[j]) ** 2 - (xs[i] - zs[i]) ** 2
        if D[0] != D[1] and 0 < (t := D[1] / (D[1] - D[0])) < 1:
            turns.add(float(t))
    ordered = sorted(turns)
    tried = [0.0, 1.0, *((a + b) / 2 for a, b in pairwise(ordered))]  # alone, where records may tie, and between
    return max(weighted(X, Z, np.array([t, 1 - t])) for t in tried)


def um(X, Z):
    p = X.shape[1]
    CX, CZ = np.atleast_2d(np.cov(X.T)), np.atleast_2d(np.cov(Z.T))
    a, b = [], []
    for v in np.linalg.eig(CX)[1].T:
        a.append(v @ CX @ v)
        b.append(v @ CZ @ v)
    a, b = np.array(a) / sum(a), np.array(b) / sum(b)
    return 1 - min(1.0, ((a - b) ** 2).sum() / ((a - 1 / p) ** 2).sum())


def cm3(X, Z):
    """c_j by attribute; where records tie in j the cross-covariance is averaged over every order of theirs."""
    results = []
    for j in range(X.shape[1]):
        A, B = np.delete(X, j, axis=1), np.delete(Z, j, axis=1)
        A, B = A - A.mean(axis=0), B - B.mean(axis=0)
        crosses = [A[a].T @ B[b] for a in orders(X[:, j]) for b in orders(Z[:, j])]
        M = np.linalg.solve(A.T @ A, np.mean(crosses, axis=0)) @ np.linalg.solve(B.T @ B, np.mean(crosses, axis=0).T)
        results.append(float(np.prod(1 - np.linalg.eigvals(M).real)))
    return results


def orders(values):
    """Every order of the records that sorts the values; only for a handful of them."""
    return (list(o) for o in permutations(range(len(values))) if all(values[a] <= values[b] for a, b in pairwise(o)))


def pmse(X, Z):
    """Mean of (p - c)^2, and the scores, of a logistic regression with products, by a general minimiser."""
    A = np.vstack([X, Z])
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    pairs = [A[:, i] * A[:, j] for i in range(A.shape[1]) for j in range(i)]
    D, label = np.column_stack([np.ones(len(A)), A, *pairs]), np.repeat([0.0, 1.0], [len(X), len(Z)])

    def lost(b):
        eta = D @ b
        return float(np.sum(np.log1p(np.exp(eta)) - label * eta)), D.T @ (1 / (1 + np.exp(-eta)) - label)

    b = minimize(lost, np.zeros(D.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    p = 1 / (1 + np.exp(-(D @ b)))
    return float(np.mean((p - label.mean()) ** 2)), p


def ks(a, b):
    return max(abs(float(np.mean(a <= t)) - float(np.mean(b <= t))) for t in [*a, *b])


def drisk(X, Z, k):
    """Own records inside in every attribute, and of all pairs; per cent."""
    widths = [k * (sd(z) if len(set(z)) > 1 else 0.0) for z in columns(Z)]
    n = len(X)
    inside = [[all(abs(a - b) <= w for a, b, w in zip(x, z, widths, strict=True)) for z in Z] for x in X]
    return 100 * sum(inside[i][i] for i in range(n)) / n, 100 * sum(map(sum, inside)) / n**2


def agreeing(K):
    """Records that agree with each record, -1 agreeing with anything."""
    return [sum(all(a == b or -1 in (a, b) for a, b in zip(x, y, strict=True)) for y in K.tolist()) for x in K.tolist()]

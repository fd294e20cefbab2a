"""The value of every measure by loops and plain numpy, with the files on which they are compared."""

import math
from collections import Counter
from functools import partial
from itertools import combinations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from . import brute, brute_attribution, brute_measures


def pil(X, Z):
    parts = brute.pil(X, Z)
    return {"total": np.mean(list(parts.values())), **parts}


def prl(agrees, X, Z):
    n, p = X.shape
    m, u, _ = brute.em(brute.pattern_counts(n, p, agrees(X, Z)), n, p)
    return {"total": 100 * np.mean(brute.prl_share(n, p, agrees(X, Z), m, u)), "baseline": 100 / n}


def prl_numeric(X, Z):
    """By loops over all pairs, with every posterior chance as a matrix. Without the assignment."""
    n, p = X.shape
    ends = (0, 0.002, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1)

    def rank(values, v):
        return sum(w < v for w in values) + (sum(w == v for w in values) + 1) / 2

    classes = np.empty((p, n, n), dtype=int)
    for j in range(p):
        ranks = [rank(X[:, j], v) for v in X[:, j]], [rank(Z[:, j], v) for v in Z[:, j]]
        for i in range(n):
            for k in range(n):
                share = abs(ranks[0][i] - ranks[1][k]) / n
                classes[j, i, k] = next(c for c, end in enumerate(ends) if share <= end * (1 + 1e-12))
    u = np.array([[np.mean(classes[j] == c) for c in range(13)] for j in range(p)])
    ratio = np.tile(1.0 / np.arange(1, 14), (p, 1))
    m = np.zeros_like(u)
    for _ in range(200):
        pairs = np.prod([ratio[j][classes[j]] for j in range(p)], axis=0)
        chance = pairs / pairs.sum(axis=1, keepdims=True)
        found = np.array([[chance[classes[j] == c].sum() for c in range(13)] for j in range(p)])
        before, m = m, (found + u) / (n + 1)
        ratio = np.divide(m, u, out=np.ones_like(m), where=u > 0)
        if np.abs(m - before).max() < 1e-6:
            break
    pairs = np.prod([ratio[j][classes[j]] for j in range(p)], axis=0)
    own = np.diag(pairs)
    best = pairs.max(axis=1)
    tied = (pairs >= best[:, None] * (1 - 1e-9)).sum(axis=1)
    return {"total": 100 * np.mean(np.where(own >= best * (1 - 1e-9), 1 / tied, 0)), "baseline": 100 / n}


def intervals(name, loops, X, Z):
    rows = loops(X, Z)
    found = dict(zip(("total", "baseline"), np.mean(rows, axis=0), strict=True))
    for j, row in enumerate(rows):
        found |= dict(zip((f"{name} {j}", f"{name} {j} by chance"), row, strict=True))
    return found


def drisk(X, Z):
    found = {}
    for name, columns, k in [(f"k = {k}", slice(None), k) for k in (0.05, 0.01)] + [
        (f"k = 0.05 {j}", [j], 0.05) for j in range(X.shape[1])
    ]:
        pair = brute_measures.drisk(X[:, columns], Z[:, columns], k)
        found |= dict(zip((name, f"{name} by chance"), pair, strict=True))
    return {"total": found["k = 0.05"], **found}


def cm3(X, Z):
    c = brute_measures.cm3(X, Z)
    return {"total": min(c), **{f"values {j}": value for j, value in enumerate(c)}}


def correlations(X, Z):
    R, S = np.corrcoef(X.T), np.corrcoef(Z.T)
    d, p = np.abs(R - S), X.shape[1]
    u, v = (np.diag(np.linalg.inv(C)) for C in (R, S))
    mlodak = np.linalg.norm(u / np.linalg.norm(u) - v / np.linalg.norm(v)) / math.sqrt(2)
    by_column = {f"mean with the others {j}": d[j].sum() / (p - 1) for j in range(p)}
    return {
        "total": d[np.triu_indices(p, 1)].mean(),
        "largest": d.max(),
        "inverse correlations, Mlodak": mlodak,
        **by_column,
    }


def eigen(X, Z):
    e, e_ = (np.linalg.eigvalsh(np.corrcoef(A.T)) for A in (X, Z))
    return {"total": np.sum(np.abs(e - e_) / e)}


def il1(X, Z):
    moved = [100 * abs(x - z) / abs(x) for x, z in zip(X.ravel(), Z.ravel(), strict=True) if x]
    return {"total": sum(moved), "mean over cells": np.mean(moved)}


def il1s(X, Z):
    moved = [abs(X[i, j] - Z[i, j]) / math.sqrt(2) / brute.sd(list(X[:, j])) for i, j in np.ndindex(X.shape)]
    return {"total": sum(moved), "mean over cells": np.mean(moved)}


def specks(X, Z):
    scores = brute_measures.pmse(X, Z)[1].round(9)  # of the minimiser: equal records have equal scores
    return {"total": brute_measures.ks(*np.split(scores, [len(X)]))}


def reissued(X, Z):
    found = [100 * np.mean([z in set(x) for z in column]) for x, column in zip(X.T, Z.T, strict=True)]
    whole = 100 * np.mean([any((z == x).all() for x in X) for z in Z])
    return {"total": np.mean(found), "whole records": whole} | {f"values {j}": v for j, v in enumerate(found)}


def subsets(X, Z):
    q = [brute.dbrl(X[:, :k], Z[:, :k]) for k in range(1, X.shape[1] + 1)]
    return {"total": np.mean(q[:7])} | {f"first {k}": q[k - 1] for k in (3, 5, 8) if k <= len(q)}


def detection(X, Z):
    """scikit-learn's trees fold by fold, and every pair of scores."""
    order = np.lexsort(np.hstack([X, Z]).T[::-1])
    X, Z, fold, shares = X[order], Z[order], np.arange(len(X)) % 5, []
    for k in range(5):
        own, leaf = fold == k, min(20, len(X) // 5)
        model = HistGradientBoostingClassifier(min_samples_leaf=leaf, early_stopping=False, random_state=0)
        model.fit(np.vstack([X[~own], Z[~own]]), np.repeat([0, 1], (~own).sum()))
        a, b = (model.predict_proba(A[own])[:, 1] for A in (X, Z))
        shares.append(np.mean((b[:, None] > a + 1e-12) + 0.5 * (np.abs(b[:, None] - a) <= 1e-12)))
    return {"total": 100 * np.mean(shares)}


def agreeing(name, K, L):
    sizes = [np.array(brute_measures.agreeing(A)) for A in (L, K)]
    if name == "k_anonymity":
        return {"total": sizes[0].min(), "k, original": sizes[1].min()}
    return {"total": 100 * np.mean(sizes[0] == 1), "unique, original": 100 * np.mean(sizes[1] == 1)}


def tables(K, L):
    """Every cell of every table counted in both files."""
    columns = [(j,) for j in range(K.shape[1])] + list(combinations(range(K.shape[1]), 2))
    parts = {}
    for places in columns:
        of = [Counter(tuple(row[j] for j in places) for row in A.tolist()) for A in (K, L)]
        apart = sum(abs(of[0][cell] / len(K) - of[1][cell] / len(L)) for cell in of[0] | of[1])
        parts[" x ".join(str(j + 1) for j in places)] = 50 * apart
    pairs = [value for name, value in parts.items() if " x " in name]
    return {"total": np.mean(pairs or list(parts.values())), **parts}


def counted(names, known):
    """Of counts: the parts by name."""
    (target,) = known.targets
    q, s = (list(map(tuple, codes.tolist())) for codes in known.codes)
    found = brute_attribution.attribution(q, target.before, s, target.after)
    return {part: found[name] for part, name in names.items()}


def rep_u(K, L):
    return {"total": brute_attribution.rep_u(list(map(tuple, K.tolist())), list(map(tuple, L.tolist())))}


def total(oracle, X, Z):
    return {"total": oracle(X, Z)}


DRAWN, SMALL = [(12, 2, 1), (40, 3, 2)], [(6, 2, 3), (7, 3, 4)]
BRUTE = {  # oracle, (n, p, seed) of the files, absolute tolerance
    "pil": (pil, [(5, 1, 1), (12, 2, 2), (60, 4, 3)], 1e-8),  # moments up to the fourth
    "dbrl": (partial(total, brute.dbrl), [*DRAWN, (60, 1, 5)], 1e-9),
    "prl": (partial(prl, brute.exact), [*DRAWN, (30, 5, 3)], 1e-9),
    "prl_tolerance": (partial(prl, brute.tolerance), [*DRAWN, (30, 5, 3)], 1e-9),
    "prl_numeric": (prl_numeric, [*DRAWN, (30, 5, 3)], 1e-9),
    "id": (partial(intervals, "id", brute.interval), [(1, 1, 1), (2, 2, 1), (90, 3, 2)], 1e-9),
    "id_rank": (partial(intervals, "id_rank", brute.interval_rank), [(1, 1, 1), (2, 2, 1), (90, 3, 2)], 1e-9),
    "dbrl_mahalanobis": (partial(total, brute_measures.mahalanobis), [(10, 1, 1), (60, 4, 2)], 1e-9),
    "dbrl_subsets": (subsets, [(25, 3, 1), (20, 9, 2)], 1e-9),
    "dbrl_supervised": (partial(total, brute_measures.best_of_two), [(12, 2, 1), (14, 2, 2)], 1e-9),
    "linkage_informed": (partial(total, brute.dbrl), DRAWN, 1e-9),  # of two files alone
    "um": (partial(total, brute_measures.um), [*DRAWN, (50, 6, 3)], 1e-9),
    "cm3": (cm3, SMALL, 1e-9),  # every order of tied records
    "correlation_difference": (correlations, DRAWN, 1e-9),
    "eigen": (eigen, DRAWN, 1e-9),
    "il1": (il1, DRAWN, 1e-7),  # a sum of thousands
    "il1s": (il1s, DRAWN, 1e-9),
    "pmse": (lambda X, Z: {"total": brute_measures.pmse(X, Z)[0]}, [(40, 1, 1), (80, 3, 2)], 1e-7),  # BFGS, no ridge
    "specks": (specks, [(40, 1, 1), (80, 3, 2)], 1e-9),
    "drisk": (drisk, [(1, 1, 1), (40, 3, 2)], 1e-9),
    "reissued": (reissued, DRAWN, 1e-9),
    "detection": (detection, [(60, 3, 1)], 1e-9),
    "uniques": (partial(agreeing, "uniques"), DRAWN, 1e-9),
    "k_anonymity": (partial(agreeing, "k_anonymity"), DRAWN, 0),
    "tables": (tables, DRAWN, 1e-9),
    "rep_u": (rep_u, DRAWN, 1e-9),
    "disco": (partial(counted, {"total": "disco"}), DRAWN, 1e-9),
    "dcap": (partial(counted, {"total": "dcap"}), DRAWN, 1e-9),
    "tcap": (
        partial(counted, {f"target, {w}": w for w in ("certain", "matched", "conditional")}),
        DRAWN,
        1e-9,
    ),
}

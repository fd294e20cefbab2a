"""The measures once more, by loops written from their formulas: slow, obvious, the oracle of the tests.

Arrays go in; inside there are only Python floats. Nothing here guards against rounding or overflow.
"""

import math
from collections import Counter
from itertools import combinations
from statistics import NormalDist, fmean


def columns(A):
    return [[float(v) for v in a] for a in A.T]


def sd(x):
    mean = fmean(x)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in x) / (len(x) - 1)) if len(x) > 1 else 0.0


# --- PIL ------------------------------------------------------------------------------------------------------------


def lost(moved, variance):
    return 2 * NormalDist().cdf(abs(moved) / math.sqrt(variance)) - 1


def mixed(x, y, r, s):
    mx, my = fmean(x), fmean(y)
    return math.fsum((a - mx) ** r * (b - my) ** s for a, b in zip(x, y, strict=True)) / len(x)


def quantile(x, q):
    ordered, place = sorted(x), (len(x) - 1) * q
    below = math.floor(place)
    above = min(below + 1, len(x) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def nrd0(x):
    lo = min(sd(x), (quantile(x, 0.75) - quantile(x, 0.25)) / 1.34)
    return 0.9 * (lo or sd(x) or abs(x[0]) or 1.0) * len(x) ** -0.2


def density(x, at):
    h = nrd0(x)
    return fmean(math.exp(-(((v - at) / h) ** 2) / 2) / (h * math.sqrt(2 * math.pi)) for v in x)


def pil(X, Z):
    """The five parts, per cent; every variance must be positive and every covariance not 0."""
    n, xs, zs = len(X), columns(X), columns(Z)
    parts = {k: [] for k in ("mean", "variance", "covariance", "correlation", "quantiles")}
    for x, z in zip(xs, zs, strict=True):
        m2, m4 = mixed(x, x, 2, 0), mixed(x, x, 4, 0)
        parts["mean"].append(lost(fmean(z) - fmean(x), m2 / n))
        parts["variance"].append(lost(mixed(z, z, 2, 0) - m2, (m4 - m2**2) / n))
        for k in range(1, 20):
            q, Q = k / 20, quantile(x, k / 20)
            parts["quantiles"].append(lost(quantile(z, q) - Q, q * (1 - q) / (n * density(x, Q) ** 2)))
    for i, j in combinations(range(len(xs)), 2):
        m = {rs: mixed(xs[i], xs[j], *rs) for rs in [(1, 1), (2, 0), (0, 2), (2, 2), (4, 0), (0, 4), (3, 1), (1, 3)]}
        m11, m20, m02, m22 = m[1, 1], m[2, 0], m[0, 2], m[2, 2]
        m11_ = mixed(zs[i], zs[j], 1, 1)
        r, r_ = m11 / math.sqrt(m20 * m02), m11_ / math.sqrt(mixed(zs[i], zs[i], 2, 0) * mixed(zs[j], zs[j], 2, 0))
        bracket = m22 / m11**2 + (m[4, 0] / m20**2 + m[0, 4] / m02**2 + 2 * m22 / (m20 * m02)) / 4
        bracket -= m[3, 1] / (m11 * m20) + m[1, 3] / (m11 * m02)
        parts["covariance"].append(lost(m11_ - m11, (m22 - m11**2) / n))
        parts["correlation"].append(lost(r_ - r, r**2 / n * bracket))
    return {name: 100 * fmean(losses) for name, losses in parts.items() if losses}


# --- linkage --------------------------------------------------------------------------------------------------------


def dbrl(X, Z):
    xs, zs = standardised(X), standardised(Z)
    earned = 0.0
    for i, x in enumerate(xs):
        d = [math.dist(x, z) for z in zs]
        nearest = [k for k in range(len(zs)) if d[k] <= min(d) * (1 + 1e-12)]
        earned += 1 / len(nearest) if i in nearest else 0
    return 100 * earned / len(xs)


def standardised(A):
    results = []
    for a in columns(A):
        mean, s = fmean(a), sd(a)
        results.append([(v - mean) / s if len(set(a)) > 1 else 0.0 for v in a])
    return list(zip(*results, strict=True))


def exact(X, Z):
    return lambda i, k, j: bool(X[i, j] == Z[k, j])


def tolerance(X, Z, w=0.1):
    widths = [w * sd(x) for x in columns(X)]
    return lambda i, k, j: bool(abs(X[i, j] - Z[k, j]) <= widths[j])


def average_rank(a, v):
    return sum(b < v for b in a) + (a.count(v) + 1) / 2


def pattern_counts(n, p, agrees):
    return Counter(tuple(int(agrees(i, k, j)) for j in range(p)) for i in range(n) for k in range(n))


def em(counts, n, p, most=10_000):
    def hold(value):
        return min(max(value, 1e-12), 1 - 1e-12)

    m, u, prevalence, pairs = [0.9] * p, [0.1] * p, hold(1 / n), n * n
    for _ in range(most):
        belongs = {}
        for g in counts:
            a = prevalence * math.prod(m[j] if g[j] else 1 - m[j] for j in range(p))
            b = (1 - prevalence) * math.prod(u[j] if g[j] else 1 - u[j] for j in range(p))
            belongs[g] = a / (a + b)
        matched = math.fsum(c * belongs[g] for g, c in counts.items())
        new_m = [hold(math.fsum(c * belongs[g] * g[j] for g, c in counts.items()) / matched) for j in range(p)]
        apart = pairs - matched
        new_u = [hold(math.fsum(c * (1 - belongs[g]) * g[j] for g, c in counts.items()) / apart) for j in range(p)]
        new = hold(matched / pairs)
        moved = max(abs(a - b) for a, b in zip([*new_m, *new_u, new], [*m, *u, prevalence], strict=True))
        m, u, prevalence = new_m, new_u, new
        if moved < 1e-10:
            break
    return m, u, prevalence


def prl_share(n, p, agrees, m, u):
    def weight(i, k):
        terms = [(m[j] / u[j]) if agrees(i, k, j) else (1 - m[j]) / (1 - u[j]) for j in range(p)]
        return math.fsum(math.log(min(max(term, 1e-6), 1e6)) for term in terms)

    share = []
    for i in range(n):
        w = [weight(i, k) for k in range(n)]
        linked = [k for k in range(n) if max(w) - w[k] <= 1e-12 * abs(max(w))]
        share.append(1 / len(linked) if i in linked else 0.0)
    return share


# --- interval disclosure: (value, mean over all pairs) of each attribute, per cent -----------------------------------


def interval(X, Z, divisor=100):
    results = []
    for x, z in zip(columns(X), columns(Z), strict=True):
        s, n = (sd(x) if len(set(x)) > 1 else 0.0), len(x)
        inside = [[sum(abs(a - b) <= p / divisor * s for p in range(1, 11)) for b in z] for a in x]
        results.append(_own_and_all(inside, n))
    return results


def interval_rank(X, Z):
    results = []
    for x, z in zip(columns(X), columns(Z), strict=True):
        n, ordered = len(x), sorted(z)
        inside = [[0] * n for _ in range(n)]
        for k, b in enumerate(z):
            lowest, highest = ordered.index(b), n - 1 - ordered[::-1].index(b)
            for p in range(1, 11):
                w = p * n // 100
                low, high = ordered[max(lowest - w, 0)], ordered[min(highest + w, n - 1)]
                for i, a in enumerate(x):
                    inside[i][k] += low <= a <= high
        results.append(_own_and_all(inside, n))
    return results


def _own_and_all(inside, n):
    own = sum(inside[i][i] for i in range(n))
    return 100 * own / (10 * n), 100 * sum(map(sum, inside)) / (10 * n * n)

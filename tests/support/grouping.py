"""Microaggregation once more, by loops written from the texts: slow, obvious, the oracle of the tests."""

from fractions import Fraction

import numpy as np


def mdav(A, k, weights):
    """MDAV as Domingo-Ferrer and Mateo-Sanz (2002) word it, on Python floats, everything added first to last."""
    rows = [[float(v) for v in row] for row in A]

    def apart(a, b):
        total = 0.0
        for u, v, w in zip(a, b, weights, strict=True):
            total += float(w) * ((u - v) * (u - v))
        return total

    def farthest(point, among):
        best = among[0]
        for i in among:
            if apart(rows[i], point) > apart(rows[best], point):
                best = i
        return best

    def closest(point, among):
        return sorted(among, key=lambda i: (apart(rows[i], point), -i))[:k]

    left, groups = list(range(len(rows))), []
    while len(left) - k >= k:
        mean = [0.0] * A.shape[1]
        for i in left:
            mean = [m + v for m, v in zip(mean, rows[i], strict=True)]
        mean = [m / len(left) for m in mean]
        first = farthest(mean, left)
        second = farthest(rows[first], left)
        starts = [first, second] if len(left) >= 3 * k else [first]
        for start in starts:
            groups.append(closest(rows[start], left))
            left = [i for i in left if i not in groups[-1]]
    groups.append(left)
    labels = [-1] * len(rows)
    for g, group in enumerate(groups):
        for i in group:
            labels[i] = g
    return labels


def set_partitions(items, k):
    """Every partition of the items into sets of at least k."""

    def grow(rest, result):
        if not rest:
            if all(len(s) >= k for s in result):
                yield [list(s) for s in result]
            return
        for s in result:
            s.append(rest[0])
            yield from grow(rest[1:], result)
            s.pop()
        yield from grow(rest[1:], [*result, [rest[0]]])

    yield from grow(items, [])


def within(x, groups):
    """The within-group sum of squares, exactly."""
    total = Fraction(0)
    for group in groups:
        values = [Fraction(float(x[i])) for i in group]
        mean = sum(values) / len(values)
        total += sum((v - mean) ** 2 for v in values)
    return total


def as_lists(labels):
    """The groups of (n,) labels as lists of records."""
    return [np.flatnonzero(labels == g).tolist() for g in range(int(labels.max()) + 1)]

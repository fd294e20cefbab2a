"""CM3: how little the order of one attribute determines the others, the minimum over the attributes."""

import numpy as np

from ..errors import Note
from ..numerics.location import standardise
from ..numerics.moments import whitener
from ..numerics.sorting import average_ranks
from ..types import Array, Rows
from .measure import Part, Parts, arrays_measure


@arrays_measure(
    key="cm3",
    title="CM3, confidentiality by canonical correlations, from 0 to 1",
    reading="How little the order of one attribute discloses of the others across the two files, at worst: 1 is "
    "nothing, 0 is everything.",
    better="higher",
    source="Domingo-Ferrer, Muralidhar and Bras-Amoros (2021)",
    upper=1.0,
)
def cm3(X: Array, Z: Array) -> Parts:
    """CM3 = min over j of prod(1 - rho^2), from 0 (the order of some attribute gives the rest away) to 1.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected.

    Returns
    -------
    Parts
        On values (the total) and, as a part, on ranks. With one attribute nothing is left to correlate and CM3 is 1.

    Notes
    -----
    For each attribute j both files are sorted by it, and j is dropped. Records are paired by their place; rho are the
    canonical correlations of the two. Records tied in j have no order: the cross-covariance is its mean over all
    orders, so that the order of a file does not matter. Where the numbers of records differ, places are taken as shares
    of the file.

    References
    ----------
    Domingo-Ferrer, Muralidhar and Bras-Amoros (2021).
    """
    on_values, on_ranks = _cm3(X, Z, X, Z), _cm3(average_ranks(X), average_ranks(Z), X, Z)
    parts = [Part("values", float(on_values.min())), Part("ranks", float(on_ranks.min()))]
    parts += [Part("values", float(c), attribute=j) for j, c in enumerate(on_values)]
    alone = Note.of("by_definition", "cm3: with one attribute nothing is left to correlate, and it is 1")
    return Parts(float(on_values.min()), tuple(parts), notes=(alone,) if X.shape[1] == 1 else ())


def _cm3(X: Array, Z: Array, by_x: Array, by_z: Array) -> Array:
    """c_j for each attribute, (p,): X and Z, in whatever units, sorted by the columns of by_x and by_z."""
    SX, SZ = standardise(X, ddof=0), standardise(Z, ddof=0)
    weights, ix, iz = _places(len(X), len(Z))
    c = np.ones(X.shape[1])
    for j in range(X.shape[1]):
        A, B = np.delete(SX, j, axis=1), np.delete(SZ, j, axis=1)
        a, b = (_in_order(C, by) @ whitener(C.T @ C / len(C)) for C, by in ((A, by_x[:, j]), (B, by_z[:, j])))
        rho = np.linalg.svd((a[ix] * weights[:, None]).T @ b[iz], compute_uv=False)
        c[j] = np.prod(1 - np.minimum(rho, 1.0) ** 2)
    return c


def _in_order(A: Array, by: Array) -> Array:
    """The rows of A (n, q) sorted by the values `by` (n,), tied rows each replaced by their mean."""
    order = np.argsort(by, kind="stable")
    starts = np.flatnonzero(np.diff(by[order], prepend=np.nan) != 0)
    counts = np.diff(starts, append=len(by))
    means = np.add.reduceat(A[order], starts, axis=0) / counts[:, None]
    return np.repeat(means, counts, axis=0)


def _places(n: int, N: int) -> tuple[Array, Rows, Rows]:
    """Which row of n goes with which row of N when both are spread over one length, and over how much of it."""
    ends = np.union1d(np.arange(1, n + 1) * N, np.arange(1, N + 1) * n)
    starts = np.concatenate([[0], ends[:-1]])
    return (ends - starts) / (n * N), starts // N, starts // n

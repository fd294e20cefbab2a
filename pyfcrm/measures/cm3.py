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
    """CM3 = min over j of prod(1 - rho^2), from 0 (the order of some attribute discloses the others) to 1.

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
    on_values = _cm3(X, Z, X, Z)
    on_ranks = _cm3(average_ranks(X), average_ranks(Z), X, Z)
    parts = [Part("values", float(on_values.min())), Part("ranks", float(on_ranks.min()))]
    parts += [Part("values", float(c), attribute=j) for j, c in enumerate(on_values)]
    alone = Note.of("by_definition", "cm3: with one attribute nothing is left to correlate, and it is 1")
    return Parts(float(on_values.min()), tuple(parts), notes=(alone,) if X.shape[1] == 1 else ())


def _cm3(X: Array, Z: Array, by_x: Array, by_z: Array) -> Array:
    """The product prod(1 - rho^2) for each attribute, (p,).

    X (n, p), Z (N, p) : in any units; by_x, by_z : by whose columns the two are sorted.
    """
    SX = standardise(X, ddof=0)
    SZ = standardise(Z, ddof=0)
    weights, x_places, z_places = _places(len(X), len(Z))
    c = np.ones(X.shape[1])
    for j in range(X.shape[1]):
        # The canonical correlations of two files are the singular values of the cross-covariance of the whitened files.
        A = np.delete(SX, j, axis=1)
        B = np.delete(SZ, j, axis=1)
        a = _in_order(A, by_x[:, j]) @ whitener(A.T @ A / len(A))
        b = _in_order(B, by_z[:, j]) @ whitener(B.T @ B / len(B))
        rho = np.linalg.svd((a[x_places] * weights[:, None]).T @ b[z_places], compute_uv=False)
        c[j] = np.prod(1 - np.minimum(rho, 1.0) ** 2)
    return c


def _in_order(A: Array, by: Array) -> Array:
    """The rows of A (n, q) sorted by the values `by` (n,), tied rows each replaced by their mean."""
    order = np.argsort(by, kind="stable")
    starts = np.flatnonzero(np.diff(by[order], prepend=np.nan) != 0)  # of runs of equal values; NaN != 0, so 0 is one
    counts = np.diff(starts, append=len(by))
    means = np.add.reduceat(A[order], starts, axis=0) / counts[:, None]
    return np.repeat(means, counts, axis=0)


def _places(n: int, N: int) -> tuple[Array, Rows, Rows]:
    """Pairs of a row of n and a row of N that overlap when both files are spread over the interval from 0 to 1.

    Returns the length of each overlap, and the two rows. In units of 1 / (n N), a row of the first file has length N and a row
    of the second length n: all ends are whole numbers.
    """
    ends = np.union1d(np.arange(1, n + 1) * N, np.arange(1, N + 1) * n)
    starts = np.concatenate([[0], ends[:-1]])
    lengths = (ends - starts) / (n * N)
    return lengths, starts // N, starts // n

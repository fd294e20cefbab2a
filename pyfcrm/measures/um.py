"""UM: how alike the covariance matrices of original and release are along the original's principal directions."""

import numpy as np

from ..errors import Note
from ..numerics.location import location
from ..numerics.moments import correlation
from ..types import Array
from .measure import Part, Parts, arrays_measure

EQUAL = 1e-10  # eigenvalues that differ by less, relative to the largest, are equal


@arrays_measure(
    key="um",
    title="UM, likeness of covariance matrices, from 0 to 1",
    reading="How alike the shares of variance along the original's main directions are: 1 is the same, 0 as far off "
    "as equal shares would be.",
    kind="loss",
    better="higher",
    identity=1.0,
    source="Domingo-Ferrer, Muralidhar and Bras-Amoros (2021)",
    upper=1.0,
)
def um(X: Array, Z: Array) -> Parts:
    """UM = 1 - min(1, sum (a - b)^2 / sum (a - 1/p)^2), from 0 to 1.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected, in the same units, which matter: the attribute of largest variance counts most.

    Returns
    -------
    Parts
        UM; the parts are a and b by component, in per cent. With one attribute UM is always 1.

    Notes
    -----
    a and b are the variances of X and of Z along the eigenvectors of cov(X), each divided by their sum. A file without
    any variance has shares 1/p, which is what UM calls no information. Equal eigenvalues have any eigenvectors of a
    space, so these components have equal shares. The value does not depend on the computed ones.

    References
    ----------
    Domingo-Ferrer, Muralidhar and Bras-Amoros (2021).
    """
    p = X.shape[1]
    covariance = _covariance(X)
    values, vectors = np.linalg.eigh(covariance)
    variances = values[::-1]  # descending
    V = vectors[:, ::-1]
    a = _evened(_shares(covariance, V), variances)
    b = _evened(_shares(_covariance(Z), V), variances)
    off = float(np.sum((a - b) ** 2))
    largest = float(np.sum((a - 1 / p) ** 2))
    lost = off / largest if largest > off else float(off > 0)  # also for a largest of 0
    parts = tuple(
        Part(f"component {j + 1}, {file}", 100 * float(shares[j]), range=(0.0, 100.0), better="neither")
        for j in range(p)
        for file, shares in (("original", a), ("protected", b))
    )
    notes = (Note.of("by_definition", "um: with one attribute it is always 1"),) if p == 1 else ()
    return Parts(1 - lost, parts, notes=notes)


def _covariance(A: Array) -> Array:
    """Covariance in units of the largest standard deviation: UM does not depend on a file's scale."""
    sd = location(A, ddof=0).sd
    size = sd / (float(sd.max()) or 1.0)
    return correlation(A) * np.outer(size, size)


def _shares(C: Array, V: Array) -> Array:
    """Variances v_j'C v_j along the columns of V (p, p), divided by their sum: (p,); equal without any variance."""
    v = np.maximum(np.einsum("ij,ik,kj->j", V, C, V), 0.0)
    return v / v.sum() if v.sum() > 0 else np.full(len(v), 1 / len(v))


def _evened(shares: Array, variances: Array) -> Array:
    """Shares (p,) averaged over each run of equal eigenvalues (p,), given in descending order."""
    if not variances.any():
        return shares
    steps = np.diff(variances) < -EQUAL * variances[0]
    space = np.concatenate([[0], np.cumsum(steps)])  # the run that each component is in, from 0
    return (np.bincount(space, shares) / np.bincount(space))[space]

"""dRisk: originals within a narrow interval around the protected value in every attribute; and verbatim released values."""

import numpy as np

from ..numerics.location import location, row_blocks
from ..types import Array
from .measure import Part, Parts, arrays_measure

WIDTHS = (0.05, 0.01)


@arrays_measure(
    key="drisk",
    title="dRisk, originals within 5 % of a standard deviation in every attribute",
    reading="Share of originals with their own protected record within 5 per cent of a standard deviation everywhere.",
    identity=100.0,
    paired=True,
    source="Mateo-Sanz, Sebe and Domingo-Ferrer (2004); sdcMicro dRisk",
)
def drisk(X: Array, Z: Array) -> Parts:
    """Share of records with |x - z| <= k sd(z) in every attribute, per cent; k = 0.05 is the total.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Paired by position.

    Returns
    -------
    Parts
        The share; sd of the protected file, with n - 1; with sd 0 only equal values are inside. The baseline is the
        mean over all n^2 pairs.

    Notes
    -----
    With many attributes no record is inside in all of them, and the total is 0 for any release. So the parts are k =
    0.05, k = 0.01, and each attribute alone at k = 0.05.

    References
    ----------
    Mateo-Sanz, Sebe and Domingo-Ferrer (2004), as sdcMicro's dRisk computes it.
    """
    sd = location(Z).sd
    of_all = [_part(X, Z, sd, k) for k in WIDTHS]
    by_attribute = []
    for j in range(X.shape[1]):
        column = slice(j, j + 1)
        by_attribute.append(_part(X[:, column], Z[:, column], sd[column], WIDTHS[0], attribute=j))
    total = of_all[0]
    return Parts(total.value, (*of_all, *by_attribute), total.baseline)


def _part(X: Array, Z: Array, sd: Array, k: float, *, attribute: int | None = None) -> Part:
    """The share of records that are inside in all of these columns, and its baseline, per cent. sd : (p,), of the release."""
    n = len(X)
    own, pairs = _inside(X, Z, k * sd)
    return Part(f"k = {k:g}", 100 * own / n, 100 * pairs / n**2, attribute)


def _inside(X: Array, Z: Array, width: Array) -> tuple[int, int]:
    """Numbers of own records inside in every attribute, and of pairs of an original and any protected record that are."""
    own = int((np.abs(X - Z) <= width).all(axis=1).sum())
    pairs = 0
    for rows in row_blocks(len(X), len(Z)):
        inside = np.ones((len(X[rows]), len(Z)), dtype=bool)
        for x, z, w in zip(X[rows].T, Z.T, width, strict=True):
            inside &= np.abs(x[:, None] - z) <= w
        pairs += int(inside.sum())
    return own, pairs


@arrays_measure(
    key="reissued",
    title="Original values released verbatim",
    reading="Share of released values that are, exactly, observed values of their attribute.",
    identity=100.0,
    source="ours",
)
def reissued(X: Array, Z: Array) -> Parts:
    """Share of released values that occur in the same attribute of the original, per cent, mean over attributes.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected: a value counts wherever it occurs, so records need no pairing.

    Returns
    -------
    Parts
        The share. Parts: each attribute; and the share of released records that occur, every attribute together, in
        the original.

    Notes
    -----
    Methods that keep the original margins (swapping, shuffling, calibration to them) release all values verbatim; whole
    numbers recur by chance too.

    References
    ----------
    Own design.
    """
    X = X + 0.0  # -0.0 becomes 0.0
    Z = Z + 0.0
    shares = [100 * float(np.isin(z, x).mean()) for x, z in zip(X.T, Z.T, strict=True)]
    _, place = np.unique(np.vstack([X, Z]), axis=0, return_inverse=True)
    original, protected = np.split(place, [len(X)])
    parts = [Part("whole records", 100 * float(np.isin(protected, original).mean()))]
    parts += [Part("values", share, attribute=j) for j, share in enumerate(shares)]
    return Parts(float(np.mean(shares)), tuple(parts))

"""Gaussian radial basis functions of X, for fuzzy c-regression. Ours: the thesis names RBF models as an open question."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.distance import cdist

from ..data.blocks import Sample, total
from ..errors import InvalidInput, Note
from ..numerics.design_by_blocks import column_sums
from ..rstream import RStream
from ..types import Array, Terms
from .fcm import Settings, random_means

CENTRES = 10  # at most one for each record
WIDTH_RECORDS = 100_000  # evenly spaced, at most, of whose distances from the centres the median is the width
# With m = 2 the centres of many columns fall together in the mean.
FUZZIFIER = 1.2
TOL, MAX_ITER = 1e-5, 100


@dataclass(frozen=True)
class RadialBasis:
    """phi_k(x) = exp(-|z - c_k|^2 / (2 width^2)), z = (x - mean) / sd.

    mean, sd : (s,) of the columns of X, sd 1 for a constant one; centres : (k, s) and width : in those units;
    notes : what was chosen; terms : the columns of each category, which counts as in `distance_columns`.
    Source: own use; the functions are Broomhead and Lowe's (1988).
    """

    mean: Array
    sd: Array
    centres: Array
    width: float
    notes: tuple[Note, ...] = ()
    terms: Terms = ()

    def columns(self, X: Array) -> Array:
        """(n, k), the functions of each record of X (n, s, or more columns)."""
        (A,) = _standardised(self.mean, self.sd, self.terms, X)
        return np.exp(-0.5 / self.width**2 * cdist(A, self.centres, "sqeuclidean"))


def _standardised(mean: Array, sd: Array, terms: Terms, block: Array) -> tuple[Array]:
    """(b, s) a block's independent columns, and of each category its reference level, as fuzzy c-means takes them."""
    references = [(1 - block[:, list(term)].sum(axis=1)) / np.sqrt(2) for term in terms]
    return (np.column_stack([(block[:, : len(mean)] - mean) / sd, *references]),)


def radial_basis_of(owner: str, sample: Sample, stream: RStream, terms: Terms = ()) -> RadialBasis:
    """The basis for the independent columns of a sample.

    Fuzzy c-means of standardised X (m = 1.2) from a random membership gives the centres. The width is the median
    distance of a record from a centre. Raises InvalidInput without columns.
    """
    n, s = sample.n, sample.s
    if s == 0:
        raise InvalidInput(owner, 'basis="rbf" needs at least one independent column', "none")
    sums = column_sums(sample.engine, sample.blocks, s)
    mean = sums[0] / n
    sd = np.sqrt(total(sample.engine, partial(_squares, mean), sample.blocks) / max(n - 1, 1))
    # What rounding leaves of a constant column is no spread.
    sd = np.where(sd > 1e-13 * sums[1], sd, 1.0)
    for term in terms:
        mean[list(term)], sd[list(term)] = 0.0, np.sqrt(2)
    standardised, notes, c = partial(_standardised, mean, sd, terms), list[Note](), min(CENTRES, n)
    how = Settings(c, FUZZIFIER, TOL, MAX_ITER)
    _, centres, history = random_means(sample, standardised, s + len(terms), how, stream)
    if not history.converged:
        text = "the centres' fuzzy c-means did not converge in {iterations} iterations"
        notes.append(Note.of("not_converged", text, iterations=history.iterations))
    (some,) = standardised(sample.rows.read(slice(0, n, -(-n // WIDTH_RECORDS))))
    width = float(np.median(cdist(some, centres))) or 1.0
    text = "radial basis functions (ours): {centres} centres by fuzzy c-means, width {width:.4g} standard deviations"
    return RadialBasis(mean, sd, centres, width, (Note.of("chosen", text, centres=c, width=width), *notes), terms)


def _squares(mean: Array, block: Array) -> Array:
    """(s,) the sums of (x - mean)^2."""
    C = block[:, : len(mean)] - mean
    return (C * C).sum(axis=0)

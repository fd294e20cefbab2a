"""Gaussian radial basis functions of X, for fuzzy c-regression. Ours: the thesis names RBF models as an open question."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..data.blocks import Sample, total
from ..errors import InvalidInput, Note
from ..numerics.design_by_blocks import column_sums
from ..rstream import RStream
from ..types import Array, Terms
from .fcm import Settings, random_means

CENTRES = 10  # at most one for each record
WIDTH_RECORDS = 100_000  # most records, evenly spaced, whose median distance from the centres is the width
# With m = 2 the centres of many columns fall together in the mean.
FUZZIFIER = 1.2
TOL = 1e-5  # of the fuzzy c-means that gives the centres
MAX_ITER = 100


@dataclass(frozen=True)
class RadialBasis:
    """Gaussian functions phi_k(x) = exp(-|z - c_k|^2 / (2 width^2)), z = (x - mean) / sd.

    Source: own use; the functions are Broomhead and Lowe's (1988).
    """

    mean: Array
    """Means (s,) of the columns of X; 0 for a column of a category."""
    sd: Array
    """Their standard deviations (s,); 1 for a constant column, sqrt(2) for a column of a category."""
    centres: Array
    """The centres c_k, (k, s + categories), in standard deviations."""
    width: float
    """The width in standard deviations."""
    notes: tuple[Note, ...] = ()
    """The numbers that were chosen."""
    terms: Terms = ()
    """The columns of each category, which counts as in `distance_columns`."""

    def columns(self, X: Array) -> Array:
        """The functions (n, k) of each record of X (n, s, or more columns)."""
        from scipy.spatial.distance import cdist  # slow to import

        (A,) = _standardised(self.mean, self.sd, self.terms, X)
        return np.exp(-0.5 / self.width**2 * cdist(A, self.centres, "sqeuclidean"))


def _standardised(mean: Array, sd: Array, terms: Terms, block: Array) -> tuple[Array]:
    """Standardised independent columns of a block, then the first level of each category, as fuzzy c-means takes them.

    The first level of a category has no column of its own: it is 1 less the sum of the others. All levels are divided by
    sqrt(2), so that two unequal ones are at distance 1.
    """
    X = (block[:, : len(mean)] - mean) / sd
    first_levels = [(1 - block[:, list(term)].sum(axis=1)) / np.sqrt(2) for term in terms]
    return (np.column_stack([X, *first_levels]),)


def radial_basis_of(owner: str, sample: Sample, stream: RStream, terms: Terms = ()) -> RadialBasis:
    """The basis for the independent columns of a sample.

    Fuzzy c-means of standardised X (m = 1.2) from a random membership gives the centres. The width is the median
    distance of a record from a centre. Raises InvalidInput without columns.
    """
    from scipy.spatial.distance import cdist  # slow to import

    n = sample.n
    s = sample.s
    if s == 0:
        raise InvalidInput(owner, 'basis="rbf" needs at least one independent column', "none")
    sums, largest = column_sums(sample.engine, sample.blocks, s)
    mean = sums / n
    sd = np.sqrt(total(sample.engine, partial(_squares, mean), sample.blocks) / max(n - 1, 1))
    sd = np.where(sd > 1e-13 * largest, sd, 1.0)  # what rounding leaves of a constant column is no spread
    for term in terms:  # two unequal levels are at distance 1
        mean[list(term)] = 0.0
        sd[list(term)] = np.sqrt(2)

    standardised = partial(_standardised, mean, sd, terms)
    c = min(CENTRES, n)
    settings = Settings(c, FUZZIFIER, TOL, MAX_ITER)
    _, centres, history = random_means(sample, standardised, s + len(terms), settings, stream)
    (some,) = standardised(sample.rows.read(slice(0, n, -(-n // WIDTH_RECORDS))))
    width = float(np.median(cdist(some, centres))) or 1.0

    text = "radial basis functions (ours): {centres} centres by fuzzy c-means, width {width:.4g} standard deviations"
    notes = [Note.of("chosen", text, centres=c, width=width)]
    if not history.converged:
        text = "the centres' fuzzy c-means did not converge in {iterations} iterations"
        notes.append(Note.of("not_converged", text, iterations=history.iterations))
    return RadialBasis(mean=mean, sd=sd, centres=centres, width=width, notes=tuple(notes), terms=terms)


def _squares(mean: Array, block: Array) -> Array:
    """Sums (s,) of (x - mean)^2 over the records of a block."""
    C = block[:, : len(mean)] - mean
    return (C * C).sum(axis=0)

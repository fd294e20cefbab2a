"""Distance-based record linkage: originals whose own record is the nearest. The distance is standardised or
Mahalanobis, of the first few attributes, or the worst case over all weights of the attributes."""

import numpy as np

from ..data.pairs import Pair
from ..engine import Engine
from ..errors import Note
from ..linkage.linker import Linker, by_blocks_note
from ..linkage.nearest import nearest_share, weighted_share, whitened
from ..linkage.supervised import supervised_linkage
from ..numerics.location import standardise_pair
from ..progress import Progress
from ..types import Array
from .measure import Part, Parts, arrays_measure, pair_measure

AVERAGED = 7  # numbers of attributes over which dbrl_subsets is a mean: 1 to 7
SHOWN = (3, 5, 8)  # numbers of attributes that have a part
PROVED = "dbrl_supervised: no weights link more records without ties"
NOT_PROVED = "dbrl_supervised: the best weights found; no weights link more than {most:.4g} % without ties"


@pair_measure(
    key="dbrl",
    title="Distance-based record linkage",
    reading="Share of records whose nearest protected record is their own. The intruder has the original values and "
    "links by distance.",
    paired=True,
    source="Pagliuca and Seri (1999); thesis 2.4.2",
    gaps="linkage",
)
def dbrl(pair: Pair, engine: Engine, progress: Progress | None = None) -> Parts:
    """Share of originals whose nearest protected record is their own, per cent; a tie of t counts 1/t.

    Parameters
    ----------
    pair : Pair
        Original and protected records, paired by position, in memory or on disk. Each file is
        standardised by its own mean and sd (n - 1).
    engine : Engine
        Runs the sums.
    progress : callable, optional
        Called with (done, total, label).

    Returns
    -------
    Parts
        The share. The baseline is 100/n: whatever the nearest are, a random pairing puts one's own among t of n with
        chance t/n. A record with missing cells, NaN, is linked by the attributes it has, among the n protected records
        that have them too.

    References
    ----------
    Pagliuca and Seri (1999); thesis 2.4.2.
    """
    links = Linker(pair, engine, progress).nearest()
    notes = by_blocks_note("dbrl", links.blocks)
    return Parts(100 * pair.share(links.share), baseline=100 * links.chance, notes=notes)


@arrays_measure(
    key="dbrl_mahalanobis",
    title="Distance-based record linkage, Mahalanobis distance",
    reading="Distance-based linkage by a distance that knows the attributes' variances and covariances.",
    paired=True,
    source="Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012)",
)
def dbrl_mahalanobis(X: Array, Z: Array) -> Parts:
    """Share of originals whose nearest protected record is their own, per cent, by the distance (a - b)' S^- (a - b).

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Original and protected, paired by position.

    Returns
    -------
    Parts
        The share. Baseline 100/n: a random pairing, with S held.

    Notes
    -----
    S is the covariance of the differences. It requires the true pairs; an intruder has to guess it.

    References
    ----------
    Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012).
    """
    x, z = whitened(X, Z)
    return Parts(100 * float(nearest_share(x, z).mean()), baseline=100 / len(X))


@arrays_measure(
    key="dbrl_subsets",
    title="Distance-based record linkage, mean over the first 1 to 7 attributes",
    reading="Distance-based linkage by the first attribute, the first two and so on to seven, averaged.",
    paired=True,
    source="Domingo-Ferrer and Torra (2001)",
)
def dbrl_subsets(X: Array, Z: Array) -> Parts:
    """Mean share linked by distance, per cent, of intruders who know the first 1, 2, ... 7 attributes.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Paired by position. The order of the attributes matters.

    Returns
    -------
    Parts
        The mean share; with p < 7 over 1 .. p. Parts: the first 3, 5 and 8 attributes, as far as there are so many.
        Baseline 100/n.

    References
    ----------
    Domingo-Ferrer and Torra (2001).
    """
    x, z = standardise_pair(X, Z)
    chance = 100 / len(X)
    most = min(max(AVERAGED, *SHOWN), X.shape[1])
    shares = [100 * float(nearest_share(x[:, :q], z[:, :q]).mean()) for q in range(1, most + 1)]
    parts = tuple(Part(f"first {q}", shares[q - 1], chance) for q in SHOWN if q <= len(shares))
    mean = float(np.mean(shares[:AVERAGED]))
    upto = min(AVERAGED, len(shares))
    return Parts(mean, (Part(f"mean of first 1 to {upto}", mean, chance), *parts), chance)


@arrays_measure(
    key="dbrl_supervised",
    title="Distance-based record linkage, weights learned from the true pairs",
    reading="Distance-based linkage with the attributes' weights learned from the true pairs: the worst case.",
    paired=True,
    source="Abril, Navarro-Arribas and Torra (2012)",
)
def dbrl_supervised(X: Array, Z: Array) -> Parts:
    """Share linked by distance under the weights of the attributes that link most, per cent: the worst case for a release.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Original and protected, paired by position.

    Returns
    -------
    Parts
        The share, never below dbrl, nor one attribute's; the part "bound" is the most that is known to be possible.
        Baseline 100/n: a random pairing, with the weights held.

    Notes
    -----
    The weights are learned from the true pairs, which an intruder does not have. Candidates come from subsets of the
    attributes, a heuristic and, up to 100 records, an integer programme of at most 500 nodes. A note gives the largest
    share that is possible without ties. No time limit applies, so all machines give the same value.

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012).
    """
    found = supervised_linkage(X, Z)
    value = 100 * float(found.share.mean())
    chance = 100 / len(X)
    equal = 100 * float(weighted_share(X, Z, np.ones(X.shape[1])).mean())
    parts = (Part("equal weights", equal, chance), Part("bound", 100 * found.bound, chance))
    if found.optimal:
        outcome = Note.of("chosen", PROVED)
    else:
        outcome = Note.of("approximated", NOT_PROVED, most=100 * found.tie_free_bound)
    weights = ", ".join(f"{w:.3g}" for w in found.weights)
    return Parts(
        value,
        parts,
        chance,
        notes=(outcome, Note.of("chosen", "dbrl_supervised: weights by attribute {weights}", weights=weights)),
    )

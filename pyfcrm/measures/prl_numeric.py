"""Probabilistic record linkage of numbers: agreement is how much likelier a difference is in true than in random pairs."""

from ..errors import Note
from ..types import Array
from .measure import Part, Parts, arrays_measure

MOST_ASSIGNED = 5000  # records: the assignment holds all pairs in memory
NEAREST = "likeliest record"
ASSIGNED = "one to one"


@arrays_measure(
    key="prl_numeric",
    title="Probabilistic record linkage of numbers",
    reading="Share of records that probabilistic linkage pairs with their own, by how large the differences in ranks are.",
    paired=True,
    source="Fellegi and Sunter (1969); Yancey, Winkler and Creecy (2002); the classes of difference are our own",
)
def prl_numeric(X: Array, Z: Array) -> Parts:
    """Share of originals linked to their own record, per cent, by likelihood ratios of the differences in ranks; ties shared.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Original and protected, paired by position.

    Returns
    -------
    Parts
        The share whose own record has the largest weight; up to 5,000 records also that of the one-to-one assignment with
        the largest sum of weights. Baseline 100/n: the weights are estimated without the true pairs.

    Notes
    -----
    Each attribute is replaced by ranks in its own file. A difference in ranks has one of 13 classes: none, and up to .002,
    .01, .02, .035, .05, .075, .1, .15, .2, .3, .5 and 1 of the records. The weight of a pair is the sum over attributes of
    log(m / u): u, the share of the class among all pairs; m, among the true pairs, by EM in which each original has one
    match. EM uses at most 1,000 originals, spread over the file.

    References
    ----------
    Fellegi and Sunter (1969); Yancey, Winkler and Creecy (2002), whose metric l compares numbers by their differences.
    """
    from ..linkage.numeric import numeric_linkage

    chance = 100 / len(X)
    linkage = numeric_linkage(X, Z)
    value = 100 * float(linkage.shares().mean())
    parts = [Part(NEAREST, value, chance)]
    if len(X) <= MOST_ASSIGNED:
        parts.append(Part(ASSIGNED, 100 * float(linkage.assigned().mean()), chance))
    notes = []
    if not linkage.converged:
        wording = "prl_numeric: EM had not converged after {iterations} iterations"
        notes.append(Note.of("not_converged", wording, iterations=linkage.iterations))
    return Parts(value, tuple(parts), chance, tuple(notes))

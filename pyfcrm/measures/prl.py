"""Probabilistic record linkage: how many originals are linked to their own record by Fellegi and Sunter's weights."""

from dataclasses import replace

import numpy as np

from ..data.pairs import Pair
from ..engine import Engine
from ..errors import Note
from ..linkage.agreement import EXACT, WITHIN, Agreement
from ..linkage.linker import Linker, by_blocks_note
from ..linkage.probabilistic import Linkage, against, at_boundary
from ..progress import Progress, within
from .measure import Part, Parts, pair_measure

FLOORED = "exact agreement, m at least u"
MOST_RECORDS = 50_000  # up to which every pair is compared by default: some ten seconds
TWO_RULES = "prl: DR uses {used}; {other} is shown beside it"
TOO_LONG = (
    "prl: DR uses {used}; {other} is left out, since comparing all pairs of {total} "
    "records takes long: request the measure prl_tolerance"
)
# Where m or u is near 0 or 1 the likelihood is flat, and a weight without bound.
AT_BOUNDARY = "prl, {agreement}: in {columns} m or u is near 0 or 1: weights are limited to log 1e6"
SOURCE = "Fellegi and Sunter (1969); thesis 2.4.2"


@pair_measure(
    key="prl",
    title="Probabilistic record linkage, exact agreement",
    reading="Share of records that probabilistic linkage pairs with their own, by which values agree exactly.",
    paired=True,
    source=SOURCE,
    gaps="linkage",
)
def prl(pair: Pair, engine: Engine, progress: Progress | None = None) -> Parts:
    """Share of originals linked to their own record, per cent, values agreeing when exactly equal.

    Parameters
    ----------
    pair : Pair
        Original and protected records, paired by position, in memory or on disk. At most
        63 columns.
    engine : Engine
        Runs the sums.
    progress : callable, optional
        Called with (done, total, label).

    Returns
    -------
    Parts
        The share. Baseline 100/n.

    Notes
    -----
    A value that changes by the smallest amount agrees with no other, so every synthetic release seems safe. Agreement
    within 0.1 sd is therefore a second part, for up to 50 000 records. Above, all n^2 pairs take too long unless
    requested (`prl_tolerance`), as a note reports. If EM finds agreement rarer in matched pairs than in others (m < u),
    agreement counts against a link. A note names the attributes, and a third part leaves them out of the weights;
    `dr_informed` uses that part. If m or u is near 0 or 1, the likelihood is flat and EM stops at no definite estimate.
    Weights are limited to log 1e6, and a note names the attributes. A missing cell, NaN, agrees with nothing.

    References
    ----------
    Fellegi and Sunter (1969); thesis 2.4.2.
    """
    few = pair.n <= MOST_RECORDS
    wording = TWO_RULES if few else TOO_LONG
    notes = [Note.of("chosen", wording, total=pair.n, used=EXACT.words, other=WITHIN.words)]

    exact = Linker(pair, engine, within(progress, 0, 3)).probabilistic(EXACT)
    result = _parts(exact, EXACT, pair)
    parts = list(result.parts)
    notes += result.notes
    blocks = exact.blocks

    if few and not pair.only_totals:
        tolerant = Linker(pair, engine, within(progress, 1, 3)).probabilistic(WITHIN)
        further = _parts(tolerant, WITHIN, pair)
        parts += further.parts
        notes += further.notes
        blocks = max(blocks, tolerant.blocks)

    if few and against(exact):
        # m at least u: agreement never counts against a link.
        fit = replace(exact, m=np.maximum(exact.m, exact.u))
        floored = Linker(pair, engine, within(progress, 2, 3)).probabilistic(EXACT, fit)
        parts.append(Part(FLOORED, 100 * pair.share(floored.share), result.baseline))
    notes += by_blocks_note("prl", blocks)
    return Parts(result.total, tuple(parts), result.baseline, tuple(notes))


@pair_measure(
    key="prl_tolerance",
    title="Probabilistic record linkage, agreement within 0.1 sd",
    reading="Probabilistic linkage where values within a tenth of a standard deviation count as agreeing.",
    paired=True,
    source=SOURCE + "; the tolerance is our own",
    gaps="linkage",
)
def prl_tolerance(pair: Pair, engine: Engine, progress: Progress | None = None) -> Parts:
    """Share of originals linked to their own record, per cent, values agreeing within 0.1 sd of the original (n - 1).

    Parameters
    ----------
    pair : Pair
        Original and protected records, paired by position, in memory or on disk. At most
        63 columns.
    engine : Engine
        Runs the sums.
    progress : callable, optional
        Called with (done, total, label).

    Returns
    -------
    Parts
        The share, per cent. Baseline 100/n.

    References
    ----------
    Own design.
    """
    linkage = Linker(pair, engine, progress).probabilistic(WITHIN)
    result = _parts(linkage, WITHIN, pair)
    return replace(result, notes=(*result.notes, *by_blocks_note("prl_tolerance", linkage.blocks)))


def _parts(linkage: Linkage, agreement: Agreement, pair: Pair) -> Parts:
    """The share linked under one rule of agreement, with notes on the estimates."""
    value = 100 * pair.share(linkage.share)
    baseline = 100 / pair.n
    notes = []
    if not linkage.converged:
        wording = "prl, {agreement}: EM had not converged after {iterations} iterations"
        notes.append(Note.of("not_converged", wording, agreement=agreement.words, iterations=linkage.iterations))
    flat = at_boundary(linkage)
    if flat:
        notes.append(Note.of("chosen", AT_BOUNDARY, flat, agreement=agreement.words))
    rarer_in_matches = against(linkage)
    if rarer_in_matches:
        wording = (
            "prl, {agreement}: in {columns} EM finds agreement rarer in matched pairs (m < u): it counts against a link"
        )
        notes.append(Note.of("unreliable", wording, rarer_in_matches, agreement=agreement.words))
    return Parts(value, (Part(agreement.words, value, baseline),), baseline, tuple(notes))

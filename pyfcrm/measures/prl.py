"""Probabilistic record linkage: how many originals are linked to their own record by Fellegi and Sunter's weights."""

from __future__ import annotations

from collections.abc import Callable

from ..linkage.agreement import Agreement, Exact, Tolerance
from ..linkage.probabilistic import Linkage, probabilistic_linkage
from ..types import Array
from .measure import Facts, Measure, Part, Parts

Linker = Callable[[Array, Array, Agreement], Linkage]
MOST_RECORDS = 50_000  # up to which every pair is looked at without being asked for: some ten seconds
SOURCE = "Fellegi and Sunter (1969); thesis 2.4.2"


def prl(X: Array, Z: Array, link: Linker = probabilistic_linkage) -> Parts:
    """Share of originals linked to their own record, per cent, values agreeing when exactly equal.

    X, Z : (n, p) original and protected, paired by position, p <= 63.
    A value protected by the smallest amount agrees with nothing, which flatters every synthetic release;
    so agreement within 0.1 sd stands beside it as a second part, for up to 50 000 records: beyond, all n^2 pairs
    take too long unless asked for (`prl_tolerance`), and a note says so. Baseline 100/n.
    link : what links the files by a rule of agreement, with the result of probabilistic_linkage.
    Source: Fellegi and Sunter (1969); thesis 2.4.2.
    """
    rules: tuple[Agreement, ...] = (Exact(), Tolerance())
    shown = rules if len(X) <= MOST_RECORDS else rules[:1]
    results = [_linked(X, Z, rule, link) for rule in shown]
    parts = tuple(part for result in results for part in result.parts)
    chosen = f"prl: DR uses {rules[0].words}; {rules[1].words} is shown beside it"
    if len(shown) < len(rules):
        chosen = (
            f"prl: DR uses {rules[0].words}; {rules[1].words} is left out, since comparing every pair of {len(X)} "
            "records takes long: ask for the measure prl_tolerance"
        )
    notes = (chosen, *(note for result in results for note in result.notes))
    return Parts(results[0].total, parts, results[0].baseline, notes)


def prl_tolerance(X: Array, Z: Array) -> Parts:
    """As prl, with values agreeing within 0.1 sd of the original attribute (n - 1). Own design."""
    return _linked(X, Z, Tolerance())


def _linked(X: Array, Z: Array, agreement: Agreement, link: Linker = probabilistic_linkage) -> Parts:
    linkage = link(X, Z, agreement)
    value, baseline = 100 * float(linkage.share.mean()), 100 / len(X)
    return Parts(value, (Part(agreement.words, value, baseline),), baseline, _notes(linkage, agreement))


def _notes(linkage: Linkage, agreement: Agreement) -> tuple[str, ...]:
    if linkage.converged:
        return ()
    return (f"prl, {agreement.words}: EM had not converged after {linkage.iterations} iterations",)


PRL = Measure(
    Facts(
        key="prl",
        title="Probabilistic record linkage, exact agreement",
        kind="risk",
        better="lower",
        identity=None,
        paired=True,
        source=SOURCE,
    ),
    prl,
)

PRL_TOLERANCE = Measure(
    Facts(
        key="prl_tolerance",
        title="Probabilistic record linkage, agreement within 0.1 sd",
        kind="risk",
        better="lower",
        identity=None,
        paired=True,
        source=SOURCE + "; the tolerance is our own",
    ),
    prl_tolerance,
)

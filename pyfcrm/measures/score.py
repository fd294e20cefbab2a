"""Disclosure risk and score: the two weighted means by which releases are compared."""

from collections.abc import Callable, Mapping

from .measure import Part, Parts, combined_measure


def combined(results: Mapping[str, Parts], formula: Callable[..., float]) -> Parts:
    """A formula of the values of some measures, which are the parts.

    formula : takes them in their order. The baseline is the formula of their baselines, None if one of them has none.
    """
    parts = tuple(Part(name, result.total, result.baseline) for name, result in results.items())
    values = [part.value for part in parts]
    baselines = [part.baseline for part in parts]
    baseline = None if None in baselines else formula(*baselines)
    return Parts(formula(*values), parts, baseline)


@combined_measure(
    key="dr",
    title="Disclosure risk",
    reading="Half interval disclosure, and half the mean of the two linkages: one number for what the release "
    "discloses.",
    paired=True,
    source="Domingo-Ferrer and Torra (2001); thesis 2.4.2",
    components=("dbrl", "prl", "id"),
)
def disclosure_risk(dbrl: Parts, prl: Parts, interval: Parts) -> Parts:
    """DR = 0.5 (DBRL + PRL)/2 + 0.5 ID, per cent; PRL with exact agreement, ID in sd.

    Parameters
    ----------
    dbrl, prl, interval : Parts
        The three it is made of.

    Returns
    -------
    Parts
        DR. The baseline likewise.

    References
    ----------
    thesis 2.4.2.
    """
    return combined({"dbrl": dbrl, "prl": prl, "id": interval}, lambda a, b, c: 0.5 * (a + b) / 2 + 0.5 * c)


@combined_measure(
    key="score",
    title="Score: mean of information loss and disclosure risk",
    reading="The mean of information loss and disclosure risk: lower is a better balance, but look at both.",
    kind="score",
    paired=True,
    source="Domingo-Ferrer and Torra (2001); thesis 2.4.3",
    components=("pil", "dr"),
)
def score(pil: Parts, dr: Parts) -> Parts:
    """SCORE = 0.5 PIL + 0.5 DR, per cent.

    Parameters
    ----------
    pil, dr : Parts
        The two it is made of.

    Returns
    -------
    Parts
        The score. A loss has no chance baseline, so neither has the score.

    References
    ----------
    thesis 2.4.3.
    """
    return combined({"pil": pil, "dr": dr}, lambda loss, risk: 0.5 * loss + 0.5 * risk)

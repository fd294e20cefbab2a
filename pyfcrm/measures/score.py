"""Disclosure risk and score: the two weighted means by which releases are compared."""

from .measure import Part, Parts, measure


@measure(
    key="dr",
    title="Disclosure risk",
    reading="Half interval disclosure, and half the mean of the two linkages: one number for what the release "
    "discloses.",
    paired=True,
    source="Domingo-Ferrer and Torra (2001); thesis 2.4.2",
    needs="measures",
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
    results = {"dbrl": dbrl, "prl": prl, "id": interval}
    parts = tuple(Part(name, result.total, result.baseline) for name, result in results.items())
    totals, baselines = ([getattr(part, field) for part in parts] for field in ("value", "baseline"))
    return Parts(_risk(*totals), parts, None if None in baselines else _risk(*baselines))


@measure(
    key="score",
    title="Score: mean of information loss and disclosure risk",
    reading="The mean of information loss and disclosure risk: lower is a better balance, but look at both.",
    kind="score",
    paired=True,
    source="Domingo-Ferrer and Torra (2001); thesis 2.4.3",
    needs="measures",
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
    return Parts(0.5 * pil.total + 0.5 * dr.total, (Part("pil", pil.total), Part("dr", dr.total, dr.baseline)))


def _risk(dbrl: float, prl: float, interval: float) -> float:
    return 0.5 * (dbrl + prl) / 2 + 0.5 * interval

"""Shares of records that keep each edit rule, declared or found."""

from collections.abc import Sequence

import numpy as np

from ....data import Frame
from ...verdict.edit_rules import EditRule
from .estimand import RELATIONS, Estimand, Estimates


def relation_estimands(rules: Sequence[EditRule], original: Frame) -> list[Estimand]:
    """An estimate for each rule."""
    return [
        Estimand(
            family=RELATIONS,
            estimate=f"share with {rule.words}",
            records=original.records,
            variables=rule.columns,
            kind=rule.words,
            place=(k,),
        )
        for k, rule in enumerate(rules)
    ]


def relation_shares(rules: Sequence[EditRule], original: Frame, frame: Frame) -> Estimates:
    """The share of the records of a frame, the original or its release, that keep each rule.

    The squared standard error is p (1 - p) / n, with at least 1 / (2 n) for p (1 - p).
    """
    n = frame.records
    kept = np.array([1 - rule.broken(original, frame) / n for rule in rules])
    variance = np.maximum(kept * (1 - kept), 1 / (2 * n))
    return Estimates(kept, np.sqrt(variance / n))

"""Categorical confidential variables: what a release discloses beyond releases without the record's own values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.codes import combinations, crossed
from ...linkage.informed import linked
from ...linkage.informed.likelihood import TransitionLikelihood, codes_from_one
from ...types import Array, Codes
from .attributable import Sample
from .reference_releases import CHANCE_DRAWS, DRAWS

MANY_KEPT, ERRORS = 0.25, 3.0  # of the cells that chance would change; standard errors
MOST_RANDOMISED = 0.95  # of the cells that chance would change, where a method changes few by design
CERTAINTY = 2.33  # standard errors of a share, which chance exceeds in one of 100 samples


@dataclass(frozen=True)
class Disclosed:
    """Attribute disclosure (DiSCO) of one variable, per cent of the records with a value.

    value, inference : of the release, and the mean over releases without the record's own values; beyond : by how much the
    first exceeds the second, less what chance explains.
    """

    column: str
    value: float
    inference: float
    beyond: float


def disclosed(sample: Sample, names: Sequence[str], keys: Codes) -> Disclosed:
    """The variable that the key variables disclose most, beyond its baseline.

    An intruder looks records up by the keys, and again by the keys with the other categorical variables. The better of
    both counts, for a release and for its references. names : of the variables; keys (n, k) : codes of the key
    variables.
    """
    combined = combinations(keys)
    before, after = codes_from_one(sample.records.C), codes_from_one(sample.D)
    references = [codes_from_one(release) for kind in sample.references.categories for release in kind]
    variables = []
    for j, name in enumerate(names):
        for others in ([], [k for k in range(len(names)) if k != j])[: len(names)]:
            value, *drawn = (_share(combined, before, release, j, others) for release in (after, *references))
            shares = np.reshape(drawn, (-1, CHANCE_DRAWS))
            inference = float(shares.mean(axis=1).max())
            chance = np.sqrt(inference * (1 - inference) / max((before[:, j] > 0).sum(), 1))
            error = max(shares.std(axis=1, ddof=1).max(), chance)
            variables.append(
                Disclosed(name, 100 * value, 100 * inference, 100 * (value - inference - CERTAINTY * error))
            )
    return max(variables, key=lambda variable: variable.beyond)


def _share(keys: Codes, before: Codes, after: Codes, j: int, others: list[int]) -> float:
    """The share of records with a value of variable j where the released records with their keys and other values all have
    this value."""
    n = len(keys)
    both = combinations(np.vstack([np.column_stack([keys, codes[:, others]]) for codes in (before, after)]))
    cells = crossed(both, np.append(before[:, j], after[:, j]))
    with_keys, with_value = (np.bincount(group[n:], minlength=2 * n)[group[:n]] for group in (both, cells))
    known = before[:, j] > 0
    return float(((with_keys > 0) & (with_keys == with_value))[known].mean()) if known.any() else 0.0


def links(sample: Sample, columns: Sequence[int]) -> tuple[float, float, float, float]:
    """Records that an intruder who knows the transition probabilities links by some categorical variables.

    Returns the share linked, per cent, and its baseline; certain links, and how many are expected without the records' own
    values.
    """
    attack, none, n = TransitionLikelihood(), np.empty((len(sample.D), 0)), len(sample.D)
    before = sample.records.C[:, columns]

    def counts(after: Array) -> Array:
        result = linked(attack.scores(none, before, after[:, columns]), n)
        return np.array([result.linked, result.certain * n / 100])

    releases = (sample.D[None], *(kind[:DRAWS] for kind in sample.references.categories))
    own, *references = (np.mean([counts(release) for release in kind], axis=0).tolist() for kind in releases)
    expected = np.max(references, axis=0).tolist()
    return own[0], expected[0], own[1], expected[1]


def kept_cells(share: float, chance: float, n: int, deniable: bool) -> float:
    """Unchanged cells beyond chance as per cent of all that chance would change, 0 where these are not many.

    Many are a quarter, and more than chance explains; of randomised cells, where no intruder can find out which
    changed, 95 %.
    """
    if chance >= 1:
        return 0.0
    kept = (share - chance) / (1 - chance)
    error = np.sqrt(chance / (1 - chance) / n)
    return 100 * float(kept) if kept > (MOST_RANDOMISED if deniable else max(MANY_KEPT, ERRORS * error)) else 0.0

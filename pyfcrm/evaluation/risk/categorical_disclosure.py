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

MANY_KEPT = 0.25  # of the cells that chance would change
ERRORS = 3.0  # standard errors that chance explains
MOST_RANDOMISED = 0.95  # of the cells that chance would change, where a method changes few by design
CERTAINTY = 2.33  # standard errors of a share, which chance exceeds in one of 100 samples


@dataclass(frozen=True)
class Disclosed:
    """Attribute disclosure (DiSCO) of one variable, per cent of the records with a value."""

    column: str
    """The variable."""
    value: float
    """The share that the release discloses."""
    inference: float
    """The mean over releases without the record's own values."""
    beyond: float
    """The excess of the release over these, less what chance explains; may be below 0."""


@dataclass(frozen=True)
class Links:
    """Records that an intruder who knows the method links."""

    linked: float
    """The share linked, per cent."""
    baseline: float
    """The share linked without the records' own values, per cent."""
    certain: float
    """The number of links that are certain."""
    certain_by_chance: float
    """The number expected without the records' own values."""
    intruder: str = "an intruder who knows the method"
    """Who links, as a sentence begins."""


def disclosed(sample: Sample, names: Sequence[str], keys: Codes) -> Disclosed:
    """The variable that the key variables disclose most, beyond its baseline.

    An intruder looks records up by the keys, and again by the keys with the other categorical variables. The better of
    both counts, for a release and for its references. names : of the variables; keys (n, k) : codes of the key
    variables.
    """
    combined = combinations(keys)
    before = codes_from_one(sample.records.C)
    after = codes_from_one(sample.D)
    references = [codes_from_one(release) for kind in sample.references.categories for release in kind]
    variables = []
    for j, name in enumerate(names):
        others = [k for k in range(len(names)) if k != j]
        looked_up_by: list[list[int]] = [[]]  # variables that the intruder knows beside the keys
        if others:
            looked_up_by.append(others)
        for known in looked_up_by:
            value = _share(combined, before, after, j, known)
            of_references = [_share(combined, before, release, j, known) for release in references]
            shares = np.reshape(of_references, (-1, CHANCE_DRAWS))  # kinds of references, draws
            inference = float(shares.mean(axis=1).max())
            # The error of a share: binomial, and at least that of the draws.
            binomial = np.sqrt(inference * (1 - inference) / max((before[:, j] > 0).sum(), 1))
            error = max(shares.std(axis=1, ddof=1).max(), binomial)
            beyond = 100 * (value - inference - CERTAINTY * error)
            variables.append(Disclosed(name, 100 * value, 100 * inference, float(beyond)))
    return max(variables, key=lambda variable: variable.beyond)


def _share(keys: Codes, before: Codes, after: Codes, j: int, others: list[int]) -> float:
    """The share of records that are disclosed among those with a value of variable j.

    A record is disclosed where the released records with its keys and other values all have its value of j.
    """
    n = len(keys)
    both_files = np.vstack([np.column_stack([keys, codes[:, others]]) for codes in (before, after)])
    group = combinations(both_files)  # (2 n,) originals, then released records
    cell = crossed(group, np.append(before[:, j], after[:, j]))
    with_keys = np.bincount(group[n:], minlength=2 * n)[group[:n]]
    with_value = np.bincount(cell[n:], minlength=2 * n)[cell[:n]]
    known = before[:, j] > 0
    if not known.any():
        return 0.0
    is_disclosed = (with_keys > 0) & (with_keys == with_value)
    return float(is_disclosed[known].mean())


def links(sample: Sample, columns: Sequence[int]) -> Links:
    """Records that an intruder who knows the transition probabilities links by some categorical variables."""
    attack = TransitionLikelihood()
    n = len(sample.D)
    none = np.empty((n, 0))
    before = sample.records.C[:, columns]

    def counts(after: Array) -> Array:
        """The share linked, and the number of certain links (2,)."""
        result = linked(attack.scores(none, before, after[:, columns]), n)
        return np.array([result.linked, result.certain * n / 100])

    of_release = counts(sample.D)
    # Each count by the kind of reference releases that has more.
    of_kinds = []
    for kind in sample.references.categories:
        of_draws = [counts(release) for release in kind[:DRAWS]]
        of_kinds.append(np.mean(of_draws, axis=0))
    expected = np.max(of_kinds, axis=0)
    return Links(
        linked=float(of_release[0]),
        baseline=float(expected[0]),
        certain=float(of_release[1]),
        certain_by_chance=float(expected[1]),
    )


def kept_cells(share: float, chance: float, n: int, *, deniable: bool) -> float:
    """Unchanged cells beyond chance as per cent of all that chance would change, 0 where these are not many.

    Many are a quarter, and more than chance explains; of randomised cells, where no intruder can find out which
    changed, 95 %.
    """
    if chance >= 1:
        return 0.0
    kept = (share - chance) / (1 - chance)
    if deniable:
        many = MOST_RANDOMISED
    else:
        # The standard error of `kept`: that of a binomial share, over 1 - chance.
        many = max(MANY_KEPT, ERRORS * np.sqrt(chance / (1 - chance) / n))
    return 100 * float(kept) if kept > many else 0.0

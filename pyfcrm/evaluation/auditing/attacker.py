"""The intruder of an audit: all attacks on one release, with what is prepared once for all releases."""

from __future__ import annotations

from dataclasses import dataclass

from ...types import Array
from .attacks import Originals, ShadowAttack, Split, attack
from .moment_attack import MOMENTS, PublishedSums, moment_scores
from .pair_attack import NEAR_PAIRS, pair_scores, reference_distances, released_distances


@dataclass(frozen=True)
class Attacker:
    """The knowledge of an intruder, whatever is protected."""

    originals: Originals
    """The originals."""
    in_pairs: Array
    """(r, n) distances to the nearest other original in pairs of columns, in ranks."""
    sums: PublishedSums | None
    """The sums that the method preserves; None if it preserves none."""
    shadows: ShadowAttack | None = None
    """The attack trained on shadow releases; None without."""

    @classmethod
    def of(cls, originals: Originals, sums: PublishedSums | None) -> Attacker:
        """An intruder without shadow releases."""
        return cls(originals=originals, in_pairs=reference_distances(originals), sums=sums)

    def scores(self, split: Split) -> dict[str, Array]:
        """Scores (n,) of the originals by attack, larger for members."""
        found = dict(attack(split, self.originals, self.shadows))
        found[NEAR_PAIRS] = pair_scores(self.in_pairs, released_distances(self.originals, split.Z))
        if self.sums is not None:
            found[MOMENTS] = moment_scores(split, self.sums)
        return found

"""What callers must know of a method's release: facts that each method states, all of them, without defaults."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal

from ..linkage.informed import Attack
from ..types import Masks
from .noisy_sums import Guarantee

Pairs = Literal["always", "by columns", "never"]
Preserved = Literal["", "average", "fits", "moments", "swaps"]
Probe = Literal["release", "first column", "normals"]


class Unexamined(Enum):
    """The statement that nobody has examined a fact yet."""

    NOT_EXAMINED = "not examined"


NOT_EXAMINED = Unexamined.NOT_EXAMINED
"""For `attacks` and `undone_by_seed` of a new method: the verdict's tests `linkage` and `seed` are then "not examined"."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts of a method with its parameters, for the roles of a file. No field has a default: a method states each."""

    masks: Masks
    """The kind of masking: "values" replaces values without using the record's own, "perturb" changes them, "keys" coarsens key
    variables."""

    pairs: Pairs
    """Whether a released record belongs to an original one: always, only where unmodified columns pair them, or never."""

    keeps: Preserved
    """The sums over the file that the release preserves, for any columns in X's place; "" for none.

    "average": those of the regression on X, on average over draws. "fits": these exactly. "moments": these and the cross
    sums among the released columns, exactly. "swaps": all of them nearly, by swaps, with weights and in domains too.
    """

    averages: bool
    """Whether the mean of several releases of the same records comes near the originals."""

    reissues_values: bool
    """Whether most released values are original values, in any record, so that they disclose who is in the file."""

    undone_by_seed: bool | Unexamined
    """Whether method and seed disclose originals nearly, beyond what the release alone discloses."""

    weak_generator: bool
    """Whether its random numbers come from a 32-bit generator whatever the seed, so that all its seeds can be tried."""

    deniable: bool
    """Whether it changes few cells by design, and no intruder can find out which."""

    privacy: Guarantee | None
    """Its differential privacy for the confidential columns, if it has one; its noise then comes from no stream."""

    swaps: bool
    """Whether its release results from swaps within columns, which satisfy `bounds` and `totals` of a run."""

    attacks: tuple[Attack, ...] | Unexamined
    """Attacks of an intruder who knows the method and its parameters; the most successful one counts.

    Empty where none is known that links more records than distance does.
    """

    seed_probe: Probe
    """The values by which seeds are tested: the release, that of the first column alone, or the first normals drawn for all columns."""

    @classmethod
    def of(cls, inner: Facts, **changes: Any) -> Facts:
        """The facts of a method that modifies the release of another one.

        Parameters
        ----------
        inner : Facts
            Of the other method.
        **changes : object
            The fields that differ, by name.

        Returns
        -------
        Facts
            With all other fields as the other method states them.
        """
        return replace(inner, **changes)

    @property
    def known_attacks(self) -> tuple[Attack, ...]:
        """The attacks, none where they are not examined."""
        return () if self.attacks is NOT_EXAMINED else self.attacks

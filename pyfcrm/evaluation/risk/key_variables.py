"""The risk of each record by key variables, as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data import Frame, checked
from ...data.pairs import key_codes
from ...display import Result, View
from ...errors import InvalidInput
from ...measures.individual_risk import frequencies, household_risk, individual_risk
from ...measures.suda import dis, suda_by_key
from ...progress import Progress
from ...types import Array, Codes

if TYPE_CHECKING:
    import pandas as pd

SIZES = {"1": 1, "2": 2, "3 to 4": 3, "5 to 9": 5, "10 or more": 10}  # least sizes of groups that agree
COLUMNS = ("fk", "Fk", "individual", "household", "suda", "dis")


@dataclass(frozen=True, repr=False)
class KeyRisk(Result):
    """The risk of each record by some keys, in the order of the file; every array is (n,).

    Parameters
    ----------
    keys : tuple of str
        The key variables.
    record : tuple
        Index labels, or positions from 0.
    fk, Fk : ndarray
        Records of the file that agree on the keys, and of the population: the sum of their weights.
    individual, household : ndarray
        The probability that the record is re-identified, and that at least one record of its household is.
    suda, dis : ndarray
        The SUDA score, and the DIS score, the probability that a match is correct; 0 for a record that is not special.
    form, scoring : str
        The arguments.
    contributions : mapping of str to float
        Of each key, per cent of all SUDA scores that come from minimal sample uniques with it; recode the largest first.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> risk = pf.key_risk(pf.datasets.survey(100), ["region", "age"], weights="weight")
    >>> len(risk.to_frame())
    100
    """

    keys: tuple[str, ...]
    record: tuple[Any, ...]
    fk: Array
    Fk: Array
    individual: Array
    household: Array
    suda: Array
    dis: Array
    form: str
    scoring: str
    contributions: Mapping[str, float] = field(default_factory=dict)

    @property
    def expected(self) -> float:
        """The expected number of re-identifications: the sum of the individual risks."""
        return float(self.individual.sum())

    @property
    def global_risk(self) -> float:
        """The mean individual risk, from 0 to 1."""
        return float(self.individual.mean())

    @property
    def global_household_risk(self) -> float:
        """The mean household risk, from 0 to 1."""
        return float(self.household.mean())

    def describe(self) -> tuple[str, ...]:
        """The whole file in words.

        Returns
        -------
        tuple of str
            Counts of sample uniques, expected re-identifications and special uniques (SUDA).
        """
        unique = int((self.fk == 1).sum())
        below_3 = int((self.fk < 3).sum())
        special = int((self.suda > 0).sum())
        return (
            f"Of {len(self.fk):,} records, sample uniques on the keys: {unique:,}; violating 3-anonymity: {below_3:,}; unique on some "
            f"of the keys: {special:,}.",
            f"{self.expected:.2f} re-identifications are expected ({100 * self.global_risk:.2f} %; by households "
            f"{100 * self.global_household_risk:.2f} %).",
            f"The largest individual risk is {self.individual.max():.4f}, the largest DIS score {self.dis.max():.4f}.",
            *self._contributions(),
        )

    def _contributions(self) -> tuple[str, ...]:
        """What each key contributes to the SUDA scores, the most first; nothing where no record has a score."""
        ordered = sorted(self.contributions.items(), key=lambda item: -item[1])
        shares = ", ".join(f"{key} {share:.1f} %" for key, share in ordered)
        return (f"SUDA scores come from sets of keys with {shares}.",) if any(self.contributions.values()) else ()

    def _view(self) -> View:
        size_of_group = np.searchsorted(list(SIZES.values()), self.fk, side="right") - 1
        rows = []
        for k, name in enumerate(SIZES):
            of_size = size_of_group == k
            rows.append((name, int(of_size.sum()), float(self.individual[of_size].sum())))
        return View(
            f"Key risk by {', '.join(self.keys)}",
            ("records that agree on the keys", "records", "expected re-identifications"),
            rows,
            self.describe(),
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a record, in the order of the file.

        Returns
        -------
        DataFrame
            Columns fk, Fk, individual, household, suda, dis; the index labels of the file.
        """
        import pandas as pd

        return pd.DataFrame({name: getattr(self, name) for name in COLUMNS}, index=list(self.record))


def risk_by_keys(
    frame: Frame,
    keys: tuple[str, ...],
    weights: str | None,
    household: str | None,
    *,
    form: str = "approx",
    scoring: str = "elliot",
    progress: Progress | None = None,
) -> KeyRisk:
    """The risk of each record of a file by key variables; see `key_risk` for the arguments."""
    K, _ = key_codes("key_risk", frame, frame, keys)
    checked = None if weights is None else checked_weights("key_risk", frame, weights)
    risks = risks_by_frequencies(K, checked, form)
    household_of_record = np.full(len(K), -1, dtype=np.int64)  # each record alone
    if household is not None:
        codes, _ = key_codes("key_risk", frame, frame, [household])
        household_of_record = codes[:, 0]
    scores, contributions = suda_by_key(K, scoring, progress)
    index = frame.index()
    return KeyRisk(
        keys=keys,
        record=tuple(range(frame.records) if index is None else index),
        fk=risks.fk,
        Fk=risks.Fk,
        individual=risks.individual,
        household=household_risk(risks.individual, household_of_record),
        suda=scores,
        dis=dis(K, scores),
        form=form,
        scoring=scoring,
        contributions=dict(zip(keys, contributions.tolist(), strict=True)),
    )


@dataclass(frozen=True)
class FrequencyRisk:
    """The risk of each record by the frequencies of its combination of keys."""

    fk: Array
    """(n,) the records of the file that agree on the keys."""
    Fk: Array
    """(n,) those of the population: the sum of their weights."""
    individual: Array
    """(n,) the probability that the record is re-identified."""


def risks_by_frequencies(K: Codes, weights: Array | None, form: str = "approx") -> FrequencyRisk:
    """The individual risks of records with keys K (n, q) and checked weights (n,); see `key_risk`."""
    if weights is None:
        # The file is the population: one of fk records is the right one.
        fk, Fk = frequencies(K, None)
        return FrequencyRisk(fk=fk, Fk=Fk, individual=1 / fk)
    fk, Fk = frequencies(K, weights)
    return FrequencyRisk(fk=fk, Fk=Fk, individual=individual_risk(fk, Fk, form))


def checked_weights(owner: str, frame: Frame, name: str) -> Array:
    """The weights (n,) of the records. Raises InvalidInput where one is missing or negative."""
    w = checked(owner, frame, (name,))[:, 0]
    for wrong, rule in ((np.isnan(w), "must not be missing"), (w < 0, "must not be negative")):
        if wrong.any():
            record = int(np.argmax(wrong))
            raise InvalidInput(owner, f"the weights in column `{name}` {rule}", f"{w[record]:g} in record {record + 1}")
    return w

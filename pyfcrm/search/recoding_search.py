"""What recode_search() returns: the steps of a release, and the way of the search with the loss of each step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..display import View
from ..display.view import Result
from ..methods import Steps


@dataclass(frozen=True)
class RecodingStep:
    """A choice of levels that the search passed.

    Parameters
    ----------
    levels : mapping of str to int
        The level of each key; 0 is the values themselves.
    changed : str
        The keys whose level changed from the step before, in words.
    loss : float
        Per cent of the loss of emptying all keys, emptied records included.
    suppressed : int
        Records in groups that fail the conditions, whose keys count as empty.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(200)
    >>> found = pf.recode_search(frame, ["age", "region"], {"age": {"cuts": [[30, 45, 60], [45]]}}, 3)
    >>> found.path[0].levels
    {'age': 0, 'region': 0}
    """

    levels: Mapping[str, int]
    changed: str
    loss: float
    suppressed: int


@dataclass(frozen=True, repr=False)
class RecodingSearch(Result):
    """The outcome of a search for a recoding.

    Parameters
    ----------
    steps : Steps
        Recoding, then local suppression, for `protect` or a plan.
    path : tuple of RecodingStep
        From no recoding to the chosen levels.
    conditions : str
        What each group of equal keys satisfies.
    records : int
        The number of records.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(200)
    >>> found = pf.recode_search(frame, ["age", "region"], {"age": {"cuts": [[30, 45, 60], [45]]}}, 3)
    >>> released = pf.protect(frame, found.steps)
    >>> report = pf.evaluate(frame, released, measures="k_anonymity", keys=["age", "region"])
    >>> report["k_anonymity"] >= 3
    True
    """

    steps: Steps
    path: tuple[RecodingStep, ...]
    conditions: str
    records: int

    @property
    def levels(self) -> Mapping[str, int]:
        """The chosen level of each key."""
        return self.path[-1].levels

    @property
    def loss(self) -> float:
        """The loss of the chosen levels, per cent."""
        return self.path[-1].loss

    @property
    def suppressed(self) -> int:
        """Records whose keys count as empty: local suppression empties as few of their cells as it can."""
        return self.path[-1].suppressed

    def rows(self) -> list[dict[str, Any]]:
        """The path as plain data.

        Returns
        -------
        list of dict
            For each step: step, changed, loss, suppressed, and the level of each key by its name.
        """
        return [
            {"step": number, "changed": step.changed, "loss": step.loss, "suppressed": step.suppressed, **step.levels}
            for number, step in enumerate(self.path)
        ]

    def _view(self) -> View:
        rows = [(step.changed, step.loss, step.suppressed) for step in self.path]
        chosen = ", ".join(f"{key} {level}" for key, level in self.levels.items())
        sentences = (
            f"Chosen levels: {chosen}. Loss {self.loss:.1f} %.",
            f"{self.suppressed:,} of {self.records:,} records are in groups that fail; their cells are emptied.",
        )
        columns = ("levels", "loss, %", "records that fail")
        return View(f"Recoding for {self.conditions}", columns, rows, sentences)

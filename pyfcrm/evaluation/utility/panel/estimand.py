"""The estimates of the panel: what each of them is, and the interface of a family of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ....types import Array
from .panel_file import PanelFile

LARGE = 3.0  # standard errors: a larger deviation changes what users conclude
RELATIONS = "relations"  # the family of edit rules, which are about several columns
MIN_RECORDS = 30  # of a class, a level or a cell with estimates


@dataclass(frozen=True, kw_only=True)
class Estimand:
    """One estimate that users make of a file."""

    family: str
    """The family of estimates, such as "group means"."""
    estimate: str
    """The estimate, such as "mean wages"."""
    group: str = ""
    """The class of records, such as "age=15"; empty for the whole file."""
    records: int
    """Number of original records that it is made of."""
    variables: tuple[str, ...]
    """The names of the confidential columns that it is about; of a relation all its columns."""
    kind: str
    """What it is, in the plural, such as "means", "medians" or "slopes on the predictors"."""
    by: str = ""
    """The column of the classes; empty for the whole file."""
    columns: tuple[int, ...] = ()
    """The confidential numbers that it is about, by their places."""
    place: tuple[int, ...]
    """Where its family computes it."""

    def __str__(self) -> str:
        return f"{self.estimate} in {self.group}" if self.group else self.estimate


@dataclass(frozen=True)
class Estimates:
    """The estimates of one file."""

    values: Array
    """The estimates (e,); NaN where the file does not determine one."""
    errors: Array
    """Their standard errors (e,), with floors."""


class Family(Protocol):
    """Estimates of one kind."""

    def estimands(self) -> list[Estimand]:
        """All estimates of the family, those of the largest classes first."""

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """Some of the estimates, of one file."""

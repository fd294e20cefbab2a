"""A study: an experiment with what was printed of it, and what every study gives when it is run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..progress import Progress


@dataclass(frozen=True)
class Sheet:
    """A table to be read: its head, its cells, the first `left` columns being words; below : a line under it."""

    title: str
    head: Sequence[str]
    cells: Sequence[Sequence[Any]]
    left: int = 1
    below: str = ""


@dataclass(frozen=True)
class Figure:
    """Measured and printed values along an axis, as plots.course draws them."""

    rows: Sequence[Mapping[str, Any]]
    horizontal: str


@dataclass(frozen=True)
class Outcome:
    """What came of a study.

    seeds : those it was run with; rows : one a setting, flat; more : what else a document says, by name; sheets : to
    be read, one below the other; notes : said under them; tables : rows to keep, by file name; figure : to be drawn,
    if any; holds : whether what must hold does; digits : decimals of numbers in the tables, all where None.
    """

    seeds: tuple[int, ...]
    rows: Sequence[Mapping[str, Any]]
    sheets: Sequence[Sheet]
    notes: Sequence[str]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    more: Mapping[str, Any] = field(default_factory=dict)
    figure: Figure | None = None
    holds: bool = True
    digits: int | None = None


@dataclass(frozen=True)
class Study(ABC):
    """key : the word it is asked for by, and the name of its files; title : what stands above its table."""

    key: str
    title: str

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files it may leave."""
        return (f"{self.key}.csv",)

    @abstractmethod
    def opened(self, census: str | None) -> Any:
        """What it runs on. census : path of the Census file, where it is not to be looked for."""

    @abstractmethod
    def reproduced(self, data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
        """Run it on what `opened` gave. seeds : instead of the study's own."""

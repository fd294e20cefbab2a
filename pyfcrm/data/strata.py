"""Strata: the records of each combination of values, processed separately."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ..errors import Count, InvalidInput, InvalidParameter, Note
from ..notes import sums
from ..progress import Progress, report_progress
from ..types import Codes, Rows
from .blocks import most_records
from .check import require_columns
from .codes import MISSING, combinations, groups_of
from .frame import Frame


@dataclass(frozen=True)
class Strata:
    """Groups of records that are processed separately, in order of first appearance."""

    columns: tuple[str, ...]
    """The columns whose combinations of values define the strata."""
    rows: tuple[Rows, ...]
    """The records of each stratum, ascending."""

    @classmethod
    def of(cls, columns: Sequence[str], codes: Codes) -> Strata:
        """Strata of the records (n,) whose codes are equal."""
        return cls(tuple(columns), tuple(sorted(groups_of(codes), key=lambda rows: int(rows[0]))))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def codes(self) -> Codes:
        """Numbers (n,) of each record's stratum, from 0."""
        codes = np.empty(sum(map(len, self.rows)), dtype=np.int64)
        for k, rows in enumerate(self.rows):
            codes[rows] = k
        return codes

    def size_note(self, done: str) -> Note:
        """The number of strata and their sizes. done : what was done by strata."""
        sizes = [len(rows) for rows in self.rows]
        span = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        wording = f"{done} by strata of {{columns}}: {{count}} {{count:stratum|strata}} of {{span}} records"
        return Note.of("by_strata", wording, self.columns, count=len(sizes), span=span)

    @contextmanager
    def naming(self, owner: str, k: int) -> Iterator[None]:
        """Around the work on stratum k, from 0: errors become InvalidInput with its number and size, and no value."""
        try:
            yield
        except (InvalidInput, InvalidParameter) as error:
            size = f"{len(self.rows[k])} {Count(len(self.rows[k])):record|records}"
            rule = f"stratum {k + 1} of {len(self)} ({size}) cannot be processed alone: {error}"
            raise InvalidInput(owner, rule) from error


def require_room(owner: str, strata: Strata, p: int) -> None:
    """Raises InvalidInput where the largest stratum, of p numbers a record, would not fit in memory."""
    sizes = [len(rows) for rows in strata.rows]
    most, k = most_records(p), int(np.argmax(sizes))
    if sizes[k] > most:
        rule = f"each stratum must fit in memory, which holds about {most} records (use finer strata)"
        raise InvalidInput(owner, rule, f"{sizes[k]} records in stratum {k + 1} of {len(strata)}")


def strata_codes(
    owner: str, frame: Frame, columns: Sequence[str], missing: str, progress: Progress | None = None
) -> Codes:
    """Numbers (n,) of each record's combination of values in columns of any type, from 0, by first appearance.

    Equal values are in one stratum (1 and 1.0, not 1 and "1"). missing : "refuse", or another word, with which missing
    counts as a value. Raises InvalidInput for a missing value that is refused, or a cell that holds a list.
    """
    require_columns(owner, frame, columns)
    K = np.empty((frame.records, len(columns)), dtype=np.int64)
    for j, name in enumerate(columns):
        K[:, j] = frame.distinct(name, owner)[0]
        if missing == "refuse" and (gaps := K[:, j] == MISSING).any():
            rule = f'stratum column `{name}` misses values (missing="protect" or "drop" makes a stratum of them)'
            raise InvalidInput(owner, rule, f"none in record {int(np.argmax(gaps)) + 1}")
        if frame.source is not None:
            report_progress(progress, j + 1, len(columns), "finding the strata")
    return combinations(K)


class NoteSummary:
    """Notes of many strata, or of other parts, each once, with the number of strata that have it."""

    def __init__(self, strata: int, parts: str = "strata", part: str = "stratum") -> None:
        self.strata, self._parts, self._part = strata, parts, part
        self._notes: dict[tuple[str, str, tuple[str | int, ...]], dict[int, Note]] = {}

    def note(self, stratum: int, text: str) -> None:
        """A note of one stratum, from 0. Notes of one kind and wording on the same columns are one note."""
        note = Note.taken(text)
        self._notes.setdefault((note.kind, note.wording, note.columns), {}).setdefault(stratum, note)

    def texts(self) -> list[Note]:
        """The notes, in order of first appearance."""
        return [self._merged(notes) for notes in self._notes.values()]

    def _merged(self, notes: dict[int, Note]) -> Note:
        first, note = next(iter(notes.items()))
        if self.strata == 1:
            return note
        like = "" if len(set(notes.values())) == 1 else f", numbers of {self._part} {{stratum}}"
        wording = f"in {{strata_with}} of {{strata}} {self._parts}{like}: {note.wording}"
        facts = {"strata_with": len(notes), "strata": self.strata, "stratum": first + 1, **sums(list(notes.values()))}
        return note.changed(wording=wording, brief=note.brief or note.wording, **facts)

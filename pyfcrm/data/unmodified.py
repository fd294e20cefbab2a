"""Columns that are released unchanged, and how many records are unique on them: counts, then sentences."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..display import Shown, View
from ..errors import Count
from ..types import Codes
from .codes import crossed
from .column_facts import unique_records, unique_units

MAX_CROSSED = 12  # columns whose pairs are counted
SHOWN_PAIRS, SHOWN_COLUMNS = 5, 30


@dataclass(frozen=True, repr=False)
class SampleUniques(Shown):
    """The columns of a release that are unmodified, and the records that are unique on them.

    Parameters
    ----------
    columns : tuple of str
        The unmodified columns, without those that no intruder knows.
    records : int
        How many records were counted.
    alone : mapping of str to int
        By column, the records whose value no other record has. Records without a value share this.
    pairs : mapping of (str, str) to int
        By pair of columns, the records unique on both together; of at most 12 columns, those with the most uniques.
    together : int
        The records unique on all these columns together.
    unknown : tuple of str
        Unmodified columns that no intruder knows, according to the roles.
    what : str
        What is counted: "records"; or "households" or "units" where these have several records, all of which an intruder knows.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> pf.evaluate(frame, released, measures="pil").kept.records
    100
    """

    columns: tuple[str, ...]
    records: int
    alone: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]
    together: int
    unknown: tuple[str, ...] = ()
    what: str = "records"

    @property
    def share(self) -> float:
        """The records unique on the columns together, per cent of all."""
        return 100.0 * self.together / self.records if self.records else 0.0

    def sentences(self) -> tuple[str, ...]:
        """The counts in words.

        Returns
        -------
        tuple of str
            The columns, and how many records are unique on all of them, on one, on two.
        """
        lines = [self.counted()]
        if self.columns:
            number = f"{len(self.columns)} columns are" if len(self.columns) > 1 else "1 column is"
            lines = [f"{number} released unchanged: {_first(self.columns, 'more')}.", *lines, self._by_column()]
        if len(self.columns) > 2 and self.pairs:  # of two columns the pair is all of them
            most = sorted(self.pairs.items(), key=lambda item: -item[1])[:SHOWN_PAIRS]
            pairs = ", ".join(f"{a} with {b} {count:,}" for (a, b), count in most if count) or "none"
            limited = f" (pairs of the {MAX_CROSSED} columns with the most uniques)"
            lines.append(
                f"{self.what.capitalize()} unique on two of them: {pairs}{limited if len(self.columns) > MAX_CROSSED else ''}."
            )
        if self.unknown:
            names = " and ".join(filter(None, [", ".join(self.unknown[:-1]), self.unknown[-1]]))
            lines.append(f"No intruder is assumed to know {names}: released unchanged, and not counted here.")
        return tuple(lines)

    def counted(self) -> str:
        """Number of records that are unique on the columns together.

        Returns
        -------
        str
            One sentence.
        """
        if not self.columns:
            return "No column that an intruder may know is released unchanged."
        verb, columns = f"{Count(self.together):is|are}", "it" if len(self.columns) == 1 else "them together"
        return f"{self.together:,} of {self.records:,} {self.what} {verb} unique on {columns} ({self.share:.1f} %)."

    def _view(self) -> View:
        rows = [(name, count) for name, count in self.alone.items()]
        return View("Columns released unchanged", ("column", "sample uniques"), rows, self.sentences())

    def _by_column(self) -> str:
        counts = sorted(((name, count) for name, count in self.alone.items() if count), key=lambda item: -item[1])
        if not counts:
            return f"No {self.what.removesuffix('s')} is unique on one of them alone."
        none = "" if len(counts) == len(self.columns) else "; none on any other"
        listed = _first([f"{name} {count:,}" for name, count in counts], "more columns")
        return f"{self.what.capitalize()} unique on one alone: {listed}{none}."


def _first(items: Sequence[str], others: str) -> str:
    rest = f" and {len(items) - SHOWN_COLUMNS} {others}" if len(items) > SHOWN_COLUMNS else ""
    return ", ".join(items[:SHOWN_COLUMNS]) + rest


def count_uniques(
    codes_of: Callable[[str], Codes],
    columns: Iterable[str],
    records: int,
    unknown: tuple[str, ...] = (),
    units: Codes | None = None,
    *,
    order: Codes | None = None,
    what: str = "units",
) -> SampleUniques:
    """The counts over columns, of which at most a dozen are in memory.

    codes_of : a column's codes (n,); units (n,) : the unit of each record, which then is what is counted; order (n,) : of
    the records of a panel; what : the name of several units. See unique_units().
    """
    columns, alone = tuple(columns), dict[str, int]()
    together, crossable = np.zeros(records, dtype=np.int64), dict[str, Codes]()

    def unique(codes: Codes) -> int:
        return unique_records(codes) if units is None else unique_units(codes, units, order)

    for name in columns:
        crossable[name] = codes_of(name)
        alone[name] = unique(crossable[name])
        together = crossed(together, crossable[name])
        if len(crossable) > MAX_CROSSED:
            del crossable[min(crossable, key=lambda column: alone[column])]
    pairs = {(a, b): unique(crossed(crossable[a], crossable[b])) for a, b in combinations(crossable, 2)}
    return SampleUniques(
        columns=columns,
        records=records if units is None else len(np.unique(units)),
        alone=alone,
        pairs=pairs,
        together=unique(together) if columns else 0,
        unknown=unknown,
        what="records" if units is None else what,
    )

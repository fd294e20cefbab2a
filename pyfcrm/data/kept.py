"""What leaves as it came: which columns, and how many records are unique on them, counted and in words."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ..errors import Count, InvalidParameter
from ..types import Codes
from .column_facts import Combination, crossed, unique_records
from .frame import Frame
from .open import require_columns
from .pairs import paired_rows, unchanged_columns
from .roles import Roles
from .source import open_data
from .turned import turned_columns

MOST_PAIRED = 12  # columns whose pairs are counted
_SHOWN_PAIRS, _SHOWN_COLUMNS = 5, 30


@dataclass(frozen=True)
class Kept:
    """The columns of a release that leave as they came, and the records that are unique on them.

    Parameters
    ----------
    columns : tuple of str
        The columns that count: all that leave as they came but those that no intruder knows.
    records : int
        How many records were counted.
    alone : mapping of str to int
        By column, the records whose value no other record has. Missing is a value shared by all that miss it.
    pairs : mapping of (str, str) to int
        By pair of columns, the records unique on both together; of at most 12 columns, those with the most uniques.
    together : int
        The records unique on all these columns together.
    unknown : tuple of str
        Columns that leave as they came too, of which it was said that no intruder knows them.
    """

    columns: tuple[str, ...]
    records: int
    alone: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]
    together: int
    unknown: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The records unique on the columns together, per cent of all."""
        return 100.0 * self.together / self.records if self.records else 0.0

    def sentences(self) -> tuple[str, ...]:
        """All this in words.

        Returns
        -------
        tuple of str
            Which columns, and how many records are unique on them together, by each, by two of them.
        """
        if not self.columns:
            return (self.counted(), *self._not_counted())
        return (
            f"{_columns_leave(self.columns)}.",
            self.counted(),
            self._by_each(),
            *self._by_two(),
            *self._not_counted(),
        )

    def counted(self) -> str:
        """How many records are unique on the columns together.

        Returns
        -------
        str
            One sentence.
        """
        if not self.columns:
            return "No column that an intruder may know is released unchanged."
        which = "it" if len(self.columns) == 1 else "them together"
        return f"{_of(self.together, self.records)} unique on {which} ({self.share:.1f} %)."

    def _by_each(self) -> str:
        found = sorted(((name, many) for name, many in self.alone.items() if many), key=lambda one: -one[1])
        if not found:
            return "No record is unique on one of them alone."
        shown = ", ".join(f"{name} {many:,}" for name, many in found[:_SHOWN_COLUMNS])
        rest = f" and {len(found) - _SHOWN_COLUMNS} more columns" if len(found) > _SHOWN_COLUMNS else ""
        none = "" if len(found) == len(self.columns) else "; none on any other"
        return f"Records unique on one alone: {shown}{rest}{none}."

    def _by_two(self) -> tuple[str, ...]:
        if len(self.columns) < 3 or not self.pairs:  # of two columns the pair is all of them together
            return ()
        found = sorted(self.pairs.items(), key=lambda one: -one[1])
        shown = ", ".join(f"{a} with {b} {many:,}" for (a, b), many in found[:_SHOWN_PAIRS] if many)
        more = len(self.columns) - MOST_PAIRED
        only = f" (pairs of the {MOST_PAIRED} columns with the most uniques)" if more > 0 else ""
        return (f"Records unique on two of them: {shown or 'none'}{only}.",)

    def _not_counted(self) -> tuple[str, ...]:
        if not self.unknown:
            return ()
        return (f"No intruder is assumed to know {_listed(self.unknown)}: released unchanged, and not counted here.",)


def leaving_columns(roles: Roles, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the columns `names` that a release holds as they came: independent ones and those without a role."""
    replaced = {*roles.dependent, *roles.identifiers}
    return tuple(name for name in names if name not in replaced)


def kept_of(door: Frame, columns: Iterable[str], unknown: Iterable[str] = ()) -> Kept:
    """The counts over the columns of an opened frame, those that are `unknown` to an intruder left out."""
    leaving, told = tuple(columns), tuple(unknown)
    counted = tuple(name for name in leaving if name not in told)
    return count_kept(door.codes, counted, door.records, tuple(name for name in leaving if name in told))


def count_kept(
    codes_of: Callable[[str], Codes], columns: Iterable[str], records: int, unknown: tuple[str, ...] = ()
) -> Kept:
    """The counts over some columns, of which at most a dozen are in memory. codes_of : a column's codes (n,)."""
    columns, alone, together = tuple(columns), dict[str, int](), Combination.of_none(records)
    held: dict[str, Codes] = {}
    for name in columns:
        codes = codes_of(name)
        alone[name] = unique_records(codes)
        together = together.with_column(codes)
        held[name] = codes
        if len(held) > MOST_PAIRED:
            del held[min(held, key=lambda one: alone[one])]
    pairs = {(a, b): unique_records(crossed(held[a], held[b])) for a, b in combinations(held, 2)}
    return Kept(columns, records, alone, pairs, together.unique if columns else 0, unknown)


def kept_before(owner: str, frame: Any, roles: Roles) -> Kept:
    """What will leave a frame or a file as it came, by its role. Raises InvalidInput for an unknown column it does not have."""
    door = open_data(owner, frame)
    require_columns(owner, door, roles.unknown)
    return kept_of(door, leaving_columns(roles, door.names), roles.unknown)


def kept_between(owner: str, before: Frame, after: Frame, unknown: Iterable[str] = ()) -> Kept | None:
    """What leaves as it came, as the two files show it; None where their records do not pair, or not by their order.

    Raises InvalidInput for an unknown column that the original does not have, InvalidParameter for one that changed.
    """
    told = tuple(unknown)
    require_columns(owner, before, told)
    if paired_rows(before, after) is None or turned_columns(before, after):
        return None
    leaving = unchanged_columns(before, after, after.names)
    require_leaving(owner, told, leaving)
    return kept_of(after, leaving, told)


def require_leaving(owner: str, unknown: Iterable[str], leaving: Container[str]) -> None:
    """Raises InvalidParameter for an unknown column that is not among those that leave as they came."""
    for name in unknown:
        if name not in leaving:
            raise InvalidParameter(owner, "unknown", "must name columns that leave as they came", name)


def _columns_leave(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return f"1 column is released unchanged: {names[0]}"
    more = f" and {len(names) - _SHOWN_COLUMNS} more" if len(names) > _SHOWN_COLUMNS else ""
    return f"{len(names)} columns are released unchanged: {', '.join(names[:_SHOWN_COLUMNS])}{more}"


def _of(many: int, records: int) -> str:
    return f"{many:,} of {records:,} records {Count(many):is|are}"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

"""What is said of two files with missing values: which values or records each measure takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..data.pairs import Pair
from ..errors import Note
from ..measures import MEASURES

CELLS = "{measures}: by the values of each column that are observed in both files, {least} to {most} of {total}"
LINKAGE = (
    "{measures}: {count} of {total} records {count:misses|miss} values; by distance each is linked by the columns it has, "
    "among the protected records that have them all; in probabilistic linkage a missing value agrees with nothing"
)
RECORDS = "{measures}: by the {count} of {total} records that are complete in both files"


def gap_notes(pair: Pair, keys: Sequence[str]) -> tuple[Note, ...]:
    """How many values or records the measures take, those that take the same together; none of files without gaps."""
    measures = {key: MEASURES[key] for key in dict.fromkeys(part for key in keys for part in _made_of(key))}
    kinds = {key: one.gaps for key, one in measures.items() if not one.needs_keys}
    notes = []
    if pair.gaps:
        known, complete = pair.cells.min(axis=0), pair.complete
        least, most = f"{known.min():,}", f"{known.max():,}"
        cells, linkage = (", ".join(key for key in kinds if kinds[key] == kind) for kind in ("cells", "linkage"))
        if cells:
            notes.append(Note.of("left_out", CELLS, total=pair.n, measures=cells, least=least, most=most))
        if linkage:
            notes.append(Note.of("left_out", LINKAGE, count=pair.n - complete, total=pair.n, measures=linkage))
    whole = pair.with_whole_original()
    for part in [pair] if whole is pair else [pair, whole]:
        same = [key for key in kinds if whole is pair or measures[key].paired == (part is pair)]
        named = ", ".join(key for key in same if kinds[key] == "records")
        if named and part.gaps:
            notes.append(Note.of("left_out", RECORDS, count=part.complete, total=part.n, measures=named))
    return tuple(notes)


def _made_of(key: str) -> Iterator[str]:
    """The measures that one is made of, itself where it is made of none."""
    for part in MEASURES[key].components:
        yield from _made_of(part)
    if not MEASURES[key].components:
        yield key

"""Measures computed for a pair of files, with their notes."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from ..data.blocks import most_records
from ..data.pairs import Pair
from ..engine import Engine, one_blas_thread
from ..errors import InvalidInput, Note
from ..measures import MEASURES
from ..measures.measure import Parts
from ..progress import Progress, report_progress, within

GAPS = (
    "{count} of {total} records {count:misses|miss} values: PIL and ID use each column's values, linkage each record's, other "
    "measures complete records"
)
NOT_RELEASED = (
    "{count} of {total} records of the original are not in the release; they count in measures that pair no records"
)


def measured(
    pair: Pair,
    keys: Sequence[str],
    engine: Engine,
    known: Mapping[str, Parts] | None = None,
    progress: Progress | None = None,
) -> dict[str, Parts]:
    """The measures by key, of two files' records. known : results there are already.

    Raises InvalidInput for a measure of all records at once where they are on disk, and do not fit in memory.
    """
    results = dict(known or {})
    missing = list(dict.fromkeys(part for key in keys for part in needed(key, results)))
    for key in missing:
        _require_room(key, pair)
    with one_blas_thread():  # its own would fight the kernels for the processors
        for done, key in enumerate(missing):
            part = within(progress, done, len(missing), f"measuring {key}")
            report_progress(part, 0, 1, "")
            results[key] = MEASURES[key].result(pair, results, engine, part)
    report_progress(progress, 1, 1, "done")
    return {key: results[key] for key in keys}


def measure_notes(results: Mapping[str, Parts], columns: Sequence[str]) -> tuple[str, ...]:
    """Notes of the measures, attributes called by their names."""
    notes = (note for parts in results.values() for note in parts.notes)
    return tuple(note.named(columns) if isinstance(note, Note) else note for note in notes)


def needed(key: str, known: Container[str] = ()) -> Iterator[str]:
    """The measures to compute for one: its components, then itself, without those that are known."""
    if key not in known:
        for part in MEASURES[key].components:
            yield from needed(part, known)
        yield key


def _require_room(key: str, pair: Pair) -> None:
    most = most_records(2 * pair.p)
    if pair.in_memory or not MEASURES[key].in_memory or pair.n <= most:
        return
    rule = (
        f"`{key}` needs both files in memory, which holds about {most} records here: request other measures, such as pil, dbrl, "
        "prl and id, or judge the strata separately"
    )
    raise InvalidInput("evaluate", rule, f"{pair.n} records")


def gap_notes(pair: Pair, keys: Sequence[str]) -> tuple[Note, ...]:
    """Note on missing cells in both files and on the cells that the measures use; none of complete files."""
    parts = (MEASURES[part] for key in keys for part in needed(key))
    measures = [measure for measure in parts if measure.of_numbers]
    notes, whole = list[Note](), pair.with_whole_original()
    if measures and pair.gaps:
        notes.append(Note.of("left_out", GAPS, count=pair.n - pair.complete, total=pair.n))
    if whole is not pair and not all(measure.paired for measure in measures):
        notes.append(Note.of("left_out", NOT_RELEASED, count=whole.n - pair.n, total=whole.n))
    return tuple(notes)

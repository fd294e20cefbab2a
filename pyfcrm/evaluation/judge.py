"""The columns of two files that a request needs, and their measures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data import Frame, Roles, is_numeric, numeric_names
from ..data.attributes import KeysAndTargets
from ..data.blocks import Records
from ..data.levels import weights_of
from ..data.pairs import Knowledge, Pair, two_files, unchanged_columns
from ..data.predictors import coded_predictors, is_categorical, value_labels
from ..errors import InvalidInput, InvalidParameter, Note
from ..measures import MEASURES, informed
from ..measures.measure import Parts
from ..methods import Method
from ..progress import Progress, within
from ..types import Array, Codes, Rows, Terms
from .report import Report, measure_notes, measured, needed
from .request import EvaluateRequest

MANY_LEVELS = 20  # levels of a categorical predictor beyond which it explains nothing here
GAPS = (
    "{count} of {total} records {count:misses|miss} values: PIL and ID use the values of each column that both files have, linkage "
    "the columns that each record has, other measures the complete records"
)
WEIGHTED = "counted by the weights of `{columns}`, for the population: {weighted}; without weights: {others}"
NOT_RELEASED = (
    "{count} of {total} records of the original are not in the release; they count in measures that pair no records"
)


def both_files(original: Frame, protected: Frame, request: EvaluateRequest) -> Pair:
    """The judged columns of both; none where every measure is about key attributes."""
    if len(request.of_keys) == len(request.measures) and (request.of_keys or request.columns == ()):
        none = np.empty((protected.records, 0))
        return Pair.of(none, none)
    paired = [key for key in request.measures if MEASURES[key].paired]
    pair = two_files("evaluate", original, protected, request.columns, paired, progress=request.progress)
    if twice := sorted({*(request.independent or ())} & {*pair.columns}):
        raise InvalidParameter("evaluate", "independent", "must not be judged too (name those by `columns`)", twice)
    if (known := _knowledge(original, protected, pair, request)) is not None:
        pair = replace(pair, knowledge=known)
    return pair if request.weights is None else _weighted(pair, original, request.weights, request.measures)


def _weighted(pair: Pair, original: Frame, name: str, measures: Sequence[str]) -> Pair:
    """The two files with the weights of their records, and a note of which measures use them. Raises InvalidInput."""
    if pair.places is None or pair.original is not None or not pair.in_memory:
        rule = "records must pair one to one, by index or by position, in memory, for weights"
        raise InvalidInput("evaluate", rule, f"{original.records} records that do not")
    weights = weights_of("evaluate", original, name, np.ones(original.records, dtype=bool))
    weighted = [key for key in measures if all(MEASURES[part].weighted for part in needed(key))]
    others = ", ".join(key for key in measures if key not in weighted) or "none"
    note = Note.of("by_weights", WEIGHTED, [name], weighted=", ".join(weighted) or "none", others=others)
    return replace(pair, weights=weights[pair.places[0]], notes=(*pair.notes, note))


def judged(pair: Pair, known: dict[str, Parts], request: EvaluateRequest, progress: Progress | None) -> Report:
    """The Report of two files. known : measures that are computed already."""
    results = measured(pair, request.measures, request.engine, known, progress)
    notes = (*pair.notes, *gap_notes(pair, request.measures), *measure_notes(results, pair.columns))
    return Report(results, pair.columns, pair.n, notes)


def key_measures(request: EvaluateRequest, known: KeysAndTargets, K: Codes, L: Codes) -> dict[str, Parts]:
    """The requested measures of key attributes, with codes K and L, and of targets, by key."""
    results = {}
    for done, key in enumerate(request.of_keys):
        part = within(request.progress, done, len(request.of_keys), f"measuring {key}")
        if key in request.of_targets:
            results[key] = MEASURES[key](known, progress=part)
        else:
            results[key] = MEASURES[key](K, L, *((None, request.keys) if key == "tables" else ()))
    return results


def is_category(original: Frame, protected: Frame, name: str) -> bool:
    """Whether a column of both files is judged as categories: one that is not numeric, and labelled codes that stay codes."""
    if not (is_numeric(original, name) and is_numeric(protected, name)):
        return True
    codes = value_labels(original, name)
    return bool(codes) and all(value != value or value in codes for value in np.unique(protected.values(name)))


def _knowledge(original: Frame, protected: Frame, pair: Pair, request: EvaluateRequest) -> Knowledge | None:
    """The knowledge of an intruder who knows the method; None if it is not known, or records do not pair.

    Without unmodified predictors these are all other numeric columns that are equal in both files.
    """
    if request.method is None or pair.places is None:
        return None
    if pair.n > informed.MOST_RECORDS:
        return Knowledge((), Records(np.empty((pair.n, 0))))
    unmodified: Sequence[str] | None = request.independent
    if unmodified is None:
        others = [name for name in numeric_names(original) if name not in pair.columns]
        unmodified = unchanged_columns(original, protected, others)
    return knowledge_of(request.method, protected, unmodified, pair.columns, pair.places[1])


def knowledge_of(method: Method, frame: Frame, names: Sequence[str], columns: tuple[str, ...], rows: Rows) -> Knowledge:
    """The attacks of a method, and the numeric ones of its unmodified columns `names` at some rows of a frame."""
    known = [name for name in names if name in frame.names and (is_numeric(frame, name) or is_categorical(frame, name))]
    design = coded_predictors("evaluate", frame, Roles(known, [name for name in columns if name in frame.names]))
    X, _ = predictors(design.frame(frame), design.roles.independent, rows)
    return Knowledge(method.attacks_on(columns), Records(X), design.places)


def predictors(frame: Frame, names: Sequence[str], rows: Rows) -> tuple[Array, Terms]:
    """(n, s) predictors as numbers without gaps: a gap is the column's mean; a category has a 0/1 column for each level. And the
    positions of the columns of each category."""
    columns, terms = list[Array](), list[Sequence[int]]()
    for name in names:
        if is_numeric(frame, name):
            values = frame.values(name)[rows]
            known = np.isfinite(values)
            columns.append(np.where(known, values, values[known].mean() if known.any() else 0.0))
            continue
        codes = frame.codes(name)[rows]
        levels = np.unique(codes)
        if len(levels) <= MANY_LEVELS:
            terms.append(range(len(columns), len(columns) + len(levels)))
            columns += [(codes == level).astype(float) for level in levels]
    return np.column_stack([np.empty((len(rows), 0)), *columns]), terms


def gap_notes(pair: Pair, keys: Sequence[str]) -> tuple[Note, ...]:
    """What is missing in both files, and what the measures use; none of complete files."""
    parts = (MEASURES[part] for key in keys for part in needed(key))
    measures = [measure for measure in parts if measure.needs in ("arrays", "records")]
    notes, whole = list[Note](), pair.with_whole_original()
    if measures and pair.gaps:
        notes.append(Note.of("left_out", GAPS, count=pair.n - pair.complete, total=pair.n))
    if whole is not pair and not all(measure.paired for measure in measures):
        notes.append(Note.of("left_out", NOT_RELEASED, count=whole.n - pair.n, total=whole.n))
    return tuple(notes)

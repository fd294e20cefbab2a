"""The judged columns of original and release as a pair of files."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data import Frame, Roles, numeric_names
from ..data.blocks import Records
from ..data.levels import weights_of
from ..data.pairs import Knowledge, Pair, two_files, unchanged_columns
from ..data.units import unit_codes
from ..errors import InvalidInput, InvalidParameter, Note
from ..measures import MEASURES, informed
from .columns import knowledge_of
from .evaluate_request import EvaluateRequest
from .measuring import needed

BY_UNIT = "chance of {measures} is that of whole units of `{columns}`, whose members share values"
WEIGHTED = "counted by the weights of `{columns}`, for the population: {weighted}; without weights: {others}"


def both_files(original: Frame, protected: Frame, request: EvaluateRequest) -> Pair:
    """The judged columns of both; none where every measure is about key attributes."""
    if len(request.of_keys) == len(request.measures) and (request.of_keys or request.columns == ()):
        none = np.empty((protected.records, 0))
        return Pair.of(none, none)
    paired = [key for key in request.measures if MEASURES[key].paired]
    pair = two_files("evaluate", original, protected, request.columns, paired, progress=request.progress)
    twice = sorted({*(request.independent or ())} & {*pair.columns})
    if twice:
        raise InvalidParameter("evaluate", "independent", "must not be judged too (name those by `columns`)", twice)
    knowledge = _knowledge(original, protected, pair, request)
    if knowledge is not None:
        pair = replace(pair, knowledge=knowledge)
    by_unit = [key for key in request.measures if MEASURES[key].by_unit]
    if by_unit and request.roles is not None:
        pair = _with_units(pair, original, request.roles, by_unit)
    if request.weights is None:
        return pair
    return _weighted(pair, original, request.weights, request.measures)


def _with_units(pair: Pair, original: Frame, roles: Roles, by_unit: Sequence[str]) -> Pair:
    """The two files with the unit of each original, and a note of which measures use it; the pair itself where each record is one."""
    every = np.arange(original.records)
    in_order = every if pair.places is None or pair.original is not None else pair.places[0]
    units = unit_codes(original, roles, in_order, whole_households=True)
    if units is None or units.max() + 1 == len(units):
        return pair
    note = Note.of("by_definition", BY_UNIT, [roles.household or roles.unit or ""], measures=", ".join(by_unit))
    return replace(pair, units=units, notes=(*pair.notes, note))


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

"""The measures of a pair of files, and those of key variables."""

import math
from collections.abc import Sequence

from ..data.attributes import KeyCodes, KeysAndTargets
from ..data.pairs import Pair
from ..errors import Note
from ..measures import MEASURES
from ..measures.measure import KeysMeasure, Parts, TargetsMeasure
from ..progress import Progress, within
from .evaluate_request import EvaluateRequest
from .measuring import gap_notes, measure_notes, measured, needed
from .report import Report

UNDEFINED = Parts(math.nan)
NO_COMPLETE_RECORD = "no record is complete in both files, as {measures} need: they are undefined"


def measured_pair(pair: Pair, known: dict[str, Parts], request: EvaluateRequest, progress: Progress | None) -> Report:
    """The Report of a pair of files, without a verdict. known : measures that are computed already."""
    undefined = () if pair.complete else _of_complete_records(request.unnamed)
    defined = [key for key in request.measures if key not in undefined]
    results = measured(pair, defined, request.engine, known, progress)
    notes = [*pair.notes, *gap_notes(pair, defined), *measure_notes(results, pair.columns)]
    if undefined:
        notes.append(Note.of("left_out", NO_COMPLETE_RECORD, measures=", ".join(undefined)))
    results = {key: results.get(key, UNDEFINED) for key in request.measures}
    return Report(results=results, columns=pair.columns, records=pair.n, all_notes=tuple(notes))


def _of_complete_records(keys: Sequence[str]) -> tuple[str, ...]:
    """Those of the measures that use complete records only, themselves or in a component."""
    return tuple(key for key in keys if any(MEASURES[part].gaps == "records" for part in needed(key)))


def key_measures(request: EvaluateRequest, codes: KeyCodes, known: KeysAndTargets) -> dict[str, Parts]:
    """The requested measures of key variables, with these codes, and of targets, by key."""
    results = {}
    for done, key in enumerate(request.of_keys):
        part = within(request.progress, done, len(request.of_keys), f"measuring {key}")
        match MEASURES[key]:
            case TargetsMeasure() as measure:
                results[key] = measure(known, part)
            case KeysMeasure() as measure:
                results[key] = measure(codes)
    return results

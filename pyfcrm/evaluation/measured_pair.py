"""The measures of a pair of files, and those of key variables."""

from ..data.attributes import KeyCodes, KeysAndTargets
from ..data.pairs import Pair
from ..measures import MEASURES
from ..measures.measure import KeysMeasure, Parts, TargetsMeasure
from ..progress import Progress, within
from .evaluate_request import EvaluateRequest
from .measuring import gap_notes, measure_notes, measured
from .report import Report


def measured_pair(pair: Pair, known: dict[str, Parts], request: EvaluateRequest, progress: Progress | None) -> Report:
    """The Report of a pair of files, without a verdict. known : measures that are computed already."""
    results = measured(pair, request.measures, request.engine, known, progress)
    notes = (*pair.notes, *gap_notes(pair, request.measures), *measure_notes(results, pair.columns))
    return Report(results=results, columns=pair.columns, records=pair.n, all_notes=notes)


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

"""The request for one release: the columns that are judged, and the measures that are defined."""

from dataclasses import replace

from ..data import Frame
from ..data.check import require_columns
from .columns import is_category
from .evaluate_request import EvaluateRequest


def judged_request(original: Frame, protected: Frame, request: EvaluateRequest) -> EvaluateRequest:
    """The request with the columns to judge, numbers and categories apart, and the weights that the roles name."""
    return _with_columns(original, protected, _with_weights(original, protected, request))


def _with_weights(original: Frame, protected: Frame, request: EvaluateRequest) -> EvaluateRequest:
    """The request with the survey weights of the roles, where records pair one to one in memory, without strata."""
    if request.roles is None or request.weights or request.strata or request.empty:
        return request
    in_memory = original.source is None and protected.source is None
    if not in_memory or original.records != protected.records:
        return request
    return replace(request, weights=request.roles.weight)


def _with_columns(original: Frame, protected: Frame, request: EvaluateRequest) -> EvaluateRequest:
    """The request with the columns to judge that are numbers in both files, and those that are categories.

    Columns are those named, else the dependent ones, else all numbers, or all columns where none is a number. Without a number
    only measures of keys and tables are left, where roles are known or no measure was named; else such measures are refused.
    """
    common = [name for name in original.names if name in protected.names]
    categories = [name for name in common if is_category(original, protected, name)]
    named = request.columns
    if named is None and request.roles is not None:
        named = request.roles.dependent
    elif named is None:
        named = tuple(common) if len(categories) == len(common) else ()
    require_columns("evaluate, original", original, named)
    request = replace(request, categories=tuple(name for name in categories if name in named))
    numbers = [name for name in named if name not in categories]
    columns = tuple(name for name in numbers if name in protected.names)
    if not named or (request.columns is not None and len(columns) < len(numbers)):
        return request  # all numbers are judged, or the pair of files refuses what is not there
    if len(columns) < len(named):
        request = replace(request, guesses=0)  # the method drew for categories too
    if columns:
        return replace(request, columns=columns)
    if request.roles is not None or request.tables:
        return replace(request, measures=tuple(request.of_keys), columns=())
    return request


def without_undefined_measures(request: EvaluateRequest) -> EvaluateRequest:
    """The request without the measures that pair records, where the method's releases have no records that pair."""
    undefined = request.empty
    if not undefined:
        return request
    measures = tuple(key for key in request.measures if key not in undefined)
    return replace(request, measures=measures, method=None, independent=None)

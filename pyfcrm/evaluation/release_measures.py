"""The measures of one release: of key variables, of numbers by strata or domains, and tables of categories."""

from collections.abc import Sequence
from dataclasses import replace

from ..data import Frame
from ..data.attributes import KeyCodes, KeysAndTargets, attributes_of
from ..data.pairs import Pair, key_codes
from ..measures import MEASURES
from ..measures.measure import Parts
from ..progress import within
from .by_strata import by_strata
from .columns import MANY_LEVELS, is_category
from .domains import with_domains
from .evaluate_request import EvaluateRequest
from .measured_pair import key_measures, measured_pair
from .report import Report


def measured_release(original: Frame, protected: Frame, pair: Pair, request: EvaluateRequest) -> Report:
    """The Report of a release without tables of categories, and without a verdict. pair : the judged numbers."""
    keys = request.keys if request.of_keys else ()
    targets = request.targets if request.of_targets else ()
    known = KeysAndTargets(
        attributes_of(original, protected, keys, request.key_groups),
        attributes_of(original, protected, targets, request.target_groups),
    )
    if request.strata:
        return by_strata(original, protected, pair, known, request)
    K, L = known.codes
    of_keys = key_measures(request, KeyCodes(K, L, request.keys), known)
    report = measured_pair(pair, of_keys, request, within(request.progress, 0, 3))
    domains = replace(request, progress=within(request.progress, 1, 3))
    return with_domains(report, original, protected, pair, domains)


def tables_of(original: Frame, protected: Frame, request: EvaluateRequest) -> Parts:
    """The tables of the judged categories, and of these with other categories of few levels."""
    unknown: Sequence[str] = () if request.roles is None else request.roles.not_known
    context = [
        name
        for name in original.names
        if name in protected.names
        and name not in (*request.categories, *unknown)
        and is_category(original, protected, name)
        and original.codes(name).max(initial=0) < MANY_LEVELS
    ]
    columns = (*request.categories, *context)
    K, L = key_codes("evaluate", original, protected, columns)
    return MEASURES["tables"](KeyCodes(K, L, columns, judged=len(request.categories)))

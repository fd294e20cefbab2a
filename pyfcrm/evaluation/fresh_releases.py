"""The comparison of a given release with fresh ones that its stated method makes from the same file."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..data import Frame, Roles, is_numeric
from ..data.index import without_index
from ..data.predictors import Predictors, column_levels
from ..errors import InvalidInput, InvalidParameter
from ..protection.options import Options
from ..protection.protect import run_protect
from ..protection.protected import open_copies
from ..protection.request import release_options, seed_for
from ..rstream import RStream
from ..types import Array
from .auditing.audit_result import Audit
from .auditing.audited_file import attacked_columns
from .auditing.own_values import Compared, Scores, difference
from .encoded_files import encoded_release, plain_cells
from .evaluate_request import EvaluateRequest
from .systematic_sample import POWER
from .verdict.outcomes import NotExamined

STREAM_SEED = (
    53  # of the fresh releases, so that every interface makes the same; not 1, from which examples are released
)
NOT_AS_MADE = "the release is not what the method makes: {finding}"


def not_as_made(original: Frame, copies: Sequence[Frame], request: EvaluateRequest) -> NotExamined | None:
    """The reason why the audit is not of this release: its values are nearer to the originals than those that the method makes.

    None where they are not. Compared is a release that would else pass the audit, of a method that replaces values, and of a
    file in memory. original, copies : by their variables.
    """
    method, roles = request.method, request.roles
    passes = isinstance(request.audit, Audit) and not request.audit.alarms
    by_blocks = any(plain_cells(frame).source is not None for frame in (original, *copies))
    if not passes or method is None or roles is None or by_blocks:
        return None
    columns = [
        name
        for name, step in attacked_columns(method, roles).items()
        if step is None or step.facts(roles).masks == "values"
    ]
    values = _Values(original, [name for name in columns if all(name in copy.names for copy in copies)])
    Y = values.of(original)
    stream = RStream(STREAM_SEED)
    released = [values.of(copy) for copy in copies]
    if not Y.shape[1] or min(len(Y), *map(len, released)) < POWER:
        return None
    compared = Compared.of(Y, stream)
    try:
        finding = difference(
            _scores(compared, released),
            (_scores(compared, fresh) for fresh in _fresh_releases(original, values, request, stream)),
        )
    except (InvalidInput, InvalidParameter) as error:
        return NotExamined(f"the method makes no release of this file: {error}")
    return None if finding is None else NotExamined(NOT_AS_MADE.format(finding=finding))


class _Values:
    """The values of some columns, categories by the places of their levels."""

    def __init__(self, original: Frame, names: Sequence[str]) -> None:
        categories = [name for name in names if not is_numeric(original, name)]
        levels = column_levels("evaluate", original, categories, "protect")
        known = {term.column for term in levels}
        self._design = Predictors(Roles(dependent=()), (), levels=levels)
        self._names = [name for name in names if is_numeric(original, name) or name in known]

    def of(self, frame: Frame) -> Array:
        """(n, t) the values of the records of a frame that miss none."""
        values = self._design.frame(frame).matrix(self._names)
        return values[~np.isnan(values).any(axis=1)]


def _scores(compared: Compared, copies: Sequence[Array]) -> Scores:
    """Scores of original records for the copies of a release together: of each record the largest."""
    tables = [compared.scores(Z) for Z in copies]
    return {name: np.max([table[name] for table in tables], axis=0) for name in tables[0]}


def _fresh_releases(
    original: Frame, values: _Values, request: EvaluateRequest, stream: RStream
) -> Iterator[list[Array]]:
    """Values of the copies of one fresh release after the other, without end."""
    method, roles = request.method, request.roles
    assert method is not None
    assert roles is not None
    frame, _ = without_index("audit", plain_cells(original), roles)
    given = Options(**request.options.given("audit"))
    options = release_options("audit", roles, given).changed(allow_unprotected=True, shuffle=False)
    while True:
        released = run_protect(frame, method, roles, seed_for(method, stream), options, engine=request.engine)
        yield [values.of(encoded_release(original, copy)) for copy in open_copies("audit", released)]

"""The comparison of a given release with fresh ones that its stated method makes from the same file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ..data import Frame, Roles, is_numeric
from ..data.blocks import Records
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
from .auditing.own_values import Compared, Scores, compared_rows, difference
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

    None where they are not. Compared is a release that would else pass the audit, of a method that replaces values. Of a file
    that is read by blocks some originals are compared, with all released records. original, copies : by their variables.
    """
    method, roles = request.method, request.roles
    passes = isinstance(request.audit, Audit) and not request.audit.alarms
    if not passes or method is None or roles is None:
        return None
    columns = [
        name
        for name, step in attacked_columns(method, roles).items()
        if step is None or step.facts(roles).masks == "values"
    ]
    values = _Values(original, [name for name in columns if all(name in copy.names for copy in copies)])
    stream = RStream(STREAM_SEED)
    Y = values.of_originals(original, stream)
    fewest = min(len(Y), *(sum(len(Z) for Z in values.blocks(copy)) for copy in copies))
    if not Y.shape[1] or fewest < POWER:
        return None
    compared = Compared.of(Y, stream)
    try:
        finding = difference(
            _scores(compared, values, copies), _of_fresh_releases(compared, values, original, request, stream)
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

    def blocks(self, frame: Frame) -> Iterator[Array]:
        """Values (b, t) of the records of a frame that miss none, in blocks where it is read so."""
        for part in frame.parts(self._names):
            values = self._design.frame(part).matrix(self._names)
            complete = values[~np.isnan(values).any(axis=1)]
            if len(complete):
                yield complete

    def of_originals(self, original: Frame, stream: RStream) -> Array:
        """Values (m, t) of the originals to compare: of all complete records, or of some where the file is read by blocks."""
        if plain_cells(original).source is None:
            return np.vstack([*self.blocks(original), np.empty((0, len(self._names)))])
        table = Records.empty(original.records, len(self._names), on_disk=True)
        count = 0
        for block in self.blocks(original):
            table.A[count : count + len(block)] = block
            count += len(block)
        complete = Records(table.A[:count], on_disk=True)
        return complete.taken(compared_rows(complete, stream)).read()


def _scores(compared: Compared, values: _Values, copies: Sequence[Frame]) -> Scores:
    """Scores of original records for the copies of a release together: of each record the largest."""
    tables = [compared.scores(values.blocks(copy)) for copy in copies]
    return {name: np.max([table[name] for table in tables], axis=0) for name in tables[0]}


def _of_fresh_releases(
    compared: Compared, values: _Values, original: Frame, request: EvaluateRequest, stream: RStream
) -> Iterator[Scores]:
    """Scores for one fresh release after the other, without end. Of a file that is read by blocks each is a temporary file."""
    method, roles = request.method, request.roles
    assert method is not None
    assert roles is not None
    plain = plain_cells(original)
    frame, _ = without_index("audit", plain, roles)
    given = Options(**request.options.given("audit"))
    options = release_options("audit", roles, given).changed(allow_unprotected=True, shuffle=False)
    while True:
        with TemporaryDirectory() as folder:
            released = run_protect(
                frame,
                method,
                roles,
                seed_for(method, stream),
                options,
                engine=request.engine,
                output=None if plain.source is None else Path(folder) / "released.parquet",
            )
            copies = [encoded_release(original, copy) for copy in open_copies("audit", released)]
            scores = _scores(compared, values, copies)
        yield scores

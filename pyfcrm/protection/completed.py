"""Missing values filled for the method: `missing="protect"`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from ..constraints.accepted import Accepted
from ..constraints.language import Constraint
from ..data import Frame, open_frame
from ..data.check import checked
from ..data.frame import FrameView
from ..engine import one_blas_thread
from ..errors import InvalidInput, Note
from ..methods.semicontinuous import keep_class_rules
from ..numerics.sorting import normal_scores
from ..rstream import RStream
from ..types import Array, Mask
from .fills import follow_rules

FILLED = (
    "{count:,} of {total:,} records {count:has|have} missing values in {columns}: one regression draw fills each; what is preserved "
    "exactly holds for the completed file"
)
PATTERN = "which cells are missing is released unchanged: {columns}"
DEVIATION = (
    "on the observed cells of {columns}, means deviate by at most {mean:.2g} standard deviations, and standard deviations by "
    "at most {sd:.2g} %"
)


class CompletedFrame(FrameView):
    """A frame in memory whose missing numbers are filled for the method. Its releases keep the gaps, but not cells that could not be
    read.

    filled : by column (n,), with a value in each gap.
    """

    def __init__(self, original: Frame, filled: Mapping[str, Array]) -> None:
        super().__init__(original)
        self._filled = filled
        self.gaps = {name: np.isnan(original.values(name)) & ~original.unreadable(name) for name in filled}

    def values(self, name: str) -> Array:
        """See Frame.values: without gaps in the filled columns."""
        return self._filled[name] if name in self._filled else self.original.values(name)

    def block(self, part: Frame) -> Frame:
        """See Frame.block; its gaps are not filled."""
        return self.original.block(part)


def completed(
    frame: Frame,
    columns: Sequence[str],
    stream: RStream,
    notes: list[Note],
    *,
    accepted: Accepted | None = None,
    constraints: Iterable[Constraint] = (),
    classes: Mask | None = None,
) -> Frame:
    """The frame with the gaps of its numeric `columns` filled; itself where there are none.

    accepted, constraints : the rules that fills follow too; classes : masks (n, q) of records, such as those of a level, of which
    all may have a point mass, or none: fills in them follow.
    """
    A = checked("protect", frame, columns)
    missing = np.isnan(A)
    if not missing.any():
        return frame
    if empty := [name for name, gaps in zip(columns, missing.T, strict=True) if gaps.all()]:
        raise InvalidInput("protect", f"column `{empty[0]}` must have values (leave it out of the roles)", "none")
    names = [name for name, gaps in zip(columns, missing.T, strict=True) if gaps.any()]
    count = int(missing.any(axis=1).sum())
    notes.append(Note.of("missing", FILLED, names, count=count, total=frame.records))
    with one_blas_thread():
        B = regression_draw(A, stream)
    if classes is not None:
        for j in np.flatnonzero(missing.any(axis=0)).tolist():
            gap = missing[:, j]
            fills = B[gap, j]
            keep_class_rules(A[~gap, j], fills, classes[~gap], classes[gap], stream)
            B[gap, j] = fills
    gaps = {name: missing[:, j] for j, name in enumerate(columns) if name in names}
    follow_rules(dict(zip(columns, B.T, strict=True)), gaps, accepted=accepted, constraints=constraints)
    filled = {name: B[:, j] for j, name in enumerate(columns) if name in names}
    return CompletedFrame(frame, filled)


def regression_draw(A: Array, stream: RStream) -> Array:
    """A (n, p) with each gap filled by one draw given the record's other columns.

    Each column with gaps is regressed on all others, in normal scores of the observed values, 0 in gaps. Prediction and a
    normal residual give a score, and this the observed value of its rank: so signs, decimals and point masses stay.
    Draws: one normal for each gap, by columns.
    """
    missing, filled = np.isnan(A), A.copy()
    S = np.nan_to_num(normal_scores(A))
    for j in np.flatnonzero(missing.any(axis=0)).tolist():
        gap, design = missing[:, j], np.column_stack([np.ones(len(A)), np.delete(S, j, axis=1)])
        coef, _, rank, _ = np.linalg.lstsq(design[~gap], S[~gap, j], rcond=None)
        residuals = S[~gap, j] - design[~gap] @ coef
        sd = np.sqrt(residuals @ residuals / max(len(residuals) - int(rank), 1))
        score = design[gap] @ coef + sd * stream.rnorm(int(gap.sum()))
        observed = np.sort(A[~gap, j])
        filled[gap, j] = observed[np.minimum((ndtr(score) * len(observed)).astype(np.int64), len(observed) - 1)]
    return filled


def gap_notes(frame: Frame, names: Sequence[str], released: Any) -> list[Note]:
    """Notes on the gaps of a completed frame, and on how far the observed cells of its numeric columns `names` deviate."""
    there = [name for name in names if name in frame.gaps]
    notes = [Note.of("missing", PATTERN, list(frame.gaps))] if frame.gaps else []
    if there:
        opened = frame.block(open_frame("protect", released))
        changes = [(0.0, 0.0)]
        for name in there:
            observed = ~frame.gaps[name]
            y, z = frame.values(name)[observed], opened.values(name)[observed]
            size = float(y.std()) or 1.0
            changes.append((abs(z.mean() - y.mean()) / size, 100 * abs(z.std() / size - 1)))
        mean, sd = map(max, zip(*changes, strict=True))
        notes.append(Note.of("missing", DEVIATION, there, mean=mean, sd=sd))
    return notes

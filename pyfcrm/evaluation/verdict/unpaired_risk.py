"""The test `risk` of a file whose records pair with no original ones: values that who knows other columns finds in it."""

from functools import partial

import numpy as np

from ...data import is_numeric
from ...data.inferred import described
from ...data.pairs import key_codes
from ...data.strata import Strata, strata_codes
from ...data.units import unit_codes
from ...numerics.location import distance_columns
from ...rstream import RStream
from ...types import Array, Codes, Rows, Terms
from ..auditing.replicated import discrete_columns
from ..columns import MANY_LEVELS
from ..encoded_files import plain_cells
from ..risk.unpaired_disclosure import Guessed, Target, guessed
from ..systematic_sample import systematic_sample
from .examined_release import STREAM_SEED, ExaminedRelease
from .outcomes import NO_ROLES, NOT_RELEASED, Measured, NotExamined, Outcome
from .remedies import listed, replacing_method

NOTHING_KNOWN = (
    "no column is known to an intruder: it would be a predictor, or a confidential category, code, count or date"
)


def unpaired_risk(release: ExaminedRelease) -> Outcome:
    """Values of confidential variables that the nearest released record, or a model of the release, gives; see unpaired_disclosure.

    The intruder knows the columns of the test `replicated` but the target: predictors, and confidential categories, codes,
    counts and dates. Compared are at most 5,000 records of either file.
    """
    if release.roles is None:
        return NotExamined(NO_ROLES)
    targets = [name for name in release.confidential if name in release.compared]
    if not targets or min(release.original.records, release.protected.records) < 2:
        return NotExamined(NOT_RELEASED)
    files = _Files(release)
    found = list[Guessed]()
    for name in targets:
        known = [each for each in files.known if each != name]
        if known:
            found += files.guessed(name, known)
    if not found:
        return Measured((0.0,), NOTHING_KNOWN)
    worst = max(found, key=lambda each: each.beyond)
    others = [name for name in files.known if name != worst.column]
    reason = (
        f"{worst.attack} in {listed(others)} gives `{worst.column}` of {worst.value:.1f} % of the records, {worst.inference:.1f} % "
        "without their values"
    )
    return Measured((max(worst.beyond, 0.0),), reason, partial(replacing_method, release, [worst.column]))


class _Files:
    """Samples of both files, and what an intruder may know of them."""

    def __init__(self, release: ExaminedRelease) -> None:
        self._release = release
        self._stream = RStream(STREAM_SEED)
        original, protected, roles = release.original, release.protected, release.roles
        assert roles is not None
        strata = strata_codes("evaluate, original", original, tuple(release.request.options.strata or ()), "drop")
        units = unit_codes(original, roles, np.arange(original.records), whole_households=True)
        self._old = systematic_sample(Strata.of((), strata).codes, units, self._stream)
        one_stratum = np.zeros(protected.records, dtype=np.int64)
        self._new = systematic_sample(one_stratum, None, self._stream)
        self._units: Codes = np.arange(len(self._old)) if units is None else units[self._old]
        of_predictors = [name for name in release.predictors if name in protected.names]
        discrete = discrete_columns(plain_cells(original), release.confidential)
        self.known = [name for name in dict.fromkeys([*of_predictors, *discrete]) if name not in roles.not_known]

    def guessed(self, name: str, known: list[str]) -> list[Guessed]:
        """What the attacks find of one column; nothing where all that is known are categories of many levels."""
        release = self._release
        kind = described(plain_cells(release.original), name).kind
        if name in release.numbers:
            y = release.original.values(name)[self._old]
            z = release.protected.values(name)[self._new]
        else:
            K, L = key_codes("evaluate", release.original, release.protected, [name])
            y = np.where(K < 0, np.nan, K)[self._old, 0]
            z = np.where(L < 0, np.nan, L)[self._new, 0]
        is_category = name not in release.numbers or kind in ("category", "codes")
        both, terms = _columns(release, known, self._old, self._new)
        if not both.shape[1]:
            return []
        A = distance_columns(both, terms)
        n = len(self._old)
        target = Target(name, y, z, is_category=is_category, has_zero=kind != "date")
        return guessed(target, A[:n], A[n:], self._units, self._stream)


def _columns(release: ExaminedRelease, names: list[str], old: Rows, new: Rows) -> tuple[Array, Terms]:
    """Columns (n + N, s) of originals and released records without gaps, and the positions of the columns of each category.

    A gap in a number becomes the originals' mean. Categories of many levels are left out, as in `predictors`.
    """
    original, protected = release.original, release.protected
    columns = list[Array]()
    terms = list[range]()
    for name in names:
        if is_numeric(original, name) and is_numeric(protected, name):
            values = np.concatenate([original.values(name)[old], protected.values(name)[new]])
            in_original = values[: len(old)]
            is_known = np.isfinite(in_original)
            mean = in_original[is_known].mean() if is_known.any() else 0.0
            columns.append(np.where(np.isfinite(values), values, mean))
            continue
        K, L = key_codes("evaluate", original, protected, [name])
        codes = np.concatenate([K[old, 0], L[new, 0]])
        levels = np.unique(codes)
        if len(levels) > MANY_LEVELS:
            continue
        # The first level has no column of its own, as in the design of a regression.
        terms.append(range(len(columns), len(columns) + len(levels) - 1))
        columns += [(codes == level).astype(float) for level in levels[1:]]
    return np.column_stack([np.empty((len(old) + len(new), 0)), *columns]), terms

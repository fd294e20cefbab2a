"""Agreement of a released column with its original: whether it still tells the original's values, though not every cell is equal."""

from typing import Any

import numpy as np

from ...data import Frame, is_numeric
from ...data.codes import crossed, factorized
from ...rstream import RStream
from ...types import Array, Codes, Mask, Rows
from .attributable import Sample
from .reference_releases import UNCHANGED, near_records, spread

NEARLY_ALL = 0.99  # of the cells, so that a few corrected ones change nothing
DIGITS = 4  # significant ones, to which numbers may have been rounded
BEYOND_CHANCE = 0.5  # of the cells, above those that another record has too
POINT_MASS = 0.01  # share of the records above which a value is one, and equal by chance
RANKED = 100  # different numbers from which ranks tell records apart
RANK_AGREEMENT = 0.99  # Spearman's, from which ranks are the original's
SLACK = 0.005  # of the rank agreement that chance explains
RECORDS_OF_VALUE = 10  # on average at least, of values that may have been renamed
NEAR_SEED = 1  # of the near records by which ranks are compared


def untreated_unchanged(
    original: Frame, protected: Frame, name: str, rows: tuple[Rows, Rows], sample: Sample | None
) -> bool:
    """Whether a column that no method treats has the original's values, up to few cells, their precision or their form.

    rows : (m,) the rows of the paired records in either file. By chance a cell equals the original's as often as two
    records have equal values, and ranks agree as far as the predictors determine them.
    """
    old, new = rows
    if has_renamed_values(original.codes(name)[old], protected.codes(name)[new]):
        return True
    if not is_numeric(original, name):
        before = _written(original.distinct(name))[old]
        after = _written(protected.distinct(name))[new]
        known = (before != "") & (after != "")
        if not known.any():
            return False
        before = before[known]
        after = after[known]
        if _agree_beyond_chance(before, after):
            return True
        return _agree_beyond_chance(_sorted_letters(before), _sorted_letters(after))  # codes written backwards
    released = protected.values(name) if is_numeric(protected, name) else _as_numbers(protected.cells(name))
    y = original.values(name)[old]
    z = released[new]
    known = ~(np.isnan(y) | np.isnan(z))
    y = y[known]
    z = z[known]
    if not len(y):
        return False
    if nearly_equal(y, z) >= NEARLY_ALL:
        return True
    share = float((np.abs(y - z) <= UNCHANGED * spread(y)[0]).mean())
    if share - equal_by_chance(significant(y)) > BEYOND_CHANCE:
        return True
    if len(np.unique(z)) < RANKED:
        return False
    agreement = abs(rank_agreement(y, z))  # ranks in reverse order are the original's too
    if agreement <= RANK_AGREEMENT:
        return False
    return agreement > _agreement_by_chance(original.values(name), sample) + SLACK


def _agree_beyond_chance(before: Array, after: Array) -> bool:
    """Whether nearly all texts (n,) are equal, or many more than those of two records."""
    share = float((before == after).mean())
    return share >= NEARLY_ALL or share - equal_by_chance(before) > BEYOND_CHANCE


def has_renamed_values(before: Codes, after: Codes) -> bool:
    """Whether each code of `before` (n,) has one code of `after` (n,), and the reverse: the values have other names, as in translation.

    -1 is missing. Of few values, each of which many records have: new numbers for units are no names of the former ones.
    """
    known = (before >= 0) & (after >= 0)
    before = before[known]
    after = after[known]
    values = len(np.unique(before))
    if values < 2 or values > len(before) / RECORDS_OF_VALUE:
        return False
    pairs = int(crossed(before, after).max()) + 1
    return pairs == values == len(np.unique(after))


def treated_unchanged(y: Array, z: Array, near: Array, *, numeric: bool) -> bool:
    """Whether the cells of a confidential column that are no point mass have the original's values, beyond chance.

    y, z (n,) : original and released values, or codes; near (k, n) : k releases of the values of records near in the
    predictors, which show what chance makes equal.
    """
    counted = ~(np.isnan(y) | np.isnan(z) | point_masses(y))
    if not counted.any():
        return False
    width = UNCHANGED * spread(y)[0] if numeric else 0.0
    y = y[counted]
    z = z[counted]
    others = near[:, counted]
    share = float((np.abs(z - y) <= width).mean())
    by_chance = float((np.abs(others - y) <= width).mean())
    if share - by_chance > BEYOND_CHANCE:
        return True
    if not numeric or nearly_equal(y, z) < NEARLY_ALL:
        return False
    return float(np.mean([nearly_equal(y, other) for other in others])) <= BEYOND_CHANCE


def nearly_equal(y: Array, z: Array) -> float:
    """The share of numbers y (n,) that z (n,) has up to rounding to 4 significant digits, or to single precision."""
    if not len(y):
        return 0.0
    with np.errstate(over="ignore"):  # beyond single precision all are infinite
        y_single = y.astype(np.float32)
        z_single = z.astype(np.float32)
    equal_in_single = (y_single == z_single) & np.isfinite(y_single)
    equal_when_rounded = significant(y) == significant(z)
    return float(max(equal_in_single.mean(), equal_when_rounded.mean()))


def significant(x: Array) -> Array:
    """Numbers (n,) rounded to 4 significant digits."""
    size = np.abs(x)
    exponent = np.floor(np.log10(np.where(size > 0, size, 1.0)))
    unit = 10.0 ** (exponent - DIGITS + 1)
    return np.rint(x / unit) * unit


def equal_by_chance(values: Array) -> float:
    """The chance that two records have equal values (n,), n > 0: the sum of the squared shares."""
    codes, _ = factorized(values)
    shares = np.bincount(codes) / len(codes)
    return float((shares**2).sum())


def point_masses(values: Array, *, of_others: bool = False) -> Mask:
    """(n,) the values that more than 1 per cent of the records have, and at least two; missing ones are none.

    of_others : whether a record's own value is not counted, as if it were a new record.
    """
    codes, _ = factorized(values)
    counts = np.bincount(codes + 1)
    counts[0] = 0
    return np.asarray(counts[codes + 1] - int(of_others) > max(POINT_MASS * len(values), 1))


def rank_agreement(y: Array, z: Array) -> float:
    """Spearman's correlation of two columns (n,); 0 where one is constant."""
    from scipy.stats import rankdata

    a = rankdata(y) - (len(y) + 1) / 2
    b = rankdata(z) - (len(z) + 1) / 2
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 0 else 0.0


def _agreement_by_chance(values: Array, sample: Sample | None) -> float:
    """The rank agreement of numbers with those of a record near in the predictors; 0 without predictors. values : of the file."""
    if sample is None or not sample.records.X.shape[1]:
        return 0.0
    records = sample.records
    y = values[sample.originals]
    known = np.flatnonzero(~np.isnan(y))
    if len(known) < 2:
        return 0.0
    draw = near_records(records.X[known], y[known, None], records.terms, records.units[known])
    near = draw(RStream(NEAR_SEED))[:, 0]
    return 0.0 if np.isnan(near).any() else rank_agreement(y[known], near)


def _written(column: tuple[Codes, list[Any]]) -> Array:
    """The cells (n,) of a column as text, without capitals, spaces and punctuation; "" for missing. column : as Frame.distinct()."""
    places, values = column
    texts = np.array([*map(_letters_and_digits, values), ""], dtype=object)
    return np.asarray(texts[places])  # place -1, the last, is missing


def _sorted_letters(texts: Array) -> Array:
    """The letters and digits of texts (n,) in alphabetical order."""
    return np.array(["".join(sorted(text)) for text in texts], dtype=object)


def _letters_and_digits(value: Any) -> str:
    """A value as text without capitals, spaces and punctuation; of a text of punctuation alone, this."""
    text = str(value).strip().casefold()
    return "".join(filter(str.isalnum, text)) or text


def _as_numbers(cells: Any) -> Array:
    """Text cells (n,) as numbers, NaN where they are none."""
    import pandas as pd

    return np.asarray(pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce"), dtype=float)

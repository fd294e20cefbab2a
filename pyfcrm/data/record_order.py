"""Whether two files that pair by position seem to hold the same records in another order."""

from functools import reduce
from itertools import combinations

import numpy as np

from ..types import Codes
from .codes import crossed
from .column_facts import MAX_UNIQUE, unique_records
from .frame import Frame
from .pairs import key_codes, paired_by_position, unchanged_columns

MAX_CROSSED_COLUMNS = 4
MAX_RECORDS = 200_000
REORDERED = (
    "the release seems to have another order ({columns}: equal joint frequencies, other records), so measures that pair records "
    "are meaningless: use one order"
)


def reordered_columns(original: Frame, protected: Frame) -> tuple[str, ...]:
    """Columns with equal joint frequencies in both files, in files where no column is equal record by record.

    Examined in memory, where position pairs the records. Columns that a method permutes one by one have no equal joint
    frequencies. Columns that determine each other, and columns with hardly any unique record, are no evidence.
    """
    files = (original, protected)
    if any(file.source is not None for file in files) or not paired_by_position(original, protected):
        return ()
    n = original.records
    names = [name for name in original.names if name in protected.names]
    if n != protected.records or n > MAX_RECORDS or unchanged_columns(*files, names):
        return ()
    names = [name for name in names if original.kind(name) != "other"]  # such as lists, which have no codes
    of_both_files = np.vstack(key_codes("evaluate", *files, names))  # (2 n, q)
    codes = dict(zip(names, of_both_files.T, strict=True))
    # By column with equal frequencies, how many values it has. Those of most values are examined.
    values = {name: int(column.max(initial=-1)) + 1 for name, column in codes.items() if _equal_frequencies(column, n)}
    most_first = sorted(values, key=lambda name: -values[name])
    identifiers = [name for name in most_first if values[name] == n]  # two of them are no more evidence than one
    examined = [name for name in most_first if name not in identifiers[1:]][:MAX_CROSSED_COLUMNS]
    for size in range(len(examined), 1, -1):
        for columns in combinations(examined, size):
            joint = reduce(crossed, (codes[name] for name in columns))
            # Columns with as many combinations as each has values determine each other.
            count = len(np.unique(joint))
            determined = all(values[name] == count for name in columns)
            if not determined and _equal_frequencies(joint, n) and unique_records(joint[:n]) > MAX_UNIQUE * n:
                return columns
    return ()


def _equal_frequencies(codes: Codes, n: int) -> bool:
    """Whether the first n codes and the next n are equal in some order."""
    return bool((np.sort(codes[:n]) == np.sort(codes[n:])).all())

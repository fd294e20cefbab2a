"""Which cells of key variables to empty for k-anonymity, where an empty cell is a value of its own: the strict reading."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ..data.codes import MISSING, combinations
from ..types import Codes, Mask, Rows

Row = tuple[int, ...]


def emptied_as_levels(codes: Codes, k: int, key_sets: Sequence[Sequence[int]], importance: Codes) -> Codes:
    """Codes (n, q) with cells set to -1 until each row stands at least k times on every set of keys, n being at least k.

    key_sets : positions of keys; importance : (q,), of the keys, 1 is emptied last. A cell that one set empties may make a
    group of another one small, so that the sets are gone through until none empties more.
    """
    codes = codes.copy()
    changed = True
    while changed:
        before = codes.copy()
        for keys in key_sets:
            used = list(keys)
            codes[:, used] = _emptied_on_all(codes[:, used], k, importance[used])
        changed = len(key_sets) > 1 and bool((codes != before).any())
    return codes


def _emptied_on_all(codes: Codes, k: int, importance: Codes) -> Codes:
    """Codes (n, q) with cells set to -1 until each row stands at least k times. A key with one value stays as it is.

    Of all records in small groups, one key is emptied, that of least importance which leaves fewest in small groups; at the
    end cells have their values again where the groups allow it.
    """
    varies = (codes != codes[0]).any(axis=0)
    original = codes[:, varies]
    done = original.copy()
    while True:
        small = group_sizes(done) < k
        open_keys = np.flatnonzero((done[small] != MISSING).any(axis=0))
        if not open_keys.size:
            break
        ranks = importance[varies][open_keys]
        done[small, _best_key(done, small, open_keys[ranks == ranks.max()], k)] = MISSING
    _fill_empty_group(done, k)
    _restore(done, original, k, np.argsort(importance[varies], kind="stable").tolist())
    result = codes.copy()
    result[:, varies] = done
    return result


def group_sizes(codes: Codes) -> Codes:
    """Numbers (n,) of records that share each record's combination of codes (n, q)."""
    numbers = combinations(codes)
    return np.bincount(numbers)[numbers]


def _best_key(codes: Codes, small: Mask, open_keys: Rows, k: int) -> int:
    """The key whose emptying in the small groups leaves fewest records in small groups; the later one on a tie."""

    def remaining(j: int) -> int:
        trial = codes.copy()
        trial[small, j] = MISSING
        return int((group_sizes(trial) < k).sum())

    return min(open_keys[::-1].tolist(), key=remaining)


def _fill_empty_group(codes: Codes, k: int) -> None:
    """Empties further cells, in place: where fewer than k records have every key empty, records of the largest groups join them."""
    empty = (codes == MISSING).all(axis=1)
    while 0 < empty.sum() < k:
        largest = int(np.argmax(np.where(empty, 0, group_sizes(codes))))
        group = np.flatnonzero((codes == codes[largest]).all(axis=1))
        lacking = k - int(empty.sum())
        empty[group[-lacking:] if len(group) - k >= lacking else group] = True
        codes[empty] = MISSING


def _restore(codes: Codes, original: Codes, k: int, keys: Iterable[int]) -> None:
    """Gives emptied cells their values again, in place: a key at a time, where the old and the new group are large enough."""
    sizes = Counter[Row](map(tuple, codes.tolist()))
    for j in keys:
        by_row = defaultdict[Row, dict[int, list[int]]](lambda: defaultdict(list))
        for i in np.flatnonzero((codes[:, j] == MISSING) & (original[:, j] != MISSING)).tolist():
            by_row[tuple(codes[i].tolist())][int(original[i, j])].append(i)
        for row, members_of_value in by_row.items():
            for value, members in sorted(members_of_value.items(), key=lambda item: -len(item[1])):
                free = len(members) if sizes[row] == len(members) else max(sizes[row] - k, 0)
                leaving = members[:free]
                joined = (*row[:j], value, *row[j + 1 :])
                if leaving and sizes[joined] + len(leaving) >= k:
                    codes[leaving, j] = value
                    sizes[row] -= len(leaving)
                    sizes[joined] += len(leaving)

"""At most 2,000 estimates of a file: of each family those of the largest classes."""

from collections.abc import Sequence

from .estimand import Estimand

MAX_ESTIMATES = 2_000


def selected(families: Sequence[Sequence[Estimand]], most: int = MAX_ESTIMATES) -> list[list[Estimand]]:
    """The first estimates of each family, at most `most` in all; families of many have an equal number."""
    sizes = [len(family) for family in families]
    level = max(sizes, default=0)
    if sum(sizes) > most:
        level = _level(sizes, most)
    return [list(family[:level]) for family in families]


def _level(sizes: Sequence[int], most: int) -> int:
    """The largest number of estimates of each family with which all of them have at most `most`."""
    room = most
    ascending = sorted(sizes)
    for k, size in enumerate(ascending):
        share = room // (len(ascending) - k)
        if size > share:
            return share
        room -= size
    return max(sizes)

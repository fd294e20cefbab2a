"""Where labels of points go so that no two of them overprint, and none covers a point: one rule for every drawing of the map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

Place = tuple[float, float]
Box = tuple[float, float, float, float]

# Beside the point first, then around it, then further out: the label's middle, in its own halves and the gap.
DIRECTIONS = ((1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1), (1, 0), (-1, 0))
RINGS = (1.0, 2.5, 5.0, 8.0, 12.0, 17.0, 23.0)  # gaps away


def place_labels(
    points: Sequence[Place], sizes: Sequence[Place], box: Box, gap: float, line: Sequence[Place] = ()
) -> list[Place | None]:
    """A free place for the label of each of the first points.

    points : all of them, each taken to be 2 gaps wide and high; sizes : width and height of the labels of the first
    ones; box : left, low, right, high: what no label leaves; gap : in the same unit; line : corners of a line that labels
    keep off where they can. Returns the corner of least x and y of each label; None where everything near is taken.
    """
    marks = [_around(point, gap) for point in points]
    along = [_around(point, gap / 2) for point in _dotted(line, gap)]
    taken: list[Box] = []
    positions: list[Place | None] = []
    for point, size in zip(points, sizes, strict=False):
        free = [own for own in _candidates(point, size, box, gap) if not _hits(own, taken) and not _hits(own, marks)]
        off = next((own for own in free if not _hits(own, along)), free[0] if free else None)
        taken += [] if off is None else [off]
        positions.append(None if off is None else off[:2])
    return positions


def _candidates(point: Place, size: Place, box: Box, gap: float) -> Iterator[Box]:
    """Where a label of this size may stand, the nearest first."""
    (x, y), (wide, high) = point, size
    for ring, (right, up) in product(RINGS, DIRECTIONS):
        middle = x + right * (wide / 2 + ring * gap), y + up * (high / 2 + ring * gap)
        own = (middle[0] - wide / 2, middle[1] - high / 2, middle[0] + wide / 2, middle[1] + high / 2)
        if own[0] >= box[0] and own[1] >= box[1] and own[2] <= box[2] and own[3] <= box[3]:
            yield own


def _around(point: Place, half: float) -> Box:
    return point[0] - half, point[1] - half, point[0] + half, point[1] + half


def _dotted(line: Sequence[Place], step: float) -> Iterator[Place]:
    """Points on a line through these corners, a step apart at most."""
    for (x, y), (to_x, to_y) in pairwise(line):
        many = max(1, int(max(abs(to_x - x), abs(to_y - y)) / step))
        yield from ((x + (to_x - x) * k / many, y + (to_y - y) * k / many) for k in range(many + 1))


def _hits(own: Box, others: Sequence[Box]) -> bool:
    return any(overlap(own, other) for other in others)


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]

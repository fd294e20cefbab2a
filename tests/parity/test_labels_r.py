"""Where labels of the risk-utility map go, and its colours: R's drawing and Python's by one rule.

Oracle: pyfcrm.plots.labels. Close, 1e-9: the same sums, printed in 15 digits.
"""

import json

import numpy as np
import pytest
from pyfcrm.plots.labels import overlap, place_labels
from support.r_package import r_with_fcrm, requires_r_package

from pyfcrm.plots.style import PALETTE

pytestmark = [pytest.mark.r, requires_r_package]

SCRIPT = """
given <- jsonlite::fromJSON(commandArgs(TRUE)[1])
found <- fcrm:::place_labels(given$points, given$sizes, given$box, given$gap, given$line)
cat(jsonlite::toJSON(list(
  places = found, colours = fcrm:::COLOURS, marks = fcrm:::family_marks(14L), first = fcrm:::MARKS
), digits = 15, na = "null"))
"""


def test_r_places_labels_as_python_does():
    draws = np.random.default_rng(5)
    points = np.round(draws.uniform(0, [4, 3], (30, 2)) ** 1.5 / 2, 4)
    sizes = np.column_stack([draws.uniform(0.2, 1.2, 22), np.full(22, 0.1)]).round(4)
    box, gap, line = (0.0, 0.0, 5.0, 3.0), 0.08, points[:5]
    given = {"points": points.tolist(), "sizes": sizes.tolist(), "box": box, "gap": gap, "line": line.tolist()}
    drawn = json.loads(r_with_fcrm(SCRIPT, json.dumps(given)))
    theirs = drawn["places"]
    assert drawn["colours"] == list(PALETTE)
    assert drawn["marks"] == [drawn["first"][(k + 3 * (k // 7)) % 7] for k in range(14)]  # as plots.maps turns them
    ours = place_labels(points.tolist(), sizes.tolist(), box, gap, line.tolist())
    assert sum(one is not None for one in ours) > 5
    assert [one[0] is None for one in theirs] == [one is None for one in ours]
    shown = [(a, b) for a, b in zip(theirs, ours, strict=True) if b is not None]
    np.testing.assert_allclose([a for a, _ in shown], [b for _, b in shown], rtol=0, atol=1e-9)
    boxes = [
        (x, y, x + w, y + h)
        for (x, y), (w, h) in zip([b for b in ours if b], sizes[[b is not None for b in ours]], strict=True)
    ]
    assert not [1 for k, one in enumerate(boxes) for other in boxes[:k] if overlap(one, other)]

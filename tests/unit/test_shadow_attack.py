"""Membership inference by shadow releases on the margins: a control that leaks is found, smooth margins pass.

Oracle: the goals of the design, as upper 95 per cent bounds of the area under the curve; 50 is chance. Statistical, fixed seeds.
"""

import numpy as np
import pytest
from support.shadow_attack import by_margin, leaking_margin, shadow_auc, shadow_file

from pyfcrm import FCRM, IPSO, Calibrated, RStream
from pyfcrm.methods.margins import smooth_margin


@pytest.mark.slow
@pytest.mark.parametrize(
    ("margin", "kind", "seed", "least"), [(leaking_margin, "whole", 1, 65), (np.sort, "cents", 3, 95)]
)
def test_the_attack_finds_margins_that_avoid_rare_values_and_original_ones(margin, kind, seed, least):
    assert shadow_auc(by_margin(margin), *shadow_file(kind, 400, seed)).mean >= least


@pytest.mark.parametrize(
    ("kind", "n", "most"),
    [
        *(("whole", 400, 57), ("cents", 400, 57), ("zeros", 400, 57)),
        *(("marks", 400, 56), ("few", 400, 56), ("whole", 2500, 55)),
        *(("halves", 400, 56), ("even", 400, 56), ("counts", 400, 56), ("listed", 700, 57)),
    ],
)
@pytest.mark.slow
def test_smooth_margins_do_not_reveal_members(kind, n, most):
    stream = RStream(1)
    assert shadow_auc(by_margin(lambda y: smooth_margin(y, stream)), *shadow_file(kind, n, 4)).upper <= most


@pytest.mark.slow
@pytest.mark.parametrize("method", [Calibrated(IPSO("C")), FCRM(None, release="model")], ids=str)
def test_releases_do_not_reveal_members(method):
    found = shadow_auc(lambda x, y, seed: method.protect(x, y, RStream(seed)), *shadow_file("whole", 400, 5, t=3))
    assert found.upper <= 57

"""Long work reports progress and can be cancelled between its steps.

Oracle: by hand; what is left in the folder; the same result with and without a callback (identical).
"""

import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.progress import compiling


@pytest.mark.slow
def test_nothing_changes_with_a_callback():
    frame = pf.datasets.census_like(n=200, seed=1)
    roles = pf.Roles(["AGI"], ["FEDTAX", "TAXINC"])
    steps = []
    for method in (pf.RankSwapping(10), pf.FCRM(2), pf.Sampling(0.5), pf.Calibrated(pf.IPSO("A"))):
        alone = pf.protect(frame, method, roles, 1)
        reported = pf.protect(frame, method, roles, 1, progress=lambda *step: steps.append(step))
        pd.testing.assert_frame_equal(alone.frame, reported.frame, check_exact=True)
        assert steps[0][2] == str(method)
        assert (steps[-1][0] == steps[-1][1], steps[-1][2]) == (True, "done")
        steps.clear()
    plain = pf.evaluate(frame, reported.frame, roles.dependent)
    report = pf.evaluate(frame, reported.frame, roles.dependent, progress=lambda *step: steps.append(step))
    assert report.rows() == plain.rows()
    names = list(dict.fromkeys(label.partition(":")[0] for _, _, label in steps))
    assert names == [f"measuring {key}" for key in ("pil", "dbrl", "prl", "id", "dr", "score")] + ["done"]


def test_a_compilation_is_known_while_it_lasts():
    """Defect: a first run stood still for seconds, and nothing said why. Oracle: numba's own events. Identical."""
    from numba import njit
    from numba.core import event

    import pyfcrm.engine.compile  # noqa: F401

    seen = []

    class Listener(event.Listener):
        def on_start(self, event):
            seen.append(bool(compiling))

        def on_end(self, event):
            pass

    with event.install_listener("numba:compile", Listener()):
        njit(lambda x: x + 1)(1)
    assert seen[0]
    assert not compiling

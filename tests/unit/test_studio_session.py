"""The studio's session: a file of plans that makes every trial again, and is checked like any upload.

Oracles: the releases themselves; read_plan. Grade: identical.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("shiny", reason="needs the extra app")

from support.trials import ANSWERS, ROLES, file_source, odd_file, trial

import pyfcrm as pf
from pyfcrm.app.visit import Upload, Visit
from pyfcrm.app.workbench.file import embedded
from pyfcrm.app.workbench.session import digest, read_session, rerun_trials, session_text, source_of, trial_plan
from pyfcrm.errors import InvalidInput
from pyfcrm.plans.plan import read_plan


@pytest.fixture
def visit() -> Iterator[Visit]:
    visit = Visit()
    yield visit
    visit.end()


def upload(visit: Visit, text: str) -> Upload:
    path = visit.folder / "upload-1"
    path.write_text(text, encoding="utf-8")
    return Upload("1", "session.toml", path, len(text))


@pytest.mark.slow
def test_every_trial_comes_again_from_its_seed_or_its_state(visit: Visit, tmp_path: Path) -> None:
    """A file with names that are hard to quote; one trial from a seed, one from fresh entropy, one calibrated, one with answers to keep."""
    source = file_source(odd_file(tmp_path, n=600))
    tried = [
        trial(source, pf.IPSO("C"), ROLES, 1, seed=7),
        trial(source, pf.Noise("uncorrelated", 10.0), ROLES, 2, seed=None),
        trial(source, pf.Calibrated(pf.Microaggregation(5, scale=None)), ROLES, 3, seed=8),
        trial(source, pf.IPSO("C"), ROLES, 4, **ANSWERS),
    ]
    text = session_text(source, tried)
    assert "SECRET" not in text
    assert "data" not in text.split("[trial")[0]
    kept = read_session(upload(visit, text), visit)
    assert list(visit.folder.iterdir()) == []
    assert (kept.file, kept.digest, kept.data) == ("in.csv", digest(source), b"")
    assert source_of(kept, visit) is None  # it has to be dropped again
    again = rerun_trials(kept, source, lambda *_: None)
    for one, other in zip(tried, again, strict=True):
        assert (other.method, other.weights, other.preserve) == (one.method, one.weights, one.preserve)
        pd.testing.assert_frame_equal(other.released.frame, one.released.frame)
        assert other.report["pil"] == one.report["pil"]


def test_with_the_file_in_it_nothing_has_to_be_dropped_again(visit: Visit, tmp_path: Path) -> None:
    source = file_source(odd_file(tmp_path))
    kept = read_session(upload(visit, session_text(source, [trial(source, pf.IPSO("C"), ROLES)], True)), visit)
    found = source_of(kept, visit)
    assert found is not None
    pd.testing.assert_frame_equal(found.table.frame, source.table.frame)
    simulated = embedded("accounts")
    kept = read_session(upload(visit, session_text(simulated, [], True)), visit)
    assert kept.data == b""
    found = source_of(kept, visit)
    assert found is not None
    pd.testing.assert_frame_equal(found.table.frame, simulated.table.frame)


def test_a_trial_is_a_plan_that_can_be_run(visit: Visit, tmp_path: Path) -> None:
    source = file_source(odd_file(tmp_path))
    one = trial(source, pf.IPSO("C"), ROLES, seed=7, constraints="age >= 0; age <= 100")
    (tmp_path / "plan.toml").write_text(trial_plan(one).text(), encoding="utf-8")
    assert read_plan(tmp_path / "plan.toml").keep.constraints == ["age >= 0", "age <= 100"]
    assert pf.run(tmp_path / "plan.toml", despite_hold="a small file", by="The tests").ok
    released = pd.read_csv(tmp_path / "in-protected.csv")
    pd.testing.assert_frame_equal(released[list(ROLES.dependent)], one.released.frame[list(ROLES.dependent)])


TRIAL = '[session]\nfile = "x.csv"\n[trial.1.input]\nfile = "x.csv"\n[trial.1.output]\nrelease = "y.csv"\n'
GOOD = TRIAL + '[trial.1.roles]\ndependent = ["a"]\n[trial.1.method]\nname = "ipso"\n'
BAD = {
    "no TOML": ("{", "must be a file of TOML"),
    "no session": ("a = 1", r"must have a table \[session\]"),
    "trials that are none": ("trial = 3\n[session]\n", r"must have a table \[session\]"),
    "deep": ("a = " + "[" * 5000, "must be a file of TOML"),
    "a file from nowhere": ('[session]\nembedded = "../x"', "must say of which file it is"),
    "data that are none": ('[session]\nfile = "x.csv"\ndata = "?"', "must be whole"),
    "another file": ('[session]\nfile = "x.csv"\nsha256 = "0"\ndata = "YSxiCjEsMgo="', "must be the one that it says"),
    "an unknown method": (GOOD.replace("ipso", "os.system"), "no method is called `os.system`"),
    "a bad parameter": (GOOD + "kind = 3\n", "method: IPSO: `kind` must be one of"),
    "an unknown table": (GOOD + "[trial.1.shell]\nrun = 1\n", "no key is called `shell`"),
    "a state of words": (GOOD + '[trial.1.random]\nstate = ["x"]\n', "random.state.0: must be a valid integer"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_session_that_nobody_saved_gets_a_sentence(visit: Visit, what: str) -> None:
    text, said = BAD[what]
    with pytest.raises(InvalidInput, match=said) as caught:
        read_session(upload(visit, text), visit)
    assert str(visit.folder) not in str(caught.value)
    assert list(visit.folder.iterdir()) == []

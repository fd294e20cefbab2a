"""What takes a while in the results: made in a thread, stopped when nobody looks, and its faults said in a sentence.

Oracles: what the work itself was seen to do. Grade: identical.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("shiny", reason="needs the extra app")

from pyfcrm.app.workbench.results.later import Later
from pyfcrm.app.workbench.results.panel import looked_at
from pyfcrm.errors import InvalidInput
from pyfcrm.progress import ProgressTracker

TRIAL: Any = SimpleNamespace(number=3)


def made(work: Any, tracker: ProgressTracker | None = None) -> str | None:
    return Later(work)._built(TRIAL, tracker or ProgressTracker(""))


@pytest.mark.slow
def test_what_was_made_and_what_went_wrong() -> None:
    def refuse(error: BaseException) -> Any:
        def work(trial: Any, progress: Any) -> str:
            raise error

        return work

    assert made(lambda trial, progress: f"<p>{trial.number}</p>") == "<p>3</p>"
    said = made(refuse(InvalidInput("x.csv", "must be <so>", "not")))
    assert said == '<p class="trouble" role="alert">x.csv: must be &lt;so&gt;; got not</p>'
    assert "not enough memory" in str(made(refuse(MemoryError())))
    fault = str(made(refuse(KeyError("a value of the file"))))
    assert "KeyError" in fault
    assert "a value of the file" not in fault


def test_work_that_is_not_wanted_any_more_ends_at_its_next_report() -> None:
    tracker, told = ProgressTracker(""), []

    def work(trial: Any, progress: Any) -> str:
        for k in range(10):
            progress(k, 10, "step")
            told.append(k)
            if k == 2:
                tracker.cancelled.set()
        return "done"

    assert made(work, tracker) is None
    assert told == [0, 1, 2]


def test_which_trial_is_looked_at() -> None:
    trials: Any = tuple(SimpleNamespace(number=k) for k in (4, 5, 6))
    assert looked_at((), {"trial": 4, "of": 6}) is None
    assert looked_at(trials, None).number == 6  # type: ignore[union-attr]
    assert looked_at(trials, {"trial": 4, "of": 6}).number == 4  # type: ignore[union-attr]
    assert looked_at(trials, {"trial": 4, "of": 5}).number == 6  # type: ignore[union-attr] # another one was tried since
    for odd in ({"trial": 99, "of": 6}, {"trial": None, "of": 6}, "x", {"of": [6]}, {"trial": {}, "of": 6}):
        assert looked_at(trials, odd).number == 6  # type: ignore[union-attr]

"""The study of answers. Oracles: the regressions by numpy, and verdicts by hand."""

import answers
import numpy as np
import pytest
from answers import (
    Analysis,
    files,
    fitted,
)


def test_an_analysis_by_hand():
    file = files(200)["accounts"]
    rows = (file.frame["BRANCH"] == "b").to_numpy()
    part = file.frame[rows]
    A = np.column_stack([np.ones(len(part)), part["AGE"]])
    W = A * part["WEIGHT"].to_numpy()[:, None]
    found = fitted(file, file.frame, Analysis("by domain", "accounts", ("DEBT", "AGE"), True, "b"))
    np.testing.assert_allclose(found.coef, np.linalg.solve(W.T @ A, W.T @ part["DEBT"].to_numpy()), rtol=1e-10)


@pytest.mark.slow
def test_it_gives_its_tables(monkeypatch):
    """On one small file; it holds where no goal is missed."""
    monkeypatch.setattr(answers, "SETTINGS", {name: answers.SETTINGS[name] for name in answers.JUDGED})
    outcome = answers.reproduce({"accounts": files(400)["accounts"]}, None)
    rows, judged = (outcome.tables[name] for name in answers.STUDY.files)
    assert outcome.holds == all(one["verdict"] != "MISSED" for one in judged)
    assert [row["setting"] for row in rows] == list(answers.JUDGED)
    assert [row["analyses"] for row in rows] == [48] * 4

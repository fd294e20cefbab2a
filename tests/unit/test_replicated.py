"""Replicated uniques: members whose unique combination of values the release has, against non-members.

Oracle: counts by hand, and releases with a known share of copied records. Grade: identical where counted, statistical else.
"""

import json

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.data.predictors import Predictors
from pyfcrm.evaluation.auditing.attacks import Split
from pyfcrm.evaluation.auditing.audit_result import audit_from
from pyfcrm.evaluation.auditing.replicated import Keys, replicated_of, replicated_records


def persons(n=600, seed=1):
    """Two predictors that many records share, and four confidential columns of few values."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    return pd.DataFrame(
        {
            "sex": sex,
            "size": rng.integers(1, 6, n),
            "visits": rng.poisson(6, n),
            "days": rng.poisson(15, n),
            "children": rng.poisson(2 + sex, n),
            "occupation": rng.integers(1, 30, n),
        }
    )


CONFIDENTIAL = ["visits", "days", "children", "occupation"]
ROLES = pf.Roles(["sex", "size"], CONFIDENTIAL)


def split(frame, copied, seed=2):
    """Half of the records are released; so many of these as they are, the others with values of other people."""
    n = len(frame)
    rng = np.random.default_rng(seed)
    member = np.zeros(n, dtype=bool)
    member[rng.permutation(n)[: n // 2]] = True
    X = frame[["sex", "size"]].to_numpy(float)
    Y = frame[CONFIDENTIAL].to_numpy(float)
    Z = persons(n, seed + 50)[CONFIDENTIAL].to_numpy(float)[member]
    Z[:copied] = Y[member][:copied]
    return Split(X=X, Y=Y, member=member, own=np.full(n, -1), released=X[member], Z=Z)


def keys_of(frame):
    opened = open_data("audit", frame)
    return Keys.of(opened, Predictors(pf.Roles(["sex", "size"], CONFIDENTIAL), ()), CONFIDENTIAL)


def test_replicated_records_are_those_counted_by_hand():
    frame = persons()
    keys = keys_of(frame)
    one = split(frame, 60)
    columns = keys.chosen[0]
    assert columns == ("sex", "size", *CONFIDENTIAL)
    originals = list(map(tuple, np.hstack([one.X, one.Y])))
    released = list(map(tuple, np.hstack([one.released, one.Z])))
    others = [
        np.sum((one.released == x).all(axis=1)) - 1 for x in one.X
    ]  # released with the record's predictors, less its own
    expected = [
        (originals.count(record) == 1 and released.count(record) == 1) * (m / (m + 1) if member else 1)
        for record, m, member in zip(originals, others, one.member, strict=True)
    ]
    assert replicated_records(one, keys)[0].tolist() == pytest.approx(expected)
    assert sum(expected) > 20


def test_a_members_own_released_record_is_no_replication():
    """A fixed defect: in groups of a few records with equal predictors an honest release replicated more members, by 2 points.

    Statistical: the mean difference over 40 draws of the true law is within four standard errors of 0.
    """
    differences = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = 200
        frame = pd.DataFrame({"sex": rng.integers(0, 40, n), "size": 1, "visits": rng.integers(0, 12, n)})
        keys = Keys((("sex", (0,)), ("size", (1,))), (("visits", 0),), (("sex", "visits"),))
        member = rng.permutation(n) < n // 2
        X = frame[["sex", "size"]].to_numpy(float)
        Y = frame[["visits"]].to_numpy(float)
        Z = rng.integers(0, 12, (n // 2, 1)).astype(float)
        one = Split(X=X, Y=Y, member=member, own=np.full(n, -1), released=X[member], Z=Z)
        found = replicated_records(one, keys)[0]
        differences.append(100 * (found[member].mean() - found[~member].mean()))
    assert abs(np.mean(differences)) < 4 * np.std(differences) / np.sqrt(40)


def test_every_combination_has_a_confidential_column():
    keys = keys_of(persons())
    assert len(keys.chosen) > 10
    assert all({*columns} & {*CONFIDENTIAL} for columns in keys.chosen)


def test_records_that_are_unique_on_the_predictors_do_not_count():
    frame = persons()
    frame["size"] = np.arange(len(frame))
    assert not replicated_records(split(frame, 300), keys_of(frame))[0].any()


@pytest.mark.slow
@pytest.mark.parametrize(("copied", "held"), [(0, False), (60, True)])
def test_copied_records_are_found_and_draws_of_the_law_are_not(copied, held):
    frame = persons()
    keys = keys_of(frame)
    found = []
    for seed in range(8):
        one = split(frame, copied, seed)
        result = replicated_of(keys, [replicated_records(one, keys)], [one.member])
        found.append(result.points >= 2 and result.p_value <= 0.01)
    assert np.mean(found) == held


@pytest.mark.slow
def test_a_method_that_copies_combinations_is_held_and_a_document_keeps_the_result():
    frame = persons()
    method = pf.Sequential(min_leaf=1, smooth=False)
    audit = pf.audit(frame, method, ROLES, seed=1, repeats=1, shadows=0)
    released = pf.protect(frame, method, ROLES, seed=pf.RStream(1))
    assert audit_from(json.loads(json.dumps(audit.document()))).replicated == audit.replicated
    test = pf.evaluate(frame, released, audit=audit, measures="pil").verdict["replicated"]
    assert test.status == "hold"
    assert pf.evaluate(frame, released, measures="pil").verdict["replicated"].status == "not examined"
    # The next step is about replicated columns, and a plan can carry it out.
    [remedy] = test.remedies
    steps = remedy.change.before
    treated = {name for _, roles in steps for name in roles.dependent}
    assert treated
    assert treated <= {*audit.replicated.columns}
    coarser = pf.protect(frame, pf.Steps([*steps, (method, ROLES)])).frame
    assert all(coarser[name].nunique() < frame[name].nunique() for name in treated)


@pytest.mark.slow
def test_amounts_are_not_replicated():
    frame = persons().assign(wage=np.random.default_rng(3).lognormal(7, 1, 600).round(2))
    roles = pf.Roles(["sex", "size"], ["wage"])
    found = pf.evaluate(frame, pf.protect(frame, pf.IPSO("C"), roles), measures="pil").verdict["replicated"]
    assert found.status == "not applicable"

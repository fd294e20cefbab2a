"""pyfcrm key-risk. Oracle: pf.key_risk of the same file. Identical."""

import json

import pytest
from support.cli import pyfcrm

import pyfcrm as pf

ASKED = ["--keys", "region,age", "--weights", "weight", "--household", "stratum"]


@pytest.fixture
def path(tmp_path):
    where = tmp_path / "survey.csv"
    pf.datasets.survey(n=200, seed=1).to_csv(where, index=False)
    return str(where)


def test_json(path):
    ran = pyfcrm("key-risk", path, *ASKED, "--json")
    assert (ran.status, ran.err) == (0, "")
    found, wanted = json.loads(ran.out), pf.key_risk(path, ["region", "age"], "weight", "stratum")
    assert found["rows"] == wanted.to_frame().to_dict("records")
    assert found["global_risk"] == wanted.global_risk


def test_in_words(path):
    ran = pyfcrm("key-risk", path, *ASKED)
    assert ran.status == 0
    wanted = pf.key_risk(path, ["region", "age"], "weight", "stratum")
    assert all(sentence in ran.out for sentence in wanted.describe())
    assert "the 10 records of the largest risk" in ran.out

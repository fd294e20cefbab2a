"""pyfcrm audit, through the command line. Oracle: pf.audit of the same file and seed. Identical."""

import json

import pandas as pd
import pytest
from support.cli import pyfcrm
from support.leaks import file, negatives

import pyfcrm as pf
from pyfcrm.evaluation.auditing.audit_result import audit_from


@pytest.fixture
def words(tmp_path):
    frame, roles = file(negatives, 240, 1)
    frame.to_csv(tmp_path / "in.csv", index=False)
    kept, changed = ",".join(roles.independent), ",".join(roles.dependent)
    return ["audit", tmp_path / "in.csv", "--independent", kept, "--dependent", changed, "--repeats", 1, "--shadows", 2]


@pytest.mark.slow
def test_the_document_and_the_table_are_what_the_function_gives(words):
    """The table has every attack and the alarms."""
    roles = pf.Roles(words[3].split(","), words[5].split(","))
    found = pf.audit(pd.read_csv(words[1]), pf.FCRM(3), roles, repeats=1, shadows=2)
    fcrm = [*words, "--method", "fcrm", "--set", "c=3"]
    ran, shown = pyfcrm(*fcrm, "--json"), pyfcrm(*fcrm)
    assert (ran.status, ran.err, shown.status) == (0, "", 0)
    document = json.loads(ran.out)
    assert document == found.document()
    assert audit_from(document).digest == found.digest
    for row in found.rows():
        assert any(line.startswith(row["attack"]) for line in shown.out.splitlines())
    assert all(f"ALARM {one}" in shown.out for one in found.alarms)


@pytest.mark.slow
def test_structure_is_kept_in_what_is_attacked(words):
    frame = pd.read_csv(words[1])
    names = words[5].split(",")
    frame["total"] = frame[names[0]] + frame[names[1]]
    frame.to_csv(words[1], index=False)
    words[5] += ",total"
    ran = pyfcrm(*words, "--method", "ipso", "--set", "kind=C", "--structure", "find", "--json")
    roles = pf.Roles(words[3].split(","), words[5].split(","))
    assert (
        json.loads(ran.out)["rows"]
        == pf.audit(words[1], pf.IPSO("C"), roles, repeats=1, shadows=2, structure="find").rows()
    )

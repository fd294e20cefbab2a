"""What an audit belongs to, as a digest, and its document. Oracle: itself, read back. Identical."""

import json

import numpy as np
import pytest

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.data.strata import Strata
from pyfcrm.evaluation.auditing import audited_file
from pyfcrm.evaluation.auditing.audit_result import audit_from
from pyfcrm.evaluation.auditing.audited_file import merged
from pyfcrm.evaluation.auditing.digest import audit_digest
from pyfcrm.protection.options import Options
from pyfcrm.protection.protect import run_protect

ROLES = pf.Roles(["age", "hours"], ["wage", "rent"], ["name"])
METHOD = pf.RankSwapping(5)
FRAME = pf.datasets.survey(120)


def digest_of(frame, *facts):
    """The digest of an audit of a frame."""
    return audit_digest(open_data("audit", frame), *facts)


@pytest.mark.slow
def test_a_document_gives_the_audit_again():
    found = pf.audit(FRAME, METHOD, ROLES, repeats=1, shadows=2)
    assert found.alarms
    document = found.document()
    again = audit_from(json.loads(json.dumps(document)))
    assert again.document() == document
    assert (again.lines, again.digest, again.shadows) == (found.lines, found.digest, 2)
    assert [dict(one.facts) for one in again.alarms] == [dict(one.facts) for one in found.alarms]
    with pytest.raises(pf.errors.InvalidInput, match="pyfcrm audit --json"):
        audit_from({"rows": []})


@pytest.mark.slow
def test_the_digest_is_that_of_file_roles_method_and_options():
    own = pf.audit(FRAME, METHOD, ROLES, repeats=1, shadows=0, preserve="size", weights="weight").digest
    assert digest_of(FRAME, ROLES, METHOD, Options(preserve=["size"], weights="weight")) == own
    changed = FRAME.copy()
    changed.loc[7, "rent"] += 1
    digests = [
        own,
        digest_of(FRAME, ROLES, METHOD),
        digest_of(changed, ROLES, METHOD),
        digest_of(FRAME[::-1], ROLES, METHOD),
        digest_of(FRAME, pf.Roles(["age"], ["wage", "rent"]), METHOD),
        digest_of(FRAME, pf.Roles(["age", "hours"], ["rent", "wage"]), METHOD),
        digest_of(FRAME, ROLES, pf.RankSwapping(6)),
        digest_of(FRAME, ROLES, pf.Calibrated(pf.IPSO("C"))),
        digest_of(FRAME, ROLES, METHOD, Options(strata="region")),
        digest_of(FRAME, ROLES, METHOD, Options(constraints="wage >= 0")),
        digest_of(FRAME, ROLES, METHOD, Options(copies=2)),
        digest_of(FRAME, ROLES, METHOD, Options(structure="find")),
    ]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_the_digest_does_not_depend_on_the_library(kind):
    library = pytest.importorskip(kind)
    other = library.from_pandas(FRAME) if kind == "polars" else library.Table.from_pandas(FRAME)
    whole = digest_of(FRAME, ROLES, METHOD, Options(strata="region"))
    assert digest_of(other, ROLES, METHOD, Options(strata="region")) == whole
    floats = FRAME.astype({"wage": "float64"}).drop(columns="name")
    assert digest_of(floats, pf.Roles(ROLES.independent, ROLES.dependent), METHOD, Options(strata="region")) == whole


def test_small_strata_are_merged_with_the_next_smallest():
    """By hand: 3 and 5 make 8, with 9 it is 17."""
    strata = Strata.of(["part"], np.repeat([0, 1, 2, 3], [20, 5, 3, 9]))
    assert sorted(map(len, merged(strata, 15).rows)) == [17, 20]
    assert [len(rows) for rows in merged(strata, 100).rows] == [37]


@pytest.mark.slow
def test_each_stratum_of_a_part_is_large_enough_to_be_protected(monkeypatch):
    """Oracle: max(15, 3 (s + 1)) records in each stratum that protect() is given."""
    sizes = []

    def watched(part, method, roles, seed, options, **more):
        sizes.extend(part.frame.groupby(list(options.strata), observed=True).size())
        return run_protect(part, method, roles, seed, options, **more)

    monkeypatch.setattr(audited_file, "run_protect", watched)
    frame = FRAME.assign(part=np.repeat([0, 1, 2, 3], [70, 30, 12, 8]))
    found = pf.audit(frame, METHOD, ROLES, strata="part", repeats=1, shadows=1)
    assert min(sizes) >= 15
    assert any("merged" in note for note in found.notes)


@pytest.mark.slow
def test_a_small_file_has_no_power_and_says_so():
    assert any("no power" in note for note in pf.audit(FRAME[:60], METHOD, ROLES, repeats=1, shadows=0).notes)

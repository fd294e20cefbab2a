"""A manifest as PROV-JSON. Oracles: digests by hand, PROV's rules, and the library prov where it is installed. Grade: identical."""

import hashlib
import json
import re

import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput

RELATIONS = {
    "used": ("prov:activity", "prov:entity"),
    "wasGeneratedBy": ("prov:entity", "prov:activity"),
    "wasDerivedFrom": ("prov:generatedEntity", "prov:usedEntity", "prov:activity"),
    "wasAssociatedWith": ("prov:activity", "prov:agent", "prov:plan"),
    "wasAttributedTo": ("prov:entity", "prov:agent"),
}
KINDS = {"prov:activity": "activity", "prov:agent": "agent"}  # every other name is of an entity
PLAN = """
[input]
file = "in.csv"
[roles]
independent = ["age", "hours"]
dependent = ["wage", "tax"]
identifiers = ["name"]
[method]
name = "ipso"
kind = "C"
[output]
release = "out.csv"
manifest = "private.json"
"""


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release of two copies with its manifest."""
    place = tmp_path_factory.mktemp("a private folder")
    pf.datasets.survey(200).dropna().to_csv(place / "in.csv", index=False)
    roles = pf.Roles(["age", "hours"], ["wage", "tax"], ["name"])
    pf.protect_file(
        place / "in.csv", place / "out.csv", pf.IPSO("C"), roles, copies=2, manifest=place / "private.json", seed=987654
    )
    return place


@pytest.fixture(scope="module")
def document(folder):
    return json.loads(pf.verify(folder / "private.json", folder / "out-1.csv", folder / "in.csv").to_prov())


def test_every_name_of_a_relation_is_described(document):
    """A rule of PROV-JSON: what relations name are entities, activities and agents of the document, with known prefixes."""
    for relation, names in RELATIONS.items():
        for record in document.get(relation, {}).values():
            for name in names:
                assert record[name] in document[KINDS.get(name, "entity")]
    identifiers = [name for kind in ("entity", "activity", "agent") for name in document[kind]]
    assert {name.partition(":")[0] for name in identifiers} <= set(document["prefix"])
    assert set(document) <= {"prefix", "entity", "activity", "agent", *RELATIONS}


def test_files_are_named_by_their_digests(folder, document):
    [used] = document["used"].values()
    assert used["prov:entity"] == f"sha256:{sha256(folder / 'in.csv')}"
    released = {record["prov:generatedEntity"] for record in document["wasDerivedFrom"].values()}
    assert released == {f"sha256:{sha256(folder / f'out-{k}.csv')}" for k in (1, 2)}
    [association] = document["wasAssociatedWith"].values()
    assert association["prov:plan"] == f"sha256:{sha256(folder / 'private.json')}"
    manifest = json.loads((folder / "private.json").read_text())
    [activity] = document["activity"].values()
    assert activity["prov:endTime"] == manifest["time"]
    assert activity["pyfcrm:dependent"] == ["wage", "tax"]
    assert activity["pyfcrm:method"] == ["ipso"]


def test_neither_seed_nor_path_is_in_the_record(folder, document):
    text = json.dumps(document)
    assert "987654" not in text
    assert "private folder" not in text
    assert "in.csv" not in text
    values = pd.read_csv(folder / "in.csv")["name"]
    assert not [name for name in values if name in text]


def test_records_of_two_releases_join(folder, document, tmp_path):
    """The release of the first is the original of the second."""
    roles = pf.Roles("age", "wage")
    first, second, manifest = folder / "out-1.csv", tmp_path / "second.csv", tmp_path / "second.json"
    pf.protect_file(first, second, pf.Noise(amount=10), roles, manifest=manifest, seed=1, allow_unprotected=True)
    other = json.loads(pf.verify(manifest, second).to_prov())
    [used] = other["used"].values()
    assert used["prov:entity"] in document["entity"]
    assert not set(other["activity"]) & set(document["activity"])


def test_the_person_who_let_a_release_out_is_named(tmp_path):
    pf.datasets.survey(200).dropna().to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "plan.toml").write_text(PLAN)
    pf.run(tmp_path / "plan.toml", despite_hold="a contract", by="A. Name")
    document = json.loads(pf.verify(tmp_path / "private.json", tmp_path / "out.csv").to_prov())
    [attribution] = document["wasAttributedTo"].values()
    assert attribution["pyfcrm:despite_hold"] == "a contract"
    assert document["agent"][attribution["prov:agent"]]["prov:label"] == "A. Name"


def test_no_record_of_another_file(folder):
    """Oracle: the file is the original, not the release."""
    with pytest.raises(InvalidInput, match="verified"):
        pf.verify(folder / "private.json", folder / "in.csv").to_prov()


def test_the_library_prov_reads_the_record(document):
    """Its own reader, and its list of records: as many of each kind as the document has."""
    model = pytest.importorskip("prov.model")
    read = model.ProvDocument.deserialize(content=json.dumps(document), format="json")
    words = re.findall(r"^\s*(\w+)\(", read.get_provn(), re.MULTILINE)
    kinds = ("entity", "activity", "agent", *RELATIONS)
    assert {kind: words.count(kind) for kind in kinds} == {kind: len(document.get(kind, {})) for kind in kinds}

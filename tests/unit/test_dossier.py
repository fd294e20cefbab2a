"""The dossier of a release: facts of the run, escaped, without seed and path, and digests that verify() checks.

Oracles: the run's own report, codebook and limits; Python's HTML parser; hashlib. Grade: identical.
"""

import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.evaluation.verdict.decision import Test, Verdict
from pyfcrm.evaluation.verdict.outcomes import Remedy
from pyfcrm.evaluation.verdict.release_tests import TESTS
from pyfcrm.files.manifest import json_value
from pyfcrm.plans.limits import LIMITS
from pyfcrm.trust.board.criteria import WP216
from pyfcrm.trust.board.words import QUESTIONS

SEED = 987_654_321
WILD = "<img src=x onerror=alert(1)> & \"two\" 'one' </td></style>{{ 7 * 7 }}{% raw %} é–∞"
ROLES = pf.Roles(["age", "hours"], ["wage", "tax"], ["name"], unknown=["weight"])


class Read(HTMLParser):
    """Tags, attributes and text, as a browser has them."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.attributes = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += f" {data.strip()}"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A file, its release with a manifest, the report, and the dossier."""
    folder = tmp_path_factory.mktemp("a private folder")
    pf.datasets.survey(200).drop(columns="rent").dropna().to_csv(folder / "in.csv", index=False)
    options = {"manifest": folder / "private.json", "seed": SEED}
    released = pf.protect_file(folder / "in.csv", folder / "out.csv", pf.RankSwapping(10), ROLES, **options)
    report = pf.evaluate(folder / "in.csv", released, measures=["pil", "dr"])
    board = pf.dossier(folder / "in.csv", released, report, title="Survey", purpose="a course", recipients="students")
    return folder, released, report, board


def test_the_document_has_the_facts_of_the_run(run):
    folder, released, report, board = run
    document = json.loads(board.to_json())
    facts = document["dossier"]
    frame = pd.read_csv(folder / "out.csv")
    expected = {test.key: test.status for test in report.verdict.tests} | {"ledger": "not examined"}  # none was given
    assert {row["key"]: row["status"] for row in facts["tests"]} == expected
    for row, test in zip(facts["tests"], report.verdict.tests, strict=True):
        assert row["reason"] == test.reason or test.status == "not applicable"
    assert facts["decision"]["status"] == report.verdict.status
    assert facts["leaves"]["records"] == len(frame)
    assert [row["name"] for row in facts["leaves"]["columns"]] == list(frame.columns)
    assert facts["leaves"]["columns"] == json_value(pf.codebook(released).rows())
    assert facts["leaves"]["removed"] == ["name"]
    assert facts["leaves"]["unchanged"] == list(report.kept.sentences())
    assert facts["utility"]["headline"] == report.utility.headline
    known = report.utility_document()
    assert facts["utility"]["families"] == json_value(known["families"])
    for row in facts["limits"]:
        assert (row["reason"], row["source"]) == (LIMITS[row["key"]].reason, LIMITS[row["key"]].source)
    for name, file in (("original", "in.csv"), ("release", "out.csv")):
        digest = hashlib.sha256((folder / file).read_bytes()).hexdigest()
        assert facts["files"][name] == {"name": file, "sha256": digest}


def test_the_page_has_the_facts_of_the_document(run):
    """Every test with its figures, every question, every limit's reason, and the SHA-256 of the facts."""
    board = run[3]
    text = " ".join(Read(board.to_html()).text.split())
    facts = json.loads(board.to_json())
    known = facts["dossier"]
    texts = [row[key] for row in known["tests"] for key in ("title", "found", "limit", "status", "reason")]
    texts += [row[key] for row in known["open_items"] for key in ("question", "reason", "answer")]
    texts += [row[key] for row in known["limits"] for key in ("reason", "source")]
    texts += [row["answer"] for row in known["board"]]
    texts += [known["form"], known["utility"]["headline"], facts["sha256"]["facts"], *known["leaves"]["unchanged"]]
    texts += [file["sha256"] for file in known["files"].values()]
    for expected in texts:
        assert " ".join(expected.split()) in text, expected
    assert known["form"].startswith("Internal: for the board")
    assert "Signature" in text


def test_nothing_of_the_machine_and_no_seed(run):
    folder, _, _, board = run
    page = board.to_html()
    for text in (page, board.to_json(), str(board)):
        assert str(SEED) not in text
        assert str(folder) not in text
        assert "a private folder" not in text
    read = Read(page)
    assert not {"script", "link", "img", "iframe"} & {*read.tags}
    assert not [value for name, value in read.attributes if name in ("src", "href")]


def test_wild_text_is_text(run):
    folder, released, report, _ = run
    verdict = Verdict((Test("edits", "hold", WILD, (1.0,), (0.0,), ("values",)),), (WILD,), (WILD,))
    board = pf.dossier(
        folder / "in.csv", released, replace(report, verdict=verdict), title=WILD, purpose=WILD, recipients=WILD
    )
    read = Read(board.to_html())
    assert not any(name.startswith("on") for name, _ in read.attributes)
    assert ("src", "x") not in read.attributes
    assert read.text.count(WILD) >= 4


def test_the_board_reads_what_would_help_where_a_test_holds(run):
    folder, released, report, _ = run
    steps = ("drop `hours`", "drop `hours`", "coarsen `age`")
    held = tuple(
        Test(key, "hold", "a reason", remedies=(Remedy(step),))
        for key, step in zip(("risk", "audit", "order"), steps, strict=True)
    )
    answers = {}
    for name, tests in {"held": held, "passed": (Test("risk", "pass"),)}.items():
        board = pf.dossier(folder / "in.csv", released, replace(report, verdict=Verdict(tests)))
        answers[name] = {row["question"]: row["answer"] for row in board.facts["board"]}
    assert answers["held"]["What would help"] == "drop `hours`; coarsen `age`"
    assert "What would help" not in answers["passed"]


def test_a_family_is_worse_than_an_honest_draw_only_where_it_is(run):
    """By hand: above is the share of estimates that differ by more than 3 standard errors."""
    board = run[3]
    first = board.facts["utility"]["families"][0]
    cases = {
        (True, 21.7, 22.0): "(as in an honest draw)",
        (True, 21.7, 2.0): "(worse than an honest draw)",
        (True, 21.7, None): "(worse than an honest draw)",
        (False, 2.0, 2.0): "",
    }
    for (lost, above, reference), remark in cases.items():
        family = {**first, "lost": lost, "above": above, "reference_above": reference}
        facts = {**board.facts, "utility": {**board.facts["utility"], "families": [family]}}
        page = replace(board, facts=facts).to_html()
        assert ("an honest draw)" in page) == bool(remark)
        assert remark in page


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({}, ["not examined"] * 3),
        ({"sample_uniques": "pass", "replicated": "not applicable"}, ["pass", "not examined", "not examined"]),
        ({"linkage": "pass"}, ["not examined"] * 3),
        ({"linkage": "pass", "ledger": "pass"}, ["not examined", "pass", "not examined"]),
        ({"linkage": "not applicable", "ledger": "not applicable"}, ["not examined"] * 3),
        ({"risk": "pass", "audit": "not examined"}, ["not examined"] * 3),
        ({"risk": "hold", "audit": "not examined"}, ["not examined", "not examined", "hold"]),
    ],
)
def test_a_criterion_has_the_worst_status_of_its_tests(run, statuses, expected):
    """By hand; a ledger that was not given is not examined, and a missing test examines nothing."""
    folder, released, report, _ = run
    verdict = Verdict(tuple(Test(key, status) for key, status in statuses.items()))
    board = pf.dossier(folder / "in.csv", released, replace(report, verdict=verdict))
    assert [row["title"] for row in board.facts["criteria"]["rows"]] == [criterion.title for criterion in WP216]
    assert [row["status"] for row in board.facts["criteria"]["rows"]] == expected


def test_questions_follow_from_the_run(run):
    """What was answered has its answer; each test that was not examined, and each hold, is asked about."""
    folder, released, report, board = run
    items = {row["question"]: row["answer"] for row in board.facts["open_items"]}
    assert items["For what purpose is the file released?"] == "a course"
    assert "Were these records, or some of them, released before?" in items
    assert "Is it certain that no intruder knows these columns?" in items
    verdict = Verdict((Test("risk", "hold", "x"), Test("audit", "not examined", "y")), ("dr 15",))
    asked = pf.dossier(folder / "in.csv", released, replace(report, verdict=verdict)).facts["open_items"]
    text = " ".join(row["question"] + row["reason"] for row in asked)
    assert "Why may the file leave although it fails tests?Not passed: Attributable risk." in text
    assert "Who accepts that this was not examined: Audit?Reason: y." in text
    assert "Who approved the changed limits?Changed: dr 15." in text


def test_a_reader_without_statistics_has_questions_units_and_words(run):
    """Each test of the verdict has a question, each limit its unit, and words that the page uses are explained."""
    _, _, _, board = run
    assert {*QUESTIONS} == {*TESTS}
    facts = board.facts
    assert all(row["question"].endswith("?") for row in facts["tests"])
    limits = {row["key"]: row["limit"] for row in facts["limits"]}
    assert limits["unprotected"] == "0 records; 5 points"
    assert limits["key_risk" if "key_risk" in limits else "sample_uniques"].endswith("%")
    assert {row["word"] for row in facts["words"]} >= {"Manifest", "Honest draw", "Members and others"}
    assert all(row["meaning"] in unescape(board.to_html()) for row in facts["words"])


def test_changes_of_means_are_those_of_the_panel(run):
    """Oracle: the panel's table, by pandas."""
    _, _, report, board = run
    table = report.utility.to_frame()
    table = table[(table.family == "group means") & (table.original != 0)]
    assert len(table)
    rows = board.facts["utility"]["means"]
    assert sum(row["classes"] for row in rows) == len(table)
    changes = 100 * (table.released / table.original - 1).abs()
    assert max(row["per_cent"] for row in rows) == pytest.approx(changes.max())
    assert max(row["errors"] for row in rows) == pytest.approx(table.z.abs().max())


def test_a_board_reads_first_what_was_not_tested_and_who_could_be_recognised(run):
    """Oracle: the report's verdict and sample uniques."""
    _, _, report, board = run
    answers = {row["question"]: row["answer"] for row in board.facts["board"]}
    for test in report.verdict.tests:
        title = TESTS[test.key].title.lower()
        assert test.status != "not examined" or f"{title} ({test.reason})" in answers["What was not tested"]
        assert (title in answers["What was not tested"]) == (test.status in ("not examined", "not applicable"))
    assert report.kept.together > 0
    kept = report.kept
    counted = f"{kept.together} of {kept.records} records have values of {', '.join(kept.columns)} together"
    assert answers["Who could be recognised"].startswith(counted)
    assert "may recognise a record" in answers["Who could be recognised"]


def outcomes(folder, path="board.html"):
    return {
        check.what: check.holds
        for check in pf.verify(folder / "private.json", folder / "out.csv", dossier=folder / path).checks
    }


@pytest.fixture
def written(run):
    folder, *_, board = run
    board.write(folder / "board.html")
    return folder


def test_verify_finds_every_changed_byte(written):
    """Each byte of page and document is changed in turn, some fifty of them: always a check fails."""
    assert all(outcomes(written).values())
    assert outcomes(written, "board.json") == outcomes(written)
    for name in ("board.html", "board.json"):
        path = written / name
        data = path.read_bytes()
        for place in range(0, len(data), len(data) // 25):
            changed = bytes([data[place] ^ 1])
            path.write_bytes(data[:place] + changed + data[place + 1 :])
            try:
                held = all(outcomes(written).values())
            except InvalidInput:  # no JSON any more
                held = False
            assert not held, (name, place)
        path.write_bytes(data + b"\n")
        assert not all(outcomes(written).values())
        path.write_bytes(data)
    assert all(outcomes(written).values())


def test_a_replaced_page_does_not_hold(written):
    """A page of other facts, with its SHA-256 written into the document."""
    page, document = written / "board.html", written / "board.json"
    contents = json.loads(document.read_text())
    other = page.read_text().replace(contents["sha256"]["facts"], "0" * 64)
    page.write_text(other)
    contents["sha256"]["page"] = hashlib.sha256(other.encode()).hexdigest()
    document.write_text(json.dumps(contents, indent=2, ensure_ascii=False) + "\n")
    found = outcomes(written)
    assert found == {
        "release": True,
        "dossier": True,
        "page of the dossier": False,
        "release of the dossier": True,
        "original of the dossier": True,
    }


def test_a_dossier_of_another_release_does_not_hold(written, run):
    folder, released, report, _ = run
    other = replace(released, path=None)
    pf.dossier(pd.read_csv(folder / "in.csv"), other, report).write(folder / "other.html")
    found = outcomes(folder, "other.json")
    assert found["dossier"]
    assert not found["release of the dossier"]
    assert not found["original of the dossier"]


def test_what_is_no_dossier_is_refused_in_one_sentence(written, run):
    _, released, report, _ = run
    with pytest.raises(InvalidInput, match=r"private.json: a dossier must be JSON"):
        pf.verify(written / "private.json", written / "out.csv", dossier=written / "private.json")
    with pytest.raises(InvalidInput, match="extension"):
        pf.verify(written / "private.json", written / "out.csv", dossier=written / "in.csv")
    with pytest.raises(InvalidParameter, match="`released` must be a result of protect"):
        pf.dossier("in.csv", "out.csv", report)
    with pytest.raises(InvalidParameter, match="`report` must be a result of evaluate"):
        pf.dossier("in.csv", released, 3)
    with pytest.raises(InvalidParameter, match="`purpose` must be a text"):
        pf.dossier("in.csv", released, report, purpose=3)


def test_only_their_owner_reads_the_files(written):
    for name in ("board.html", "board.json"):
        assert (written / name).stat().st_mode & 0o077 == 0
    assert re.match(r"<!DOCTYPE html>", (written / "board.html").read_text())


def test_a_board_member_finds_households_figures_and_further_releases(tmp_path):
    """Questions of a reader without statistics that the page did not answer: which figure has which limit, which is nearest to it, how many
    persons are expected to be found, what happens to household ids, why linkability is not examined, how a file is compared, and what
    another release needs. Oracle: the report.
    """
    frame = pf.datasets.survey(300).dropna()[["name", "region", "size", "wage", "tax", "weight"]]
    frame["family"] = range(len(frame))
    frame["family"] //= 2
    roles = pf.Roles(["region", "size"], ["wage", "tax"], ["name"], household="family", weight="weight")
    released = pf.protect(frame, pf.Sequential(), roles, seed=1)
    report = pf.evaluate(frame, released, measures=["pil"])
    board = pf.dossier(frame, released, report)
    answers = {row["question"]: row["answer"] for row in board.facts["board"]}
    high, expected = report.verdict["key_risk"].found
    text = f"individual risk: {high:.4g} % of the records have a risk above one in ten (limit 5 %), {expected:.4g} % are expected"
    assert text in answers["What remains"]
    shares = {
        "sample uniques": report.verdict["sample_uniques"].found[0] / 5,
        "individual risk": max(high / 5, expected),
        "attributable risk": report.verdict["risk"].found[0] / 5,
    }
    assert f"nearest to its limit: {max(shares, key=shares.get)}" in answers["What remains"]
    assert "the ids of family replaced by new numbers" in answers["What leaves"]
    uniques = next(row for row in board.facts["tests"] if row["key"] == "sample_uniques")
    assert uniques["reason"].endswith("which the test “Individual risk” judges")
    assert board.facts["changed_limits"] == []
    assert report.kept.what == "households"
    assert (
        f"of {report.kept.records:,} households have values of region, size together"
        in answers["Who could be recognised"]
    )
    assert (
        f"is expected to find {len(frame) * expected / 100:.1f} of {len(frame)} records"
        in answers["Who could be recognised"]
    )
    page = " ".join(Read(board.to_html()).text.split())
    assert "no ledger was given: earlier releases of these records are not known" in page[: page.index("Decision:")]
    assert "sha256sum FILE prints it" in page
    assert "needs a dossier of its own" in page
    assert "6 of 6 columns have no label: this page names them as the file does" in page

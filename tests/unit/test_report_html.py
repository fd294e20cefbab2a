"""The report: page 1 decides, every text is escaped, the external form has no figure of risk. Oracle: Python's own HTML parser."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import pyfcrm as pf
from pyfcrm.evaluation.verdict.decision import Test, Verdict
from pyfcrm.protection.options import Options
from pyfcrm.report import Filing, report_page

WILD = "<img src=x onerror=alert(1)> & \"two\" 'one' </td></style>{{ 7 * 7 }}{% raw %} é–∞"
VERDICT = Verdict(
    (
        Test("edits", "pass", "no record", (0.0,), (0.0,), ("values",)),
        Test("risk", "hold", "12 of 40 records", (43.1,), (20.0,), ("points",)),
        Test("audit", "not examined", "run evaluate(..., audit=True)"),
        Test("seed", "not applicable"),
    ),
    ("risk 20",),
)
FILING = Filing(
    ("in.csv", "a" * 64),
    ("out.csv", "b" * 64),
    "pyfcrm 1",
    "Ada",
    "data@x.example",
    True,
    ("a court order", "A. Person"),
    "2026-01-02",
)
ROLES = pf.Roles(["age", "hours"], ["wage", "tax"], ["name"])


class Read(HTMLParser):
    """Tags, attributes and text, as a browser has them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += f" {data.strip()}"


@pytest.fixture(scope="module")
def released():
    """A small file, its release and its report with a verdict of our own."""
    frame = pf.datasets.survey(n=200)
    release = pf.protect(frame, pf.RankSwapping(10), ROLES, 1)
    return frame, release, replace(pf.evaluate(frame, release), verdict=VERDICT)


def written(released, form, **changes):
    frame, release, report = released
    options = {"title": "Survey 2026", "filing": FILING, **changes}
    return report_page(frame, release, report, form, **options)


@pytest.mark.slow
def test_the_first_page_decides(released):
    """Title, date, preparer, digests, one sentence, the tests from the worst, decision, reason and signatures, in this order."""
    text = Read(written(released, "internal")).text
    parts = (
        "Survey 2026",
        "2026-01-02",
        "Ada",
        "in.csv",
        "a" * 64,
        "b" * 64,
        "This release does NOT meet the limits: attributable risk 43.1 points (limit 20).",
        "Verdict: HOLD. Limits changed: risk 20.",
        "Released despite this verdict: a court order (A. Person).",
        "Attributable risk",
        "12 of 40 records",
        "43.1",
        "5-1",
        "Audit",
        "Permitted values and rules",
        "Not applicable: Guessed seed.",
        "Decision:",
        "Reason: a court order",
        "Signature",
        "2 Columns released unchanged",
    )
    places = [text.find(part, 12) for part in parts]
    assert -1 not in places
    assert [text.index(part) for part in parts[4:9]] == sorted(text.index(part) for part in parts[4:9])
    assert "header { break-after: page }" in written(released, "internal")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statuses", "sentence"),
    [
        (("pass",), "This release meets all limits."),
        (("pass", "not examined"), "This release is not fully examined: audit is missing."),
    ],
)
def test_the_sentence_says_the_status(released, statuses, sentence):
    tests = tuple(Test(key, status) for key, status in zip(("edits", "audit"), statuses, strict=False))
    frame, release, report = released
    page = written((frame, release, replace(report, verdict=Verdict(tests))), "internal")
    assert sentence in Read(page).text
    assert ('class="verdict pass"' in page) is (statuses == ("pass",))


def test_the_utility_panel_is_whole_inside_and_rounded_outside(released):
    """Inside the lines below the verdict and every family; outside shares in steps of 5, no class, no signed deviation."""
    utility = released[2].utility
    inside = Read(written(released, "internal")).text
    assert " ".join(utility.headline.split()) in " ".join(inside.split())
    assert str(utility.families[0].worst) in inside
    for variable in utility.variables:
        assert " ".join(variable.sentence.split()) in " ".join(inside.split())
    outside = Read(written(released, "external")).text
    start = outside.index("Estimates that differ by more than 3 standard errors")
    table = outside[start : outside.index("Of estimates from at least 30 records")]
    for family, share in utility.public_rows():
        assert share % 5 == 0
        assert f"{family} {share} " in table
    assert "=" not in table
    assert not any(str(estimate) in outside for estimate in utility.estimates)


def test_the_external_form_tells_users_what_they_need_and_no_risk(released):
    """Changes, valid analyses, codebook and citation; no original name, digest, figure or reason."""
    page = written(released, "external")
    text = Read(page).text
    for part in (
        "What was changed",
        "What leaves: a file of 200 records, protected by rank swapping (Moore 1996)",
        "What remains: who knows the unchanged columns",
        "Which analyses stay valid",
        "Codebook",
        "confidential variable: masked, changed at random",
        "region",
        "b" * 64,
        "data@x.example",
        "Cite as: Survey 2026",
    ):
        assert part in text, part
    for part in (
        "a" * 64,
        "in.csv",
        "43.1",
        "12 of 40",
        "Signature",
        "p=10",
        "seed 1",
        "Records at risk",
        "PIL",
        "all unchanged",
    ):
        assert part not in text, part
    assert "img" not in Read(page).tags


def test_sections_without_content_are_left_out(released):
    """Of two files whose roles are not known, and without an audit. Oracle: headings and links of the page, numbered from 2."""
    frame, release, _ = released
    unknown = pf.evaluate(frame, release.frame, ["wage"], measures="pil")
    for page in (written(released, "internal"), report_page(frame, release.frame, unknown, "internal")):
        text = Read(page).text
        numbers = [int(number) for number in re.findall(r'<section id="s(\d+)"><h2>\1 ', page)]
        assert numbers == list(range(2, 2 + len(numbers)))
        assert {int(number) for number in re.findall(r'href="#s(\d+)"', page)} <= {*numbers}
        assert "Audit" not in re.findall(r"<h2>\d+ ([^<]*)</h2>", page)
        assert "None" not in text
    assert "Columns released unchanged" not in text


@pytest.mark.slow
def test_nothing_outside_depends_on_few_records():
    """Plants: 7 gaps, a level of 4 records, an amount; the largest released amount; every class and deviation of the panel.

    Oracle: the release and the table of estimates. The internal report has the classes.
    """
    frame = pf.datasets.survey(n=700).dropna().drop(columns=["rent", "name"]).reset_index(drop=True)
    frame["region"] = frame["region"].astype(object)
    frame.loc[:3, "region"] = "PLANTED_LEVEL"
    frame["visits"] = [float("nan")] * 7 + [2.0] * (len(frame) - 7)
    frame.loc[3, "wage"] = 987_654
    roles = pf.Roles(["region", "age", "hours"], ["wage", "tax"])
    release = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, 1, allow_unprotected=True)
    report = pf.evaluate(frame, release)
    book = pf.codebook(release)
    external = Read(report_page(frame, release, report, "external")).text
    internal = Read(report_page(frame, release, report, "internal")).text
    assert (release.frame["region"] == "PLANTED_LEVEL").sum() == 4
    assert {row.name: row.missing for row in book.variables}["visits"] == "fewer than 10"
    plants = {"PLANTED_LEVEL", "987,654", "987654"}
    for name in ("wage", "tax"):
        for end in (release.frame[name].max(), release.frame[name].min()):
            if (release.frame[name] == end).sum() < 10:
                plants |= {f"{end:.0f}", f"{end:,.0f}", f"{end:,.2f}"}
    classes = {estimate.group for estimate in report.utility.estimates if estimate.group}
    deviations = {f"{estimate.z:+.3g}" for estimate in report.utility.estimates if abs(estimate.z) > 1}
    assert len(classes) > 5
    assert any(name in internal for name in classes)
    for text in (external, book.to_json(), book.to_html(), str(book), book.to_frame().to_csv()):
        for plant in plants | classes | deviations:
            assert plant not in text, plant


@pytest.mark.slow
def test_labels_of_columns_stand_beside_their_names(released):
    """Labels of SPSS and Stata files, in both forms."""
    frame, release, report = released
    labelled = frame.copy()
    labelled.attrs["column_labels"] = {"wage": "Gross hourly wage <b>"}
    for form in ("internal", "external"):
        page = report_page(labelled, release, report, form, title="Survey 2026", filing=FILING)
        assert "Gross hourly wage <b>" in Read(page).text


@pytest.mark.slow
def test_wild_text_is_text_everywhere(released):
    """In title, names, reason and column names; no attribute of an event, no element of it."""
    frame, _, report = released
    renamed = frame.rename(columns={"wage": WILD})
    roles = pf.Roles(["age", "hours"], [WILD, "tax"], ["name"])
    again = pf.protect(renamed, pf.RankSwapping(10), roles, 1)
    filing = replace(FILING, original=(WILD, "a"), preparer=WILD, contact=WILD, despite=(WILD, WILD), version=WILD)
    verdict = Verdict((Test("edits", "hold", WILD, (1.0,), (0.0,), ("values",)),), (WILD,), (WILD,))
    report = replace(pf.evaluate(renamed, again), verdict=verdict)
    for form in ("internal", "external"):
        result = replace(again, all_notes=[WILD], options=Options(preserve=[WILD], weights=WILD))
        read = Read(report_page(renamed, result, report, form, title=WILD, filing=filing))
        assert not any(name.startswith("on") for name, _ in read.attributes)
        assert ("src", "x") not in read.attributes
        assert WILD in read.text


@pytest.mark.slow
def test_records_at_risk_are_at_most_ten_with_shares_of_a_half(released):
    """Oracle: records_at_risk()."""
    frame, release, report = released
    linked = int(pf.records_at_risk(frame, release.frame, report.columns).linked.sum())
    assert (
        f"Links with a share of at least one half, {min(linked, 10)} of {linked}."
        in Read(written(released, "internal")).text
    )


def test_records_that_do_not_pair_are_not_linked():
    """Known truth: trees draw whole households for a public file, so that no record belongs to an original one."""
    people = pf.datasets.survey(n=60)[["age", "wage"]].assign(home=lambda file: file.index // 3)
    roles = pf.Roles(dependent=["age", "wage"], household="home", product="public")
    release = pf.protect(people, pf.Sequential(), roles)
    report = pf.evaluate(people, release)
    assert "Records at risk" not in report_page(people, release, report, "internal")

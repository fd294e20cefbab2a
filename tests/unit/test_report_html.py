"""The pieces of a report's page: every text is escaped, wherever it stands. Oracle: Python's own HTML parser. Identical."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from pyfcrm.report.filing import Filing, heading, verdict_block
from pyfcrm.report.html import (
    Section,
    document,
    figure,
    items,
    joined,
    measure_table,
    number,
    paragraphs,
    part,
    short,
    table,
)

from pyfcrm.evaluation.verdict import Test, Verdict

WILD = "<img src=x onerror=alert(1)> & \"two\" 'one' </td></style>{{ 7 * 7 }}{% raw %} é–∞"


class Read(HTMLParser):
    """What a browser would make of it: tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.text.append(data.strip())


def test_wild_text_is_text_everywhere():
    pieces = [
        table([WILD, "n"], [[WILD, "1"]]),
        paragraphs([WILD]),
        items([WILD]),
        measure_table([WILD, "n"], [([part("strong", WILD), "1"], WILD)]),
        part("kept", [WILD]),
        part("warning", WILD),
        figure(b"png", WILD),
    ]
    read = Read(document(WILD, WILD, [Section(WILD, joined(pieces))]))
    assert read.tags.count("img") == 1
    assert ("alt", WILD) in read.attributes
    assert not any(name.startswith("on") for name, _ in read.attributes)
    assert read.text.count(WILD) == 3 + 10 + 1  # title, heading and lead; the pieces; the section's heading


def test_a_body_that_is_plain_text_is_escaped():
    read = Read(document("t", "l", [Section("s", "<script>1</script>")]))  # type: ignore[arg-type]
    assert "script" not in read.tags
    assert "<script>1</script>" in read.text


def test_a_piece_in_a_cell_stays_what_it_is():
    read = Read(measure_table(["what", "value"], [([part("strong", "a & b"), "1"], "c")]))
    assert read.tags.count("strong") == 1
    assert read.text == ["what", "value", "a & b", "1", "c"]


def test_numbers_stand_right_after_the_words():
    text = table(["a", "b", "c"], [["1", "2", "3"]], words=2)
    assert '<th scope="col">b</th><th scope="col" class="number">c</th>' in text
    assert '<tr><td>1</td><td>2</td><td class="number">3</td></tr>' in text


@pytest.mark.parametrize(("chance", "marks"), [(None, 0), (50.0, 1)])
def test_a_bar_has_its_mark_where_chance_is_known(chance, marks):
    text = part("bar", 12.3456, chance)
    assert '<i style="width:12.35%"></i>' in text
    assert text.count("<b ") == marks


def test_a_row_too_short_is_a_fault():
    with pytest.raises(ValueError, match="3 columns has rows of"):
        table(["a", "b", "c"], [["1", "2"]])


def test_numbers_have_a_dash_for_none():
    assert [number(one) for one in (None, float("nan"), 1234.5)] == ["–", "–", "1,234.50"]


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "–"), (0.0, "0.00"), (0.01234, "0.0123"), (12.375, "12.38"), (123456.7, "123,456.7"), (2e9, "2.000e+09")],
)  # fmt: skip
def test_a_statistic_has_as_many_digits_as_fit(value, said):
    assert short(value) == said


VERDICT = Verdict(
    (
        Test("dr", "hold", "12 of 40 records", (20.0,), (15.0,), ("%",)),
        Test("range", "pass", "no record", (0.0,), (0.0,), ("records",)),
        Test("seed", "not applicable"),
    ),
    ("dr 15",),
)
FILING = Filing(
    ("in.csv", "a" * 64), ("out.csv", "b" * 64), "Written today.", VERDICT, True, ("a court order", "A. Person")
)


def test_what_a_report_is_filed_by():
    """Names and digests, the status, and a place to sign."""
    text = Read(heading(FILING, "internal")).text
    for words in ("in.csv", "a" * 64, "out.csv", "b" * 64, "Signature"):
        assert words in text
    assert "The status of the verdict is “hold”. The release was written." in text


def test_the_external_form_is_filed_by_the_digest_of_the_release_alone():
    text = Read(heading(FILING, "external")).text
    assert "b" * 64 in text
    assert not {"a" * 64, "in.csv", "out.csv", "Signature", "Written today."} & set(text)


def test_the_verdict_block_of_the_internal_form_has_quantities_and_reasons():
    read = Read(verdict_block(VERDICT, "internal", FILING))
    assert read.text[:2] == [
        VERDICT.headline,
        "The release was written despite this verdict: a court order (A. Person).",
    ]
    assert read.text[2:7] == ["status", "test", "found", "limit", "reason"]
    assert read.text[7:12] == ["hold", "dr", "20 %", "15", "12 of 40 records"]
    assert "seed" not in read.text


def test_the_verdict_block_of_the_external_form_has_no_reasons_of_tests():
    """What the original values gave stays inside."""
    text = Read(verdict_block(VERDICT, "external", FILING)).text
    assert text[0] == VERDICT.headline
    assert text[1].startswith("The release was written despite this verdict")
    assert text[2:] == ["status", "test", "limit", "hold", "dr", "15", "pass", "range", "0"]


@pytest.mark.parametrize(("status", "favourable"), [("pass", True), ("hold", False), ("not examined", False)])
def test_only_a_pass_has_the_favourable_colour(status, favourable):
    """Oracle: the style sheet gives it to the class "pass" alone."""
    block = str(verdict_block(Verdict((Test("range", status),)), "external", None))
    assert ('class="verdict pass"' in block) is favourable

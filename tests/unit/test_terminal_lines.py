"""What is printed on a terminal of 80 columns breaks between words; into a file a line stays a line. Identical."""

import pytest

from pyfcrm.cli import show

LINE = (
    "The share of records whose nearest protected record is their own, and 12.5 per cent of the others, as it happens."
)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_line_breaks_between_words_on_a_terminal_alone(terminal, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(show, "_is_terminal", lambda stream: terminal)
    show.print_lines(LINE)
    show.notes([LINE])
    out, err = capsys.readouterr()
    for text, message in ((out, LINE), (err, "note: " + LINE)):
        lines = text.splitlines()
        assert " ".join(line.strip() for line in lines) == message
        assert (len(lines), max(map(len, lines)) <= 80) == ((2, True) if terminal else (1, False))

"""Notes in brief: few of them, and short ones. All notes in full are `all_notes` of a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Formatter
from typing import Any

from .errors import Note, lines

MOST_NOTES = 10
MOST_WORDS = 25
MOST_NAMES = 3  # of columns; of more the number is given
MORE = "{count} further {count:note|notes}, {warnings} of them warnings: all_notes has them"
FIRST = " (the first of {first_of} such notes)"


def brief_notes(notes: Iterable[str]) -> list[Note]:
    """At most ten notes of at most 25 words, warnings first; notes of one kind and wording are one.

    In a brief wording, alike is the number of notes that it stands for.
    Where there are more, the last one has their number.
    """
    alike: dict[tuple[str, str, str], list[Note]] = {}
    for note in lines(notes):
        alike.setdefault((note.kind, note.severity, note.brief or note.wording), []).append(note)
    brief = [_merged(group) for group in alike.values()]
    if len(brief) <= MOST_NOTES:
        return brief
    others = brief[MOST_NOTES - 1 :]
    warnings = sum(note.severity == "warning" for note in others)
    severity = "warning" if warnings else "info"
    more = Note.of("more", MORE, count=len(others), warnings=warnings, severity=severity)
    return [*brief[: MOST_NOTES - 1], more]


def sums(notes: Sequence[Note]) -> dict[str, Any]:
    """What notes of one wording have together, as facts of one note of them.

    sum_count and sum_total : of their counts and totals; first_of : how many notes there are, where other facts of their
    brief wording differ.
    """
    together: dict[str, Any] = {}
    for name, values in (
        ("sum_count", [note.facts.get("sum_count", note.count) for note in notes]),
        ("sum_total", [note.facts.get("sum_total", note.total) for note in notes]),
    ):
        if None not in values:
            together[name] = sum(values)
    number = sum(note.facts.get("first_of", 1) for note in notes)
    facts = [_facts_in_brief(note) for note in notes]
    if number > len(notes) or any(other != facts[0] for other in facts):
        together["first_of"] = number
    return together


def _merged(notes: Sequence[Note]) -> Note:
    """Notes of one kind and brief wording as one note of at most 25 words."""
    first = notes[0]
    if len(notes) == 1:  # its full wording may be short enough
        note = first.changed(most_names=MOST_NAMES)
        if len(note.split()) <= MOST_WORDS:
            return note
    # In the brief wording, with the columns of all notes and the sums of their counts.
    together = sums(notes)
    columns = dict.fromkeys(column for note in notes for column in note.columns)
    wording = first.brief or first.wording
    if "first_of" in together:
        wording += FIRST
    note = first.changed(
        wording=wording,
        columns=columns,
        count=together.get("sum_count", first.count),
        total=together.get("sum_total", first.total),
        most_names=MOST_NAMES,
        alike=len(notes),
        **together,
    )
    words = note.split()
    if len(words) <= MOST_WORDS:
        return note
    beginning = " ".join([*words[: MOST_WORDS - 1], "..."])
    complete = beginning.replace("{", "{{").replace("}", "}}")  # braces of the text are no facts to fill in
    return note.changed(wording=complete)


def _facts_in_brief(note: Note) -> dict[str, Any]:
    """The facts, besides counts, that the brief wording of a note has."""
    names = {name for _, name, _, _ in Formatter().parse(note.brief or note.wording) if name}
    return {name: note.facts[name] for name in sorted(names) if name in note.facts}

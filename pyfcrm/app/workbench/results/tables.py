"""The tables of the results as HTML: everything tried, the measures of one trial, and how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ....evaluation.verdict import Verdict
from ....report.html import number, paragraphs
from ....report.sections import details, notes, summary
from ..bench import Trial
from .risk_map import swatch
from .takeaway import making
from .tried import MEASURED, Point, value

HEAD = ("trial", "method", *(key.upper().replace("_", " ") for key in MEASURED), "seconds")


def tried_table(trials: Sequence[Trial], points: Sequence[Point], best: int | None, chosen: int | None) -> str:
    """Every trial, the latest last; its method is a button that shows its details."""
    if not trials:
        return ""
    by_number = {p.number: p for p in points}
    head = "".join(f'<th scope="col"{_kind(j)}>{name}</th>' for j, name in enumerate(HEAD))
    rows, latest = [], max(trial.number for trial in trials)
    for trial in trials:
        point = by_number.get(trial.number)
        words = escape(trial.title or str(trial.method))
        pressed = str(trial.number == chosen).lower()
        button = (
            f'<button type="button" class="pick" data-pick="{trial.number}" aria-pressed="{pressed}">{words}</button>'
        )
        marks = [word for word, holds in (
            (str(trial.method), bool(trial.title)),
            (f"verdict: {trial.report.verdict.status}", True),
            ("least information loss", trial.number == best),
            ("not beaten", point is not None and point.unbeaten),
            ("not on the map", point is None),
        ) if holds]  # fmt: skip
        name = f'<span class="named">{swatch(point) if point else ""}{button}</span><span class="said">{escape(", ".join(marks))}</span>'
        cells = [str(trial.number), name, *(number(value(trial, key)) for key in MEASURED), f"{trial.seconds:.1f}"]
        rows.append("<tr>" + "".join(f"<td{_kind(j)}>{cell}</td>" for j, cell in enumerate(cells)) + "</tr>")
    return (
        f'<div class="wide"><table class="tried" data-latest="{latest}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def kept(trial: Trial) -> str:
    """What leaves as it came, and how many records are unique on it, in words; nothing where it was not counted."""
    found = trial.report.kept
    if found is None:
        return ""
    return f'<div class="kept">{paragraphs(found.sentences())}</div>'


def verdict_html(verdict: Verdict) -> str:
    """The verdict's headline and its tests, those that failed first; green for a pass only."""
    headline, *lines = verdict.summary()
    tests = "".join(f'<span class="against">{escape(line.strip())}</span>' for line in lines)
    return f'<p class="verdict{" green" if verdict.ok else ""}" role="status">{escape(headline)}{tests}</p>'


def measures(trial: Trial) -> str:
    """Values with bars, ranges, directions, chance and a sentence each, and why some are empty; every part below, on demand."""
    parts = details(trial.report)
    why = [note for note in trial.report.notes if getattr(note, "kind", "") == "by_definition"]
    return f"{kept(trial)}{paragraphs(why)}{summary(trial.report).body}<details><summary>{parts.title}</summary>{parts.body}</details>"


def provenance(trial: Trial) -> str:
    """How the release was made, and what had to be done on the way."""
    how = making(trial)
    rows = [("method", how.method), *how.parameters.items(), *how.facts.items()]
    body = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th><td>{escape(_words(one))}</td></tr>' for name, one in rows
    )
    sentences = list(dict.fromkeys([*how.notes, *trial.report.notes]))
    noted = notes(tuple(sentences)).body if sentences else paragraphs(["Nothing was noted on the way."])
    return (
        '<p class="said">For the inside: whoever has the original and this can make the release again.</p>'
        f'<div class="wide"><table class="made"><tbody>{body}</tbody></table></div><h3>Notes</h3>{noted}'
    )


def _kind(column: int) -> str:
    return "" if column == 1 else ' class="number"'


def _words(one: object) -> str:
    return ", ".join(map(str, one)) if isinstance(one, list | tuple) else str(one)

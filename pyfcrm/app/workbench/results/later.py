"""What takes a while to make of a trial: made in a thread, so that the page stays alive."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from shiny import reactive

from ....errors import Cancelled
from ....evaluation.at_risk import RecordsAtRisk, records_at_risk
from ....evaluation.changes import variable_changes
from ....progress import Progress, ProgressTracker
from ....report.html import number, paragraphs, table
from ....report.sections import pictures, variables
from ...arriving import aside
from ...visit import failed
from ..bench import Trial

KEPT = 12  # trials whose pictures are kept
MOST_COLUMNS = 24  # that are drawn
MOST_RECORDS = 50  # at risk, that are shown
LINKS = {
    "dbrl": "by distance",
    "prl": "by agreement",
    "distance": "own distance",
    "other_distance": "other distance",
    "informed": "by who knows the method",
    "candidates": "candidates left",
}


class Later:
    """work(trial, progress), which gives HTML, for the trial that is looked at. To be made inside a session.

    Another trial stops the work on the one before, at its next report of progress; what was made is kept, for a few trials.
    """

    def __init__(self, work: Callable[[Trial, Progress], str]) -> None:
        self._work, self._kept = work, dict[int, str]()
        self._at, self._tracker = 0, ProgressTracker("")

        @reactive.extended_task
        async def making(trial: Trial, tracker: ProgressTracker) -> None:
            result = await aside(self._built, trial, tracker)
            if result is not None:
                self._kept[trial.number] = result
                for old in list(self._kept)[:-KEPT]:
                    del self._kept[old]

        self._making = making

    def look(self, trial: Trial) -> None:
        """Make it, unless it is there or on its way."""
        with reactive.isolate():
            on_its_way = self._at == trial.number and self._making.status() == "running"
        if trial.number in self._kept or on_its_way:
            return
        self.stop()
        self._at, self._tracker = trial.number, ProgressTracker("")
        self._making.cancel()
        self._making.invoke(trial, self._tracker)

    def html(self, trial: Trial) -> str | None:
        """What was made; None while it is not there. Reactive."""
        self._making.status()
        return self._kept.get(trial.number)

    def standing(self) -> tuple[float, str]:
        """How far the work is, from 0 to 1, and what it does."""
        done, most = self._tracker.position
        return min(done / max(most, 1), 1.0), self._tracker.label or "this takes a moment"

    def stop(self) -> None:
        """Whatever is on its way is not wanted any more."""
        self._tracker.cancelled.set()

    def _built(self, trial: Trial, tracker: ProgressTracker) -> str | None:
        try:
            return self._work(trial, tracker.follow)
        except Cancelled:
            return None
        except Exception as error:  # a fault of ours among them: the page stays, and says so without the data
            return trouble(failed(error))


def trouble(sentence: str) -> str:
    """A sentence where a picture or a table would be."""
    return f'<p class="trouble" role="alert">{escape(sentence)}</p>'


def before_and_after(trial: Trial, progress: Progress) -> str:
    """Each variable before and after, and the pictures: distributions, correlations, scatter plots."""
    original, protected, columns = trial.source.table.frame, trial.released.frame, trial.report.columns
    if not columns:
        return trouble("No column of this release could be judged, so there is nothing to draw.")
    drawn = columns[:MOST_COLUMNS]
    changes = variable_changes(original, protected, columns)
    progress(1, 2, "pictures")
    sentences = "" if len(drawn) == len(columns) else f'<p class="said">The first {MOST_COLUMNS} columns are drawn.</p>'
    table = variables(changes)
    return f"{sentences}{pictures(original, protected, drawn).body}<h3>{table.title}</h3>{table.body}"


def risk(trial: Trial, progress: Progress) -> str:
    """The records that linkage finds, those that stand out most first, with their values before and after."""
    found = linked(trial, progress)
    many = int(found.linked.sum())
    sentences = [
        f"{found.describe()}.",
        "A share of 1 is a link, 1/t one of t equally good ones. Distances are in standard deviations: to the own protected "
        "record, and to the nearest other; a wide margin means that the record stands alone. Records are counted from 1, "
        "the first below the header. Each column shows the original value and the released one.",
        *map(str, found.notes),
    ]
    rows = at_risk_rows(trial, found).head(MOST_RECORDS)
    if many > len(rows):
        sentences.append(f"The first {len(rows)} are shown; the download under Take away has them all.")
    cells = [[_cell(one) for one in row] for row in rows.itertuples(index=False)]
    return str(paragraphs(sentences)) + (str(table([str(name) for name in rows.columns], cells)) if many else "")


def linked(trial: Trial, progress: Progress | None) -> RecordsAtRisk:
    """How each record of a trial is linked, by who knows its method too."""
    frames = trial.source.table.frame, trial.released.frame
    return records_at_risk(*frames, trial.report.columns, method=trial.method, progress=progress)


def at_risk_rows(trial: Trial, found: RecordsAtRisk) -> Any:
    """The linked records as a data frame: number from 1, links, distances, and the judged columns before and after."""
    rows = found.to_frame()
    original = trial.source.table.frame.loc[rows["record"]].reset_index(drop=True)
    released = trial.released.frame.loc[rows["record"]].reset_index(drop=True)
    index: Any = trial.source.table.frame.index
    position = index.get_indexer(rows["record"]) + 1
    result = rows.assign(record=position).rename(columns=LINKS)
    for name in trial.report.columns:
        result[f"{name}, original"] = original[name]
        result[f"{name}, released"] = released[name]
    return result


def at_risk_csv(trial: Trial) -> bytes:
    """All linked records, with their values, as a CSV file."""
    result: str = at_risk_rows(trial, linked(trial, None)).to_csv(index=False, lineterminator="\n")
    return result.encode("utf-8")


def _cell(one: Any) -> str:
    return number(one, 3) if isinstance(one, float) else str(one)

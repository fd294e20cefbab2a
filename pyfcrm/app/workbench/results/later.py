"""What takes a while to make of a trial: made in a thread, so that the page stays alive."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from shiny import reactive

from ....errors import Cancelled, PyfcrmError
from ....evaluation.at_risk import records_at_risk
from ....evaluation.changes import variable_changes
from ....progress import Course, Progress
from ....report.sections import at_risk, pictures, variables
from ...arriving import aside
from ..bench import Trial

KEPT = 12  # trials whose pictures are kept
MOST_COLUMNS = 24  # that are drawn


class Later:
    """work(trial, progress), which gives HTML, for the trial that is looked at. To be made inside a session.

    Another trial stops the work on the one before, at its next report of progress; what was made is kept, for a few trials.
    """

    def __init__(self, work: Callable[[Trial, Progress], str]) -> None:
        self._work, self._kept = work, dict[int, str]()
        self._at, self._course = 0, Course("")

        @reactive.extended_task
        async def making(trial: Trial, course: Course) -> None:
            made = await aside(self._made, trial, course)
            if made is not None:
                self._kept[trial.number] = made
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
        self._at, self._course = trial.number, Course("")
        self._making.cancel()
        self._making.invoke(trial, self._course)

    def html(self, trial: Trial) -> str | None:
        """What was made; None while it is not there. Reactive."""
        self._making.status()
        return self._kept.get(trial.number)

    def stop(self) -> None:
        """Whatever is on its way is not wanted any more."""
        self._course.end()

    def _made(self, trial: Trial, course: Course) -> str | None:
        try:
            return self._work(trial, course.follow)
        except Cancelled:
            return None
        except PyfcrmError as error:
            return trouble(str(error))
        except MemoryError:
            return trouble("There is not enough memory for this.")
        except Exception as error:  # a fault of ours: the page stays, and says so without the data
            return trouble(f"Something went wrong that should not ({type(error).__name__}).")


def trouble(sentence: str) -> str:
    """A sentence where a picture or a table would be."""
    return f'<p class="trouble" role="alert">{escape(sentence)}</p>'


def before_and_after(trial: Trial, progress: Progress) -> str:
    """Each variable before and after, and the pictures: distributions, correlations, scatter plots."""
    original, protected, columns = trial.source.table.frame, trial.released.frame, trial.report.columns
    if not columns:
        return trouble("No column of this release could be judged, so there is nothing to draw.")
    drawn = columns[:MOST_COLUMNS]
    changes = variable_changes(original, protected, columns, missing=trial.judged_missing)
    progress(1, 2, "pictures")
    said = "" if len(drawn) == len(columns) else f'<p class="said">The first {MOST_COLUMNS} columns are drawn.</p>'
    table = variables(changes)
    return f"{said}{pictures(original, protected, drawn).body}<h3>{table.title}</h3>{table.body}"


def risk(trial: Trial, progress: Progress) -> str:
    """The records that linkage finds, those that stand out most first."""
    frames = trial.source.table.frame, trial.released.frame
    found = records_at_risk(*frames, trial.report.columns, missing=trial.judged_missing, progress=progress)
    return at_risk(found).body

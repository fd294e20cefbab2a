"""The card of key risk: who stands alone by what an intruder knows, before anything is protected."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from shiny import Inputs, reactive, render, ui

from ...errors import InvalidInput
from ...evaluation.key_risk import KeyRisk, key_risk
from ...progress import Progress
from ...report.html import number, paragraphs, table
from ..arriving import aside
from ..requests import Refused
from .bench import Bench, Source
from .inputs import chosen_columns, columns_input, helped, one_of
from .strip import message

CARD, MOST = "keys", 20
WORDS = (
    "Choose the columns that an intruder may know of somebody, of any type. Each record is then counted with those that agree "
    "with it: whoever is alone can be found by these columns unless they are changed. The keys are also those that a trial's "
    "k-anonymity is about, and that local suppression begins with."
)
WEIGHTS = "The column of survey weights; none: the file is the whole population."
NOTHING = "There is nothing to take away yet."
HOUSEHOLD = "The column that says which records belong together; none: each record by itself."
# Called `download` in older Shiny, which the newer one still takes but warns of.
BUTTON: Any = getattr(render, "download_button", None) or render.download
INSIDE = "For the inside only: the table holds original values."
HEAD = ("record", "alike", "alike in the population", "individual risk", "household risk", "SUDA score", "DIS score")


@dataclass(frozen=True, eq=False)
class Looked:
    """A file looked at by some keys."""

    source: Source
    found: KeyRisk


def card() -> Any:
    """The choice of keys, and what was found."""
    return ui.output_ui("keys_card")


def keys_of(input: Inputs, bench: Bench) -> tuple[str, ...]:
    """The keys as they are chosen on the page."""
    names = [column.name for column in bench.columns()]
    return chosen_columns(input.keys(), names) if "keys" in input else ()


def serve(input: Inputs, bench: Bench) -> None:
    """Look at a file by its keys, beside the page."""
    looked: reactive.Value[Looked | None] = reactive.Value(None)

    @render.ui
    def keys_card() -> Any:
        names = [column.name for column in bench.columns()]
        return _card(names) if names else None

    @reactive.calc
    def shown() -> Looked | None:
        found = looked()
        return found if found is not None and found.source is bench.source() else None

    @render.ui
    def keys_said() -> Any:
        return message(bench, CARD)

    @render.ui
    def keys_found() -> Any:
        found = shown()
        if found is None:
            return None
        button = ui.download_button("key_risks", "All records (CSV)", title=INSIDE)
        return ui.TagList(ui.HTML(found_page(found)), ui.div(button, class_="buttons"), ui.p(INSIDE, class_="said"))

    _looking(input, bench, looked)
    _download(shown)


def _looking(input: Inputs, bench: Bench, looked: Any) -> None:
    """The button, and the work."""

    @reactive.effect
    @reactive.event(input.look)
    def _look() -> None:
        source, keys = bench.source(), keys_of(input, bench)
        names = [column.name for column in bench.columns()]
        more: dict[str, Any] = {name: one_of(input[name](), names) or None for name in ("weights", "household")}
        if source is None:
            return

        def work(progress: Progress) -> Looked:
            if not keys:
                raise InvalidInput("key risk", "needs at least one column that an intruder knows")
            return Looked(source, key_risk(source.table.frame, keys, **more, progress=progress))

        bench.start(CARD, work, looked.set)


def _card(names: list[str]) -> Any:
    choices = {"": "none", **{name: name for name in names}}
    return ui.tags.details(
        ui.tags.summary(ui.h2("Key risk: who stands alone in the file as it is")),
        ui.p(WORDS, class_="said"),
        ui.div(
            columns_input("keys", "Keys", names),
            helped(ui.input_select("weights", "Weights", choices), "weights", WEIGHTS),
            helped(ui.input_select("household", "Household", choices), "household", HOUSEHOLD),
            class_="fields",
        ),
        ui.div(ui.input_action_button("look", "Look at these keys"), class_="buttons"),
        ui.output_ui("keys_said"),
        ui.output_ui("keys_found"),
        class_="card-of",
    )


def _download(shown: Any) -> None:
    def name() -> str:
        found = shown()
        return "" if found is None else f"{PurePath(found.source.name).stem}-key-risk.csv"

    @BUTTON(filename=name)
    async def key_risks() -> AsyncIterator[bytes]:
        found = shown()
        if found is None:
            raise Refused(404, NOTHING)
        yield await aside(csv_of, found)


def rows_of(looked: Looked) -> Any:
    """A data frame: number from 1, the keys' values, and the risks, the records most at risk first."""
    frame, found = looked.source.table.frame, looked.found
    rows = found.to_frame().reset_index(drop=True)
    for place, key in enumerate(found.keys):
        rows.insert(place, key, frame[key].to_numpy(), allow_duplicates=True)
    rows.insert(0, "record", range(1, len(rows) + 1), allow_duplicates=True)
    order = (-found.individual).argsort(kind="stable")
    return rows.iloc[order]


def csv_of(looked: Looked) -> bytes:
    """Every record, as a CSV file."""
    result: str = rows_of(looked).to_csv(index=False, lineterminator="\n")
    return result.encode("utf-8")


def found_page(looked: Looked) -> str:
    """The file in words, then the records most at risk, with their keys."""
    keys, rows = looked.found.keys, rows_of(looked).head(MOST)
    head = (HEAD[0], *keys, *HEAD[1:])
    cells = [[number(one, 4) if isinstance(one, float) else str(one) for one in row] for row in _plain(rows)]
    words = [*looked.found.describe(), f"The {len(rows)} records most at risk; the download has all."]
    return str(paragraphs(words)) + str(table(head, cells))


def _plain(rows: Any) -> list[tuple[Any, ...]]:
    """The rows, counts among them as whole numbers."""
    return list(rows.astype({"fk": int}).itertuples(index=False, name=None))

"""What holds between the columns of the file, offered to be kept: a tick, and it is a constraint of the next run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shiny import Inputs, reactive, render, ui

from ...constraints.structure import find_structure
from ...data import Roles
from ...data.structure import Proposal, Structure
from ...errors import PyfcrmError
from ...progress import Progress
from .bench import Bench, Source
from .inputs import chosen_columns, text
from .roles import chosen_roles
from .strip import message

CARD = "structure"
WORDS = (
    "Sums, bounds and ratios that hold between the columns of the file, with how often. No program can know whether one is "
    "meant to hold: tick what every record of the release must keep, and it is added to the constraints."
)
NONE = "Nothing was found that holds between the dependent columns."
ONLY_TOLD = "Only to know, since no constraint says it: "


@dataclass(frozen=True, eq=False)
class Seen:
    """What was found in a file."""

    source: Source
    found: Structure


def card() -> Any:
    """The search for structure, once there is a file."""
    return ui.output_ui("structure_card")


def serve(input: Inputs, bench: Bench) -> None:
    """Look for structure beside the page, and put what is ticked into the constraints."""
    seen: reactive.Value[Seen | None] = reactive.Value(None)

    @render.ui
    def structure_card() -> Any:
        return None if bench.source() is None else _card()

    @render.ui
    def structure_said() -> Any:
        return message(bench, CARD)

    @render.ui
    def structure_found() -> Any:
        got = seen()
        return None if got is None or got.source is not bench.source() else offered(got.found)

    @reactive.effect
    @reactive.event(input.find)
    def _find() -> None:
        source = bench.source()
        try:
            roles = chosen_roles(input, bench)
        except (PyfcrmError, KeyError, TypeError) as error:
            bench.message.set((CARD, str(error) if isinstance(error, PyfcrmError) else "Each column must have a role."))
            return
        if source is not None:
            bench.start(CARD, lambda progress: looked(source, roles, progress), seen.set)

    @reactive.effect
    @reactive.event(input.keep_these)
    def _keep() -> None:
        got = seen()
        if got is not None and "held" in input:
            numbers = chosen_columns(input.held(), [str(k) for k, _ in kept_ones(got.found)])
            ui.update_text("constraints", value=added(text(input.constraints()), got.found, numbers))


def _card() -> Any:
    return ui.tags.details(
        ui.tags.summary(ui.h2("Structure: what holds between the columns")),
        ui.p(WORDS, class_="said"),
        ui.div(ui.input_action_button("find", "Look for structure"), class_="buttons"),
        ui.output_ui("structure_said"),
        ui.output_ui("structure_found"),
        class_="card-of",
    )


def looked(source: Source, roles: Roles, progress: Progress) -> Seen:
    """What find_structure() proposes. Raises PyfcrmError."""
    progress(0, 1, "looking for structure")
    found = find_structure(source.table.frame, roles)
    progress(1, 1, "done")
    return Seen(source, found)


def kept_ones(found: Structure) -> list[tuple[int, Proposal]]:
    """The proposals that are constraints, with their numbers from 1."""
    return [(k, one) for k, one in enumerate(found, 1) if one.texts]


def offered(found: Structure) -> Any:
    """The proposals, those that can be kept with a tick each, the exact ones ticked."""
    held = kept_ones(found)
    if not len(found):
        return ui.p(NONE, class_="said", role="status")
    choices = {str(k): one.words for k, one in held}
    ticked = [str(k) for k, one in held if one.exact]
    sentences = [ui.tags.li(ONLY_TOLD + one.words) for one in found if not one.texts]
    box = ui.input_checkbox_group("held", "To be kept in every record", choices, selected=ticked, width="100%")
    keep = ui.div(ui.input_action_button("keep_these", "Add to the constraints"), class_="buttons")
    return ui.TagList(*((box, keep) if held else ()), ui.tags.ul(*sentences, class_="said") if sentences else None)


def added(constraints: str, found: Structure, numbers: tuple[str, ...]) -> str:
    """The constraints as they stand, with the proposals of these numbers, none of them twice."""
    there = [one.strip() for one in constraints.split(";") if one.strip()]
    new = [words for k, one in kept_ones(found) if str(k) in numbers for words in one.texts]
    return "; ".join(dict.fromkeys([*there, *new]))

"""The card of the columns: what each is, its distribution as a very small picture, and the role it is given."""

from __future__ import annotations

from html import escape
from typing import Any

from shiny import Inputs, render, ui

from ...data import Roles
from .bench import Bench
from .columns import ROLES, Column

WIDTH, HEIGHT = 96, 24
HEAD = ("column", "type", "missing", "different", "unique", "distribution", "role", "not known", "why")
LATER = "Each with its facts and the role that is suggested for it, and why: you decide."
WORDS = (
    "Dependent columns are protected: their values are replaced. Independent ones explain them and leave as they are, so "
    "choose columns that may be known. Identifiers are dropped; the others leave as they came. The suggestion sees numbers, "
    "not meaning: you decide. Unique are the records whose value no other has; tick a column that leaves as it came where no "
    "intruder knows it, and it is not counted when records are looked for that are unique on what leaves."
)
NONE_KEPT = (
    "No column is suggested to be kept: each that could explain the others would tell who is who, by itself or with the "
    "columns that leave as they came. Choose one that may be known, or protect all of them."
)
TICK = "no intruder knows {}"


def histogram(column: Column) -> str:
    """Inline SVG, with the range in words for those who do not see it; nothing for a column without numbers."""
    if not column.bars:
        return ""
    most, step = max(column.bars), WIDTH / len(column.bars)
    bars = "".join(
        f'<rect x="{k * step:.2f}" y="{HEIGHT * (1 - count / most):.2f}" width="{step * 0.86:.2f}" '
        f'height="{HEIGHT * count / most:.2f}"/>'
        for k, count in enumerate(column.bars)
    )
    words = escape(f"{column.name}: from {column.low:.6g} to {column.high:.6g}", quote=True)
    return (
        f'<svg class="histogram" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{words}"><title>{words}</title>{bars}</svg>'
    )


def card() -> Any:
    """The table of columns, once there is a file."""
    return ui.output_ui("columns")


def role_id(generation: int, k: int) -> str:
    """The input of column k, of the file of this generation."""
    return f"role_{generation}_{k}"


def unknown_id(generation: int, k: int) -> str:
    """The tick of column k, of the file of this generation."""
    return f"unknown_{generation}_{k}"


def serve(input: Inputs, bench: Bench) -> None:
    """Show the columns of the file on the bench."""

    @render.ui
    def columns() -> Any:
        found = bench.columns()
        if not found:
            words = ui.p(LATER, class_="said")
            return ui.tags.section(ui.h2("2  Its columns"), words, class_="card-of later", aria_label="Its columns")
        head = ui.tags.tr(*(ui.tags.th(name, scope="col") for name in HEAD))
        rows = [_row(column, bench.generation, k) for k, column in enumerate(found)]
        kept = any(column.role == "independent" for column in found)
        return ui.tags.section(
            ui.h2("2  Its columns"),
            ui.p(WORDS, class_="said"),
            None if kept else ui.p(NONE_KEPT, class_="trouble", role="status"),
            ui.div(ui.tags.table(ui.tags.thead(head), ui.tags.tbody(*rows), class_="columns"), class_="wide"),
            class_="card-of",
            aria_label="Its columns",
        )


def chosen_roles(input: Inputs, bench: Bench) -> Roles:
    """The roles as they stand on the page."""
    value: dict[str, list[str]] = {role: [] for role in ROLES}
    unknown = []
    for k, column in enumerate(bench.columns()):
        role = input[role_id(bench.generation, k)]()
        value[role].append(column.name)
        if role in ("independent", "leave") and input[unknown_id(bench.generation, k)]():
            unknown.append(column.name)
    return Roles(value["independent"], value["dependent"], value["identifier"], unknown)


def role_in(roles: Roles, name: str) -> str:
    """The role that a column has, as the page calls it."""
    listed = {"independent": roles.independent, "dependent": roles.dependent, "identifier": roles.identifiers}
    return next((role for role, names in listed.items() if name in names), "leave")


def _row(column: Column, generation: int, k: int) -> Any:
    choices = dict(ROLES) if column.numeric else {key: ROLES[key] for key in ("identifier", "leave")}
    role = ui.input_select(role_id(generation, k), _unseen(f"role of {column.name}"), choices, selected=column.role)
    tick = ui.input_checkbox(unknown_id(generation, k), _unseen(TICK.format(column.name)), False)
    why = ui.TagList(  # the page shows the one or the other, by whether the role is the one that was suggested
        ui.span(f"Suggested: {column.reason}", class_="suggested"),
        ui.span(f"You chose this. Suggested was \u201c{ROLES[column.role]}\u201d.", class_="chosen"),
    )
    facts = (f"{column.missing:,}", f"{column.distinct:,}", f"{column.unique:,}")
    cells: tuple[Any, ...] = (column.kind, *facts, ui.HTML(histogram(column)), role, tick, why)
    kinds = ("kind", "number", "number", "number", "picture", "role", "tick", "why said")
    return ui.tags.tr(
        ui.tags.th(column.name, scope="row"),
        *(
            ui.tags.td(cell, class_=kind, **{"data-label": name})
            for cell, kind, name in zip(cells, kinds, HEAD[1:], strict=True)
        ),
        **{"data-role": column.role},
    )


def _unseen(words: str) -> Any:
    """A label for whoever hears the page; the table's head is there for the others."""
    return ui.span(words, class_="visually-hidden")

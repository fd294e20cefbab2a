"""The card of the columns: what each is, its distribution as a very small picture, and the role it is given."""

from __future__ import annotations

from html import escape
from typing import Any

from shiny import Inputs, render, ui

from ...data import Roles
from .columns import ROLES, Column
from .jobs import Bench

WIDTH, HEIGHT = 96, 24
HEAD = (
    "column",
    "type",
    "missing",
    "different",
    "unique",
    "distribution",
    "role",
    "not known",
    "why this is suggested",
)
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
            return None
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
    given: dict[str, list[str]] = {role: [] for role in ROLES}
    unknown = []
    for k, column in enumerate(bench.columns()):
        role = input[role_id(bench.generation, k)]()
        given[role].append(column.name)
        if role in ("independent", "leave") and input[unknown_id(bench.generation, k)]():
            unknown.append(column.name)
    return Roles(given["independent"], given["dependent"], given["identifier"], unknown)


def _row(column: Column, generation: int, k: int) -> Any:
    name = role_id(generation, k)
    choices = dict(ROLES) if column.numeric else {key: ROLES[key] for key in ("identifier", "leave")}
    select = ui.input_select(
        name, ui.span(f"role of {column.name}", class_="visually-hidden"), choices, selected=column.role
    )
    tick = ui.input_checkbox(
        unknown_id(generation, k), ui.span(TICK.format(column.name), class_="visually-hidden"), False
    )
    picture = ui.HTML(histogram(column))
    cells: tuple[Any, ...] = (
        column.kind,
        f"{column.missing:,}",
        f"{column.distinct:,}",
        f"{column.unique:,}",
        picture,
        select,
        tick,
        column.reason,
    )
    kinds = ("", "number", "number", "number", "", "", "tick", "said")
    return ui.tags.tr(
        ui.tags.th(column.name, scope="row"),
        *(ui.tags.td(cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)),
    )

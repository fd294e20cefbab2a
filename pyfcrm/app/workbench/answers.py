"""The fields of the answers that a release is to give as its original does: weights, domains and formulas."""

from __future__ import annotations

from typing import Any, TypedDict

from shiny import Inputs, ui

from .bench import Bench, Trial
from .inputs import chosen_columns, columns_input, helped, one_of, text

WEIGHTS = "Weighted totals, and weighted regressions on the independent columns, as in the original; none: plain ones."
DOMAINS = "The same answers within each value of these columns too."
FORMULAS = "Regressions to be kept, with a semicolon between two of them: wage ~ age + hours; rent ~ age."


class Answers(TypedDict):
    """`weights` and `preserve` as protect() takes them."""

    weights: str | None
    preserve: tuple[str, ...]


def fields(columns: list[str]) -> tuple[Any, ...]:
    """The three inputs. columns : of the file, to choose from."""
    choices = {"": "none", **{name: name for name in columns}}
    return (
        helped(ui.input_select("weighted_by", "Answers weighted by", choices), "weighted_by", WEIGHTS),
        helped(columns_input("domains", "Answers within", columns), "domains", DOMAINS),
        helped(ui.input_text("formulas", "Regressions kept, such as y ~ a + b", ""), "formulas", FORMULAS),
    )


def chosen(input: Inputs, bench: Bench) -> Answers:
    """What stands in the fields."""
    columns = [column.name for column in bench.columns()]
    if "weighted_by" not in input:
        return Answers(weights=None, preserve=())
    formulas = [one.strip() for one in text(input.formulas()).split(";") if one.strip()]
    preserve = (*chosen_columns(input.domains(), columns), *formulas)
    return Answers(weights=one_of(input.weighted_by(), columns) or None, preserve=preserve)


def refill(trial: Trial) -> None:
    """A trial's answers, put into the fields once more."""
    ui.update_select("weighted_by", selected=trial.weights or "")
    ui.update_select("domains", selected=[one for one in trial.preserve if "~" not in one])
    ui.update_text("formulas", value="; ".join(one for one in trial.preserve if "~" in one))

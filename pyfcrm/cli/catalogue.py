"""pyfcrm methods and pyfcrm measures: what is declared of each."""

import inspect
import math
from typing import Any

from ..errors import unknown_name
from ..measures import DEFAULT, MEASURES
from ..measures.measure import Measure
from ..methods import METHODS, Method
from ..methods.parameter import Parameter
from ..methods.text import method_called
from .options import Request
from .show import document, print_lines, table

FACTS = ("key", "title", "reading", "kind", "source", "better", "identity", "paired", "lower", "upper", "informed")


def methods(request: Request) -> None:
    """The methods, with their parameters and sources."""
    kinds = list(METHODS.values()) if request.name is None else [method_called("methods", request.name)]
    if request.json:
        document({"methods": [_method_facts(kind) for kind in kinds]})
    elif request.name is None:
        rows = [(kind.__name__, kind.about) for kind in kinds]
        table("Methods, as --method takes them", ("method", "what it does"), rows, left=2)
        print_lines("Parameters, defaults and source of a method: pyfcrm methods NAME")
    else:
        _show_method(kinds[0])


def _method_facts(kind: type[Method]) -> dict[str, Any]:
    """The declaration of a method."""
    parameters = [_parameter_facts(parameter) for parameter in kind.declared()]
    facts = {"name": kind.__name__.lower(), "class": kind.__name__, "about": kind.about, "source": kind.source}
    return {**facts, "parameters": parameters}


def _parameter_facts(parameter: Parameter) -> dict[str, Any]:
    only = f"; only with {parameter.condition}" if parameter.condition else ""
    return {
        "parameter": parameter.name,
        "default": "required" if parameter.required else parameter.default,
        "accepts": "; ".join(filter(None, (parameter.accepts, parameter.unit))),
        "help": parameter.help + only,
    }


def _show_method(kind: type[Method]) -> None:
    facts = _method_facts(kind)
    print_lines(f"{facts['class']}: {facts['about']}", f"Source: {facts['source']}", "")
    rows = [list(map(str, row.values())) for row in facts["parameters"]]
    if rows:
        table("Parameters, as --set takes them", list(facts["parameters"][0]), rows, left=4)
    else:
        print_lines("It has no parameters.")
    print("", inspect.cleandoc(kind.__doc__ or ""), sep="\n")  # documentation of Python, whose words stay


def measures(request: Request) -> None:
    """The measures, with their ranges and sources."""
    key = request.key
    if key is not None and key not in MEASURES:
        raise unknown_name("measures", "measure", key, MEASURES)
    facts = [_measure_facts(MEASURES[name]) for name in (MEASURES if key is None else [key])]
    if request.json:
        document({"measures": facts})
    elif key is None:
        rows = [[row[name] for name in ("key", "title", "range", "better")] for row in facts]
        table("Measures, as --measures takes them", ("key", "measure", "range", "better"), rows, left=4)
        print_lines(f"By default, evaluate gives {', '.join(DEFAULT)}. One measure in full: pyfcrm measures KEY")
    else:
        texts = [
            (name, ", ".join(value) if isinstance(value, tuple) else str(value)) for name, value in facts[0].items()
        ]
        table(f"{key}: {facts[0]['title']}", ("fact", "value"), texts, left=2)


def range_text(measure: Measure) -> str:
    """The range of its values in words."""
    low, high = (f"{bound:g}" if math.isfinite(bound) else "" for bound in (measure.lower, measure.upper))
    unit = " per cent" if measure.upper == 100 else ""
    if not high:
        return f"{low} and more"
    return (f"{low} to {high}" if low else f"up to {high}") + unit


def _measure_facts(measure: Measure) -> dict[str, Any]:
    """The declaration of a measure."""
    facts = {name: getattr(measure, name) for name in FACTS} | {"range": range_text(measure)}
    needs = {"keys": measure.needs_keys, "targets": measure.needs_targets, "of": measure.components}
    return {**facts, "default": measure.key in DEFAULT, **needs}

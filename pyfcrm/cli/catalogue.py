"""pyfcrm methods and pyfcrm measures: what is declared of each."""

import inspect
import math
from typing import Any

from ..errors import unknown_name
from ..measures import DEFAULT, MEASURES
from ..measures.measure import Measure
from ..methods import METHODS, Method
from ..methods.text import method_called
from .options import Request
from .show import document, print_lines, table

HEADS = {"parameter": "parameter", "default": "default", "accepts": "takes", "help": "what it is"}
FACTS = ("key", "title", "reading", "kind", "source", "better", "identity", "paired", "lower", "upper", "informed")
KINDS = {"loss": "information loss", "risk": "disclosure risk", "score": "both in one number"}


def methods(request: Request) -> None:
    """The methods, with their parameters and sources."""
    kinds = list(METHODS.values()) if request.name is None else [method_called("methods", request.name)]
    if request.json:
        facts = [
            {
                "name": kind.__name__.lower(),
                "class": kind.__name__,
                "about": kind.about,
                "source": kind.source,
                "parameters": _parameters(kind),
            }
            for kind in kinds
        ]
        document({"methods": facts})
    elif request.name is None:
        table(
            "Methods, as --method takes them",
            ("method", "what it does"),
            [(k.__name__, k.about) for k in kinds],
            left=2,
        )
        print_lines("Parameters, defaults and source of a method: pyfcrm methods NAME")
    else:
        _show_method(kinds[0])


def _show_method(kind: type[Method]) -> None:
    print_lines(f"{kind.__name__}: {kind.about}", f"Source: {kind.source}", "")
    rows = _parameters(kind)
    if rows:
        heads = [key for key in HEADS if any(row.get(key) for row in rows)]
        cells = [[_default(row) if key == "default" else row[key] for key in heads] for row in rows]
        table("Parameters, as --set takes them", [HEADS[key] for key in heads], cells, left=len(heads))
    else:
        print_lines("It has no parameters.")
    print_lines("", *inspect.cleandoc(kind.__doc__ or "").splitlines())


def _parameters(kind: type[Method]) -> list[dict[str, Any]]:
    """Each declared parameter, in the order of the constructor."""
    return [
        {
            "parameter": parameter.name,
            "required": parameter.required,
            "default": parameter.default,
            "accepts": parameter.accepts + (f"; {parameter.unit}" if parameter.unit else ""),
            "words": parameter.words,
            "help": parameter.help
            + (f"; only with {parameter.only[0]} {' or '.join(parameter.only[1])}" if parameter.only else ""),
        }
        for parameter in kind.declared()
    ]


def _default(row: dict[str, Any]) -> str:
    """As --set takes it."""
    value = row["default"]
    if row["required"]:
        return "must be given"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value).removesuffix(".0")


def measures(request: Request) -> None:
    """The measures, with their ranges and sources."""
    key = request.key
    if key is not None and key not in MEASURES:
        raise unknown_name("measures", "measure", key, MEASURES)
    chosen = list(MEASURES) if key is None else [key]
    if request.json:
        document({"measures": [_measure_facts(MEASURES[name]) for name in chosen]})
    elif key is None:
        rows = [(item.key, item.title, range_text(item), item.better) for item in MEASURES.values()]
        table("Measures, as --measures takes them", ("key", "measure", "range", "better"), rows, left=4)
        print_lines(f"By default, evaluate gives {', '.join(DEFAULT)}. One measure in full: pyfcrm measures KEY")
    else:
        _show_measure(MEASURES[key])


def _show_measure(measure: Measure) -> None:
    targets = ", and --targets, the columns to disclose" if measure.needs == "targets" else ""
    facts = (
        f"{measure.key}: {measure.title}",
        measure.reading,
        f"of: {KINDS[measure.kind]}",
        f"range: {range_text(measure)}, {measure.better} is better",
        f"records: {'paired, each with its original' if measure.paired else 'need not be paired'}",
        f"made of: {', '.join(measure.components)}" if measure.components else "",
        f"needs: --keys, the key attributes{targets}" if measure.needs_keys else "",
        f"source: {measure.source}",
    )
    print_lines(*filter(None, facts))


def range_text(measure: Measure) -> str:
    """The range of its values in words."""
    low, high = (f"{bound:g}" if math.isfinite(bound) else "" for bound in (measure.lower, measure.upper))
    unit = " per cent" if measure.upper == 100 else ""
    if not high:
        return f"{low} and more"
    return (f"{low} to {high}" if low else f"up to {high}") + unit


def _measure_facts(measure: Measure) -> dict[str, Any]:
    facts = {name: getattr(measure, name) for name in FACTS}
    needs = {"keys": measure.needs_keys, "targets": measure.needs == "targets", "of": measure.components}
    return {**facts, "default": measure.key in DEFAULT, **needs}

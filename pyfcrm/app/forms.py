"""Forms: the fields of methods, read from their declarations, and a filled form as a plan."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..data.replicate_factors import REPLICATE_TYPES, checked_factors
from ..data.roles import PUBLIC, RESEARCH
from ..errors import InvalidInput, InvalidParameter, PyfcrmError
from ..methods import METHODS, Calibrated, Method, Procedure, Steps
from ..methods.method import NO_ROLES
from ..methods.parameter import Parameter
from ..methods.text import method_of, value_of
from ..plans.limits import LIMITS, PRODUCT, UTILITY
from ..plans.plan import Plan, to_plan
from ..plans.tables import method_table
from ..protection.declaration import Option
from ..protection.options import Options
from .files import output_of
from .state import Draft, Study

ROLES = {
    "dependent": "confidential",
    "independent": "predictor",
    "leave": "unmodified",
    "unknown": "unmodified, not known to intruders",
    "identifiers": "identifier",
    "weight": "survey weight",
    "psu": "primary sampling unit",
    "sampling_stratum": "stratum of the sampling design",
    "replicate_weights": "replicate weight",
    "household": "household id",
    "unit": "unit id, repeated",
    "time": "period of a unit",
}
REPLICATES = REPLICATE_TYPES
"""How replicate weights may have been made, as the page Columns offers it."""
TITLES = {"start": "Start here", "synthetic": "Synthetic", "perturb": "Perturb", "coarsen": "Coarsen"}  # by group
GROUPS = {
    title: tuple(name for name, method in METHODS.items() if method.group == group) for group, title in TITLES.items()
}
START = {"fcrm.c": list[str](), "fcrm.release": ["model"]}  # instead of the example or the default
PRODUCTS = {
    RESEARCH: (
        "keep predictors",
        "For researchers under contract: predictors are released unchanged, and analyses given them stay near the original's.",
    ),
    PUBLIC: (
        "everything synthetic",
        "For files that anyone may download: no column is a respondent's own, records are in random order, and limits are stricter.",
    ),
}
"""The kinds of product, as buttons name them, and what each is for."""
# Options of protect() with a place of their own in the pages, or chosen at Columns.
PLACED_OPTIONS = ("constraints", "strata", "preserve", "missing", "allow_unprotected")
FIRST_METHOD = "sequential"  # trees, under Calibrated: the default of Calibrated()
CALIBRATED_FIRST = (FIRST_METHOD, "ipso", "fcrm")
CALIBRATED = "calibrated"
SWEEP = "ipso:kind=A|B|C, egadp, fcrm:c=2|4|8, rankswapping:p=5|15|40, noise:amount=10|50, microaggregation:k=3|10"


@dataclass(frozen=True)
class Field:
    """A field of a form: its HTML name, the parameter that declares it, and its value."""

    path: str
    parameter: Parameter
    value: Any


@dataclass(frozen=True)
class MethodForm:
    """The fields of a method: those in view and the others; calibrate : whether Calibrated is around it, None if it cannot be."""

    name: str
    shown: Sequence[Field]
    folded: Sequence[Field]
    calibrate: bool | None


def is_offered(name: str) -> bool:
    """Whether a method has a form of its own."""
    return name in METHODS and name != CALIBRATED


def sentence(text: str) -> str:
    """A phrase as a sentence."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def replicates_of(draft: Draft, count: int) -> dict[str, Any]:
    """How `count` replicate weights were made, as parameters of Roles; empty without them, and without a type.

    Raises InvalidParameter for factors that the type does not have.
    """
    kind = text_of(draft, "replicates.type")
    if not kind or not count:
        return {}
    scale = text_of(draft, "replicates.scale")
    rscales = text_of(draft, "replicates.rscales")
    listed = [value_of(part) for part in rscales.split(",")] if rscales else ()
    return checked_factors(count, kind, value_of(scale) if scale else None, listed)


def method_form(draft: Draft, name: str) -> MethodForm:
    """The form of a method, filled from the draft."""
    fields = _fields(name, draft)
    first = [f for f in fields if f.parameter.required or f.parameter.dial or f.parameter.kind == "choice"] or fields
    shown = first[:3]
    folded, calibrate = [f for f in fields if f not in shown], None
    if _replaces_numbers(name):
        folded += [f for f in _fields(CALIBRATED, draft) if f.parameter.kind != "method"]
        calibrate = bool(draft.get(f"calibrate.{name}")) if f"form.{name}" in draft else name in CALIBRATED_FIRST
    return MethodForm(name, shown, folded, calibrate)


@cache
def _replaces_numbers(name: str) -> bool:
    """Whether Calibrated accepts a method: one that replaces numbers, as its form is at the start."""
    draft: Draft = {f"form.{name}": ["1"]}
    for field in _fields(name, {}):
        draft[field.path] = field.value if isinstance(field.value, list) else [field.value]
    try:
        return method_of("studio", _table(name, draft)).replaces_numbers()
    except InvalidParameter:  # a form that must be filled first, as those for coarser values
        return False


def _fields(name: str, draft: Draft) -> list[Field]:
    """The fields of a method, with its defaults until its form was sent."""
    fields = list[Field]()
    for parameter in METHODS[name].declared():
        path = f"{name}.{parameter.name}"
        first = parameter.example if parameter.required else parameter.default
        values = START.get(path, _texts(parameter, first))
        values = draft.get(path, [] if f"form.{name}" in draft else values)
        value = values if parameter.kind == "columns" else (values or [""])[0]
        fields.append(Field(path, parameter, value))
    return fields


def _texts(parameter: Parameter, value: Any) -> list[str]:
    """A value as its field has it."""
    if parameter.kind == "columns":
        return list(value or ())
    if parameter.kind == "flag":
        return ["on"] if value else []
    if value is None:
        return ["none"] if parameter.kind == "choice" else []
    return [str(value)]


def with_method(draft: Draft, method: Method) -> Draft:
    """A draft with the form of a method filled from it."""
    inner = method.wrapped or method
    outer = _sent(method) if inner is not method else {}
    name = method_table(inner)["name"]
    return draft | outer | _sent(inner) | {"method": [name], f"calibrate.{name}": ["on"] if outer else []}


def _sent(method: Method) -> Draft:
    """The form of a method as it is sent."""
    name, values = method_table(method)["name"], method.parameters()
    draft = {f"{name}.{p.name}": _texts(p, values[p.name]) for p in method.declared() if p.kind != "method"}
    return draft | {f"form.{name}": ["1"]}


def method_from(draft: Draft) -> Method:
    """The method of a filled form. Raises InvalidInput or InvalidParameter."""
    name = text_of(draft, "method")
    if not is_offered(name):
        raise InvalidInput("studio", "choose one of the methods")
    table = _table(name, draft)
    method = method_of("studio", table)
    if draft.get(f"calibrate.{name}") and method.replaces_numbers():
        return method_of("studio", {**_table(CALIBRATED, draft), "method": table})
    return method


def _table(name: str, draft: Draft) -> dict[str, Any]:
    table: dict[str, Any] = {"name": name}
    for parameter in METHODS[name].declared():
        path = f"{name}.{parameter.name}"
        text = text_of(draft, path)
        if parameter.kind == "flag" and f"form.{name}" in draft:
            table[parameter.name] = bool(draft.get(path))
        elif parameter.kind == "columns":
            table |= {parameter.name: draft[path]} if draft.get(path) else {}
        elif text:
            table[parameter.name] = None if text.lower() == "none" else value_of(text)
        elif parameter.required and parameter.optional:
            table[parameter.name] = None
    return table


def further_options() -> list[Option]:
    """Options of protect() that the form of a method lists as they are declared: those without a place of their own."""
    listed = ("choice", "flag", "name", "number", "whole", "yes_no")
    return [
        option
        for option in Options.declared()
        if option.table == "keep" and option.kind in listed and option.name not in PLACED_OPTIONS
    ]


def _option_values(draft: Draft) -> dict[str, Any]:
    """The further options that a filled form gives; an empty field leaves the default."""
    values: dict[str, Any] = {}
    for option in further_options():
        text = text_of(draft, f"keep.{option.name}")
        if not text:
            continue
        if option.kind in ("flag", "yes_no"):
            values[option.name] = {"yes": True, "no": False}.get(text, text)
        elif option.kind in ("number", "whole"):
            values[option.name] = value_of(text)
        else:
            values[option.name] = text
    return values


def text_of(draft: Draft, path: str) -> str:
    """The text of a field, without spaces around it."""
    return (draft.get(path) or [""])[0].strip()


def plan_of(study: Study, draft: Draft, method: Procedure | None = None) -> Plan:
    """The plan of a filled form; method : another than the form's. Raises InvalidInput or InvalidParameter."""
    source = study.source
    roles = study.roles()
    if method is None:
        method = method_from(draft)
    if study.work.steps:
        method = Steps([*study.work.steps, (method, roles)])
        roles = method.roles
    product = text_of(draft, "limits.product") or roles.product
    # The limits of the roles' product are the default, which a plan does not repeat.
    limits: dict[str, Any] = {} if product == roles.product else {PRODUCT: product}
    for key in (*LIMITS, UTILITY):
        figures = [value_of(text) for text in items(draft, f"limits.{key}")]
        if figures:
            limits[key] = figures
    keep: dict[str, Any] = {
        "constraints": items(draft, "keep.constraints"),
        "strata": draft.get("keep.strata"),
        "preserve": draft.get("keep.preserve"),
        "missing": study.work.missing,
        "allow_unprotected": "keep.allow_unprotected" in draft,
    }
    seed = text_of(draft, "random.seed")
    tables: dict[str, Any] = {
        "input": {"file": source.name},
        "roles": roles,
        "method": method,
        "keep": {key: value for key, value in keep.items() if value} | _option_values(draft),
        "variables": study.work.variables,
        "limits": limits,
        "output": output_of(source),
        "random": {"seed": value_of(seed) if seed else None},
    }
    return to_plan("studio", tables)


def field_of(error: PyfcrmError) -> str:
    """The path of the field that an error concerns; another text where it concerns none."""
    if isinstance(error, InvalidParameter):
        return f"{error.owner.lower()}.{error.name}"
    return error.owner.removeprefix("studio, ") if isinstance(error, InvalidInput) else ""


def items(draft: Draft, path: str) -> list[str]:
    """The parts of a field between semicolons."""
    return [item.strip() for item in text_of(draft, path).split(";") if item.strip()]


def last_step(method: Procedure) -> Method:
    """The last one of several steps, or the method itself."""
    last, _ = method.parts(NO_ROLES)[-1]
    return last


def method_title(method: Procedure) -> str:
    """The name of a trial: IPSO-C, calibrated."""
    if isinstance(method, Steps):
        return ", then ".join(method_title(step) for step, _ in method.steps)
    if isinstance(method, Calibrated):
        margins = " to original margins" if method.margins == "original" else ""
        return f"{method_title(method.method)}, calibrated{margins}"
    settings = re.sub(r"\w+=None(, )?|(kind|release)=", "", method.settings())
    return f"{type(method).__name__} {settings}".strip().replace("IPSO ", "IPSO-")

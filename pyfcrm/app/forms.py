"""Forms: the fields of methods, read from their declarations, and a filled form as a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InvalidInput, InvalidParameter
from ..methods import METHODS, Calibrated, Method, Steps
from ..methods.parameter import Parameter
from ..methods.steps import Step
from ..methods.text import method_of, value_of
from ..plans.limits import LIMITS
from ..plans.plan import Plan, Random, to_plan
from ..plans.tables import method_table
from .files import Column
from .state import Draft, Study

ROLES = {
    "dependent": "confidential",
    "independent": "predictor",
    "leave": "unmodified",
    "unknown": "unmodified, not known to intruders",
    "identifiers": "identifier",
    "weight": "survey weight",
    "household": "household id",
    "unit": "unit id, repeated",
    "time": "period of a unit",
}
GROUPS = {
    "Start here": ("ipso", "fcrm", "sequential"),
    "Synthetic": ("egadp", "gadp", "shuffling", "arf", "dummy"),
    "Perturb": ("rankswapping", "noise", "microaggregation", "permutation", "hybrid", "pram"),
    "Coarsen": ("sampling", "recoding", "topbottomcoding", "localsuppression"),
}
START = {"fcrm.release": ["model"]}  # instead of the default
CALIBRATED_FIRST = ("ipso", "fcrm")
CALIBRATED = "calibrated"
IN_VIEW = 3
SWEEP = "ipso:kind=A|B|C, egadp, fcrm:c=2|4|8, rankswapping:p=5|15|40, noise:amount=10|50, microaggregation:k=3|10"
FIRST = {"whole": ["4"]}  # for parameters without a default
NONE = {"choice": ["none"]}  # for those whose default is None


class FormError(InvalidInput):
    """A form cannot be used. fields : a sentence by field."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("studio", "; ".join(fields.values()))
        self.fields = dict(fields)


@dataclass(frozen=True)
class Field:
    """A field of a form: its HTML name, the parameter that declares it, its value and its error."""

    path: str
    parameter: Parameter
    value: Any
    error: str = ""


@dataclass(frozen=True)
class MethodForm:
    """The fields of a method: those in view and the others; calibrate : whether Calibrated is around it, None if it cannot be."""

    name: str
    shown: Sequence[Field]
    folded: Sequence[Field]
    calibrate: bool | None


def places(columns: Sequence[Column]) -> list[dict[str, str]]:
    """Names and places of columns, for lists to tick."""
    return [{"name": column.name, "place": str(k)} for k, column in enumerate(columns)]


def sentence(text: str) -> str:
    """A phrase as a sentence."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def method_form(draft: Draft, name: str, errors: Mapping[str, str]) -> MethodForm:
    """The form of a method, filled from the draft."""
    fields = _fields(name, draft, errors)
    first = [f for f in fields if f.parameter.required or f.parameter.dial or f.parameter.kind == "choice"] or fields
    shown = first[:IN_VIEW]
    folded, calibrate = [f for f in fields if f not in shown], None
    if METHODS[name].one_for_one:
        folded += [f for f in _fields(CALIBRATED, draft, errors) if f.parameter.kind != "method"]
        calibrate = f"calibrate.{name}" in draft if f"form.{name}" in draft else name in CALIBRATED_FIRST
    return MethodForm(name, shown, folded, calibrate)


def _fields(name: str, draft: Draft, errors: Mapping[str, str]) -> list[Field]:
    """The fields of a method; an unticked flag is no default once its form was sent."""
    fields = list[Field]()
    for parameter in METHODS[name].declared():
        path, default = f"{name}.{parameter.name}", parameter.default
        if parameter.kind == "flag":
            values = ["on"] if default and f"form.{name}" not in draft else []
        elif parameter.required or parameter.kind == "columns":
            values = [] if parameter.optional else FIRST.get(parameter.kind, [])
        else:
            values = START.get(path, [str(default)] if default is not None else NONE.get(parameter.kind, []))
        values = draft.get(path, values)
        value = values if parameter.kind == "columns" else (values or [""])[0]
        fields.append(Field(path, parameter, value, errors.get(path, "")))
    return fields


def draft_of(form: Any) -> Draft:
    """A posted form as a draft; empty fields are left out."""
    return {key: [str(value) for value in form.getlist(key)] for key in form}


def with_method(draft: Draft, method: Method, columns: Sequence[Column]) -> Draft:
    """A draft with the form of a method filled from it."""
    table = method_table(last_step(method))
    outer = _settings(table, columns) if table["name"] == CALIBRATED else {}
    table = table["method"] if outer else table
    name = table["name"]
    kept = {key: values for key, values in draft.items() if not key.startswith(f"{name}.")}
    kept.pop(f"calibrate.{name}", None)
    ticked = {f"calibrate.{name}": ["on"]} if outer else {}
    return kept | outer | ticked | {"method": [name], **_settings(table, columns)}


def _settings(table: Mapping[str, Any], columns: Sequence[Column]) -> Draft:
    name, places = table["name"], {column.name: str(k) for k, column in enumerate(columns)}
    draft: Draft = {f"form.{name}": ["1"]}
    for parameter in METHODS[name].declared():
        value = table.get(parameter.name)
        if parameter.kind == "flag":
            draft |= {f"{name}.{parameter.name}": ["on"]} if value else {}
        elif parameter.kind == "columns":
            draft[f"{name}.{parameter.name}"] = (
                [places[str(v)] for v in value if str(v) in places] if isinstance(value, list | tuple) else []
            )
        elif parameter.kind != "method":
            text = "" if value == "none" and parameter.kind != "choice" else str(value)
            draft[f"{name}.{parameter.name}"] = [text]
    return draft


def method_from(draft: Draft, columns: Sequence[Column]) -> Method:
    """The method of a filled form. Raises FormError."""
    name = text_of(draft, "method")
    if name not in METHODS or name == CALIBRATED:
        raise FormError({"method": "Choose one of the methods."})
    table = _table(name, draft, columns)
    if f"calibrate.{name}" in draft and METHODS[name].one_for_one:
        table = {**_table(CALIBRATED, draft, columns), "method": table}
    try:
        return method_of("studio", table)
    except InvalidParameter as error:
        raise FormError({f"{error.owner.lower()}.{error.name}": str(error)}) from None
    except InvalidInput as error:
        raise FormError({"method": str(error)}) from None


def _table(name: str, draft: Draft, columns: Sequence[Column]) -> dict[str, Any]:
    table: dict[str, Any] = {"name": name}
    for parameter in METHODS[name].declared():
        path = f"{name}.{parameter.name}"
        text = text_of(draft, path)
        if parameter.kind == "flag" and f"form.{name}" in draft:
            table[parameter.name] = path in draft
        elif parameter.kind == "columns":
            table |= {parameter.name: found} if (found := chosen(draft, path, columns)) else {}
        elif text:
            table[parameter.name] = None if text.lower() == "none" else value_of(text)
        elif parameter.required and parameter.optional:
            table[parameter.name] = None
    return table


def text_of(draft: Draft, path: str) -> str:
    """The text of a field, without spaces around it."""
    return (draft.get(path) or [""])[0].strip()


def chosen(draft: Draft, path: str, columns: Sequence[Column]) -> list[str]:
    """The columns ticked in a list, by their places. Raises FormError."""
    try:
        return [columns[int(place)].name for place in draft.get(path, ()) if place[:4].isdecimal()]
    except (IndexError, ValueError):
        raise FormError({path: "Choose columns of this file."}) from None


def plan_of(study: Study, draft: Draft, method: Method | None = None) -> Plan:
    """The plan of a filled form; method : another than the form's. Raises FormError or InvalidInput."""
    source = study.source
    method, roles = method or method_from(draft, source.columns), study.roles()
    if study.work.steps:
        method = Steps(_without_dropped([*study.work.steps, (method, roles)]))
        roles = method.roles
    limits = {key: text for key in LIMITS if (text := text_of(draft, f"limits.{key}"))}
    keep: dict[str, Any] = {
        "constraints": items(draft, "keep.constraints"),
        "strata": chosen(draft, "keep.strata", source.columns),
        "preserve": chosen(draft, "keep.preserve", source.columns),
        "missing": text_of(draft, "keep.missing"),
        "allow_unprotected": "keep.allow_unprotected" in draft,
    }
    seed = text_of(draft, "random.seed")
    tables: dict[str, Any] = {
        "input": {"file": source.name},
        "roles": roles,
        "method": method,
        "keep": {key: value for key, value in keep.items() if value},
        "limits": {key: [value_of(figure) for figure in text.split(";")] for key, text in limits.items()},
        "output": {"release": f"release-{source.name}", "disarm": True},
        "random": {"seed": value_of(seed)} if seed else Random(),
    }
    try:
        return to_plan("studio", tables)
    except InvalidInput as error:
        path = error.owner.removeprefix("studio, ")
        raise FormError({path: f"{path}: {error.rule}"}) from None


def items(draft: Draft, path: str) -> list[str]:
    """The parts of a field between semicolons."""
    return [item.strip() for item in text_of(draft, path).split(";") if item.strip()]


def last_step(method: Method) -> Method:
    """The last one of several steps, or the method itself."""
    last: Method = method.steps[-1][0] if isinstance(method, Steps) else method
    return last


def _without_dropped(steps: Sequence[Step]) -> list[Step]:
    """The steps, each without the identifiers that an earlier one drops."""
    dropped, result = set[str](), list[Step]()
    for method, roles in steps:
        left = tuple(name for name in roles.identifiers if name not in dropped)
        result.append((method, replace(roles, identifiers=left)))
        dropped.update(left)
    return result


def method_title(method: Method) -> str:
    """The name of a trial: IPSO-C, calibrated."""
    if isinstance(method, Steps):
        return ", then ".join(method_title(step) for step, _ in method.steps)
    if method.wrapped is not None and isinstance(method, Calibrated):
        return f"{method_title(method.wrapped)}, calibrated" + (
            " to original margins" if method.margins == "original" else ""
        )
    words = [str(value) if name in ("kind", "release") else f"{name}={value}".removesuffix(".0")
             for name, value in method.shown_parameters().items() if value is not None]  # fmt: skip
    name = type(method).__name__
    if name == "IPSO":
        return f"IPSO-{' '.join(words)}"
    return " ".join([name, *words])

"""The tables of a plan and what they stand for: roles, methods, steps, limits; the word "none", as TOML cannot hold None."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..data import Roles
from ..data.roles import LISTS, PRODUCTS, SINGLE
from ..errors import InvalidInput, unknown_name
from ..measures import MEASURES
from ..methods import External, Method, Procedure, Steps
from ..methods.text import method_of
from .limits import Limits, read_limits

NONE = "none"  # TOML has no null
EXTERNAL = External.__name__.lower()
STEP = ("roles", "method")  # what each step of a plan has


def with_none(value: Any) -> Any:
    """A value, or a table, with None for "none"."""
    if isinstance(value, Mapping):
        return {key: with_none(item) for key, item in value.items()}
    return None if value == NONE else value


def check_keys(table: Any, known: Any) -> Any:
    """Raises InvalidInput for a key of a table that is not known."""
    for key in table if isinstance(table, Mapping) else ():
        if key not in known:
            raise unknown_name("plan", "key", key, known)
    return table


def to_roles(value: Any) -> Any:
    """The table [roles] as Roles."""
    if not isinstance(value, Mapping):
        return value
    return Roles(**check_keys(value, [field.name for field in fields(Roles)]))


def to_method(value: Any) -> Any:
    """The table [method] as a method."""
    return method_of("plan", with_none(value)) if isinstance(value, Mapping) else value


def method_table(method: Procedure) -> Any:
    """A method with all of its parameters, so that the defaults of a later version do not apply; of Steps a table for each."""
    if isinstance(method, Steps):
        return [{"roles": roles_table(roles), "method": method_table(step)} for step, roles in method.steps]
    parameters = {key: plain(value) for key, value in method.parameters().items()}
    return {"name": type(method).__name__.lower(), **parameters}


def to_steps(value: Any) -> Steps:
    """The tables [[step]] as Steps."""
    if not isinstance(value, list) or not value:
        raise InvalidInput("plan", "`step` must be tables [[step]], each with `roles` and `method`", value)
    pairs = list[tuple[Method, Roles]]()
    for table in value:
        step = check_keys(table, STEP)
        if not isinstance(step, Mapping) or len(step) < len(STEP):
            raise InvalidInput("plan", "each [[step]] must have `roles` and `method`", step)
        pairs.append((to_method(step["method"]), to_roles(step["roles"])))
    return Steps(pairs)


def columns_table(roles: Roles) -> dict[str, Any]:
    """The roles that columns have: a list of names for each, one name for a role that one column may have."""
    table: dict[str, Any] = {role: list(roles.columns(role)) for role in LISTS}
    table |= {role: getattr(roles, role) for role in SINGLE}
    given = {role: columns for role, columns in table.items() if columns}
    # In the order of the arguments of Roles.
    return {field.name: given[field.name] for field in fields(Roles) if field.name in given}


def roles_table(roles: Roles) -> dict[str, Any]:
    """The roles that columns have, and the other parameters of Roles that are not at their defaults."""
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in roles.values.items()}
    return {**columns_table(roles), **values}


def to_limits(value: Any) -> Any:
    """The table [limits] as the figures of each test."""
    if not isinstance(value, Mapping) and value not in PRODUCTS:
        return value
    limits = read_limits("plan", value)
    for key in limits:
        if key in MEASURES and MEASURES[key].needs_keys:
            raise InvalidInput("plan", f"`{key}` needs key variables, which a plan does not name")
    return limits


def limits_table(limits: Limits) -> dict[str, Any]:
    """The limits as TOML has them: a number, or one for each quantity of the test."""
    figures = {key: [int(x) if float(x).is_integer() else x for x in values] for key, values in limits.items()}
    return {key: values[0] if len(values) == 1 else values for key, values in figures.items()}


def plain(value: Any) -> Any:
    """A parameter's value in types of TOML, with "none" for None."""
    if value is None:
        return NONE
    if isinstance(value, Procedure):
        return method_table(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value

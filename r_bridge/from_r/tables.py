"""Functions for tables about a file or a release that R calls. Each returns its rows, and the text that Python prints."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

import pyfcrm as pf
from pyfcrm.arguments import names
from pyfcrm.progress import Progress

from ..frames import column_of
from .arguments import Plain, errors_as_data, roles_of, values_of, with_variables
from .calls import protected_of
from .frames import frame_of, packed, table_of, table_to_r


def _table(result: Any, **further: Any) -> Plain:
    """The rows and the text of a result, and further facts."""
    return {"rows": table_to_r(result.to_frame()), "text": str(result), **further}


@errors_as_data
def suggest_roles(table: Plain, options: Plain) -> Plain:
    """pf.suggest_roles. A row with role and reason for each column. options : product, variables."""
    settings = with_variables(values_of(options))
    result = pf.suggest_roles(
        frame_of(table_of(table)), product=settings["product"], variables=settings.get("variables")
    )
    return _table(result, choice=result.choice, product=result.product)


@errors_as_data
def describe(table: Plain, options: Plain) -> Plain:
    """pf.describe. A row for each column, and the declarations as TOML. options : variables."""
    variables = with_variables(values_of(options)).get("variables")
    result = pf.describe(frame_of(table_of(table)), variables=variables)
    return _table(result, toml=result.to_toml())


@errors_as_data
def recode_search(table: Plain, options: Plain, roles: Plain, progress: Progress | None = None) -> Plain:
    """pf.recode_search, one row a step of the search. roles : without the keys.

    Returns also the breaks of Recoding by key: values and groups, cut points, or a number of classes; the keys, the targets,
    and the levels, loss and failing records of the last step.
    """
    settings = with_variables(values_of(options))
    r_table = table_of(table)
    keys, targets = (names("recode_search", part, settings[part]) for part in ("keys", "targets"))
    r_table.require("recode_search", [*keys, *targets])
    result = pf.recode_search(frame_of(r_table), roles=roles_of(roles), progress=progress, **settings)
    recodings = [method.breaks for method, _ in result.steps.steps if isinstance(method, pf.Recoding)]
    breaks = [_breaks_to_r(key, value) for each in recodings for key, value in each.items()]
    return _table(
        result, breaks=breaks, levels=list(result.levels.values()), loss=result.loss, suppressed=result.suppressed
    )


def _breaks_to_r(key: str, breaks: Any) -> Plain:
    """One key's breaks of Recoding, from which R builds the same."""
    if isinstance(breaks, Mapping):
        return {"key": key, "values": list(breaks), "groups": list(breaks.values())}
    return {"key": key, "cuts": list(breaks)} if isinstance(breaks, tuple) else {"key": key, "classes": breaks}


@errors_as_data
def codebook(table: Plain, provenance: Plain, options: Plain) -> Plain:
    """pf.codebook of a release from R. provenance : see `protected_of`; options : format."""
    released = protected_of([frame_of(table_of(table))], provenance)
    format = values_of(options).get("format")
    if format is not None:
        return {"document": pf.codebook(released, format)}
    result = pf.codebook(released)
    return _table(result, json=result.to_json(), html=result.to_html(), relations=list(result.relations))


@errors_as_data
def records_at_risk(original: Plain, protected: Plain, options: Plain, progress: Progress | None = None) -> Plain:
    """pf.records_at_risk, one row a linked record."""
    X, Z, settings = _pair("records_at_risk", original, protected, options)
    return _table(pf.records_at_risk(X, Z, progress=progress, **settings))


@errors_as_data
def variable_changes(original: Plain, protected: Plain, options: Plain) -> Plain:
    """pf.variable_changes, one row a variable."""
    X, Z, settings = _pair("variable_changes", original, protected, options)
    return _table(pf.variable_changes(X, Z, **settings))


@errors_as_data
def analyse(original: Plain, protected: Plain, options: Plain, roles: Plain | None = None) -> Plain:
    """pf.analyse, one row a coefficient or quantile; covariances of the release's estimates, row by row, and degrees of freedom.

    These are infinite where intervals are by the normal distribution. roles : None for no sampling design.
    """
    X, Z, settings = _pair("analyse", original, protected, options)
    result = pf.analyse(X, Z, roles=None if roles is None else roles_of(roles), **settings)
    cov = column_of("cov", pd.Series(result.protected.cov.ravel()))
    is_normal = not result.by_design and (result.family == "binomial" or result.quantile is not None)
    freedom = math.inf if is_normal else float(result.protected.freedom)
    return _table(result, cov=packed(cov), freedom=freedom)


@errors_as_data
def dependence_test(original: Plain, protected: Plain, options: Plain, roles: Plain) -> Plain:
    """pf.dependence_test, one row a statistic."""
    X, Z, settings = _pair("dependence_test", original, protected, options)
    result = pf.dependence_test(X, Z, roles_of(roles), **settings)
    return _table(result, p_value=result.p_value, attribute=result.attribute, kind=result.kind)


def _pair(verb: str, original: Plain, protected: Plain, options: Plain) -> tuple[Any, Any, Plain]:
    """The frames of two files and the options of a verb. Raises InvalidInput if a file lacks one of `columns`."""
    settings = with_variables(values_of(options))
    if "columns" in settings:
        settings["columns"] = names(verb, "columns", settings["columns"]) or None
    tables = [table_of(original), table_of(protected)]
    for table in tables:
        table.require(verb, settings.get("columns") or ())
    X, Z = map(frame_of, tables)
    return X, Z, settings

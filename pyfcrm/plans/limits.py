"""The verdict's default limits, each with its reason and source, and how a caller changes them."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ..arguments import choice, real_number
from ..data.roles import PRODUCTS, RESEARCH
from ..errors import InvalidInput, InvalidParameter, unknown_name
from ..files.manifest import read_document
from ..files.paths import path_text
from ..measures import MEASURES
from ..numerics.chance import FALSE_ALARMS

PRODUCT = "product"  # their key in a table of limits
PRODUCT_LIMITS = resources.files("pyfcrm").joinpath("evaluation", "verdict", "limits")
P_VALUE = "p"  # unit of a quantity that must exceed its limit
EPSILON = "epsilon"  # of all releases of the same records in a ledger: a limit of the test `ledger`, none by default
UTILITY = "utility"  # per cent of the estimates of the utility panel that differ by more than 3 standard errors: no limit by default
Limits = Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class Limit:
    """A default limit of the verdict."""

    values: tuple[float, ...]
    """A figure for each quantity of the test."""
    unit: tuple[str, ...]
    """The unit of each quantity."""
    reason: str
    """The reason for the figures."""
    source: str
    """The source of the figures."""


LIMITS: Mapping[str, Limit] = {
    "unprotected": Limit(
        (0, 5), ("records", "points"),
        "A released record that keeps its confidential values is not protected. "
        "Values that agree by chance, or as many share them, do not count.",
        "Hundepool et al. (2012), section 3.2; own",
    ),
    "sample_uniques": Limit(
        (5,), ("%",),
        "A sample unique on the key variables can be re-identified by an intruder who knows them. Researchers under a contract gain "
        "little by looking for a person: 5 %; anyone may look in a public file: 1 %.",
        "Skinner and Elliot (2002); the figures are our own",
    ),
    "key_risk": Limit(
        (5, 1), ("%", "%"),
        "An individual risk above 0.1 is a chance of more than one in ten; the expected re-identifications are the sum of all risks.",
        "Franconi and Polettini (2004); Skinner and Shlomo (2008); Templ (2017)",
    ),
    "replicated": Limit(
        (2,), ("points",),
        "Unique combinations of values recur in the release of members more often than in that of others; p-value at most 0.01.",
        "after Raab, Nowok and Dibben (2024); own",
    ),
    "risk": Limit(
        (5,), ("points",),
        "Disclosure risk above what releases without the record's own values have. 75 clean files had at most 2.3.",
        "after Giomi et al. (2023); Domingo-Ferrer and Torra (2001)",
    ),
    "linkage": Limit(
        (5, 0), ("points", "records"),
        "Links by an intruder who knows the method; a certain link needs no further evidence.",
        "Nin, Herranz and Torra (2008); Domingo-Ferrer and Muralidhar (2016)",
    ),
    "edits": Limit(
        (0,), ("values",),
        "Values that a variable may not have, and broken rules, mislead users and show which records are not real.",
        "Fellegi and Holt (1976)",
    ),
    "totals": Limit(
        (0,), ("statistics",),
        "A preserved total is a published table cell, to which the rules of magnitude tables apply.",
        "Hundepool et al. (2012), chapter 4; Bailie, Gong and Meng (2025)",
    ),
    "order": Limit(
        (5,), ("%",),
        "A sorted file tells the values that it is sorted by. Counted is what the order explains with a p-value of at most 1 per cent.",
        "own: 33 files, docs, page Verdict",
    ),
    "audit": Limit(
        (0,), ("alarms",),
        "An alarm is an attack that succeeds better on members than on others, with a p-value of at most 1 per cent over all attacks.",
        "after El Emam, Mosquera and Fang (2022); Giomi et al. (2023)",
    ),
    "dependence": Limit(
        (FALSE_ALARMS["dependence"],), (P_VALUE,),
        "Released rows of a method that replaces all values must not resemble their own originals beyond the predictors.",
        "after Shah and Peters (2020); Westfall and Young (1993)",
    ),
    "ledger": Limit(
        (0,), ("conflicts",),
        "Several releases of the same records can disclose together what none of them does alone.",
        "measured: docs, page Verdict; own",
    ),
}  # fmt: skip


def all_limits(changed: Limits) -> Limits:
    """Every limit of the verdict, so that the defaults of a later version do not apply. changed : those that differ."""
    return {key: limit.values for key, limit in LIMITS.items()} | dict(changed)


@cache
def product_limits(product: str) -> Limits:
    """The limits of a kind of product, by test key. product : one of PRODUCTS."""
    text = PRODUCT_LIMITS.joinpath(f"{product}.toml").read_text(encoding="utf-8")
    return {key: _figures("limits", key, value) for key, value in tomllib.loads(text)["limits"].items()}


def product_of(limits: Limits) -> str:
    """The kind of product whose limits all hold, besides those of other tests: the default unless it is another one."""
    for product in PRODUCTS[1:]:
        if all(limits.get(key) == values for key, values in product_limits(product).items()):
            return product
    return PRODUCTS[0]


def changed_limits(limits: Limits, product: str = RESEARCH) -> list[str]:
    """The limits that differ from those of the product of a release, as text, such as "dr 15".

    If all limits of another product hold for a research file, they are named together, by that product.
    """
    named = product_of(limits) if product == RESEARCH else product
    defaults = {key: limit.values for key, limit in LIMITS.items()} | dict(product_limits(named))
    changed = limits_text({key: values for key, values in limits.items() if defaults.get(key) != values})
    return changed if named == product else [f"product {named}", *changed]


def limits_text(limits: Limits) -> list[str]:
    """Limits as text, such as "key_risk 5; 1"."""
    return [f"{key} {'; '.join(f'{value:g}' for value in values)}" for key, values in limits.items()]


def read_limits(owner: str, limits: Any, product: str | None = None) -> Limits:
    """The limits that a caller changes or adds, by test or measure key.

    limits : None, the name of a product, a mapping of key to number (or to one number for each quantity), which may have a product
    as `product`, or the path of a TOML file with a table [limits]. product : of the release, whose limits are the default where
    `limits` names no product; None where it is not known. Raises InvalidInput or InvalidParameter.
    """
    if isinstance(limits, str) and limits in PRODUCTS:
        limits = {PRODUCT: limits}
    if isinstance(limits, (str, os.PathLike)):
        path = path_text("limits", limits)
        rule = "a file of limits must be TOML, in UTF-8"
        limits = read_document(path, "file of limits", rule, tomllib.load).get("limits")
        if not isinstance(limits, Mapping):
            raise InvalidInput(path, "the file of limits must have a table [limits]", "none")
    if limits is not None and not isinstance(limits, Mapping):
        rule = (
            "must be a table such as {'dr': 15}, 'research', 'public', or the path of a TOML file with a table [limits]"
        )
        raise InvalidParameter(owner, "limits", rule, limits)
    changes = dict(limits or {})
    if PRODUCT in changes:
        # All figures are stated, so that the product of a release does not change them.
        basis = dict(product_limits(choice(owner, "limits, product", changes.pop(PRODUCT), PRODUCTS)))
    elif product in (None, RESEARCH):
        basis = {}
    else:
        basis = dict(product_limits(product))
    return basis | {key: _figures(owner, key, value) for key, value in changes.items()}


def _figures(owner: str, key: Any, value: Any) -> tuple[float, ...]:
    """The figures of one limit; a single number changes the first quantity of a test that has two."""
    if key not in (known := [*LIMITS, *MEASURES, EPSILON, UTILITY]):
        raise unknown_name(owner, "limit", key, known)
    default = LIMITS[key].values if key in LIMITS else (0.0,)
    figures = list(value) if isinstance(value, (list, tuple)) else [value]
    if not 1 <= len(figures) <= len(default):
        raise InvalidParameter(owner, "limits", f"`{key}` has {len(default)} figures", value)
    return (*(real_number(owner, f"limits, {key}", figure, low=0) for figure in figures), *default[len(figures) :])

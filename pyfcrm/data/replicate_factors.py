"""The factors by which squared deviations of replicates become a variance, by the type of the replicate weights."""

from collections.abc import Callable, Mapping
from typing import Any

from ..arguments import choice, items, real_number
from ..errors import InvalidParameter

FAY = "Fay"
JKN = "JKn"
SCALES: Mapping[str, Callable[[int], float] | None] = {
    "BRR": lambda R: 1 / R,
    FAY: None,
    "JK1": lambda R: (R - 1) / R,
    JKN: lambda R: 1.0,
    "bootstrap": lambda R: 1 / (R - 1),
    "SDR": lambda R: 4 / R,
}
"""By type, the factor of the sum over R replicates; None where it must be given. Source: Wolter (2007), chapters 3 to 5."""
REPLICATE_TYPES = tuple(SCALES)
FEWEST = 2  # replicates that have a variance


def checked_factors(count: int, kind: Any, scale: Any, rscales: Any) -> dict[str, Any]:
    """The type of `count` replicate weights and its factors as Roles has them, by name. Raises InvalidParameter."""
    given = _listed(rscales)
    if kind is None:
        for name, value in (("replicate_scale", scale), ("replicate_rscales", given or None)):
            if value is not None:
                raise InvalidParameter("Roles", name, "must come with `replicate_type`", value)
        return {"replicate_type": None, "replicate_scale": None, "replicate_rscales": ()}
    choice("Roles", "replicate_type", kind, REPLICATE_TYPES)
    if count < FEWEST:
        rule = "must come with at least two `replicate_weights`"
        raise InvalidParameter("Roles", "replicate_type", rule, kind)
    if scale is not None:
        scale = real_number("Roles", "replicate_scale", scale, above=0)
    elif SCALES[kind] is None:
        rule = f"must be given for {FAY}: 1 / (R (1 - rho)^2), with R replicates and Fay's rho"
        raise InvalidParameter("Roles", "replicate_scale", rule, None)
    if not given and kind == JKN:
        rule = f"must be given for {JKN}: for each replicate (m - 1) / m, with m the sampling units of its stratum"
        raise InvalidParameter("Roles", "replicate_rscales", rule, None)
    factors = tuple(real_number("Roles", "replicate_rscales", value, low=0) for value in given)
    if len(factors) not in (0, 1, count):
        rule = f"must be one number, or one for each of the {count} replicate weights"
        raise InvalidParameter("Roles", "replicate_rscales", rule, f"{len(factors)} numbers")
    return {"replicate_type": kind, "replicate_scale": scale, "replicate_rscales": factors}


def _listed(rscales: Any) -> tuple[Any, ...]:
    """The factors as a tuple, from one number, several, or None."""
    if rscales is None:
        return ()
    listed = None if isinstance(rscales, str) else items(rscales)
    return (rscales,) if listed is None else listed


def factors_of(kind: str, count: int, scale: float | None, rscales: tuple[float, ...]) -> tuple[float, list[float]]:
    """The factor of the sum over `count` replicates, and that of each replicate."""
    if scale is None:
        of_type = SCALES[kind]
        assert of_type is not None
        scale = of_type(count)
    by_replicate = list(rscales) or [1.0]
    if len(by_replicate) == 1:
        by_replicate = by_replicate * count
    return scale, by_replicate

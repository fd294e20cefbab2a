"""What the values of a survey weight prove of the sampling design: strata, sizes, clusters, and columns that the weight discloses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..types import Array, Codes
from .codes import crossed
from .column_facts import ColumnFacts
from .column_names import named_as
from .frame import Frame
from .proposed_role import LEVELS, OPEN, ProposedRole

CLOSE = 1e-6  # relative, of numbers that files have with seven digits
MIN_RECORDS = 30  # of each stratum on average: subjects that are weighed once, and measured often, have fewer
MAX_SHARED = 2  # strata for each different weight
MIN_CLUSTER = 2.0  # records of each cluster on average, in the population and in the file
MIN_VALUES = 10  # different weights, so that a product with them is not the same in all records by chance


def population_columns(facts: Sequence[ColumnFacts]) -> list[ColumnFacts]:
    """The columns that are named as sizes of finite populations, and have one above 0 in every record."""
    named = [column for column in facts if named_as("finite population", column.name)]
    return [column for column in named if column.numeric and not column.missing and column.low > 0]


def stratum_of_weight(
    frame: Frame, facts: Sequence[ColumnFacts], roles: Mapping[str, ProposedRole], weight: ColumnFacts
) -> ColumnFacts | None:
    """The column of classes in which the weight is the same, of a weight that differs between them; None without one.

    Two classes may share a weight. Of several such columns it is the one of the fewest classes.
    """
    if weight.distinct < 2:
        return None
    of_weight = frame.codes(weight.name)
    found = list[ColumnFacts]()
    for column in facts:
        has_classes = weight.distinct <= column.distinct <= MAX_SHARED * weight.distinct
        has_records = column.known >= MIN_RECORDS * column.distinct
        if roles[column.name].role != LEVELS or column.missing or not (has_classes and has_records):
            continue
        if _is_constant(frame.codes(column.name), of_weight):
            found.append(column)
    return min(found, key=lambda column: column.distinct, default=None)


def sizes_of_strata(
    frame: Frame, facts: Sequence[ColumnFacts], roles: Mapping[str, ProposedRole], weight: str, stratum: str
) -> dict[str, str]:
    """By column, what it has of each stratum in all of its records: the sum of the weights, or the number of records."""
    strata = frame.codes(stratum)
    sums = {
        "the sum of the weights": np.bincount(strata, frame.values(weight))[strata],
        "the number of records": np.bincount(strata)[strata],
    }
    found = dict[str, str]()
    for column in facts:
        if not column.numeric or column.missing or column.distinct < 2 or roles[column.name].role not in OPEN:
            continue
        values = frame.values(column.name)
        for what, sizes in sums.items():
            if np.allclose(values, sizes, rtol=CLOSE, atol=0):
                found[column.name] = what
    return found


def clusters_of_sizes(
    frame: Frame,
    facts: Sequence[ColumnFacts],
    roles: Mapping[str, ProposedRole],
    weight: ColumnFacts,
    stratum: str | None,
) -> ColumnFacts | None:
    """The column of the clusters, where sizes of finite populations count fewer units than the weights count records; else None.

    Weights and sizes are the same in all records of a cluster. Its records stand together in the file, or another column has the same
    groups, as a number and a name have. Of several such columns it is the one of the most clusters, a number before text.
    """
    populations = population_columns(facts)
    strata = np.zeros(frame.records, dtype=np.int64) if stratum is None else frame.codes(stratum)
    records = float(frame.values(weight.name).sum())
    # Units of the whole population: each stratum counts once for each size that it has.
    units = [_sum_of_different(strata, frame.values(column.name)) for column in populations]
    first_stages = [total for total in units if total * MIN_CLUSTER <= records]
    if not first_stages:
        return None
    same = [frame.codes(column.name) for column in [weight, *populations]]
    possible = list[ColumnFacts]()
    for column in facts:
        proposed = roles[column.name]
        is_code = column.whole or column.kind in ("text", "category")
        has_groups = 2 <= column.distinct <= column.known / MIN_CLUSTER and column.distinct <= max(first_stages)
        is_household = proposed.role == "household" and not proposed.doubtful
        is_open = proposed.role in (*OPEN, "household", "identifiers") and not is_household
        if not is_code or not has_groups or not is_open or column.missing or column.unusable:
            continue
        if all(_is_constant(frame.codes(column.name), each) for each in same):
            possible.append(column)
    partners = {
        column.name
        for column in possible
        for other in possible
        if column is not other and same_groups(frame, column, other)
    }
    found = [column for column in possible if column.runs == column.distinct or column.name in partners]
    return min(found, key=lambda column: (-column.distinct, not column.numeric), default=None)


def same_groups(frame: Frame, column: ColumnFacts, other: ColumnFacts) -> bool:
    """Whether two columns without missing values put the records into the same groups."""
    if column.distinct != other.distinct or column.missing or other.missing:
        return False
    return _is_constant(frame.codes(column.name), frame.codes(other.name))


def disclosed_by_weight(
    frame: Frame, facts: Iterable[ColumnFacts], roles: Mapping[str, ProposedRole], weight: ColumnFacts
) -> list[str]:
    """The open columns whose product with the weight is the same in every record: inclusion probabilities, sizes of units."""
    if weight.distinct < MIN_VALUES:
        return []
    weights = frame.values(weight.name)
    found = list[str]()
    for column in facts:
        if roles[column.name].role in OPEN and column.numeric and not column.missing and column.low > 0:
            product = weights * frame.values(column.name)
            if np.allclose(product, product[0], rtol=CLOSE, atol=0):
                found.append(column.name)
    return found


def _is_constant(groups: Codes, codes: Codes) -> bool:
    """Whether all records of a group have the same code."""
    return int(crossed(groups, codes).max()) == int(groups.max())


def _sum_of_different(strata: Codes, sizes: Array) -> float:
    """The sum of the different sizes of each stratum. strata, sizes : (n,)"""
    pairs = np.unique(np.column_stack([strata, sizes]), axis=0)
    return float(pairs[:, 1].sum())

"""The roles of columns of a sampling design: primary sampling units and strata, by their names or by the values of the weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .column_facts import ColumnFacts
from .column_names import weight_by_name, words_of
from .frame import Frame
from .proposed_role import OPEN, UNCHANGED, ProposedRole
from .sampling_evidence import (
    clusters_of_sizes,
    disclosed_by_weight,
    population_columns,
    same_groups,
    sizes_of_strata,
    stratum_of_weight,
)

PSU = "psu"
STRATUM = "sampling_stratum"
# Names of survey programmes and packages: NHANES, GSS, HRS, Demographic and Health Surveys, EU-SILC, NHIS, PISA.
SURE = {
    PSU: re.compile(
        r"(\w*_)?(sdmv|var|v|samp|raw)?psu(_?(id|no|nr|num|p))?\d*(_\w+)?|v021|m?v001|hv0(01|21)|db06[02]|raehsamp_?psu|secu"
    ),
    STRATUM: re.compile(
        r"sdmvstra|vstrat\d*|(pseudo|samp|survey|design|var|psu)_?strat(um|a)?\w*|v02[23]|hv02[23]|db050|strat_p"
    ),
}
# Names that columns of other files have too: they count beside a survey weight.
POSSIBLE = {
    PSU: re.compile(
        r"(\w+_)?(cluster|clust|clu|grappe|conglomerado|upm|uge|klumpen|ea|enum\w*_area)(_?(id|no|nr|num))?\d*"
    ),
    STRATUM: re.compile(r"(\w+_)?(strat(um|a|e|es|o|os)?|estratos?|schicht)(_?(id|no|nr|num))?\d*"),
}
WORDS = {PSU: "primary sampling units", STRATUM: "strata of the sampling design"}
KNOWN = "released unchanged, for standard errors; no key variable: name it `independent` too if an intruder may know it"
LEAST = 2.0  # mean number of records of a unit or stratum


def choose_sampling_roles(frame: Frame, facts: Sequence[ColumnFacts], roles: dict[str, ProposedRole]) -> None:
    """Give one column each the role of primary sampling unit and of stratum; further ones are released unchanged.

    A possible name counts only where the file has a survey weight or replicate weights. A column of either role has no missing value and
    2 or more values, each of 2 or more records on average. Without such a name, the values of the weight may prove a role.
    """
    _choose_constant_weight(facts, roles)
    has_weights = any(proposed.role in ("weight", "replicate_weights") for proposed in roles.values())
    for role in (PSU, STRATUM):
        found = [
            column for column in facts if _is_usable(column, roles) and SURE[role].fullmatch(words_of(column.name))
        ]
        if not found and has_weights:
            found = [
                column
                for column in facts
                if _is_usable(column, roles) and POSSIBLE[role].fullmatch(words_of(column.name))
            ]
        for place, column in enumerate(found):
            reason = f"{WORDS[role]} by its name, {column.distinct:,} different: released unchanged"
            if place == 0:
                roles[column.name] = ProposedRole(
                    role, f"{reason}, for standard errors; no key variable", doubtful=True
                )
            else:
                reason += f", as `{found[0].name}` has the role: name it `unknown` if no intruder knows it"
                roles[column.name] = ProposedRole(UNCHANGED, reason, doubtful=True)
    weight = next((column for column in facts if roles[column.name].role == "weight"), None)
    if weight is not None:
        _choose_by_values(frame, facts, roles, weight)


def _choose_constant_weight(facts: Sequence[ColumnFacts], roles: dict[str, ProposedRole]) -> None:
    """Give the role of weight to a column of its name that has one value, where sizes of populations show a sample."""
    if any(proposed.role == "weight" for proposed in roles.values()) or not population_columns(facts):
        return
    for column in facts:
        is_one_number = column.numeric and column.distinct == 1 and not column.missing and column.low > 1
        if is_one_number and weight_by_name(column.name, "", has_bodies=False):
            reason = "a survey weight by its name, the same in every record"
            roles[column.name] = ProposedRole("weight", reason, doubtful=True)
            return


def _choose_by_values(
    frame: Frame, facts: Sequence[ColumnFacts], roles: dict[str, ProposedRole], weight: ColumnFacts
) -> None:
    """Roles that the values of the weight prove, where no name shows them, and columns that belong to the design."""
    named = {proposed.role: name for name, proposed in roles.items() if proposed.role in (PSU, STRATUM)}
    if STRATUM not in named and (column := stratum_of_weight(frame, facts, roles, weight)):
        named[STRATUM] = column.name
        reason = f"{WORDS[STRATUM]} by the weight: `{weight.name}` is the same in all records of each of its {column.distinct:,} classes"
        roles[column.name] = ProposedRole(STRATUM, f"{reason}, and differs between them: {KNOWN}", True)
    stratum = named.get(STRATUM)
    if stratum is not None:
        for name, what in sizes_of_strata(frame, facts, roles, weight.name, stratum).items():
            reason = f"{what} of each `{stratum}`, which standard errors may need: released unchanged"
            roles[name] = ProposedRole(UNCHANGED, reason, doubtful=True)
    if PSU not in named and (column := clusters_of_sizes(frame, facts, roles, weight, stratum)):
        _make_clusters(frame, facts, roles, column)
    for name in disclosed_by_weight(frame, facts, roles, weight):
        reason = f"times `{weight.name}` it is the same in every record, as inclusion probabilities and sizes of sampled units are"
        reason += ": released unchanged, as the weight discloses it"
        roles[name] = ProposedRole(UNCHANGED, reason, doubtful=True)


def _make_clusters(
    frame: Frame, facts: Sequence[ColumnFacts], roles: dict[str, ProposedRole], clusters: ColumnFacts
) -> None:
    """Give a column the role of primary sampling unit; text that names the same units is dropped."""
    reason = f"{WORDS[PSU]} by the sizes of populations, which count fewer units than the weights count records"
    reason += f", {clusters.distinct:,} different: released unchanged, for standard errors; no key variable"
    roles[clusters.name] = ProposedRole(PSU, reason, doubtful=True)
    for column in facts:
        is_name = not column.numeric and roles[column.name].role in (*OPEN, "household")
        if is_name and column is not clusters and same_groups(frame, column, clusters):
            reason = f"it names the primary sampling units of `{clusters.name}`"
            roles[column.name] = ProposedRole("identifiers", reason, doubtful=True)


def _is_usable(column: ColumnFacts, roles: Mapping[str, ProposedRole]) -> bool:
    """Whether a column groups records, all of them, and has no role of a weight."""
    has_groups = 2 <= column.distinct <= column.known / LEAST
    is_whole = not column.missing and not column.unusable
    return has_groups and is_whole and roles[column.name].role not in ("weight", "replicate_weights", UNCHANGED)

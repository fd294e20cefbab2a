"""The roles of columns of a sampling design: primary sampling units and strata, by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .column_facts import ColumnFacts
from .column_names import words_of
from .proposed_role import UNCHANGED, ProposedRole

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
LEAST = 2.0  # mean number of records of a unit or stratum


def choose_sampling_roles(facts: Sequence[ColumnFacts], roles: dict[str, ProposedRole]) -> None:
    """Give one column each the role of primary sampling unit and of stratum; further ones are released unchanged.

    A possible name counts only where the file has a survey weight or replicate weights. A column of either role has no missing value and
    2 or more values, each of 2 or more records on average.
    """
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


def _is_usable(column: ColumnFacts, roles: Mapping[str, ProposedRole]) -> bool:
    """Whether a column groups records, all of them, and has no role of a weight."""
    has_groups = 2 <= column.distinct <= column.known / LEAST
    is_whole = not column.missing and not column.unusable
    return has_groups and is_whole and roles[column.name].role not in ("weight", "replicate_weights", UNCHANGED)

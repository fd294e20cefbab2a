"""The options of protect(), each declared once: for Python, R, plans and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..constraints import Constraint, parsed
from ..data import Roles
from ..data.roles import strata_names
from ..data.structure import Structure
from ..errors import InvalidParameter
from .declaration import RELEASING, Declared, option

MAX_COPIES = 1000

Ends = tuple[float | None, float | None]
"""The lowest and the highest value of a column; None for no limit."""

SEED_BUDGET = ((None,), "the noise comes from the operating system (leave it out; in R, seed = 'fresh')")
"""What a privacy budget allows of the argument `seed`, and why."""


@dataclass(frozen=True, kw_only=True)
class Options(Declared):
    """What protect() takes besides frame, method, roles, seed, and where the release goes."""

    constraints: str | Iterable[str] | None = option(
        None,
        help="edit rules, such as 'A == B + C; D >= 0'; names that are not plain words in double quotes or backticks",
        text="""Linear ones as text, {"A == B + C; D >= 0"} or a list. Every protected record satisfies them by the nearest
            feasible values; notes state the cost. Calibrated with margins derives totals from their parts, and satisfies
            inequalities by swaps as far as possible, so that margins stay.""",
        kind="rules",
        table="keep",
    )
    strata: str | Iterable[str] | None = option(
        None,
        help="columns; each combination of their values is a stratum: e,f",
        text="""Columns of any type, not dependent ones. The records of each combination of their values are protected
            separately, in the order of their first records, from one continued stream. A column with one value in a
            stratum is left out there. Unless `missing` is {"refuse"}, a missing stratum value is a level.""",
        kind="names",
        table="keep",
        budget=((None, (), []), "each stratum would need a budget of its own"),
        group="Columns",
    )
    missing: Literal["refuse", "protect", "drop"] = option(
        "refuse",
        help="records with missing values: refuse, protect or drop",
        text="""What to do with records with missing values in columns with a role. {"refuse"} is an error. {"protect"} fills
            each gap by one regression draw, protects the completed file, and empties these cells again. What is preserved
            exactly is preserved for the completed file; notes report the deviation on the observed cells. {"drop"} leaves
            the records out of the release.""",
        kind="choice",
        table="keep",
        budget=(("refuse", "drop"), "gaps would be filled from the confidential values"),
        group="Method",
    )
    round_integers: bool = option(
        True,
        help="whether integer columns stay integer: yes, or no for floats",
        text="Round the release of integer columns, which stay integer ({False} releases floats).",
        kind="flag",
        table="keep",
        group="Method",
    )
    strict_totals: bool = option(
        False,
        help="refuse a release that preserves a total which discloses a contribution",
        text="""Refuse a release that preserves a total which discloses a contribution, by the rules of published tables:
            fewer than 3 contributors, the p% rule (10), dominance (1, 75) and (2, 85). Otherwise the notes name the cells.""",
        kind="flag",
        table="keep",
        budget=((False,), "the check reads the confidential values"),
        verbs=RELEASING,
    )
    allow_unprotected: bool = option(
        False,
        help="release even if strata are small, or many records keep every confidential value",
        text="""{True} lifts two rules. Otherwise a release is refused in which more than 5 % of the records keep every
            confidential value, at least one of them no point mass. So are strata of fewer than max(15, 3 (s + 1)) records,
            with s independent columns.""",
        kind="flag",
        table="keep",
        verbs=RELEASING,
    )
    structure: Structure | Literal["default", "find"] | None = option(
        "default",
        help="find, none, or a FILE of accepted rules: pyfcrm structure IN --accept 1,3 --json > FILE",
        text="""Rules that the release keeps. {"default"} finds and keeps those that 99 per cent of the records keep, and all but
            10: identities, orders, joint zeros, nested codes. It does so for Calibrated with margins, the FCRM model, trees
            and ARF, of records in memory, and is {None} for other methods. {"find"} does so for every method for numbers, keeps
            signs, and habits of reporting for methods whose `bounds` are {"sign"}. Or accepted proposals of
            {find_structure()}. Notes name the rules. Derived columns are computed from the release of their parts. Joint
            zeros are restored by swaps. Orders become constraints.""",
        kind="structure",
        table="keep",
        budget=((None, "default"), "found rules are read from the confidential values (declare them as constraints)"),
    )
    weights: str | None = option(
        None,
        help="a column of weights by which totals and regressions are preserved too; default: the survey weight",
        text="""The column of survey weights, above 0, which is released unchanged: totals and regressions of dependent
            columns on independent ones are kept weighted too. IPSO, EGADP and Calibrated without margins keep the
            coefficients exactly, GADP on average, Calibrated with margins nearly, with weighted cross sums among dependent
            columns. A note states the deviation in standard errors. The frame must be in memory.""",
        kind="name",
        table="keep",
        budget=((None,), "weighted sums would need a budget of their own"),
        group="Columns",
    )
    preserve: str | Iterable[str] | None = option(
        None,
        help="columns, within each level of which totals and regressions are preserved",
        text="""Columns such as {"region"}, within each level of which they are kept likewise; levels of few records are
            joined.""",
        kind="names",
        table="keep",
        budget=((None, (), []), "further sums would need a budget of their own"),
    )
    copies: int = option(
        1,
        help="number of synthetic datasets: out-1.csv, out-2.csv and so on for out.csv",
        text="""The number of synthetic datasets drawn from the stream, of a file out-1.csv, out-2.csv and so on for
            {"out.csv"}, written once all are complete. The first is what one release from the same seed would be.
            {combine()} says what an analyst makes of them.""",
        kind="whole",
        table="output",
        budget=((1,), "each copy would need a budget of its own"),
        group="Method",
        verbs=(*RELEASING, "audit"),
        low=1,
        high=MAX_COPIES,
    )
    bounds: Literal["default", "sign"] | Mapping[str, Ends] | None = option(
        "default",
        help="of released values: sign, none, or limits such as wage=0:5000,tax=0:",
        text="""Limits of released values. {"sign"}: no value crosses zero if none does in the original. {wage=(0, 5000)}:
            limits by column, {None} for no limit. {"default"} is {"sign"} for Calibrated with margins, the FCRM model, trees
            and ARF, and {None} for methods that preserve moments exactly. The limits are never the smallest and largest
            values observed.""",
        kind="bounds",
        table="keep",
        budget=(("default", None), "signs are read from the confidential values (declare limits)"),
        group="Method",
    )
    decimals: Literal["default", "original"] | Mapping[str, int] | None = option(
        "default",
        help="of released values: original, none, or digits such as wage=2,tax=0",
        text="""{"original"} rounds each column to the decimals of the original's values, up to 6; {wage=2} to the declared
            ones. {"default"} is {"original"}, and {None} for a method with a privacy budget.""",
        kind="decimals",
        table="keep",
        budget=(("default", None), "decimals are read from the confidential values (declare them)"),
        group="Method",
    )

    def checked(self, owner: str, roles: Roles) -> Options:
        """The options as far as they can be checked without the method. Raises InvalidParameter."""
        if not isinstance(self.structure, Structure | None) and self.structure not in ("default", "find"):
            rule = 'must be a result of find_structure(), "default", "find", or None'
            raise InvalidParameter(owner, "structure", rule, self.structure)
        values = self.values(owner)
        values["strata"] = strata_names(owner, self.strata, roles) or None
        values["constraints"] = declared_constraints(owner, self.constraints)
        return Options(**values)


def declared_constraints(owner: str, constraints: Any) -> tuple[Constraint, ...]:
    """The constraints of an argument that may be left out. Raises InvalidParameter."""
    return () if constraints is None else parsed(owner, constraints)

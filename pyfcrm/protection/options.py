"""The options of protect(), each declared once: for Python, R, plans and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..constraints import Constraint, parsed
from ..data import Roles
from ..data.roles import strata_names
from ..data.structure import Structure
from ..data.variable import Variable, declared_variables
from ..errors import InvalidParameter
from .declaration import RELEASING, Declared, option

MAX_COPIES = 1000

SEED_BUDGET = ((None,), "the noise comes from the operating system (leave it out; in R, seed = 'fresh')")
"""What a privacy budget allows of the argument `seed`, and why."""


@dataclass(frozen=True, kw_only=True)
class Options(Declared):
    """What protect() takes besides frame, method, roles, seed, and where the release goes."""

    constraints: str | Iterable[str] | None = option(
        None,
        help="edit rules, such as 'A == B + C; D >= 0'; names that are not plain words in double quotes or backticks",
        text="""Linear ones as text, {"A == B + C; D >= 0"} or a list. Every protected record satisfies them by the nearest
            feasible values; notes state the cost. {"A < B"} needs columns with fixed decimals, dates or codes. Calibrated
            with margins derives totals from their parts, and satisfies inequalities by swaps as far as possible, so that
            margins stay.""",
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
    missing: Literal["refuse", "protect", "drop"] | None = option(
        None,
        help="records with missing values: refuse, protect or drop; default: protect for declared codes and public files",
        text="""What to do with records with missing values in columns with a role. {"refuse"} is an error. {"protect"} fills
            each gap by one regression draw, protects the completed file, and empties these cells again. Which
            cells of a dependent column are missing, if at least 2 per cent and 30 are, is a predictor; Calibrated restores the
            sums of the observed cells, unless rules bind them to others. Other methods preserve the sums of the completed
            file; notes report the deviation on the observed cells. In a public file which cells are missing is drawn too, and
            the sums are those of the completed file. {"drop"} leaves the records out of the release. {None} is
            {"protect"} where the file or `variables` declare codes of missing values in these columns, a few cells cannot be
            read, or the product of the roles is {"public"}; else {"refuse"}.""",
        kind="choice",
        table="keep",
        budget=((None, "refuse", "drop"), "gaps would be filled from the confidential values"),
        group="Method",
    )
    variables: Mapping[str, Variable] | Literal["numbers"] | None = option(
        None,
        help="a FILE of `pyfcrm describe IN --toml` with tables [variables.NAME]; or numbers",
        text="""What columns may contain, by name; the rest is inferred, as {describe()} shows. Released values are values that
            the variable may have: codes, whole numbers, decimals, dates. {"numbers"} treats numeric columns as real
            numbers, without codes, bounds and rounding, as the methods of the literature do.""",
        kind="variables",
        table="variables",
        group="Columns",
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
            signs, and habits of reporting for methods that model values. Or accepted proposals of
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
            columns. Those of the survey weight are left out, with a note, where they would be more than a tenth of the
            records. A note states the deviation in standard errors. The frame must be in memory.""",
        kind="name",
        table="keep",
        budget=((None,), "weighted sums would need a budget of their own"),
        group="Columns",
    )
    preserve: str | Iterable[str] | None = option(
        None,
        help="columns, within each level of which totals and regressions are preserved",
        text="""Columns such as {"region"}, within each level of which they are kept likewise. Levels with less than ten
            records for each sum keep means only, which a note names; levels of few records are joined.""",
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
    strict: bool = option(
        False,
        help="refuse columns of which the kind is uncertain and not declared",
        text="""Refuse columns with a role whose kind is uncertain, or that seem to have codes of missing values, unless
            `variables` declares them. Otherwise a note names them, and they are treated as the kind that is inferred.""",
        kind="flag",
        table="keep",
        verbs=RELEASING,
    )

    shuffle: bool | None = option(
        None,
        help="yes or no: release the records in random order; default: where the order of the file tells confidential values",
        text="""Whether whole units, or records, are released in random order. {None}: if the test `order` would hold the file;
            for the product {"public"} and with a privacy budget always, without the test; a note says so. The permutation is
            drawn last from the stream, for each copy anew. {evaluate()} and others pair by it.""",
        kind="yes_no",
        table="keep",
        verbs=RELEASING,
    )

    def checked(self, owner: str, roles: Roles) -> Options:
        """The options as far as they can be checked without the method. Raises InvalidParameter."""
        if not isinstance(self.structure, Structure | None) and self.structure not in ("default", "find"):
            rule = 'must be a result of find_structure(), "default", "find", or None'
            raise InvalidParameter(owner, "structure", rule, self.structure)
        values = self.values(owner)
        values["strata"] = strata_names(owner, self.strata, roles) or None
        values["constraints"] = declared_constraints(owner, self.constraints)
        values["variables"] = declared_variables(owner, self.variables)
        return Options(**values)


def declared_constraints(owner: str, constraints: Any) -> tuple[Constraint, ...]:
    """The constraints of an argument that may be left out. Raises InvalidParameter."""
    return () if constraints is None else parsed(owner, constraints)

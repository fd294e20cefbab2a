"""The options of evaluate() and of audit(), each declared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..data.variable import Variable
from ..files.paths import Path
from ..protection.declaration import Declared, option
from .auditing.guessed_seed import GUESSES

EVALUATE = ("evaluate",)
AUDIT = ("audit",)


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(Declared):
    """What evaluate() takes besides the files, and what is known of the release."""

    columns: str | Iterable[str] | None = option(
        None,
        help="the columns to evaluate: c,d; default: numeric columns of both files",
        text="""The attributes to judge, categories by their tables; {None} for all numeric ones both have, or all where none
            is numeric. Missing values are left out cell by cell, in both files alike; a note describes it. PIL and ID use
            every column's values that both files have. DBRL and PRL use all records, each by the columns it has. Other
            measures mostly use the records complete in both.""",
        kind="names",
        group="Columns",
        verbs=EVALUATE,
    )
    measures: str | Iterable[str] | None = option(
        None,
        help="keys: pil,dbrl,...; default: the six of the score",
        text="Which measures, by key; {None} for pil, dbrl, prl, id, dr and score.",
        kind="names",
        verbs=EVALUATE,
    )
    keys: str | Iterable[str] | None = option(
        None,
        help="key variables: e,f",
        text="""The key attributes, of any type, that `uniques`, `k_anonymity` and attribute disclosure are about; a missing
            key agrees with anything in the first two, and is a value of its own in the others.""",
        kind="names",
        group="Columns",
        verbs=EVALUATE,
    )
    strata: str | Iterable[str] | None = option(
        None,
        help="columns; each combination of their values is a stratum: e,f",
        text="""Columns of the original, of any type. Each stratum is judged separately; every value is the average over
            strata, weighted by records. Shares of records (linkage, intervals, uniques) are then shares of the whole file
            for an intruder who knows each record's stratum. Records must pair; k_anonymity is no average and is refused.""",
        kind="names",
        group="Columns",
        verbs=EVALUATE,
    )
    independent: str | Iterable[str] | None = option(
        None,
        help='unmodified predictors: a,b (a name with a comma in double quotes: "a, b",c)',
        text="""The unmodified predictors. Each risk then has an inference baseline besides chance: its value for reference
            releases without the record's own values (see `attributable risk` in the glossary). Roles give them too.""",
        kind="names",
        group="Columns",
        verbs=EVALUATE,
    )
    targets: str | Iterable[str] | None = option(
        None,
        help="the columns that disco, dcap, tcap, rapid and alc predict from the keys: c,d",
        text="""The confidential columns of attribute disclosure (`disco`, `dcap`, `tcap`, `rapid`, `alc`), of any type; the
            largest value over them is reported.""",
        kind="names",
        group="Columns",
        verbs=EVALUATE,
    )
    target_groups: int | None = option(
        20,
        help="the classes in which numeric targets are counted; none for their values",
        text="""The classes, between quantiles of the original, in which numeric targets are counted; {None} takes them as
            they are.""",
        kind="whole",
        group="Method",
        verbs=EVALUATE,
        low=2,
    )
    key_groups: int | None = option(
        None,
        help="the classes in which numeric keys are counted; default: their values",
        text="""The classes, between quantiles of the original, in which numeric keys are counted; {None} takes them as they
            are.""",
        kind="whole",
        group="Method",
        verbs=EVALUATE,
        low=2,
    )
    domains: str | Iterable[str] | None = option(
        None,
        help="columns; PIL is evaluated within each of their levels: e,f",
        text="""Columns of any type, within each level of which `pil` is measured too: each level, the mean and the worst are
            parts of it. {None} takes the categorical columns of at most 20 levels that are not measured; a worst value
            above 10 is a warning.""",
        kind="names",
        group="Columns",
        verbs=EVALUATE,
    )
    guesses: int = option(
        GUESSES,
        help="how many integers, from 0, are tried as the seed",
        text="""How many integers, from 0, are tried as the seed where the method is known and a seed undoes it. The report's
            `guessed_seed` is the one of the release. 0 tries none.""",
        kind="whole",
        group="Method",
        verbs=EVALUATE,
        low=0,
        high=2**31 - 1,
    )
    weights: str | None = option(
        None,
        help="the original's column of survey weights",
        text="""The original's column of survey weights, above 0. Statistics that PIL compares, and shares of records linked
            or inside intervals, are then estimates for the population. The precision of a statistic is that of its
            linearised form, that of a quantile by the effective number of records (Kish). Notes name the weighted
            measures. Records must pair one to one, in memory; not with strata.""",
        kind="name",
        group="Columns",
        verbs=EVALUATE,
    )
    paired: bool = option(
        False,
        help="both files have the same records in the same order",
        text="""{True} states that both files have the same records in the same order. Otherwise a result of {protect()}, a
            manifest, labels of a frame, or a column that is equal in every record must show which records pair. Without
            any of these, the tests of the verdict that compare records are "not examined".""",
        kind="flag",
        group="Columns",
        verbs=EVALUATE,
    )
    variables: Mapping[str, Variable] | Literal["numbers"] | None = option(
        None,
        help="a FILE of `pyfcrm describe IN --toml` with tables [variables.NAME]; or numbers; default: as in the manifest",
        text="""What columns of the original may contain, by name; the rest is inferred, as {describe()} shows. Codes of missing
            values are gaps, dates are days, amounts in text are numbers. {"numbers"} takes numeric columns as they are.
            {None} is what a result of {protect()} declares.""",
        kind="variables",
        table="variables",
        group="Columns",
        verbs=EVALUATE,
    )
    limits: Mapping[str, Any] | Path | None = option(
        None,
        help="research, public, or a TOML file with a table [limits]; --limit has priority",
        text="""Limits of the verdict that differ from the default, by key of a test ({"risk"}) or measure ({"dr"}), or
            {"public"} for those of a public file, the default where the roles have this product. Or a TOML file with a
            table [limits]. {"utility"} limits the per cent of the estimates of the utility panel that differ by more than 3
            standard errors.""",
        kind="limits",
        table="limits",
        verbs=EVALUATE,
    )


@dataclass(frozen=True, kw_only=True)
class AuditOptions(Declared):
    """What audit() takes besides the options of the releases that it attacks."""

    share: float = option(
        0.5,
        help="the share of the records that each split protects",
        text="Of the records, or of each stratum, that are protected: the members.",
        kind="number",
        group="Method",
        verbs=AUDIT,
        above=0,
        below=1,
    )
    repeats: int = option(
        3,
        help="how many splits",
        text="How many splits, each with a release of its own; values are means. A finding of 3 that may be chance is confirmed by 6 more.",
        kind="whole",
        group="Method",
        verbs=AUDIT,
        low=1,
        high=1000,
    )
    shadows: int = option(
        8,
        help="how many shadow releases train the membership attack",
        text='How many further releases train the attack {"shadow releases"}; 0 leaves it out.',
        kind="whole",
        group="Method",
        verbs=AUDIT,
        low=0,
        high=100,
    )

"""The functions that take options: protect(), protect_file(), evaluate(), audit(), sweep() and recommend().

Generated from the declarations of options and tests/support/interface.template: python tests/support/generate.py. Not to be edited.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

from .data import Frame, Roles
from .data.structure import Structure
from .data.variable import Variable
from .engine import Engine
from .evaluation.audit import run_audit
from .evaluation.auditing.audit_result import Audit
from .evaluation.evaluate import run_evaluate
from .evaluation.options import AuditOptions, EvaluateOptions
from .evaluation.report import Report
from .files.paths import Path
from .files.reading import reading_of
from .log import recorded
from .methods import Procedure
from .plans.file import run_protect_file
from .progress import Progress
from .protection.options import Options
from .protection.protect import run_protect
from .protection.protected import Protected
from .rstream import RStream
from .search.candidates import Frontier
from .search.recommend import run_recommend
from .search.recommendation import Recommendation
from .search.sweep import run_sweep


def protect(
    frame: Any,
    method: Procedure | str,
    roles: Roles | None = None,
    seed: int | RStream | None = None,
    *,
    constraints: str | Iterable[str] | None = None,
    strata: str | Iterable[str] | None = None,
    missing: Literal["refuse", "protect", "drop"] | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    strict_totals: bool = False,
    allow_unprotected: bool = False,
    structure: Structure | Literal["default", "find"] | None = "default",
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    copies: int = 1,
    strict: bool = False,
    shuffle: bool | None = None,
    engine: str | Engine = "local",
    output: Path | None = None,
    overwrite: bool = False,
    ledger: Path | None = None,
    progress: Progress | None = None,
) -> Protected:
    """Protect the dependent columns of a microdata frame.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Of pandas, polars or arrow, never modified. Or the path of a CSV, Excel, Parquet, SPSS, Stata or SAS file, or of
        a folder of Parquet files. Parquet files larger than memory are read and written by blocks of records, with a
        note. FCRM, IPSO, GADP, EGADP, Hybrid and Noise (but for "nonlinear") work so. Other methods for numbers need strata that fit in
        memory.
    method : Method, Steps or str
        Such as FCRM(c=8), or a method's name for its defaults, such as "ipso".
    roles : Roles
        The role of each column. Omitted for Steps, which have their own.
    seed : int or RStream, optional
        None fills the generator's whole state from the system's entropy, and the result stores it. Use it for a release
        that is published. An integer is R's set.seed. It can be found by trying; a note warns if the release can then
        be undone. A stream is continued.
    constraints : str or iterable of str, optional
        Linear ones as text, "A == B + C; D >= 0" or a list. Every protected record satisfies them by the nearest
        feasible values; notes state the cost. "A < B" needs columns with fixed decimals, dates or codes. Calibrated
        with margins derives totals from their parts, and satisfies inequalities by swaps as far as possible, so
        that margins stay.
    strata : str or iterable of str, optional
        Columns of any type, not dependent ones. The records of each combination of their values are protected
        separately, in the order of their first records, from one continued stream. A column with one value in a
        stratum is left out there. Unless `missing` is "refuse", a missing stratum value is a level.
    missing : {"refuse", "protect", "drop"}, optional
        What to do with records with missing values in columns with a role. "refuse" is an error. "protect" fills
        each gap by one regression draw, protects the completed file, and empties these cells again. Which cells of
        a dependent column are missing, if at least 2 per cent and 30 are, is a predictor; Calibrated restores the
        sums of the observed cells, unless rules bind them to others. Other methods preserve the sums of the
        completed file; notes report the deviation on the observed cells. In a public file which cells are missing
        is drawn too, and the sums are those of the completed file. "drop" leaves the records out of the release.
        None is "protect" where the file or `variables` declare codes of missing values in these columns, a few
        cells cannot be read, or the product of the roles is "public"; else "refuse".
    variables : mapping of str to Variable, or "numbers", optional
        What columns may contain, by name; the rest is inferred, as `describe` shows. Released values are values
        that the variable may have: codes, whole numbers, decimals, dates. "numbers" treats numeric columns as real
        numbers, without codes, bounds and rounding, as the methods of the literature do.
    strict_totals : bool
        Refuse a release that preserves a total which discloses a contribution, by the rules of published tables:
        fewer than 3 contributors, the p% rule (10), dominance (1, 75) and (2, 85). Otherwise the notes name the
        cells.
    allow_unprotected : bool
        True lifts two rules. Otherwise a release is refused in which more than 5 % of the records keep every
        confidential value, at least one of them no point mass. So are strata of fewer than max(15, 3 (s + 1))
        records, with s independent columns.
    structure : Structure or "find", optional
        Rules that the release keeps. "default" finds and keeps those that 99 per cent of the records keep, and all
        but 10: identities, orders, joint zeros, nested codes. It does so for Calibrated with margins, the FCRM
        model, trees and ARF, of records in memory, and is None for other methods. "find" does so for every method
        for numbers, keeps signs, and habits of reporting for methods that model values. Or accepted proposals of
        `find_structure`. Notes name the rules. Derived columns are computed from the release of their parts. Joint
        zeros are restored by swaps. Orders become constraints.
    weights : str, optional
        The column of survey weights, above 0, which is released unchanged: totals and regressions of dependent
        columns on independent ones are kept weighted too. IPSO, EGADP and Calibrated without margins keep the
        coefficients exactly, GADP on average, Calibrated with margins nearly, with weighted cross sums among
        dependent columns. Those of the survey weight are left out, with a note, where they would be more than a
        tenth of the records. A note states the deviation in standard errors. The frame must be in memory.
    preserve : str or iterable of str, optional
        Columns such as "region", within each level of which they are kept likewise. Levels with less than ten
        records for each sum keep means only, which a note names; levels of few records are joined.
    copies : int
        The number of synthetic datasets drawn from the stream, of a file out-1.csv, out-2.csv and so on for
        "out.csv", written once all are complete. The first is what one release from the same seed would be.
        `combine` says what an analyst makes of them.
    strict : bool
        Refuse columns with a role whose kind is uncertain, or that seem to have codes of missing values, unless
        `variables` declares them. Otherwise a note names them, and they are treated as the kind that is inferred.
    shuffle : bool, optional
        Whether whole units, or records, are released in random order. None: if the test `order` would hold the
        file; for the product "public" and with a privacy budget always, without the test; a note says so. The
        permutation is drawn last from the stream, for each copy anew. `evaluate` and others pair by it.
    engine : str or Engine
        "local", Local(threads), "dask" for processes here, or the address of a Dask scheduler: the same release to
        1e-10.
    output : path, optional
        Where `frame` is a path, the file that the release goes to, in the format of its extension, and the result's
        `path`.
    overwrite : bool
        Whether an output that exists is replaced (else it is refused before any work is done).
    ledger : path, optional
        A private register of earlier releases, with its key in a file beside it, PATH.key: made where there is none. It holds
        no values. What this release discloses together with an earlier one of the same records is noted, and the verdict's
        test `ledger` fails.
    progress : callable, optional
        Called with (done, of how many at most, what); where it raises (Cancelled), nothing is left behind.

    Returns
    -------
    Protected
        The release, in the original's units, with its notes.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected: a column that is not there, missing values, text where numbers must be.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(100)
    >>> roles = pf.Roles(["region", "age"], ["wage", "tax"], identifiers="name")
    >>> released = pf.protect(frame, pf.IPSO("C"), roles, missing="protect")
    >>> "name" in released.frame
    False
    """
    options = Options(
        constraints=constraints,
        strata=strata,
        missing=missing,
        variables=variables,
        strict_totals=strict_totals,
        allow_unprotected=allow_unprotected,
        structure=structure,
        weights=weights,
        preserve=preserve,
        copies=copies,
        strict=strict,
        shuffle=shuffle,
    )
    with recorded("protect", progress) as steps:
        return run_protect(
            frame,
            method,
            roles,
            seed,
            options,
            engine=engine,
            output=output,
            overwrite=overwrite,
            ledger=ledger,
            progress=steps,
        )


def protect_file(
    source: Path | Frame,
    output: Path,
    method: Procedure,
    roles: Roles | None = None,
    seed: int | RStream | None = None,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    missing_marks: Collection[str] | None = None,
    sheet: str | int | None = None,
    disarm: bool = False,
    overwrite: bool = False,
    manifest: Path | None = None,
    ledger: Path | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
    constraints: str | Iterable[str] | None = None,
    strata: str | Iterable[str] | None = None,
    missing: Literal["refuse", "protect", "drop"] | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    strict_totals: bool = False,
    allow_unprotected: bool = False,
    structure: Structure | Literal["default", "find"] | None = "default",
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    copies: int = 1,
    strict: bool = False,
    shuffle: bool | None = None,
) -> Protected:
    """Protect a CSV, Excel, Parquet, SPSS, Stata or SAS file, and write its release.

    The output appears complete or not at all, and never replaces the source.

    Parameters
    ----------
    source : path
        The file; or one that data.open_data has opened. Parquet files larger than memory are read and written by
        blocks of records, with a note.
    output : path
        Its extension decides the format. Several copies of "out.csv" are out-1.csv, out-2.csv and so on. Unprotected
        cells and labels are unchanged.
    method, roles, seed : as in `protect`
        See there.
    separator, decimal, thousands, encoding, missing_marks, sheet : optional
        How a CSV or Excel file is read, as in `read_table`. Cells with marks of missing values keep them.
    disarm : bool
        In CSV, text that a spreadsheet would run as a formula gets an apostrophe in front.
    overwrite : bool
        Whether an output that exists is replaced.
    manifest : path, optional
        The path of a private record, with which `verify` repeats the release. It is written last, with the release's
        digest.
    ledger, engine, progress : as in `protect`
        See there.
    constraints : str or iterable of str, optional
        Linear ones as text, "A == B + C; D >= 0" or a list. Every protected record satisfies them by the nearest
        feasible values; notes state the cost. "A < B" needs columns with fixed decimals, dates or codes. Calibrated
        with margins derives totals from their parts, and satisfies inequalities by swaps as far as possible, so
        that margins stay.
    strata : str or iterable of str, optional
        Columns of any type, not dependent ones. The records of each combination of their values are protected
        separately, in the order of their first records, from one continued stream. A column with one value in a
        stratum is left out there. Unless `missing` is "refuse", a missing stratum value is a level.
    missing : {"refuse", "protect", "drop"}, optional
        What to do with records with missing values in columns with a role. "refuse" is an error. "protect" fills
        each gap by one regression draw, protects the completed file, and empties these cells again. Which cells of
        a dependent column are missing, if at least 2 per cent and 30 are, is a predictor; Calibrated restores the
        sums of the observed cells, unless rules bind them to others. Other methods preserve the sums of the
        completed file; notes report the deviation on the observed cells. In a public file which cells are missing
        is drawn too, and the sums are those of the completed file. "drop" leaves the records out of the release.
        None is "protect" where the file or `variables` declare codes of missing values in these columns, a few
        cells cannot be read, or the product of the roles is "public"; else "refuse".
    variables : mapping of str to Variable, or "numbers", optional
        What columns may contain, by name; the rest is inferred, as `describe` shows. Released values are values
        that the variable may have: codes, whole numbers, decimals, dates. "numbers" treats numeric columns as real
        numbers, without codes, bounds and rounding, as the methods of the literature do.
    strict_totals : bool
        Refuse a release that preserves a total which discloses a contribution, by the rules of published tables:
        fewer than 3 contributors, the p% rule (10), dominance (1, 75) and (2, 85). Otherwise the notes name the
        cells.
    allow_unprotected : bool
        True lifts two rules. Otherwise a release is refused in which more than 5 % of the records keep every
        confidential value, at least one of them no point mass. So are strata of fewer than max(15, 3 (s + 1))
        records, with s independent columns.
    structure : Structure or "find", optional
        Rules that the release keeps. "default" finds and keeps those that 99 per cent of the records keep, and all
        but 10: identities, orders, joint zeros, nested codes. It does so for Calibrated with margins, the FCRM
        model, trees and ARF, of records in memory, and is None for other methods. "find" does so for every method
        for numbers, keeps signs, and habits of reporting for methods that model values. Or accepted proposals of
        `find_structure`. Notes name the rules. Derived columns are computed from the release of their parts. Joint
        zeros are restored by swaps. Orders become constraints.
    weights : str, optional
        The column of survey weights, above 0, which is released unchanged: totals and regressions of dependent
        columns on independent ones are kept weighted too. IPSO, EGADP and Calibrated without margins keep the
        coefficients exactly, GADP on average, Calibrated with margins nearly, with weighted cross sums among
        dependent columns. Those of the survey weight are left out, with a note, where they would be more than a
        tenth of the records. A note states the deviation in standard errors. The frame must be in memory.
    preserve : str or iterable of str, optional
        Columns such as "region", within each level of which they are kept likewise. Levels with less than ten
        records for each sum keep means only, which a note names; levels of few records are joined.
    copies : int
        The number of synthetic datasets drawn from the stream, of a file out-1.csv, out-2.csv and so on for
        "out.csv", written once all are complete. The first is what one release from the same seed would be.
        `combine` says what an analyst makes of them.
    strict : bool
        Refuse columns with a role whose kind is uncertain, or that seem to have codes of missing values, unless
        `variables` declares them. Otherwise a note names them, and they are treated as the kind that is inferred.
    shuffle : bool, optional
        Whether whole units, or records, are released in random order. None: if the test `order` would hold the
        file; for the product "public" and with a privacy budget always, without the test; a note says so. The
        permutation is drawn last from the stream, for each copy anew. `evaluate` and others pair by it.

    Returns
    -------
    Protected
        Its notes are also the reader's and the writer's; its `frame` is the release where it was in memory.

    Raises
    ------
    InvalidInput
        If the file cannot be read or protected, or the output cannot be written.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyfcrm as pf
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = pf.datasets.example()
    >>> frame.to_csv(folder / "in.csv", index=False)
    >>> first, second = frame.columns
    >>> released = pf.protect_file(folder / "in.csv", folder / "out.csv", pf.Dummy(), pf.Roles(first, second))
    >>> (folder / "out.csv").exists()
    True
    """
    options = Options(
        constraints=constraints,
        strata=strata,
        missing=missing,
        variables=variables,
        strict_totals=strict_totals,
        allow_unprotected=allow_unprotected,
        structure=structure,
        weights=weights,
        preserve=preserve,
        copies=copies,
        strict=strict,
        shuffle=shuffle,
    )
    reading = reading_of(
        "protect_file",
        separator=separator,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        missing_marks=missing_marks,
        sheet=sheet,
    )
    with recorded("protect_file", progress) as steps:
        return run_protect_file(
            source,
            output,
            method,
            roles,
            seed,
            options=options,
            reading=reading,
            disarm=disarm,
            overwrite=overwrite,
            manifest=manifest,
            ledger=ledger,
            engine=engine,
            progress=steps,
        )


def evaluate(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    measures: str | Iterable[str] | None = None,
    keys: str | Iterable[str] | None = None,
    *,
    strata: str | Iterable[str] | None = None,
    independent: str | Iterable[str] | None = None,
    targets: str | Iterable[str] | None = None,
    target_groups: int | None = 20,
    key_groups: int | None = None,
    domains: str | Iterable[str] | None = None,
    guesses: int = 10000,
    weights: str | None = None,
    paired: bool = False,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    limits: Mapping[str, Any] | Path | None = None,
    roles: Roles | None = None,
    method: Procedure | None = None,
    audit: Audit | bool | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Report:
    """Measure information loss and disclosure risk of a release, and give a verdict on it.

    Parameters
    ----------
    original, protected : DataFrame, Table, path or Protected
        A result of `protect` brings its roles, method, seed and copies. Otherwise frames of pandas, polars or arrow, or CSV,
        Excel, Parquet, SPSS, Stata or SAS files, in any pairing. Protected may also be a list or tuple of copies, such
        as `released.frames`: each risk is the largest over copies and their mean, each loss the mean. Every copy's
        value is a part. Records pair as `protect` knows, where its result is given. Otherwise they pair by the pandas index
        of `protected` if it is not 0, 1, 2, ..., else by position. Parquet files may be larger than memory. PIL and ID
        then take a column at a time, linkage two blocks of records. A measure that needs all records at once is refused,
        unless strata fit. Notes report this.
    columns : str or iterable of str, optional
        The attributes to judge, categories by their tables; None for all numeric ones both have, or all where none
        is numeric. Missing values are left out cell by cell, in both files alike; a note describes it. PIL and ID
        use every column's values that both files have. DBRL and PRL use all records, each by the columns it has.
        Other measures mostly use the records complete in both.
    measures : str or iterable of str, optional
        Which measures, by key; None for pil, dbrl, prl, id, dr and score.
    keys : str or iterable of str, optional
        The key attributes, of any type, that `uniques`, `k_anonymity` and attribute disclosure are about; a missing
        key agrees with anything in the first two, and is a value of its own in the others.
    strata : str or iterable of str, optional
        Columns of the original, of any type. Each stratum is judged separately; every value is the average over
        strata, weighted by records. Shares of records (linkage, intervals, uniques) are then shares of the whole
        file for an intruder who knows each record's stratum. Records must pair; k_anonymity is no average and is
        refused.
    independent : str or iterable of str, optional
        The unmodified predictors. Each risk then has an inference baseline besides chance: its value for reference
        releases without the record's own values (see `attributable risk` in the glossary). Roles give them too.
    targets : str or iterable of str, optional
        The confidential columns of attribute disclosure (`disco`, `dcap`, `tcap`, `rapid`, `alc`), of any type; the
        largest value over them is reported.
    target_groups : int, optional
        The classes, between quantiles of the original, in which numeric targets are counted; None takes them as
        they are.
    key_groups : int, optional
        The classes, between quantiles of the original, in which numeric keys are counted; None takes them as they
        are.
    domains : str or iterable of str, optional
        Columns of any type, within each level of which `pil` is measured too: each level, the mean and the worst
        are parts of it. None takes the categorical columns of at most 20 levels that are not measured; a worst
        value above 10 is a warning.
    guesses : int
        How many integers, from 0, are tried as the seed where the method is known and a seed undoes it. The
        report's `guessed_seed` is the one of the release. 0 tries none.
    weights : str, optional
        The original's column of survey weights, above 0. Statistics that PIL compares, and shares of records linked
        or inside intervals, are then estimates for the population. The precision of a statistic is that of its
        linearised form, that of a quantile by the effective number of records (Kish). Notes name the weighted
        measures. Records must pair one to one, in memory; not with strata.
    paired : bool
        True states that both files have the same records in the same order. Otherwise a result of `protect`, a
        manifest, labels of a frame, or a column that is equal in every record must show which records pair. Without
        any of these, the tests of the verdict that compare records are "not examined".
    variables : mapping of str to Variable, or "numbers", optional
        What columns of the original may contain, by name; the rest is inferred, as `describe` shows. Codes of
        missing values are gaps, dates are days, amounts in text are numbers. "numbers" takes numeric columns as
        they are. None is what a result of `protect` declares.
    limits : mapping or path, optional
        Limits of the verdict that differ from the default, by key of a test ("risk") or measure ("dr"), or "public"
        for those of a public file, the default where the roles have this product. Or a TOML file with a table
        [limits]. "utility" limits the per cent of the estimates of the utility panel that differ by more than 3
        standard errors.
    roles : Roles, optional
        As in `protect`. Without them no verdict is "pass". The report then has `kept`: the columns released unchanged and
        their sample uniques; the dependent columns are judged where `columns` names none.
    method : Method or Steps, optional
        The method of the release, such as RankSwapping(p=10). Adds method-aware linkage (`linkage_informed`, `certain`,
        `dr_informed`) unless `measures` names some of these. The intruder also has the columns released unchanged: the
        independent ones of `roles`, else `independent`, else all numeric ones that are equal in both files and not judged.
    audit : Audit or bool, optional
        A result of `audit` of this file, roles and method; or True, to run it. Without one the verdict on a method that
        replaces every value is "not examined".
    engine : str or Engine
        As in `protect`: a cluster takes PIL's moments, DBRL by blocks of originals and PRL's counts.
    progress : callable, optional
        Called with (done, of how many, what), before each measure at least; where it raises (Cancelled), the work
        stops.

    Returns
    -------
    Report
        Every measure with its parts and baselines, per cent where its range ends at 100; `verdict` is the decision.

    Raises
    ------
    InvalidInput
        If the files cannot be judged: a column that is not there, or that no record has in both; records that do not pair.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> pf.evaluate(frame, released).verdict.status in ("hold", "not examined")
    True
    """
    options = EvaluateOptions(
        columns=columns,
        measures=measures,
        keys=keys,
        strata=strata,
        independent=independent,
        targets=targets,
        target_groups=target_groups,
        key_groups=key_groups,
        domains=domains,
        guesses=guesses,
        weights=weights,
        paired=paired,
        variables=variables,
        limits=limits,
    )
    with recorded("evaluate", progress) as steps:
        return run_evaluate(
            original,
            protected,
            options,
            roles=roles,
            method=method,
            audit=audit,
            engine=engine,
            progress=steps,
        )


def audit(
    frame: Any,
    method: Procedure,
    roles: Roles | None = None,
    seed: int | RStream | None = 1,
    share: float = 0.5,
    *,
    repeats: int = 3,
    shadows: int = 8,
    engine: str | Engine = "local",
    progress: Progress | None = None,
    constraints: str | Iterable[str] | None = None,
    strata: str | Iterable[str] | None = None,
    missing: Literal["refuse", "protect", "drop"] | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    structure: Structure | Literal["default", "find"] | None = "default",
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    copies: int = 1,
) -> Audit:
    """Attack releases of random parts of a file, with the other records as control.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Whose records must fit in memory; of more than 5,000 complete ones, a random sample of 5,000 is audited.
    method : Method or Steps
        Any that releases the dependent columns in their type, one that drops records or leaves gaps too. Categories are
        attacked as positions of their levels.
    roles : Roles, optional
        As in `protect`; those of Steps by default.
    seed : int or RStream, optional
        Starts the splits, the releases, and the draws of the evaluation; None takes the system's entropy.
    share : float
        Of the records, or of each stratum, that are protected: the members.
    repeats : int
        How many splits, each with a release of its own; values are means. A finding of 3 that may be chance is
        confirmed by 6 more.
    shadows : int
        How many further releases train the attack "shadow releases"; 0 leaves it out.
    engine : str or Engine
        As in `protect`, for each release.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.
    constraints : str or iterable of str, optional
        Linear ones as text, "A == B + C; D >= 0" or a list. Every protected record satisfies them by the nearest
        feasible values; notes state the cost. "A < B" needs columns with fixed decimals, dates or codes. Calibrated
        with margins derives totals from their parts, and satisfies inequalities by swaps as far as possible, so
        that margins stay.
    strata : str or iterable of str, optional
        Columns of any type, not dependent ones. The records of each combination of their values are protected
        separately, in the order of their first records, from one continued stream. A column with one value in a
        stratum is left out there. Unless `missing` is "refuse", a missing stratum value is a level.
    missing : {"refuse", "protect", "drop"}, optional
        What to do with records with missing values in columns with a role. "refuse" is an error. "protect" fills
        each gap by one regression draw, protects the completed file, and empties these cells again. Which cells of
        a dependent column are missing, if at least 2 per cent and 30 are, is a predictor; Calibrated restores the
        sums of the observed cells, unless rules bind them to others. Other methods preserve the sums of the
        completed file; notes report the deviation on the observed cells. In a public file which cells are missing
        is drawn too, and the sums are those of the completed file. "drop" leaves the records out of the release.
        None is "protect" where the file or `variables` declare codes of missing values in these columns, a few
        cells cannot be read, or the product of the roles is "public"; else "refuse".
    variables : mapping of str to Variable, or "numbers", optional
        What columns may contain, by name; the rest is inferred, as `describe` shows. Released values are values
        that the variable may have: codes, whole numbers, decimals, dates. "numbers" treats numeric columns as real
        numbers, without codes, bounds and rounding, as the methods of the literature do.
    structure : Structure or "find", optional
        Rules that the release keeps. "default" finds and keeps those that 99 per cent of the records keep, and all
        but 10: identities, orders, joint zeros, nested codes. It does so for Calibrated with margins, the FCRM
        model, trees and ARF, of records in memory, and is None for other methods. "find" does so for every method
        for numbers, keeps signs, and habits of reporting for methods that model values. Or accepted proposals of
        `find_structure`. Notes name the rules. Derived columns are computed from the release of their parts. Joint
        zeros are restored by swaps. Orders become constraints.
    weights : str, optional
        The column of survey weights, above 0, which is released unchanged: totals and regressions of dependent
        columns on independent ones are kept weighted too. IPSO, EGADP and Calibrated without margins keep the
        coefficients exactly, GADP on average, Calibrated with margins nearly, with weighted cross sums among
        dependent columns. Those of the survey weight are left out, with a note, where they would be more than a
        tenth of the records. A note states the deviation in standard errors. The frame must be in memory.
    preserve : str or iterable of str, optional
        Columns such as "region", within each level of which they are kept likewise. Levels with less than ten
        records for each sum keep means only, which a note names; levels of few records are joined.
    copies : int
        The number of synthetic datasets drawn from the stream, of a file out-1.csv, out-2.csv and so on for
        "out.csv", written once all are complete. The first is what one release from the same seed would be.
        `combine` says what an analyst makes of them.

    Returns
    -------
    Audit
        Each attack with its control, and the alarms.

    Raises
    ------
    InvalidInput
        As `protect` does, where either part has fewer than 20 records, and for a method that makes categories of numbers.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    The attacks are those of pyfcrm.evaluation.auditing, on the dependent columns. The independent columns are
    released unchanged: a record that is unique on them is known to be in the file without any attack. A method that
    makes a new file has independent columns of its own, which are attacked too. The attack by preserved sums uses so
    large a part of them as is protected of the records, so that there are as many sums for each member as in a
    release of the whole file. Below 100 records an audit has no power, and a note reports it. Strata that are too
    small in a part of the file are merged. Attribute disclosure is tested by the statistics of `dependence_test` on
    the members. An alarm has a p-value of at most 1 per cent over all attacks on membership and attributes together,
    by permuted labels and records; 3.5 per cent of the clean releases in `benchmarks/studies/leaks.py` have one.
    Detection, by a classifier with three folds, measures utility and raises no alarm. An attack that is not among
    these may find more.
    Source: own; after El Emam, Mosquera and Fang (2022), Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Westfall and
    Young (1993), Holm (1979).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> audit = pf.audit(frame, pf.FCRM(8), roles, repeats=1, shadows=0)
    >>> audit["membership"] > audit["membership_control"]  # the published form discloses who is in the file
    True
    """
    options = Options(
        constraints=constraints,
        strata=strata,
        missing=missing,
        variables=variables,
        structure=structure,
        weights=weights,
        preserve=preserve,
        copies=copies,
    )
    further = AuditOptions(
        share=share,
        repeats=repeats,
        shadows=shadows,
    )
    with recorded("audit", progress) as steps:
        return run_audit(frame, method, roles, seed, options, further=further, engine=engine, progress=steps)


def sweep(
    frame: Any,
    roles: Roles,
    methods: Iterable[Procedure],
    seed: int | RStream | None = None,
    *,
    engine: str | Engine = "local",
    progress: Progress | None = None,
    constraints: str | Iterable[str] | None = None,
    strata: str | Iterable[str] | None = None,
    missing: Literal["refuse", "protect", "drop"] | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    structure: Structure | Literal["default", "find"] | None = "default",
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
) -> Frontier:
    """Protect a frame with each method and judge each release over the dependent columns.

    Parameters
    ----------
    frame : DataFrame, Table or path
        As in `protect`; a file is read once, and methods must work block by block where it is larger than memory.
    roles : Roles
        As in `protect`.
    methods : iterable of Method
        The candidates.
    seed : int or RStream, optional
        The start of every candidate; None is one state of the system's entropy for all. So `protect` with the
        frontier's seed gives the same release, and `sweep` the same frontier. A stream given as seed is advanced by one
        integer. That is the seed if the stream began from an integer; else the stream's state is.
    engine : str or Engine
        As in `protect` and `evaluate`.
    progress : callable, optional
        Called with (done, of how many, what) on the way through each candidate; where it raises (Cancelled), the work
        stops.
    constraints : str or iterable of str, optional
        Linear ones as text, "A == B + C; D >= 0" or a list. Every protected record satisfies them by the nearest
        feasible values; notes state the cost. "A < B" needs columns with fixed decimals, dates or codes. Calibrated
        with margins derives totals from their parts, and satisfies inequalities by swaps as far as possible, so
        that margins stay.
    strata : str or iterable of str, optional
        Columns of any type, not dependent ones. The records of each combination of their values are protected
        separately, in the order of their first records, from one continued stream. A column with one value in a
        stratum is left out there. Unless `missing` is "refuse", a missing stratum value is a level.
    missing : {"refuse", "protect", "drop"}, optional
        What to do with records with missing values in columns with a role. "refuse" is an error. "protect" fills
        each gap by one regression draw, protects the completed file, and empties these cells again. Which cells of
        a dependent column are missing, if at least 2 per cent and 30 are, is a predictor; Calibrated restores the
        sums of the observed cells, unless rules bind them to others. Other methods preserve the sums of the
        completed file; notes report the deviation on the observed cells. In a public file which cells are missing
        is drawn too, and the sums are those of the completed file. "drop" leaves the records out of the release.
        None is "protect" where the file or `variables` declare codes of missing values in these columns, a few
        cells cannot be read, or the product of the roles is "public"; else "refuse".
    variables : mapping of str to Variable, or "numbers", optional
        What columns may contain, by name; the rest is inferred, as `describe` shows. Released values are values
        that the variable may have: codes, whole numbers, decimals, dates. "numbers" treats numeric columns as real
        numbers, without codes, bounds and rounding, as the methods of the literature do.
    structure : Structure or "find", optional
        Rules that the release keeps. "default" finds and keeps those that 99 per cent of the records keep, and all
        but 10: identities, orders, joint zeros, nested codes. It does so for Calibrated with margins, the FCRM
        model, trees and ARF, of records in memory, and is None for other methods. "find" does so for every method
        for numbers, keeps signs, and habits of reporting for methods that model values. Or accepted proposals of
        `find_structure`. Notes name the rules. Derived columns are computed from the release of their parts. Joint
        zeros are restored by swaps. Orders become constraints.
    weights : str, optional
        The column of survey weights, above 0, which is released unchanged: totals and regressions of dependent
        columns on independent ones are kept weighted too. IPSO, EGADP and Calibrated without margins keep the
        coefficients exactly, GADP on average, Calibrated with margins nearly, with weighted cross sums among
        dependent columns. Those of the survey weight are left out, with a note, where they would be more than a
        tenth of the records. A note states the deviation in standard errors. The frame must be in memory.
    preserve : str or iterable of str, optional
        Columns such as "region", within each level of which they are kept likewise. Levels with less than ten
        records for each sum keep means only, which a note names; levels of few records are joined.

    Returns
    -------
    Frontier
        Every candidate with how it was judged.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected or judged.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> frontier = pf.sweep(frame, roles, [pf.IPSO("C"), pf.RankSwapping(15)])
    >>> "dr" in frontier.to_frame()
    True
    """
    options = Options(
        constraints=constraints,
        strata=strata,
        missing=missing,
        variables=variables,
        structure=structure,
        weights=weights,
        preserve=preserve,
    )
    with recorded("sweep", progress) as steps:
        return run_sweep(frame, roles, methods, seed, options, engine=engine, progress=steps)


def recommend(
    frame: Any,
    roles: Roles,
    limits: Mapping[str, Any] | Path | None = None,
    max_dr: float | None = None,
    constraints: str | Iterable[str] | None = None,
    *,
    seed: int | RStream | None = None,
    candidates: Iterable[Procedure] | Procedure | None = None,
    progress: Progress | None = None,
    engine: str | Engine = "local",
    strata: str | Iterable[str] | None = None,
    missing: Literal["refuse", "protect", "drop"] | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    structure: Structure | Literal["default", "find"] | None = "default",
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
) -> Recommendation:
    """Search for the method of which users lose least among those whose releases pass the verdict.

    Parameters
    ----------
    frame : DataFrame or Table
        As in `protect`.
    roles : Roles
        As in `protect`.
    limits : mapping or path, optional
        Limits of the verdict that differ from the default, as in `evaluate`.
    max_dr : float, optional
        Short for limits={"dr": ...}, per cent.
    constraints : str or iterable of str, optional
        Linear ones as text, "A == B + C; D >= 0" or a list. Every protected record satisfies them by the nearest
        feasible values; notes state the cost. "A < B" needs columns with fixed decimals, dates or codes. Calibrated
        with margins derives totals from their parts, and satisfies inequalities by swaps as far as possible, so
        that margins stay.
    seed : int or RStream, optional
        Starts the search's seed and the fresh seeds; None takes the system's entropy. The verdict's test "seed" is made as if
        each release came from fresh entropy, as yours should.
    candidates : Method or iterable of Method, optional
        Methods to start from; None for a grid over the families that apply.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the search stops.
    engine : str or Engine
        As in `protect`.
    strata : str or iterable of str, optional
        Columns of any type, not dependent ones. The records of each combination of their values are protected
        separately, in the order of their first records, from one continued stream. A column with one value in a
        stratum is left out there. Unless `missing` is "refuse", a missing stratum value is a level.
    missing : {"refuse", "protect", "drop"}, optional
        What to do with records with missing values in columns with a role. "refuse" is an error. "protect" fills
        each gap by one regression draw, protects the completed file, and empties these cells again. Which cells of
        a dependent column are missing, if at least 2 per cent and 30 are, is a predictor; Calibrated restores the
        sums of the observed cells, unless rules bind them to others. Other methods preserve the sums of the
        completed file; notes report the deviation on the observed cells. In a public file which cells are missing
        is drawn too, and the sums are those of the completed file. "drop" leaves the records out of the release.
        None is "protect" where the file or `variables` declare codes of missing values in these columns, a few
        cells cannot be read, or the product of the roles is "public"; else "refuse".
    variables : mapping of str to Variable, or "numbers", optional
        What columns may contain, by name; the rest is inferred, as `describe` shows. Released values are values
        that the variable may have: codes, whole numbers, decimals, dates. "numbers" treats numeric columns as real
        numbers, without codes, bounds and rounding, as the methods of the literature do.
    structure : Structure or "find", optional
        Rules that the release keeps. "default" finds and keeps those that 99 per cent of the records keep, and all
        but 10: identities, orders, joint zeros, nested codes. It does so for Calibrated with margins, the FCRM
        model, trees and ARF, of records in memory, and is None for other methods. "find" does so for every method
        for numbers, keeps signs, and habits of reporting for methods that model values. Or accepted proposals of
        `find_structure`. Notes name the rules. Derived columns are computed from the release of their parts. Joint
        zeros are restored by swaps. Orders become constraints.
    weights : str, optional
        The column of survey weights, above 0, which is released unchanged: totals and regressions of dependent
        columns on independent ones are kept weighted too. IPSO, EGADP and Calibrated without margins keep the
        coefficients exactly, GADP on average, Calibrated with margins nearly, with weighted cross sums among
        dependent columns. Those of the survey weight are left out, with a note, where they would be more than a
        tenth of the records. A note states the deviation in standard errors. The frame must be in memory.
    preserve : str or iterable of str, optional
        Columns such as "region", within each level of which they are kept likewise. Levels with less than ten
        records for each sum keep means only, which a note names; levels of few records are joined.

    Returns
    -------
    Recommendation
        The best method, or the nearest ones and the tests that they fail.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    Every candidate is judged on one seed. By default the
    methods that did best on files of many kinds come first (page "Recommended methods" of the documentation). Others
    are tried only if none of these passes, and not all fail a test of the columns that are released unchanged. The best
    of each family are measured on five fresh seeds, which the search
    has not used, and all figures are means over these. The choice is among those whose verdict is "pass" on every fresh
    seed, audit included. The one wins whose estimates deviate least, by the root mean square of the utility panel; within
    a tenth of it the one that was tried first. The k-th audit holds at k times the level of one. No clock limits the
    search: the same seed gives the same answer on every machine.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> found = pf.recommend(frame, roles, limits={"sample_uniques": 100}, candidates=[pf.IPSO("C")])
    >>> len(found.reasons) > 0
    True
    """
    options = Options(
        constraints=constraints,
        strata=strata,
        missing=missing,
        variables=variables,
        structure=structure,
        weights=weights,
        preserve=preserve,
    )
    with recorded("recommend", progress) as steps:
        return run_recommend(
            frame,
            roles,
            seed,
            options,
            limits=limits,
            max_dr=max_dr,
            candidates=candidates,
            engine=engine,
            progress=steps,
        )

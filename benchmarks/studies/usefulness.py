"""What users lose: the utility panel, verdict and cost of 12 methods on 14 files. It chooses the default method of Calibrated().

    python benchmarks/studies/usefulness.py [--census FILE] [--no-audit] [--files NAME ...] [--methods NAME ...]

One row for each file and method, as it is measured: per cent of the panel's estimates that differ by more than 3 standard errors,
root mean square and worst deviation, the same of the reference; estimates that differ by more than 6 where no draw of the
reference does; failed tests of the verdict; alarms of the audit; CPU seconds of `protect` and of `evaluate`. Then the goals of each
method. A file of R that is not installed, and S1 without the Census file, are left out. Releases have fixed seeds, so the
test `seed` is no finding here. About 40 CPU minutes, two thirds of which are audits.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import businesses
import numpy as np
import pandas as pd
from recommended import from_r

import pyfcrm as pf
from pyfcrm.errors import PyfcrmError
from pyfcrm.studies.thesis import S1_CASE

METHODS: dict[str, pf.Method] = {
    "Calibrated trees": pf.Calibrated(pf.Sequential(), basis="flexible"),
    "Calibrated FCRM draw": pf.Calibrated(pf.FCRM(2, release="draw"), basis="flexible"),
    "Calibrated ARF": pf.Calibrated(pf.ARF(), basis="flexible"),
    "Calibrated FCRM model": pf.Calibrated(pf.FCRM(None, release="model"), basis="flexible"),
    "Calibrated IPSO-C": pf.Calibrated(pf.IPSO("C"), basis="flexible"),
    "Calibrated GADP": pf.Calibrated(pf.GADP(), basis="flexible"),
    "Calibrated IPSO-C, linear": pf.Calibrated(pf.IPSO("C"), basis="linear"),
    "IPSO-C": pf.IPSO("C"),
    "FCRM model": pf.FCRM(None, release="model"),
    "trees": pf.Sequential(),
    "rank swapping": pf.RankSwapping(15),
    "MDAV": pf.Microaggregation(3),
}
CANDIDATES = tuple(METHODS)[:6]  # for the default of Calibrated(): these are audited
R_FILES = {
    "SLID": ("carData::SLID", ("age", "sex", "language"), ("wages", "education")),
    "CPS1985": (
        "{data(CPS1985, package='AER'); CPS1985}",
        ("age", "gender", "married", "occupation"),
        ("wage", "education"),
    ),
    "PSID1976": (
        "{data(PSID1976, package='AER'); subset(PSID1976, participation == 'yes')}",
        ("age", "city", "youngkids"),
        ("wage", "hours", "fincome", "education"),
    ),
    "Salaries": ("carData::Salaries", ("rank", "discipline", "sex"), ("salary", "yrs.since.phd", "yrs.service")),
    "Chile": ("carData::Chile", ("region", "sex", "education"), ("age", "income", "statusquo")),
    "eusilc": (
        "{data(eusilc, package='laeken'); eusilc}",
        ("age", "rb090", "db040", "pl030"),
        ("py010n", "py050n", "py090n"),
    ),
    "ses": (
        "{data(ses, package='laeken'); ses}",
        ("sex", "age", "education", "location", "size"),
        ("earningsMonth", "earnings", "hoursPaid", "overtimeHours"),
    ),
}
OWN_FILES = {
    "accounts": pf.Roles(("AGE", "RISK"), ("DEPOSITS", "DEBT", "NET", "FLOW", "RETURN", "TRANSACTIONS")),
    "enterprises": pf.Roles(
        ("EMPLOYEES", "AGE"), ("TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS", "INVESTMENT")
    ),
    "balances": pf.Roles(("STAFF", "FOUNDED"), ("FIXED", "CURRENT", "TOTAL", "DEBT", "EQUITY", "PROFIT", "DIVIDEND")),
    "sales": pf.Roles(("FLOOR", "HOURS", "STAFF"), ("ITEMS", "REVENUE", "ONLINE", "TOTAL", "STOCK", "MARGIN")),
}
OF_VERDICT = (
    "SLID", "CPS1985", "PSID1976", "Salaries", "Chile", "eusilc", "ses", "survey", "accounts", "enterprises",
)  # fmt: skip
RECORDS = {"eusilc": 3000, "ses": 3000}  # at most
SEED = 1
MOST_VALUES = 20  # of a predictor that is not in fifths
MOST_ABOVE, MORE_ABOVE = 3.0, 1.0  # per cent of estimates, and points above the reference's share
MOST_RMS, WORST = 1.2, 6.0
MOST = 20.0  # standard errors that a deviation counts at most
COLUMNS = (
    "file, records", "method", "above 3, %", "rms", "worst", "its above 3", "its rms", "its worst", "beyond 6", "held", "alarms",
    "CPU s", "of evaluate", "impossible",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Row:
    """One method on one file."""

    file: str
    """The file's name."""
    records: int
    """Number of records."""
    method: str
    """The method's label."""
    above: float
    """Per cent of estimates that differ by more than 3 standard errors."""
    rms: float
    """Root mean square deviation in standard errors."""
    worst: str
    """The worst estimate."""
    reference_above: float
    """`above` of near-record releases."""
    reference_rms: float
    """`rms` of near-record releases."""
    reference_worst: float
    """The largest deviation of near-record releases."""
    beyond: int
    """Number of estimates that differ by more than 6 and do not in any near-record release."""
    held: tuple[str, ...]
    """Failed tests of the verdict."""
    alarms: tuple[str, ...] | None
    """Alarms of the audit; None without one."""
    seconds: float
    """CPU seconds of protect()."""
    seconds_evaluate: float
    """CPU seconds of evaluate()."""
    impossible: str
    """Number of wages without hours and of taxes without a wage, of survey()."""

    @property
    def goals(self) -> tuple[bool, bool, bool, bool]:
        """Whether the share above 3, the root mean square, the worst estimate and the verdict reach their goals."""
        few = self.above <= MOST_ABOVE and self.above <= self.reference_above + MORE_ABOVE
        near = self.rms <= max(MOST_RMS, self.reference_rms)
        return few, near, self.beyond == 0, not self.held and not self.alarms

    def markdown(self) -> str:
        """The row in Markdown."""
        alarms = "" if self.alarms is None else ", ".join(self.alarms) or "none"
        cells = (
            f"{self.file}, {self.records:,}",
            self.method,
            f"{self.above:.1f}",
            f"{self.rms:.2f}",
            self.worst,
            f"{self.reference_above:.1f}",
            f"{self.reference_rms:.2f}",
            f"{self.reference_worst:.1f}",
            str(self.beyond),
            ", ".join(self.held) or "-",
            alarms,
            f"{self.seconds:.1f}",
            f"{self.seconds_evaluate:.1f}",
            self.impossible,
        )
        return f"| {' | '.join(cells)} |"


def files(census: str | None, names: Iterable[str]) -> dict[str, tuple[pd.DataFrame, pf.Roles]]:
    """Frames of complete records with their roles; those that are not at hand are left out, with a word."""
    found = {}
    for name in names:
        try:
            found[name] = _file(name, census)
        except (OSError, subprocess.CalledProcessError):
            print(f"{name} is left out: it needs R and the package that has it")
        except PyfcrmError:
            print(f"{name} is left out: --census or PYFCRM_CENSUS gives its path")
    return found


def _file(name: str, census: str | None) -> tuple[pd.DataFrame, pf.Roles]:
    """One frame and its roles."""
    if name == "S1":
        return pf.datasets.census(census), pf.Roles(S1_CASE.independent, S1_CASE.dependent)
    if name == "survey":
        frame = pf.datasets.survey().dropna().reset_index(drop=True)
        return frame, pf.suggest_roles(frame)
    if name in OWN_FILES:
        source = businesses if hasattr(businesses, name) else pf.datasets
        roles = OWN_FILES[name]
        frame = getattr(source, name)()[[*roles.independent, *roles.dependent]]
    else:
        code, independent, dependent = R_FILES[name]
        frame = from_r(code)[[*independent, *dependent]].dropna()
        roles = pf.Roles(independent, dependent)
    if name == "SLID":
        frame["age"] = frame["age"] // 5 * 5
    elif name == "eusilc":
        frame["pl030"] = frame["pl030"].map("status {:.0f}".format)
    frame = frame.sample(min(RECORDS.get(name, len(frame)), len(frame)), random_state=SEED).reset_index(drop=True)
    return (_in_fifths(frame, roles) if name in OF_VERDICT else frame), roles


def _in_fifths(frame: pd.DataFrame, roles: pf.Roles) -> pd.DataFrame:
    """The frame with numeric predictors of more than 20 values in fifths: the verdict holds files of unique records."""
    changed = frame.copy()
    for name in roles.independent:
        if pd.api.types.is_numeric_dtype(frame[name]) and frame[name].nunique() > MOST_VALUES:
            changed[name] = np.digitize(frame[name], frame[name].quantile([0.2, 0.4, 0.6, 0.8]), right=True)
    return changed


def row(name: str, frame: pd.DataFrame, roles: pf.Roles, label: str, *, audit: bool) -> Row:
    """The figures of one method on one file."""
    begun = time.process_time()
    release = pf.protect(frame, METHODS[label], roles, seed=SEED, allow_unprotected=True)
    made = time.process_time()
    report = pf.evaluate(frame, release, measures=["pil"], guesses=0, audit=True if audit else None)
    ended = time.process_time()
    utility = report.utility
    deviations = np.array([abs(estimate.z) for estimate in utility.estimates])
    references = np.nan_to_num(np.abs(utility.references)).max(axis=0)
    summary = utility.summary
    return Row(
        file=name,
        records=len(frame),
        method=label,
        above=summary.above,
        rms=summary.rms,
        worst=str(summary.worst),
        reference_above=summary.reference_above,
        reference_rms=summary.reference_rms,
        reference_worst=float(references.clip(max=MOST).max()),
        beyond=int(((deviations > WORST) & (references <= WORST)).sum()),
        held=tuple(test.key for test in report.verdict.tests if test.status == "hold" and test.key != "seed"),
        alarms=tuple(report.audit.alarms) if audit else None,
        seconds=made - begun,
        seconds_evaluate=ended - made,
        impossible=_impossible(release.frame) if name == "survey" else "",
    )


def _impossible(released: pd.DataFrame) -> str:
    """Wages without hours and taxes without a wage."""
    wages = int(((released["hours"] == 0) & (released["wage"] > 0)).sum())
    taxes = int(((released["tax"] > 0) & (released["wage"] == 0)).sum())
    return f"{wages} wages, {taxes} taxes"


def goals(rows: list[Row]) -> str:
    """On how many files each method reaches each goal, as a table of Markdown."""
    lines = ["| method | files | above 3 | rms | worst | verdict, of 10 files | mean rms | CPU s |", "| --- " * 8 + "|"]
    for label in dict.fromkeys(row.method for row in rows):
        own = [row for row in rows if row.method == label]
        reached = np.array([row.goals for row in own])
        judged = [row.goals[3] for row in own if row.file in OF_VERDICT]
        counts = " | ".join(str(count) for count in reached[:, :3].sum(axis=0))
        rms = np.mean([row.rms for row in own])
        seconds = sum(row.seconds for row in own)
        lines.append(
            f"| {label} | {len(own)} | {counts} | {sum(judged)} of {len(judged)} | {rms:.2f} | {seconds:.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the rows and the goals."""
    every = (*R_FILES, "survey", *OWN_FILES, "S1")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--census", default=os.environ.get("PYFCRM_CENSUS"))
    parser.add_argument("--no-audit", action="store_true")
    parser.add_argument("--files", nargs="+", choices=every, default=every)
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), default=tuple(METHODS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"| {' | '.join(COLUMNS)} |", "| --- " * len(COLUMNS) + "|", sep="\n", flush=True)
    rows = list[Row]()
    for name, (frame, roles) in files(options.census, options.files).items():
        for label in options.methods:
            audited = label in CANDIDATES and not options.no_audit
            rows.append(row(name, frame, roles, label, audit=audited))
            print(rows[-1].markdown(), flush=True)
    print("", goals(rows), sep="\n")


if __name__ == "__main__":
    main()

"""Public-use files: everything synthetic, by pyfcrm's methods and, where its R files are at hand, by synthpop's CART.

    python benchmarks/studies/public.py [--satgpa FILE] [--synthpop FOLDER] [--sd2011 FILE] [--audit] [--files NAME ...] [--releases N]

One row for each file and method. Replicated uniques: unique records that are unique with the same values in the release. Beyond
others: per cent of the uniques of a half that was protected, less the same of the other half. S_pMSE: means of one-way and two-way tables,
and per cent of tables above the 99 % point of chance, over --releases releases; of files with households chance is that of whole
ones. Records with a broken sum; both grades within 5 per cent (SATGPA). The utility panel's root mean square deviation and its
reference's; failed tests of the verdict, with --audit its audit's too.

--satgpa is `satgpa.csv` of github.com/SteffenMoritz/Synthetic_Data_Challenge, on which Destatis judged five methods in 2022;
--synthpop is the folder R of github.com/bnowok/synthpop, --sd2011 its file data/SD2011.rda. eusilc (laeken) has households: a further
column is the mean S_pMSE of tables of their size by how many members are children, old, women or work. SLID is of carData. What is not
at hand is left out, with a word. About 10 CPU minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from recommended import from_r

import pyfcrm as pf
from pyfcrm.measures.s_pmse import pooled_classes, table_distances

METHODS: dict[str, pf.Method] = {
    "Calibrated()": pf.Calibrated(),
    "Sequential()": pf.Sequential(),
    "ARF()": pf.ARF(),
    "Sequential(min_leaf=5, smooth=False)": pf.Sequential(min_leaf=5, smooth=False),
}
SYNTHPOP = "synthpop, CART"
REDRAWN = "the file's own households, drawn again"  # no release: what chance is where records come by household
# Of synthpop's imports it needs rpart here, and one function of stringr.
IN_R = """
words <- commandArgs(TRUE)
library(rpart)
if (!suppressWarnings(require(stringr, quietly = TRUE))) str_detect <- function(string, pattern) grepl(pattern, string)
for (file in list.files(words[1], pattern = "[.][rR]$", full.names = TRUE)) try(sys.source(file, envir = globalenv()), silent = TRUE)
original <- read.csv(words[2], stringsAsFactors = TRUE)
write.csv(syn(original, method = "cart", seed = as.integer(words[4]), print.flag = FALSE)$syn, words[3], row.names = FALSE)
"""
GRADES = ("hs_gpa", "fy_gpa")
SOCIAL_DIAGNOSIS = (
    "sex",
    "age",
    "placesize",
    "region",
    "edu",
    "socprof",
    "income",
    "marital",
    "ls",
    "sport",
    "smoke",
    "height",
    "weight",
)
INCOME = ("db030", "rb030", "db040", "hsize", "age", "rb090", "pl030", "pb220a", "py010n", "py090n", "hy040n", "hy050n")
WITHIN = 0.05
SPLITS = 3
HOUSEHOLDS = 800  # of eusilc
CHILD, OLD = 16, 65  # ages below which, and from which on
MOST_RECORDS = 2000
SEED = 2  # not 1, from which survey() is simulated: its uniforms would come again
COLUMNS = (
    "file, records", "method", "replicated uniques", "beyond others, points", "both grades", "one-way", "two-way", "above 99 %, %",
    "broken", "households", "panel", "its reference", "held", "CPU s",
)  # fmt: skip
Release = Callable[[pd.DataFrame, int], pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class File:
    """A file to be synthesised whole."""

    frame: pd.DataFrame
    """Its records."""
    keys: tuple[str, ...]
    """The columns on which uniques are counted."""
    total: tuple[str, str, str] | None = None
    """A column that is the sum of two others, with these."""
    ids: tuple[str, str] | None = None
    """The columns of households and of their members."""

    @property
    def roles(self) -> pf.Roles:
        """Everything but ids is confidential."""
        if self.ids is None:
            return pf.Roles(dependent=list(self.frame.columns), product="public")
        household, unit = self.ids
        return pf.Roles(dependent=self.confidential, household=household, unit=unit, product="public")

    @property
    def confidential(self) -> list[str]:
        """The columns without ids."""
        return [name for name in self.frame.columns if name not in (self.ids or ())]


def files(paths: Mapping[str, str | None], names: Sequence[str]) -> dict[str, File]:
    """The files at hand, by name. paths : of those that no package has."""
    found = {}
    for name in names:
        if name in paths and paths[name] is None:
            print(f"{name} is left out: --{name.lower()} gives its path")
            continue
        try:
            found[name] = _file(name, paths.get(name))
        except (OSError, subprocess.CalledProcessError):
            print(f"{name} is left out: its file or package is not at hand")
    return found


def _file(name: str, path: str | None) -> File:
    if name == "SATGPA":
        return File(
            frame=pd.read_csv(str(path)),
            keys=("sex", "sat_v", "sat_m", "sat_sum"),
            total=("sat_sum", "sat_v", "sat_m"),
        )
    if name == "survey":
        frame = pf.datasets.survey().drop(columns="name")
        return File(frame=frame, keys=("region", "age", "hours", "size", "rent"))
    if name == "eusilc":
        return _eusilc()
    if name == "SD2011":
        frame = from_r(f"{{load({json.dumps(path)}); SD2011}}")[list(SOCIAL_DIAGNOSIS)]
        part = frame.sample(MOST_RECORDS, random_state=SEED).reset_index(drop=True)
        return File(frame=part, keys=("sex", "age", "region", "placesize"))
    frame = from_r("carData::SLID").dropna()
    part = frame.sample(min(MOST_RECORDS, len(frame)), random_state=SEED).reset_index(drop=True)
    return File(frame=part, keys=("age", "sex", "language", "education"))


def _eusilc() -> File:
    """Some households of eusilc, with all of their members."""
    frame = from_r("{data(eusilc, package = 'laeken'); eusilc}")
    chosen = np.random.default_rng(SEED).permutation(frame["db030"].unique())[:HOUSEHOLDS]
    part = frame.loc[frame["db030"].isin(chosen), list(INCOME)].reset_index(drop=True)
    part["pl030"] = part["pl030"].map({code: str(code) for code in range(1, 8)})  # a factor in laeken
    return File(frame=part, keys=("db040", "hsize", "age", "rb090"), ids=("db030", "rb030"))


def release_of(method: pf.Method, roles: pf.Roles) -> Release:
    """The release of a method, of a file with these roles."""

    def release(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
        return pf.protect(frame, method, roles, seed=seed).frame

    return release


def release_of_synthpop(folder: str) -> Release:
    """The release of synthpop's syn(), with its defaults."""

    def release(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
        with tempfile.TemporaryDirectory() as name:
            script, original, synthetic = (Path(name) / file for file in ("syn.R", "original.csv", "synthetic.csv"))
            script.write_text(IN_R, encoding="utf-8")
            frame.to_csv(original, index=False)
            words = [str(script), folder, str(original), str(synthetic), str(seed)]
            subprocess.run(["Rscript", *words], check=True, capture_output=True)
            return pd.read_csv(synthetic)

    return release


def redrawn_households(ids: tuple[str, str]) -> Release:
    """As many households of a file as it has, drawn with replacement."""
    household = ids[0]

    def release(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
        by_household = [part for _, part in frame.groupby(household)]
        chosen = np.random.default_rng(seed).integers(len(by_household), size=len(by_household))
        parts = [by_household[place].assign(**{household: new}) for new, place in enumerate(chosen)]
        return pd.concat(parts, ignore_index=True)

    return release


def replicated(original: pd.DataFrame, released: pd.DataFrame, keys: Sequence[str]) -> np.ndarray:
    """(n,) whether a record is unique on the keys, and unique with the same values in the release; NaN where it is not unique."""
    own = _texts(original, keys)
    new = _texts(released, keys).value_counts()
    times = own.map(own.value_counts())
    return np.where(times == 1, own.map(new).fillna(0) == 1, np.nan)


def _texts(frame: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """The values of the keys of each record, as one text."""
    as_text = [
        frame[name].map(lambda cell: f"{cell:g}" if isinstance(cell, int | float) else str(cell)) for name in keys
    ]
    return as_text[0].str.cat(as_text[1:], sep="|")


def beyond_others(file: File, release: Release) -> float:
    """Replicated uniques of the protected half less those of the other half, in percentage points; the mean over splits."""
    rng = np.random.default_rng(SEED)
    differences = []
    for split in range(SPLITS):
        unit = np.arange(len(file.frame))
        if file.ids is not None:
            unit = pd.factorize(file.frame[file.ids[0]])[0]
        chosen = rng.permutation(unit.max() + 1)
        member = np.isin(unit, chosen[: len(chosen) // 2])
        released = release(file.frame[member].reset_index(drop=True), SEED + split)
        found = replicated(file.frame, released, file.keys)
        differences.append(100 * (np.nanmean(found[member]) - np.nanmean(found[~member])))
    return float(np.mean(differences))


def tables(file: File, released: pd.DataFrame) -> tuple[float, float, float]:
    """S_pMSE: the means of one-way and two-way tables, and per cent of all tables above the 99 % point."""
    original = file.frame
    units = None if file.ids is None else pd.factorize(original[file.ids[0]])[0]
    pairs = []
    for name in file.confidential:
        if pd.api.types.is_numeric_dtype(original[name]):
            pairs.append(pooled_classes(*(frame[name].to_numpy(dtype=float) for frame in (original, released))))
        else:
            codes = pd.factorize(pd.concat([original[name], released[name]]), use_na_sentinel=False)[0]
            pairs.append((codes[: len(original)], codes[len(original) :]))
    found = table_distances([x for x, _ in pairs], [z for _, z in pairs], units)
    one_way, two_way = ([table.ratio for table in found if len(table.columns) == size] for size in (1, 2))
    above = 100 * np.mean([table.exceeds_chance for table in found])
    return float(np.mean(one_way)), float(np.mean(two_way)), float(above)


def compositions(original: pd.DataFrame, released: pd.DataFrame) -> float:
    """S_pMSE of tables of households by size and number of members of a kind: the mean."""
    own, new = (_members(frame) for frame in (original, released))
    columns = [(own[name].to_numpy(), new[name].to_numpy()) for name in own]
    found = table_distances([y for y, _ in columns], [z for _, z in columns])
    return float(np.mean([table.ratio for table in found]))


def _members(frame: pd.DataFrame) -> pd.DataFrame:
    """By household of eusilc how many members it has, at most 5, and how many of these are children, old, women, or work, at most 3."""
    is_kind = pd.DataFrame(
        {
            "children": frame["age"] < CHILD,
            "old": frame["age"] >= OLD,
            "women": frame["rb090"] == "female",
            "working": frame["pl030"].isin(["1", "2"]),
        }
    )
    counts = is_kind.groupby(frame["db030"]).sum().clip(upper=3)
    return counts.assign(size=frame.groupby("db030").size().clip(upper=5))


def near_grades(released: pd.DataFrame, original: pd.DataFrame) -> str:
    """How many uniques of SATGPA are replicated with both grades within 5 per cent; empty for another file."""
    if not {*GRADES} <= {*original.columns}:
        return ""
    keys = ("sex", "sat_v", "sat_m", "sat_sum")
    matched = original.loc[replicated(original, released, keys) == 1]
    new = released.set_index(_texts(released, keys)).loc[_texts(matched, keys), list(GRADES)].to_numpy()
    own = matched[list(GRADES)].to_numpy()
    return str(int((np.abs(new - own) <= WITHIN * np.abs(own)).all(axis=1).sum()))


def row(name: str, file: File, label: str, release: Release, *, audit: bool, releases: int) -> str:
    """The figures of one method on one file, as a row of Markdown."""
    begun = time.process_time()
    released = release(file.frame, SEED)
    seconds = f"{time.process_time() - begun:.1f}" if label in METHODS else ""
    held, panel, reference = "", "", ""
    if label in METHODS:
        protected = pf.protect(file.frame, METHODS[label], file.roles, seed=SEED)
        report = pf.evaluate(file.frame, protected, measures=["pil"], guesses=0, audit=True if audit else None)
        failed = [test.key for test in report.verdict.tests if test.status == "hold" and test.key != "seed"]
        held = ", ".join(failed) or "-"
        panel, reference = f"{report.utility.summary.rms:.2f}", f"{report.utility.summary.reference_rms:.2f}"
    broken = ""
    if file.total is not None:
        total, first, second = (released[column] for column in file.total)
        broken = str(int((total != first + second).sum()))
    further = [release(file.frame, SEED + k) for k in range(1, releases)]
    distances = [tables(file, each) for each in (released, *further)]
    one_way, two_way, above = np.mean(distances, axis=0)
    households = ""
    if file.ids is not None:
        households = f"{np.mean([compositions(file.frame, each) for each in (released, *further)]):.2f}"
    cells = (
        f"{name}, {len(file.frame):,}",
        label,
        str(int(np.nansum(replicated(file.frame, released, file.keys)))),
        f"{beyond_others(file, release):.1f}",
        near_grades(released, file.frame),
        f"{one_way:.2f}",
        f"{two_way:.2f}",
        f"{above:.0f}",
        broken,
        households,
        panel,
        reference,
        held,
        seconds,
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the rows."""
    every = ("SATGPA", "survey", "SLID", "eusilc", "SD2011")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--satgpa")
    parser.add_argument("--sd2011")
    parser.add_argument("--synthpop")
    parser.add_argument("--audit", action="store_true")
    parser.add_argument("--releases", type=int, default=1)
    parser.add_argument("--files", nargs="+", choices=every, default=every)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.synthpop is None:
        print("synthpop is left out: --synthpop gives the folder of its R files")
    paths = {"SATGPA": options.satgpa, "SD2011": options.sd2011}
    print(f"| {' | '.join(COLUMNS)} |", "| --- " * len(COLUMNS) + "|", sep="\n", flush=True)
    for name, file in files(paths, options.files).items():
        releases = {label: release_of(method, file.roles) for label, method in METHODS.items()}
        if options.synthpop is not None and file.ids is None:  # its syn() knows no households
            releases[SYNTHPOP] = release_of_synthpop(options.synthpop)
        if file.ids is not None:
            releases[REDRAWN] = redrawn_households(file.ids)
        for label, release in releases.items():
            print(row(name, file, label, release, audit=options.audit, releases=options.releases), flush=True)


if __name__ == "__main__":
    main()

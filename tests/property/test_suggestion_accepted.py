"""What suggest_roles() proposes, protect() releases, or refuses in a sentence that names a remedy: every method, data sets of R's packages.

Oracle: the types and labels of the file itself, and the share of pairs that must be released. Grade: identical; at least 95 per cent.
No released value is impossible for its column, by rules that are written here once more. No rule of the file that is kept by default is
broken in more released records than original ones.
The data sets are those of packages that Debian has, exported once by tests/support/r_datasets.R; a sample of them by default, and more with
PYFCRM_DATASETS=300.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import PyfcrmError

pytestmark = [
    pytest.mark.slow(30),
    pytest.mark.r,
    pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed"),
]
PACKAGES = ["MASS", "boot", "carData", "datasets", "laeken", "nlme", "robustbase", "survey", "survival", "vcd", "VIM"]
SCRIPT = Path(__file__).parent.parent / "support" / "r_datasets.R"
NUMBER = int(os.environ.get("PYFCRM_DATASETS", "20"))
RECORDS = 400  # evenly spaced
MAX_COLUMNS = 40
RELEASED = 0.95
METHODS = {
    "ipso": pf.IPSO("C"),
    "gadp": pf.GADP(),
    "egadp": pf.EGADP(),
    "shuffling": pf.Shuffling(),
    "dummy": pf.Dummy(),
    "noise": pf.Noise("correlated", 20),
    "rankswapping": pf.RankSwapping(10),
    "microaggregation": pf.Microaggregation(3),
    "permutation": pf.Permutation(3),
    "hybrid": pf.Hybrid("linear", 0.5),
    "sequential": pf.Sequential(),
    "arf": pf.ARF(5),
    "fcrm": pf.FCRM(2),
    "fcrm model": pf.FCRM(2, release="model"),
    "calibrated": pf.Calibrated(pf.IPSO("C")),
    "sampling": pf.Sampling(0.5),
}


YEARS = {"%Y+(%q-1)/4": 4, "%Y+(%m-1)/12": 12}
"""The parts of a year in the forms of years with a fraction."""
OPTIONS = {"missing": "protect", "allow_unprotected": True, "shuffle": False}  # records are compared by position
KEEP_SIGNS = ("sequential", "arf", "fcrm model", "calibrated")
"""Methods that keep signs, and the rules of the file, by default."""
OF_CATEGORIES = ("sequential", "arf", "sampling")
"""Methods for files whose confidential columns are all categories."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The data sets, exported once."""
    folder = tmp_path_factory.mktemp("datasets")
    subprocess.run(["Rscript", SCRIPT, folder, *PACKAGES], check=True, capture_output=True, timeout=300)
    if not any(folder.iterdir()):
        pytest.skip(f"none of R's packages {', '.join(PACKAGES)} is installed")
    return folder


def data_sets(folder: Path) -> list[str]:
    """The names of the chosen data sets, evenly spaced in alphabetical order."""
    every = sorted(path.name.removesuffix(".types.csv") for path in folder.glob("*.types.csv"))
    places = np.linspace(0, len(every) - 1, min(NUMBER, len(every))).astype(int)
    return [every[place] for place in places]


def read(folder: Path, name: str) -> pd.DataFrame:
    """A data set with its types: categories, and yes or no with gaps as Python objects, among them."""
    types = pd.read_csv(folder / f"{name}.types.csv", dtype=str, keep_default_na=False)
    type_of = dict(zip(types["column"], types["type"], strict=True))
    texts = {column: str for column, type in type_of.items() if type not in ("integer", "float")}
    frame = pd.read_csv(folder / f"{name}.csv", dtype=texts, keep_default_na=False, na_values=[""])
    for column, type in type_of.items():
        if type == "category":
            frame[column] = frame[column].astype("category")
        elif type == "boolean":
            flags = frame[column].map({"TRUE": True, "FALSE": False})
            frame[column] = flags.astype(bool) if flags.notna().all() else flags
        elif type == "date":
            frame[column] = pd.to_datetime(frame[column])
    rows = np.linspace(0, len(frame) - 1, min(len(frame), RECORDS)).astype(int)
    frame = frame.iloc[rows, :MAX_COLUMNS].reset_index(drop=True)
    frame.attrs["column_labels"] = {column: f"label of {column}" for column in frame}
    return frame


def test_suggestions_are_released(folder):
    refused, pairs = [], 0
    for name in data_sets(folder):
        frame = read(folder, name)
        roles = pf.suggest_roles(frame)
        assert set(roles.reasons) == set(frame.columns), name
        rules = [one for one in pf.find_structure(frame, roles) if one.holds]
        has_numbers = any(pd.api.types.is_numeric_dtype(frame[column]) for column in roles.dependent)
        for label, method in METHODS.items():
            if not has_numbers and label not in OF_CATEGORIES:
                continue
            pairs += 1
            try:
                released = pf.protect(frame, method, roles, seed=1, **OPTIONS)
            except PyfcrmError as error:
                refused.append(f"{name}, {label}: {error}")
                continue
            check(frame, released, roles, f"{name}, {label}")
            impossible = impossible_values(frame, released.frame, roles.dependent, signs=label in KEEP_SIGNS)
            assert not impossible, f"{name}, {label}: {impossible}"
            if label in KEEP_SIGNS:
                broken = broken_rules(rules, frame, released.frame, unit=roles.unit)
                assert not broken, f"{name}, {label}: {broken}"
    listed = "\n".join(refused)
    assert len(refused) <= (1 - RELEASED) * pairs, f"{len(refused)} of {pairs} pairs are refused:\n{listed}"
    for sentence in refused:
        assert "\n" not in sentence
        assert re.search(r"\(.+\)", sentence), f"no remedy: {sentence}"


def check(frame: pd.DataFrame, released: pf.Protected, roles: pf.Roles, case: str) -> None:
    """Columns, types and labels are those of the file; unchanged columns have the file's cells."""
    if released.method.makes_new_file():
        return
    after = released.frame
    assert list(after) == [name for name in frame if name not in roles.identifiers], case
    for name in after:
        assert after[name].dtype.kind == frame[name].dtype.kind, f"{case}: {name}"
        assert released.labels[name] == f"label of {name}", case
    if len(after) == len(frame):
        for name in after:
            if name not in (*roles.dependent, *roles.ids):
                assert after[name].isna().equals(frame[name].isna()), f"{case}: {name}"
                present = frame[name].notna()
                # As objects: a release has no level that no released cell has.
                assert after.loc[present, name].tolist() == frame.loc[present, name].tolist(), f"{case}: {name}"


def impossible_values(frame: pd.DataFrame, after: pd.DataFrame, names, *, signs: bool) -> dict[str, list]:
    """Released values that a column may not have, by column: by the written rules of VARIABLES, in plain code.

    signs : whether the method keeps the sign of nearly all values.
    """
    described = pf.describe(frame)
    found = {}
    for name in names:
        values = pd.Series(after[name].dropna().unique())
        allowed = allowed_values(described[name], pd.Series(frame[name].dropna().unique()), values, signs=signs)
        if not allowed.all():
            found[name] = values[~allowed].tolist()[:5]
    return found


def allowed_values(description, original: pd.Series, values: pd.Series, *, signs: bool) -> pd.Series:
    """Which of some different released values a column may have. original : its different values."""
    known = values.isin(original)
    if description.kind == "category":
        return known
    if description.kind == "codes":
        codes = set(description.values)
        if description.step == 1:
            codes = set(range(min(codes), max(codes) + 1))
        return values.isin(codes)
    if description.kind == "date" and description.format in YEARS:
        parts = YEARS[description.format]
        return (values * parts - (values * parts).round()).abs() < 0.01 * parts  # written with 2 decimals at least
    if description.kind == "date" and description.format is not None:
        return pd.to_datetime(values.astype(str), format=description.format, errors="coerce").notna()
    if description.kind not in ("count", "amount") or description.format is not None:
        return pd.Series(True, index=values.index)
    allowed = pd.Series(True, index=values.index)
    if description.decimals is not None:
        allowed &= known | (values - values.round(description.decimals)).abs().le(1e-9 * (1 + values.abs()))
    if signs and description.sign == "not negative":
        allowed &= known | (values >= 0)
    if signs and description.sign == "not positive":
        allowed &= known | (values <= 0)
    return allowed


def broken_rules(rules, frame: pd.DataFrame, after: pd.DataFrame, *, unit: str | None) -> dict[str, int]:
    """How many more released records than original ones break each rule that find_structure() proposes; those with none are left out."""
    excess = {one.rule: breaks(one, frame, after, unit) - breaks(one, frame, frame, unit) for one in rules}
    return {rule: count for rule, count in excess.items() if count > 0}


def breaks(rule, frame: pd.DataFrame, after: pd.DataFrame, unit: str | None) -> int:
    """How many records of `after` break a rule of the file `frame`; those with a gap do not. unit : the column of units, if any."""
    names = [*rule.columns, *(name for name, _ in rule.terms)]
    records = after[list(dict.fromkeys(names))].dropna()
    if rule.kind == "nested":
        # Codes of fewer than 10 records, or units, determine nothing.
        finer, coarser = (frame[name].astype(object) for name in rule.columns)
        known = finer.notna() & coarser.notna()
        units = pd.Series(frame.index, frame.index) if unit is None else frame[unit].astype(object)
        count = units[known].groupby(finer[known]).nunique()
        frequent = count.index[count >= 10]
        code_of = {code: coarser[known & (finer == code)].mode().iloc[0] for code in frequent}
        released = records[records[rule.columns[0]].isin(frequent)].astype(object)
        return int((released[rule.columns[0]].map(code_of) != released[rule.columns[1]]).sum())
    if not all(pd.api.types.is_numeric_dtype(records[name]) for name in records):
        return 0
    A = {name: records[name].to_numpy(float) for name in records}
    first, last = A[rule.columns[0]], A[rule.columns[-1]]
    if rule.kind == "at_most":
        return int((first > last + 1e-9 * (1 + np.abs(last))).sum())
    if rule.kind == "zero_where":
        return int(((last == 0) & (first != 0)).sum())
    if rule.kind == "zero_together":
        zeros = sum((A[name] == 0).astype(int) for name in rule.columns)
        return int(((zeros > 0) & (zeros < len(rule.columns))).sum())
    total = rule.constant + sum(coefficient * A[name] for name, coefficient in rule.terms)
    size = 1 + np.max([np.abs(values) for values in A.values()], axis=0)
    return int((np.abs(first - total) > rule.within * (1 + 1e-9) + 1e-6 * size).sum())

"""Which method to recommend: utility for machine learning, information loss and disclosure risk on files that nobody tuned for.

    python benchmarks/studies/recommended.py [--census FILE]

Half of the records are protected; ridge regression and gradient boosting predict each confidential column from all others. They
learn from the release, or from the same half of the original, and are tested on the other half of the original. `utility` is
the first score divided by the second. A file of R that is not installed, and S1 without the Census file, are left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import businesses
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.preprocessing import StandardScaler

import pyfcrm as pf
from pyfcrm.errors import PyfcrmError
from pyfcrm.studies.thesis import S1_CASE

METHODS = {
    "Calibrated FCRM model": pf.Calibrated(pf.FCRM(None, release="model")),
    "Calibrated IPSO-C": pf.Calibrated(pf.IPSO("C")),
    "Calibrated trees": pf.Calibrated(pf.Sequential(min_leaf=5, smooth=False)),
    "Sequential trees": pf.Sequential(min_leaf=5, smooth=False),
    "ARF": pf.ARF(),
}
R_FILES = {"SLID": "carData::SLID", "CPS1985": "{data(CPS1985, package='AER'); CPS1985}",
           "eusilc": "{data(eusilc, package='laeken'); eusilc}"}  # fmt: skip
RECORDS, SEED = 2000, 1
PENALTIES = np.logspace(-3, 4, 15)


def from_r(code: str) -> pd.DataFrame:
    """A data frame of R. Raises OSError or CalledProcessError where R or its package is missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"
        command = f"write.csv({code}, commandArgs(TRUE), row.names = FALSE)"
        subprocess.run(["Rscript", "-e", command, str(path)], check=True, capture_output=True)
        return pd.read_csv(path)


def files(census: str | None) -> dict[str, tuple[pd.DataFrame, pf.Roles]]:
    """Frames with their roles, at most RECORDS complete records of each."""
    frames = {"survey": pf.datasets.survey()}
    for name, code in R_FILES.items():
        try:
            frames[name] = from_r(code)
        except (OSError, subprocess.CalledProcessError):
            print(f"{name} is left out: it needs R and the package that has it")
    found = {}
    for name, frame in frames.items():
        complete = frame.loc[:, frame.notna().mean() > 0.5].dropna()
        part = complete.sample(min(RECORDS, len(complete)), random_state=SEED).reset_index(drop=True)
        found[name] = part, pf.suggest_roles(part)
    sheets, shops = businesses.balances(), businesses.sales()
    found["balances"] = sheets, pf.Roles(list(sheets)[:2], list(sheets)[2:])
    found["sales"] = shops, pf.Roles(list(shops)[:3], list(shops)[3:])
    try:
        found["S1"] = pf.datasets.census(census), pf.Roles(S1_CASE.independent, S1_CASE.dependent)
    except PyfcrmError:
        print("S1 is left out: --census or PYFCRM_CENSUS gives its path")
    return found


def predictors(train: pd.DataFrame, test: pd.DataFrame, target: str) -> tuple[Any, Any]:
    """Standardised numbers and the indicators of categories, without the target."""
    both = pd.get_dummies(pd.concat([train, test]).drop(columns=target), dtype=float)
    scaled = StandardScaler().fit(both.iloc[: len(train)]).transform(both)
    return scaled[: len(train)], scaled[len(train) :]


def score(train: pd.DataFrame, test: pd.DataFrame, target: str) -> float:
    """Mean over both learners of the explained variance of a number, or of the errors avoided of a category; at least 0."""
    (X, T), y, truth = predictors(train, test, target), train[target], test[target]
    if pd.api.types.is_numeric_dtype(y):
        learners = [RidgeCV(PENALTIES), HistGradientBoostingRegressor(max_iter=40, random_state=SEED)]
        least = float(np.square(truth - truth.mean()).mean())
        errors = [float(np.square(truth - learner.fit(X, y).predict(T)).mean()) for learner in learners]
    else:
        learners = [LogisticRegression(max_iter=300), HistGradientBoostingClassifier(max_iter=40, random_state=SEED)]
        least = float((truth != truth.mode()[0]).mean())
        errors = [float((truth != learner.fit(X, y).predict(T)).mean()) for learner in learners]
    return float(np.mean([max(0.0, 1 - error / least) for error in errors])) if least else 0.0


def utility(frame: pd.DataFrame, roles: pf.Roles, method: pf.Method) -> float:
    """The score of a release of half of the records, divided by that of the same half of the original."""
    order = np.random.default_rng(SEED).permutation(len(frame))
    members, others = (frame.iloc[np.sort(part)].reset_index(drop=True) for part in np.array_split(order, 2))
    named = [*roles.independent, *roles.dependent]
    release = pf.protect(members, method, roles, seed=SEED, allow_unprotected=True).frame
    scores = [[score(train[named], others[named], y) for y in roles.dependent] for train in (release, members)]
    return float(np.sum(scores[0]) / np.sum(scores[1]))


def row(frame: pd.DataFrame, roles: pf.Roles, method: pf.Method) -> dict[str, Any]:
    """The figures of one method on one file. held : failed tests; seeds here are fixed, and `seed` is no finding."""
    release = pf.protect(frame, method, roles, seed=SEED, allow_unprotected=True)
    report = pf.evaluate(frame, release)
    held = [test.key for test in report.verdict.tests if test.status == "hold" and test.key != "seed"]
    groups = max((abs(mean.difference) for mean in report.groups if mean.difference == mean.difference), default=0.0)
    return {
        "utility": utility(frame, roles, method),
        "PIL": report["pil"],
        "attributable DR": report.verdict["risk"].found[0],
        "group means, se": groups,
        "held": ", ".join(held) or "-",
    }


def markdown(table: pd.DataFrame) -> str:
    """A data frame as a table of Markdown."""
    cells = [list(table), ["---"] * table.shape[1], *(map(str, row) for row in table.round(2).itertuples(index=False))]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def main() -> None:
    """Print one row for each file and method, and the means of each method, the figures of docs/recommended.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--census", default=os.environ.get("PYFCRM_CENSUS"))
    warnings.simplefilter("ignore")
    rows = [
        {"file": f"{name}, {len(frame)}", "method": label, **row(frame, roles, method)}
        for name, (frame, roles) in files(parser.parse_args().census).items()
        for label, method in METHODS.items()
    ]
    table = pd.DataFrame(rows)
    means = table.groupby("method", sort=False)[["utility", "PIL", "attributable DR"]].mean().reset_index()
    print(markdown(means), markdown(table), sep="\n\n")


if __name__ == "__main__":
    main()

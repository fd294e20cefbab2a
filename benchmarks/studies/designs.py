"""Do users of a release have the standard errors of its sampling design? 200 estimates, and the coverage of their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from own_study import Outcome, OwnStudy, Sheet, main

from pyfcrm import Calibrated, Roles, RStream, combine, protect
from pyfcrm.data import open_data
from pyfcrm.evaluation.utility.combining import Estimates as Coefficients
from pyfcrm.evaluation.utility.sampling import sampling_design
from pyfcrm.numerics.sampling_variance.design import SamplingDesign
from pyfcrm.numerics.sampling_variance.estimates import Estimates, means, ratios, totals
from pyfcrm.numerics.sampling_variance.regression import design_regression
from pyfcrm.progress import Progress, report_progress
from pyfcrm.types import Array, Mask

STRATA, VILLAGES, PEOPLE = 20, 40, 60  # of the population: villages in a stratum, people in a village
NUMBERS = ("wage", "wealth", "spend")
LEVELS = (("job", "a"), ("job", "b"), ("union", "yes"))
ROLES = Roles(
    ["age", "sex", "school"], [*NUMBERS, "job", "union"], weight="w", psu="village", sampling_stratum="stratum"
)
GROUPS = 5  # of four strata each, the last domains
IN_GROUPS = " in four strata"
METHODS: dict[str, Calibrated | None] = {
    "without effects": Calibrated(basis="linear"),
    "default": Calibrated(),
    "law": None,
}
AGAIN = 100  # seed of a draw from the law
FILES = 3
COPIES = 5
COMBINED = f"default, {COPIES} copies combined"
DRAWN = (5, 30)  # villages of a stratum and people of a village in a file
SAMPLES = 60
SAMPLE = (3, 12)  # the same in a sample of the coverage
NEAR_ERROR, NEAR_ESTIMATE, T95 = 0.2, 2.0, 0.95
COVERAGE = (93.0, 97.0)
REMARKS = (
    "An estimate is near if its standard error is within 20 per cent of the original's and it lies within 2 of them. Strata, villages and "
    "weights are released unchanged.",
    "Law: confidential columns drawn again from the law of the population, given predictors and the true effects of villages.",
    "Four strata have 20 to 24 villages. A standard error with 16 to 20 degrees of freedom has itself one of about 17 per cent. A fifth of "
    "such standard errors is not within 20 per cent even in a draw from the law.",
    "Copies: estimates of five releases combined by T = v + b/5 (Reiter 2003), v the mean of the variances of the design.",
)


def population(seed: int, again: int | None = None) -> pd.DataFrame:
    """People of villages in strata. Strata, villages and predictors all move the confidential columns.

    again : seed of another draw of these columns from the same law, given predictors and villages; None for the population itself.
    """
    rng = np.random.default_rng(seed)
    n = STRATA * VILLAGES * PEOPLE
    village = np.repeat(np.arange(STRATA * VILLAGES), PEOPLE)
    stratum = village // VILLAGES
    wealth_of_village, wage_of_village, union_of_village = rng.normal(size=(3, STRATA * VILLAGES))
    age = rng.integers(18, 80, n)
    school = rng.integers(0, 3, n)
    sex = rng.integers(0, 2, n)
    if again is not None:
        rng = np.random.default_rng(again)
    wage = 20 + 0.2 * age + 4 * school + 3 * sex + 0.3 * stratum + 3 * wage_of_village[village] + 8 * rng.normal(size=n)
    wealth = np.exp(2 + 0.02 * wage + 0.01 * age + 0.3 * wealth_of_village[village] + 0.7 * rng.normal(size=n))
    spend = 5 + 0.5 * wage + 0.1 * wealth + 2 * wage_of_village[village] + 4 * rng.normal(size=n)
    log_odds = -1 + 0.5 * school + 0.8 * union_of_village[village]
    union = rng.random(n) < 1 / (1 + np.exp(-log_odds))
    job = np.array(["a", "b", "c"])[np.clip((wage / 20 + 0.5 * rng.normal(size=n)).astype(int), 0, 2)]
    return pd.DataFrame({
        "stratum": stratum, "village": village % VILLAGES, "age": age, "sex": np.array(["f", "m"])[sex],
        "school": np.array(["low", "mid", "high"])[school], "wage": wage.round(2), "wealth": wealth.round(2),
        "spend": spend.round(2), "job": job, "union": np.where(union, "yes", "no"),
    })  # fmt: skip


def drawn(people: pd.DataFrame, size: tuple[int, int], seed: int) -> pd.DataFrame:
    """A sample: in stratum h so many villages and one more for every tenth stratum, so many people of each, with their weights."""
    rng = np.random.default_rng(seed)
    villages, persons = size
    parts = []
    for h in range(STRATA):
        number = villages + h // 10
        chosen = rng.permutation(VILLAGES)[:number]
        for village in chosen:
            first = (h * VILLAGES + village) * PEOPLE
            part = people.iloc[first + np.sort(rng.permutation(PEOPLE)[:persons])]
            parts.append(part.assign(w=VILLAGES / number * PEOPLE / persons))
    return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True)
class File:
    """A file by its design: the columns of numbers, indicators of levels, and the domains."""

    frame: pd.DataFrame
    design: SamplingDesign

    @classmethod
    def of(cls, frame: pd.DataFrame) -> File:
        """The file of a frame with the columns of the population."""
        rows = np.ones(len(frame), dtype=bool)
        return cls(frame, sampling_design("designs", open_data("designs", frame, whole=True), ROLES, rows))

    def number(self, name: str) -> Array:
        """A column (n,)."""
        return self.frame[name].to_numpy(dtype=float)

    def level(self, name: str, level: str) -> Array:
        """The indicator (n,) of a level."""
        return (self.frame[name] == level).to_numpy(dtype=float)

    @property
    def domains(self) -> list[Mask]:
        """All records, sexes, schools, quarters of age, and groups of four strata: 15 masks (n,)."""
        frame = self.frame
        masks = [np.ones(len(frame), dtype=bool)]
        masks += [(frame.sex == value).to_numpy() for value in ("f", "m")]
        masks += [(frame.school == value).to_numpy() for value in ("low", "mid", "high")]
        masks += [((frame.age >= low) & (frame.age < low + 16)).to_numpy() for low in (18, 34, 50, 66)]
        masks += [(frame.stratum // 4 == group).to_numpy() for group in range(GROUPS)]
        return masks

    def regressors(self, *names: str) -> Array:
        """Columns (n, k): numbers, and the levels of categories but one."""
        columns = []
        for name in names:
            if name == "school":
                columns += [self.level(name, "mid"), self.level(name, "high")]
            elif name in ("sex", "union"):
                columns.append(self.level(name, "m" if name == "sex" else "yes"))
            else:
                columns.append(self.number(name))
        return np.column_stack(columns)


def estimates(file: File) -> Iterator[tuple[str, Array, Array, float]]:
    """Family, estimates (k,), standard errors (k,) and degrees of freedom, 200 estimates in all."""
    design = file.design
    outcomes = [file.number(name) for name in NUMBERS] + [file.level(*level) for level in LEVELS]
    of_totals = totals(design, np.column_stack(outcomes))
    yield "totals", of_totals.values, of_totals.se, design.freedom
    for y in outcomes:
        of_domains: Estimates = means(design, y, file.domains)
        yield "means and shares", of_domains.values[:-GROUPS], of_domains.se[:-GROUPS], design.freedom
        yield f"means and shares{IN_GROUPS}", of_domains.values[-GROUPS:], of_domains.se[-GROUPS:], design.freedom
    wage = file.number("wage")
    for name in ("spend", "wealth"):
        inside = np.column_stack(file.domains).astype(float)
        found = ratios(design, inside * file.number(name)[:, None], inside * wage[:, None])
        yield "ratios", found.values[:-GROUPS], found.se[:-GROUPS], design.freedom
        yield f"ratios{IN_GROUPS}", found.values[-GROUPS:], found.se[-GROUPS:], design.freedom
    models: list[tuple[Array, tuple[str, ...], bool]] = [
        (wage, ("age", "sex", "school"), False),
        (wage, ("age", "sex", "school", "union"), False),
        (np.log(np.maximum(file.number("wealth"), 0.01)), ("age", "sex", "school"), False),
        (file.number("wealth"), ("wage", "age", "sex"), False),
        (file.number("spend"), ("wage", "wealth", "sex"), False),
        (file.number("spend"), ("age", "sex", "school", "union"), False),
        (file.number("spend"), ("wage", "age", "school"), False),
        (file.level("union", "yes"), ("age", "sex", "school"), True),
        (file.level("union", "yes"), ("wage", "sex"), True),
        (file.level("job", "a"), ("age", "sex", "school"), True),
        (file.level("job", "b"), ("age", "sex", "school", "union"), True),
        (np.log(np.maximum(file.number("wealth"), 0.01)), ("wage", "school", "sex"), False),
        (file.number("spend"), ("union", "sex"), False),
        (wage, ("wealth", "spend", "sex"), False),
        (file.level("union", "yes"), ("age", "school", "wage"), True),
        (file.level("job", "a"), ("age", "wealth"), True),
    ]
    for y, names, of_log_odds in models:
        fit, _ = design_regression("designs", file.regressors(*names), y, design, of_log_odds=of_log_odds)
        yield "logits" if of_log_odds else "regressions", fit.coef, fit.se, fit.freedom


@dataclass(frozen=True)
class Answers:
    """All estimates of a file."""

    families: list[str]
    values: Array
    errors: Array

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Answers:
        """Those of a frame."""
        parts = list(estimates(File.of(frame)))
        families = [family for family, values, _, _ in parts for _ in values]
        return cls(families, np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts]))


def run_files(progress: Progress | None) -> list[dict[str, Any]]:
    """For each method and family the per cent of estimates that are near the original's, over all files."""
    found: list[tuple[str, str, bool, bool, float]] = []
    for k in range(FILES):
        frame = drawn(population(k + 1), DRAWN, k + 1)
        original = Answers.of(frame)
        for name, method in METHODS.items():
            report_progress(progress, k, FILES, name)
            if method is None:
                file = drawn(population(k + 1, AGAIN + k), DRAWN, k + 1)
            else:
                file = protect(frame, method, ROLES, RStream(k + 1)).frame
            released = Answers.of(file)
            ratio = released.errors / original.errors
            z = (released.values - original.values) / original.errors
            for family, r, distance in zip(original.families, ratio, z, strict=True):
                found.append((name, family, abs(r - 1) <= NEAR_ERROR, abs(distance) <= NEAR_ESTIMATE, r))
    table = pd.DataFrame(found, columns=["method", "family", "error", "estimate", "ratio"])
    table["near"] = table.error & table.estimate
    every = table.assign(family="all")
    rows = []
    for (method, family), part in pd.concat([every, table]).groupby(["method", "family"], sort=False):
        rows.append({
            "method": method, "family": family, "estimates": len(part) // FILES, "near": 100 * part.near.mean(),
            "errors near": 100 * part.error.mean(), "estimates near": 100 * part.estimate.mean(), "median ratio": part.ratio.median(),
        })  # fmt: skip
    return rows


def run_coverage(progress: Progress | None) -> list[dict[str, Any]]:
    """For the original, each method, and copies of the default the per cent of 95 % intervals that have the population's value.

    Over samples and estimates.
    """
    from scipy.stats import t as student

    people = population(1)
    truth = Answers.of(people.assign(w=1.0))
    methods = {name: method for name, method in METHODS.items() if method is not None}
    covered: dict[str, list[float]] = {name: [] for name in ("original", *methods, COMBINED)}
    for k in range(SAMPLES):
        report_progress(progress, k, SAMPLES, "samples")
        sample = drawn(people, SAMPLE, 1000 + k)
        of_sample = list(estimates(File.of(sample)))
        for name in ("original", *methods):
            copies = COPIES if name == "default" else 1
            files = [of_sample]
            if name != "original":
                released = protect(sample, methods[name], ROLES, RStream(k + 1), copies=copies)
                files = [list(estimates(File.of(copy))) for copy in released.frames]
            half = np.concatenate([student.ppf((1 + T95) / 2, freedom) * se for _, _, se, freedom in files[0]])
            values = np.concatenate([values for _, values, _, _ in files[0]])
            covered[name].append(float(np.mean(np.abs(values - truth.values) <= half)))
            if copies > 1:
                low, high = _combined(files)
                covered[COMBINED].append(float(np.mean((low <= truth.values) & (truth.values <= high))))
    return [
        {
            "file": name,
            "coverage": 100 * float(np.mean(shares)),
            "standard error": 100 * float(np.std(shares) / np.sqrt(SAMPLES)),
        }
        for name, shares in covered.items()
    ]


def _combined(copies: list[list[tuple[str, Array, Array, float]]]) -> tuple[Array, Array]:
    """The ends (k,) of the 95 % intervals of the estimates of copies, combined family by family."""
    results = []
    for parts in zip(*copies, strict=True):
        terms = tuple(map(str, range(len(parts[0][1]))))
        fits = [Coefficients(terms, values, se, freedom=int(freedom)) for _, values, se, freedom in parts]
        results.append(combine(fits, "partial"))
    return np.concatenate([result.low for result in results]), np.concatenate([result.high for result in results])


def goals(rows: list[dict[str, Any]], coverage: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The goals, of the default."""
    near = next(row["near"] for row in rows if (row["method"], row["family"]) == ("default", "all"))
    covered = {row["file"]: row["coverage"] for row in coverage}
    low, high = COVERAGE
    return [
        {"goal": "estimates near, at least", "limit": 95.0, "measured": near, "reached": near >= 95.0},
        *(
            {
                "goal": f"coverage, 93 to 97: {name}",
                "limit": low,
                "measured": covered[name],
                "reached": low <= covered[name] <= high,
            }
            for name in ("default", COMBINED)
        ),
    ]


def reproduce(data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
    """Files, samples and goals."""
    rows = run_files(progress)
    coverage = run_coverage(progress)
    judged = goals(rows, coverage)
    return Outcome(
        seeds=tuple(range(1, FILES + 1)),
        rows=rows,
        sheets=[
            Sheet(title, list(table[0]), [list(row.values()) for row in table])
            for title, table in ((STUDY.title, rows), ("Coverage of 95 % intervals", coverage), ("Goals", judged))
        ],
        notes=REMARKS,
        tables=dict(zip(STUDY.files, (rows, coverage, judged), strict=True)),
        more={"goals": judged},
        holds=all(goal["reached"] for goal in judged),
    )


STUDY = OwnStudy(
    "designs", "Standard errors of a sampling design: per cent of estimates near the original's",
    ("designs.csv", "designs-coverage.csv", "designs-goals.csv"), lambda census: None, reproduce,
)  # fmt: skip
if __name__ == "__main__":
    main(STUDY)

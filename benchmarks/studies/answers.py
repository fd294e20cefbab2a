"""Do users of a release come to the same answers? 200 analyses of four files, from the originals and from each family's
releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from own_study import Outcome, OwnStudy, Sheet, main

from pyfcrm import (
    EGADP,
    FCRM,
    GADP,
    IPSO,
    Calibrated,
    Microaggregation,
    Noise,
    RankSwapping,
    Roles,
    RStream,
    Shuffling,
    datasets,
    evaluate,
    protect,
)
from pyfcrm.numerics.least_squares import Fit, least_squares
from pyfcrm.progress import Progress, report_progress

RECORDS = 5_000
EQUAL, NEAR = 1e-9, 0.01  # relative to the coefficient, and in standard errors
REACHED, NOT_REACHED, MISSED = "reached", "not reached", "MISSED"
IPSO_KEEPING, SWAPS_KEEPING = "IPSO-C, weights and preserve", "swaps of IPSO-C, weights and preserve"
IPSO_PLAIN, SWAPS_PLAIN = "IPSO-C", "swaps of IPSO-C"
SWAPS = Calibrated(IPSO("C"))
SETTINGS: dict[str, tuple[Any, bool]] = {
    IPSO_PLAIN: (IPSO("C"), False),
    IPSO_KEEPING: (IPSO("C"), True),
    "IPSO-B, weights and preserve": (IPSO("B"), True),
    "EGADP, weights and preserve": (EGADP(), True),
    "GADP, weights and preserve": (GADP(), True),
    SWAPS_PLAIN: (SWAPS, False),
    SWAPS_KEEPING: (SWAPS, True),
    "FCRM predict, c=8": (FCRM(8), False),
    "FCRM draw, c=2": (FCRM(2, release="draw"), False),
    "FCRM model": (FCRM(None, release="model"), False),
    "sdcMicro's noise, 50 %": (Noise("uncorrelated", 50), False),
    "sdcMicro's rank swapping, p=5": (RankSwapping(5, form="sdcmicro"), False),
    "sdcMicro's MDAV, k=3": (Microaggregation(3), False),
    "sdcMicro's shuffling": (Shuffling(), False),
}
JUDGED = (IPSO_PLAIN, IPSO_KEEPING, SWAPS_PLAIN, SWAPS_KEEPING)  # by PIL and SCORE
PLAIN = {IPSO_KEEPING: IPSO_PLAIN, SWAPS_KEEPING: SWAPS_PLAIN}  # without weights and preserve
# Goal, setting, quantity of its row, limit; and where the limit is known not to be reached, what is, and why no more.
GOALS: tuple[tuple[str, str, str, float, float, str], ...] = (
    ("equal to 1e-9", IPSO_KEEPING, "equal", 150, 150, ""),
    (
        "within half a standard error", IPSO_KEEPING, "within_0.5", 200, 170,
        "a linear design keeps no weighted or domain product of two released columns, which regressions among them need",
    ),
    (
        "within 0.01 standard errors", SWAPS_KEEPING, "within_0.01", 200, 160,
        "in `enterprises` single firms have most of such a sum, which smoothed margins change; two files are reached whole",
    ),
    ("PIL paid, at most", IPSO_KEEPING, "pil", 0.2, 0.2, ""),
    ("SCORE paid, at most", IPSO_KEEPING, "score", 0.2, 0.2, ""),
    ("PIL paid, at most", SWAPS_KEEPING, "pil", 0.2, 0.2, ""),
    (
        "SCORE paid, at most", SWAPS_KEEPING, "score", 0.2, 1.0,
        "more preserved sums disclose more of who holds which value: linkage and intervals find more records",
    ),
)  # fmt: skip
REMARKS = (
    "An answer is the coefficients of one regression, or a total. equal: each to 1e-9 of itself. Distances are the largest of its "
    "coefficients, in the original's standard errors.",
    "The same conclusion: each slope has the sign, and is or is not different from 0 at 5 per cent, as in the original; a total lies in "
    "the original's 95 % interval.",
    "Releases are taken before integer columns are rounded, with one seed; the analyses and files were written down before "
    "any was measured.",
)


@dataclass(frozen=True)
class Analysis:
    """One of the 200. kind : a section of answers.txt; terms : the response and its regressors, none for a total; level : of the file's
    domain, None for all records."""

    kind: str
    file: str
    terms: tuple[str, ...]
    weighted: bool
    level: str | None


@dataclass(frozen=True)
class File:
    """One of the four: its frame, its columns by role, and its columns of weights and of domains."""

    frame: Any
    roles: Roles
    weights: str
    domain: str


def analyses() -> tuple[Analysis, ...]:
    """All of them, in their order. A line of answers.txt has the file, the regression (on 1: the total), whether it is
    weighted, and the level of the file's domain; it was written before any analysis was measured."""
    lines, kind = [], ""
    for line in (Path(__file__).parent / "answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind = line[1:-1]
            continue
        file, _, rest = line.partition(": ")
        rest, _, level = rest.partition(" in ")
        formula = rest.removesuffix(" weighted")
        y, _, others = formula.partition(" ~ ")
        terms = (y,) if others == "1" else (y, *others.split(" + "))
        lines.append(Analysis(kind, file, terms, rest != formula, level or None))
    return tuple(lines)


def files(n: int = RECORDS) -> dict[str, File]:
    """The four files of n records. Weights are a design's, or depend on what is protected; domains are regions, or classes."""
    census, firms, accounts = datasets.census_like(n), datasets.enterprises(n), datasets.accounts(n)
    census["BAND"] = _classes(census["AGI"])
    firms["CLASS"] = _classes(firms["EMPLOYEES"] + firms["AGE"])
    firms["WEIGHT"] = 1 + 20 / np.sqrt(firms["EMPLOYEES"])
    stream = RStream(1)
    accounts["BRANCH"] = np.array(["a", "b", "c"])[(3 * stream.runif(n)).astype(int)]
    accounts["WEIGHT"] = np.sqrt(1 + accounts["DEPOSITS"] / 10_000) * np.exp(0.3 * stream.rnorm(n))
    taxes = Roles(["AGI", "POTHVAL", "PEARNVAL"], ["FEDTAX", "STATETAX", "TAXINC", "FICA"])
    firm = Roles(["EMPLOYEES", "AGE", "ASSETS"], ["TURNOVER", "PURCHASES", "PAYROLL"])
    account = Roles(["AGE", "INCOME", "RISK"], ["DEPOSITS", "DEBT", "FLOW", "TRANSACTIONS"])
    household = Roles(["age", "hours", "size"], ["wage", "rent", "tax"], ["name"])
    return {
        "survey": File(datasets.survey(n), household, "weight", "region"),
        "census_like": File(census, taxes, "AFNLWGT", "BAND"),
        "enterprises": File(firms, firm, "WEIGHT", "CLASS"),
        "accounts": File(accounts, account, "WEIGHT", "BRANCH"),
    }


def _classes(values: Any) -> Any:
    """(n,) a, b or c: the lower half, the next three tenths, and the rest."""
    return np.array(["a", "b", "c"])[np.searchsorted(np.quantile(values, [0.5, 0.8]), values)]


@dataclass(frozen=True)
class Answer:
    """One analysis on one release: whether it is equal, how far off it is in standard errors, whether one concludes the same."""

    analysis: Analysis
    equal: bool
    distance: float
    same: bool


def fitted(file: File, frame: Any, asked: Analysis) -> Fit:
    """The analysis on an original or a release of the file."""
    rows = np.ones(len(frame), bool) if asked.level is None else np.asarray(frame[file.domain] == asked.level)
    part = frame.loc[rows, list(asked.terms)].to_numpy(dtype=np.float64)
    weights = frame.loc[rows, file.weights].to_numpy(dtype=np.float64) if asked.weighted else None
    return least_squares("answers", part[:, 1:], part[:, 0], weights)


def compared(asked: Analysis, original: Fit, release: Fit) -> Answer:
    """The two fits of one analysis."""
    off = np.abs(release.coef - original.coef)
    distance = float(np.max(off / original.se))
    if len(asked.terms) > 1:
        signs = [np.where((fit.low > 0) | (fit.high < 0), np.sign(fit.coef), 0)[1:] for fit in (original, release)]
        same = bool((signs[0] == signs[1]).all())
    else:
        same = bool(original.low[0] <= release.coef[0] <= original.high[0])
    return Answer(asked, bool((off <= EQUAL * np.abs(original.coef)).all()), distance, same)


def run(of: Mapping[str, File], seed: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """One row for each setting: counts of the 200 answers, distances, and PIL and SCORE of JUDGED."""
    rows, total = list[dict[str, Any]](), len(SETTINGS) * len(of)
    original = {
        analysis: fitted(of[analysis.file], of[analysis.file].frame, analysis)
        for analysis in analyses()
        if analysis.file in of
    }
    for i, (setting, (method, keeping)) in enumerate(SETTINGS.items()):
        answers, judged = list[Answer](), list[tuple[float, float]]()
        for k, (name, file) in enumerate(of.items()):
            report_progress(progress, i * len(of) + k, total, f"{setting}: {name}")
            options: dict[str, Any] = {"weights": file.weights, "preserve": file.domain} if keeping else {}
            options |= {"missing": "protect", "variables": "numbers", "allow_unprotected": True}
            released = protect(file.frame, method, file.roles, seed, **options).frame
            answers += [
                compared(analysis, fit, fitted(file, released, analysis))
                for analysis, fit in original.items()
                if analysis.file == name
            ]
            if setting in JUDGED:
                report = evaluate(
                    file.frame, released, file.roles.dependent, ["pil", "dbrl", "prl", "id", "dr", "score"]
                )
                judged.append((report["pil"], report["score"]))
        rows.append(_row(setting, answers, judged))
    report_progress(progress, total, total, "done")
    return rows


def _row(setting: str, found: list[Answer], judged: list[tuple[float, float]]) -> dict[str, Any]:
    distances = np.array([one.distance for one in found])
    row: dict[str, Any] = {"setting": setting, "analyses": len(found), "equal": sum(one.equal for one in found)}
    row |= {f"within_{limit:g}": int((distances <= limit).sum()) for limit in (NEAR, 0.5, 1.0)}
    row |= {"same": sum(one.same for one in found), "farthest": float(distances.max())}
    pil, score = np.mean(judged, axis=0).tolist() if judged else (None, None)
    return row | {"pil": pil, "score": score}


def goals(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The goals, each with the measured value and whether it is reached, missed, or not reached for a known reason."""
    by, judged = {row["setting"]: row for row in rows}, []
    for goal, setting, quantity, limit, known, _ in GOALS:
        row = by[setting]
        if quantity in ("pil", "score"):
            value, sign = row[quantity] - by[PLAIN[setting]][quantity], -1
        else:
            value, sign = 200 * row[quantity] / row["analyses"], 1
        reached = [sign * value >= sign * bound for bound in (limit, known)]
        verdict = REACHED if reached[0] else NOT_REACHED if reached[1] else MISSED
        judged.append({"goal": goal, "of": setting, "limit": limit, "measured": value, "verdict": verdict})
    return judged


def reproduce(data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
    """Every setting on every file with the first seed, and the goals. It holds if no goal is missed without a known reason."""
    seed = 1 if seeds is None else seeds[0]
    rows = run(data, seed, progress)
    judged = goals(rows)
    head = ("setting", "equal", "within_0.01", "within_0.5", "within_1", "same", "farthest", "pil", "score")
    return Outcome(
        seeds=(seed,),
        rows=rows,
        sheets=[
            Sheet(STUDY.title, head, [[row[name] for name in head] for row in rows]),
            Sheet("Goals", list(judged[0]), [list(goal.values()) for goal in judged]),
        ],
        notes=[*(f"Not reached: {goal} ({of}). Why: {why}." for goal, of, *_, why in GOALS if why), *REMARKS],
        tables=dict(zip(STUDY.files, (rows, judged), strict=True)),
        more={"goals": judged},
        holds=all(one["verdict"] != MISSED for one in judged),
    )


STUDY = OwnStudy(
    "answers", "The same answers: of 200 analyses, how many a release gives as its original does",
    ("answers.csv", "answers-goals.csv"), lambda census: files(), reproduce,
)  # fmt: skip
if __name__ == "__main__":
    main(STUDY)

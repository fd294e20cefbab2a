"""Do users of a release come to the same answers? 200 analyses of four files, from the originals and from each family's
releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluation.evaluate import evaluate
from ..methods import EGADP, FCRM, GADP, IPSO, Calibrated, Method, Microaggregation, Noise, RankSwapping, Shuffling
from ..numerics.least_squares import Fit, least_squares
from ..progress import Progress
from ..protection.protect import protect
from .answers_asked import Analysis, File, analyses, files
from .study import Outcome, Sheet, Study

EQUAL, NEAR = 1e-9, 0.01  # relative to the coefficient, and in standard errors
REACHED, NOT_REACHED, MISSED = "reached", "not reached", "MISSED"
IPSO_KEEPING, SWAPS_KEEPING = "IPSO-C, weights and preserve", "swaps of IPSO-C, weights and preserve"
IPSO_PLAIN, SWAPS_PLAIN = "IPSO-C", "swaps of IPSO-C"
SWAPS = Calibrated(IPSO("C"), margins="original")
SETTINGS: dict[str, tuple[Method, bool]] = {
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
HALF, HUNDREDTH, PAID = "within half a standard error", "within 0.01 standard errors", "SCORE paid, at most"
# Goals that are known not to be reached: what is, and why no more.
KNOWN: dict[tuple[str, str], tuple[float, str]] = {
    (HALF, IPSO_KEEPING): (
        170,
        "a linear design keeps no weighted or domain product of two released columns, which regressions among them need",
    ),
    (HUNDREDTH, SWAPS_KEEPING): (
        185,
        "in `enterprises` single firms have most of such a sum, and columns nearly determine each other; the other three files "
        "are reached whole",
    ),
    (PAID, SWAPS_KEEPING): (1.0, "who holds which value is told by more sums: linkage and intervals find more records"),
}
REMARKS = (
    "An answer is the coefficients of one regression, or a total. equal: each to 1e-9 of itself. Distances are the largest of its "
    "coefficients, in the original's standard errors.",
    "The same conclusion: each slope has the sign, and is or is not different from 0 at 5 per cent, as in the original; a total lies in "
    "the original's 95 % interval.",
    "Releases are taken before integer columns are rounded, with one seed; the analyses and files were written down before "
    "any was measured.",
)


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
    off, k = np.abs(release.coef - original.coef), int(len(asked.terms) > 1)
    distance = float(np.max(off / original.se))
    if k:
        signs = [np.where((fit.low > 0) | (fit.high < 0), np.sign(fit.coef), 0)[1:] for fit in (original, release)]
        same = bool((signs[0] == signs[1]).all())
    else:
        same = bool(original.low[0] <= release.coef[0] <= original.high[0])
    return Answer(asked, bool((off <= EQUAL * np.abs(original.coef)).all()), distance, same)


def run(of: Mapping[str, File], seed: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """One row a setting: shares of the 200 answers, distances, and PIL and SCORE where they are judged."""
    wanted, rows, total = analyses(), list[dict[str, Any]](), len(SETTINGS) * len(of)
    before = {asked: fitted(of[asked.file], of[asked.file].frame, asked) for asked in wanted if asked.file in of}
    for i, (setting, (method, keeping)) in enumerate(SETTINGS.items()):
        found, judged = list[Answer](), list[tuple[float, float]]()
        for k, (name, file) in enumerate(of.items()):
            if progress is not None:
                progress(i * len(of) + k, total, f"{setting}: {name}")
            more = {"weights": file.weights, "preserve": file.domain} if keeping else {}
            known: dict[str, Any] = {"missing": "protect", "round_integers": False, **more}
            released = protect(file.frame, method, file.roles, seed, **known).frame
            found += [
                compared(one, fit, fitted(file, released, one)) for one, fit in before.items() if one.file == name
            ]
            if setting in JUDGED:
                report = evaluate(
                    file.frame, released, file.roles.dependent, ["pil", "dbrl", "prl", "id", "dr", "score"]
                )
                judged.append((report["pil"], report["score"]))
        rows.append(_row(setting, found, judged))
    if progress is not None:
        progress(total, total, "done")
    return rows


def _row(setting: str, found: list[Answer], judged: list[tuple[float, float]]) -> dict[str, Any]:
    distances = np.array([one.distance for one in found])
    row: dict[str, Any] = {"setting": setting, "analyses": len(found), "equal": sum(one.equal for one in found)}
    row |= {f"within_{limit:g}": int((distances <= limit).sum()) for limit in (NEAR, 0.5, 1.0)}
    row |= {"same": sum(one.same for one in found), "farthest": float(distances.max())}
    for kind in dict.fromkeys(one.analysis.kind for one in found):
        of_kind = [one for one in found if one.analysis.kind == kind]
        row[f"{kind}, equal"] = sum(one.equal for one in of_kind)
        row[f"{kind}, farthest"] = max(one.distance for one in of_kind)
    pil, score = np.mean(judged, axis=0).tolist() if judged else (None, None)
    return row | {"pil": pil, "score": score}


def goals(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The goals of the issue, each with what was measured and whether it is reached."""
    by = {row["setting"]: row for row in rows}
    ipso, swaps = by[IPSO_KEEPING], by[SWAPS_KEEPING]
    paid = {
        (now, key): by[now][key] - by[plain][key]
        for now, plain in ((IPSO_KEEPING, IPSO_PLAIN), (SWAPS_KEEPING, SWAPS_PLAIN))
        for key in ("pil", "score")
    }
    total = ipso["analyses"]
    made = [
        ("equal to 1e-9", IPSO_KEEPING, 0.75 * total, ipso["equal"]),
        (HALF, IPSO_KEEPING, total, ipso["within_0.5"]),
        (HUNDREDTH, SWAPS_KEEPING, total, swaps["within_0.01"]),
        *((f"{key.upper()} paid, at most", now, 0.2, value) for (now, key), value in paid.items()),
    ]
    return [
        {"goal": goal, "of": of, "limit": limit, "measured": value, "verdict": _verdict(goal, of, limit, value, total)}
        for goal, of, limit, value in made
    ]


def _verdict(goal: str, of: str, limit: float, value: float, total: int) -> str:
    """REACHED; NOT_REACHED where that is known, and what is reached is what was; else MISSED."""
    sign = -1 if "at most" in goal else 1
    if sign * value >= sign * limit:
        return REACHED
    known = KNOWN.get((goal, of), (None, ""))[0]
    if known is None:
        return MISSED
    return NOT_REACHED if sign * value >= sign * known * (total / 200 if sign > 0 else 1) else MISSED


@dataclass(frozen=True)
class AnswerStudy(Study):
    """It holds where no goal is missed but those of which it is known why."""

    @property
    def files(self) -> tuple[str, ...]:
        """The settings, and the goals."""
        return f"{self.key}.csv", f"{self.key}-goals.csv"

    def opened(self, census: str | None) -> Mapping[str, File]:
        """The four simulated files; the Census file is none of them."""
        return files()

    def reproduced(self, data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
        """Every setting on every file with the first seed, and the goals."""
        seed = 1 if seeds is None else seeds[0]
        rows = run(data, seed, progress)
        made = goals(rows)
        head = ("equal", "within_0.01", "within_0.5", "within_1", "same", "farthest", "pil", "score")
        cells = [(row["setting"], *(_cell(row[name]) for name in head)) for row in rows]
        below = [(one["goal"], one["of"], _cell(one["limit"]), _cell(one["measured"]), one["verdict"]) for one in made]
        return Outcome(
            seeds=(seed,),
            rows=rows,
            sheets=[
                Sheet(self.title, ("method", *(name.replace("_", " ") for name in head)), cells),
                Sheet("How far it must go", ("goal", "of", "limit", "measured", "verdict"), below, left=2),
            ],
            notes=[*(f"Not reached: {goal} ({of}). Why: {why}." for (goal, of), (_, why) in KNOWN.items()), *REMARKS],
            tables=dict(zip(self.files, (rows, made), strict=True)),
            more={"goals": made},
            holds=all(one["verdict"] != MISSED for one in made),
        )


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:d}" if isinstance(value, int) else f"{value:.3g}"


STUDY = AnswerStudy(
    key="answers", title="The same answers: of 200 analyses, how many a release gives as its original does"
)

"""The reasons of a recommendation: sentences that a statistician can check against its table."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Count
from ..evaluation.verdict import Test
from .candidates import ATTRIBUTABLE, Candidate

FILE_TESTS = ("sample_uniques", "key_risk")  # of the columns released unchanged: the method changes nothing
REMEDY = "Coarsen or drop columns that are released unchanged, or name in `unknown` those that no intruder knows."


def reasons(
    best: Candidate | None,
    second: Candidate | None,
    nearest: Sequence[Candidate],
    candidates: Sequence[Candidate],
    shortlist: Sequence[Candidate],
    set_aside: int,
) -> tuple[str, ...]:
    """Three to six sentences. shortlist : the candidates whose figures are of fresh seeds; set_aside : how many had none."""
    if best is None:
        said = [f"None of {_counted(candidates)} passes every test of the verdict.", *map(_near, nearest)]
        said += _of_the_file(nearest)
    else:
        said = [_chosen(best, candidates), _risk(best), _second(best, second), *_rejected(best, candidates)]
    return (*said, _search(candidates, shortlist, set_aside))


def _chosen(best: Candidate, candidates: Sequence[Candidate]) -> str:
    return f"Of {_counted(candidates)}, {best.method} loses the least information among those that pass: PIL {_figure(best, 'pil')}."


def _risk(best: Candidate) -> str:
    inference = best.report.inference.get("dr")
    text = f"Its disclosure risk DR is {_figure(best, 'dr')}"
    if inference is not None:
        text += f"; releases without the records' own values have {inference:.2f}"
    return f"{text}. The attributable risk is {best[ATTRIBUTABLE]:.2f} points."


def _second(best: Candidate, second: Candidate | None) -> str:
    if second is None:
        return "No other method that passes has clearly less attributable risk at a similar loss."
    return f"{second.method} has less attributable risk, {second[ATTRIBUTABLE]:.2f} points, at PIL {_figure(second, 'pil')}."


def _rejected(best: Candidate, candidates: Sequence[Candidate]) -> list[str]:
    """The method of least loss, where it fails."""
    least = min(candidates, key=lambda one: one["pil"])
    tests = held(least)
    if least["pil"] >= best["pil"] or not tests:
        return []
    return [f"{least.method} loses less, PIL {_figure(least, 'pil')}, but fails: {_named(tests)}."]


def _near(candidate: Candidate) -> str:
    tests = held(candidate)
    missing = [test for test in candidate.verdict.tests if test.status == "not examined"]
    text = f"{candidate.method}, PIL {_figure(candidate, 'pil')}, fails: {_named(tests)}"
    if not tests:
        text = f"{candidate.method}, PIL {_figure(candidate, 'pil')}, is not examined: {_named(missing)}"
    return f"{text}."


def _of_the_file(nearest: Sequence[Candidate]) -> list[str]:
    """A test that no method of the search can pass."""
    tests = [test for one in nearest[:1] for test in held(one) if test.key in FILE_TESTS]
    return [f"The method does not change {tests[0].key}: {tests[0].reason}. {REMEDY}"] if tests else []


def _search(candidates: Sequence[Candidate], shortlist: Sequence[Candidate], set_aside: int) -> str:
    seeds = len(shortlist[0].reports) if shortlist else 0
    text = (
        f"{_counted(candidates)} were tried on one seed, {len(shortlist)} of them measured on {seeds} fresh seeds, "
        "which the search did not use."
    )
    return text + (f" {set_aside} could not be used on this file." if set_aside else "")


def held(candidate: Candidate) -> list[Test]:
    """The tests that a candidate fails."""
    return [test for test in candidate.verdict.tests if test.status == "hold"]


def _named(tests: Sequence[Test]) -> str:
    return "; ".join(
        f"{test.key} {test.found_text} ({test.limit_text})" if test.found else f"{test.key} ({test.reason})"
        for test in tests
    )


def _figure(one: Candidate, key: str) -> str:
    """A mean and its standard deviation over seeds."""
    many = len(one.reports)
    return f"{one[key]:.2f} (sd {one.spread(key):.2f} over {many} seeds)" if many > 1 else f"{one[key]:.2f} (one seed)"


def _counted(candidates: Sequence[Candidate]) -> str:
    count = Count(len(candidates))
    return f"{count} {count:method|methods}"

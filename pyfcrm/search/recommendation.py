"""What recommend() returns: the method to use, or the nearest ones and the tests that they fail; and the reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..display import View
from ..errors import Count, one_line
from ..evaluation.verdict.decision import UNEXAMINED, Test, Verdict
from ..plans.limits import LIMITS
from ..rstream import RStream
from ..rstream.stream import seed_field
from .candidates import ATTRIBUTABLE, LOSSES, PANEL_ABOVE, PANEL_RMS, Candidate, Mapped, tests_of

FILE_TESTS = ("sample_uniques", "key_risk")  # tests of the columns released unchanged, whatever the method
MANY_ESTIMATES = 10.0  # per cent of estimates above 3 standard errors, beyond which a recommendation warns
CHOICES = ("best", "second", "nearest", "")


@dataclass(frozen=True, repr=False)
class Recommendation(Mapped):
    """The outcome of a search.

    Parameters
    ----------
    best : Candidate, optional
        The method of which users lose least, among those whose releases from all fresh seeds pass the verdict, its audit
        included. None where no method qualifies.
    second : Candidate, optional
        The method of least attributable risk that loses little more; None where `best` is this one.
    nearest : tuple of Candidate
        Where no method qualifies, the two that miss the least.
    reasons : tuple of str
        Three to six sentences.
    candidates : tuple of Candidate
        All methods in the order tried: those of the shortlist with figures from fresh seeds, others from the search's seed.
    seeds : tuple of int or RStream
        The fresh seeds, which repeat the releases of the shortlist. These are not for release.
    shortlist : tuple of Candidate
        Those whose figures are of fresh seeds.
    set_aside : mapping of str to str
        Methods that could not be used, with the reason.
    limits : mapping of str to tuple of float
        The limits that were changed or added.
    untried : tuple of str
        Methods that were not tried, as the file fails a test of the columns released unchanged, whatever the method.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> found = pf.recommend(frame, roles, candidates=[pf.IPSO("C")])
    >>> isinstance(found, pf.Recommendation)
    True
    """

    best: Candidate | None
    second: Candidate | None
    nearest: tuple[Candidate, ...]
    reasons: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    seeds: tuple[int | RStream, ...] = seed_field()
    shortlist: tuple[Candidate, ...] = ()
    set_aside: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    untried: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict of `best`, else of the nearest: of each test the worst outcome over the fresh seeds."""
        if self.best is not None:
            return self.best.verdict
        return self.nearest[0].verdict if self.nearest else UNEXAMINED

    @property
    def headline(self) -> str:
        """The verdict and the method."""
        method = "No method qualifies." if self.best is None else str(self.best.method)
        return f"{self.verdict.headline} {method}"

    def rows(self) -> list[dict[str, Any]]:
        """One row a method.

        Returns
        -------
        list of dict
            method, parameters, measures, attributable, their spread over fresh seeds (pil_sd, attributable_sd), how many
            fresh seeds (0: figures of the search's seed), verdict, failed (tests that are not passed), and choice: "best",
            "second", "nearest" or "".
        """
        return [
            {
                **candidate.row(),
                "pil_sd": candidate.spread("pil"),
                "attributable_sd": candidate.spread(ATTRIBUTABLE),
                "seeds": len(candidate.reports) if any(candidate is each for each in self.shortlist) else 0,
                "verdict": candidate.verdict.status,
                "failed": ", ".join(test.key for test in tests_of(candidate, "hold")),
                "choice": self.choice(candidate),
            }
            for candidate in self.candidates
        ]

    @property
    def _limit(self) -> float:
        """The limit on attributable risk."""
        return self.limits.get("risk", LIMITS["risk"].values)[0]

    def choice(self, candidate: Candidate) -> str:
        """The part for which a candidate was chosen.

        Parameters
        ----------
        candidate : Candidate
            One of the candidates.

        Returns
        -------
        str
            "best", "second" or "nearest"; empty for another.
        """
        if candidate is self.best:
            return "best"
        if candidate is self.second:
            return "second"
        if any(candidate is each for each in self.nearest):
            return "nearest"
        return ""

    def _view(self) -> View:
        shown = sorted(self.shortlist, key=lambda c: (CHOICES.index(self.choice(c)), c.loss))
        losses = [key for key in LOSSES if any(key in candidate.losses for candidate in self.candidates)]
        rows = []
        for candidate in shown:
            figures: list[float | None] = [candidate[PANEL_ABOVE], candidate[PANEL_RMS]]
            figures += [candidate.losses.get(key) for key in losses]
            figures += [candidate[ATTRIBUTABLE], candidate["dr"]]
            rows.append((self.choice(candidate), str(candidate.method), *figures, candidate.verdict.status))
        count = Count(len(self.candidates))
        return View(
            f"{count} {count:method|methods} tried; of the shortlist means over {len(self.seeds)} fresh seeds, per cent",
            (
                "choice",
                "method",
                "above 3 se",
                "rms, se",
                *(LOSSES[key] for key in losses),
                "attributable",
                "DR",
                "verdict",
            ),
            rows,
            self.reasons,
            words=2,
            lead=(self.headline,),
        )


def reasons(result: Recommendation) -> tuple[str, ...]:
    """Three to six sentences: the method or the nearest ones, and how many were tried on how many seeds."""
    count = Count(len(result.candidates))
    tried = f"{count} {count:method|methods}"
    if result.best is None:
        sentences = _reasons_of_none(result, tried)
    else:
        sentences = _reasons_of_best(result, result.best, tried)
    seeds = f"one seed, {len(result.shortlist)} of them measured on {len(result.seeds)} fresh seeds"
    last = f"{tried} {count:was|were} tried on {seeds}, which the search did not use."
    if result.set_aside:
        last += f" {len(result.set_aside)} could not be used on this file."
    if result.untried:
        last += f" {len(result.untried)} more would fail too, whatever they release, and were not tried."
    return tuple(one_line(sentence) for sentence in (*sentences, last))


def _reasons_of_none(result: Recommendation, tried: str) -> list[str]:
    """Sentences on a search in which no method qualifies. tried : the number of methods, as text."""
    sentences = [f"None of {tried} passes every test of the verdict."]
    sentences += [_near(candidate) for candidate in result.nearest]
    if result.nearest:
        failed = [test for test in tests_of(result.nearest[0], "hold") if test.key in FILE_TESTS]
        if failed:
            sentences.append(
                f"The method does not change {failed[0].key}: {failed[0].reason}. Next step: {failed[0].remedy}."
            )
    return sentences


def _reasons_of_best(result: Recommendation, best: Candidate, tried: str) -> list[str]:
    """Sentences on the best method and those beside it. tried : the number of methods, as text."""
    sentences = [
        f"Of {tried}, {best.method} costs its users least among those that pass: {_losses(best)}.",
        *_many_estimates(best),
        f"{_risk(best)}The attributable risk is {best[ATTRIBUTABLE]:.2f} points.",
    ]
    second = result.second
    if second is None:
        sentences.append("No other method that passes has clearly less attributable risk at a similar loss.")
    else:
        risk = f"{second[ATTRIBUTABLE]:.2f} points"
        sentences.append(f"{second.method} has less attributable risk, {risk}, at {_losses(second)}.")
    least = min(result.candidates, key=lambda candidate: candidate.loss)
    failed = tests_of(least, "hold")
    if least.loss < best.loss and failed:
        sentences.append(f"{least.method} loses less, {_losses(least)}, but fails: {_tests_text(failed)}.")
    return sentences


def _near(candidate: Candidate) -> str:
    """A sentence on a candidate that nearly passes: its losses and the tests that it fails."""
    failed = tests_of(candidate, "hold")
    if failed:
        outcome = f"fails: {_tests_text(failed)}"
    else:
        outcome = f"is not examined: {_tests_text(tests_of(candidate, 'not examined'))}"
    return f"{candidate.method}, {_losses(candidate)}, {outcome}."


def _tests_text(tests: Sequence[Test]) -> str:
    """Text of tests: each with its value and limit, or with its reason where it has no value."""
    texts = []
    for test in tests:
        detail = f"{test.key} {test.found_text} ({test.limit_text})" if test.found else f"{test.key} ({test.reason})"
        texts.append(detail)
    return "; ".join(texts)


def _losses(candidate: Candidate) -> str:
    """Text of a candidate's losses: of the utility panel, then of the columns, each with its spread over seeds."""
    texts = [f"{LOSSES[key]} {_figure(candidate, key)}" for key in candidate.losses]
    if candidate.report.utility is not None:
        rms = _figure(candidate, PANEL_RMS)
        texts.insert(0, f"{candidate[PANEL_ABOVE]:.0f} % of estimates above 3 standard errors, root mean square {rms}")
    return " and ".join(texts)


def _many_estimates(candidate: Candidate) -> list[str]:
    """A warning where more than 10 per cent of the estimates differ by more than 3 standard errors."""
    if not candidate[PANEL_ABOVE] > MANY_ESTIMATES:
        return []
    worst = candidate.report.utility
    named = "" if worst is None else f"; worst: {worst.worst}"
    return [f"WARNING: {candidate[PANEL_ABOVE]:.0f} % of the estimates that users make change{named}."]


def _risk(candidate: Candidate) -> str:
    """A sentence on its disclosure risk, where numbers have one."""
    if "dr" not in candidate.report.results:
        return ""
    inference = candidate.report.inference.get("dr")
    text = "" if inference is None else f"; releases without the records' own values have {inference:.2f}"
    return f"Its disclosure risk DR is {_figure(candidate, 'dr')}{text}. "


def _figure(candidate: Candidate, key: str) -> str:
    """A mean and its standard deviation over seeds."""
    many = len(candidate.reports)
    spread = f"sd {candidate.spread(key):.2f} over {many} seeds" if many > 1 else "one seed"
    return f"{candidate[key]:.2f} ({spread})"

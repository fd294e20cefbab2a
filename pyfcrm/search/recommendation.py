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
from .candidates import ATTRIBUTABLE, LOSSES, Candidate, Mapped, tests_of

FILE_TESTS = ("sample_uniques", "key_risk")  # of the columns released unchanged: the method changes nothing
REMEDY = "Coarsen or drop columns that are released unchanged, or name in `unknown` those that no intruder knows."
CHOICES = ("best", "second", "nearest", "")


@dataclass(frozen=True, repr=False)
class Recommendation(Mapped):
    """The outcome of a search.

    Parameters
    ----------
    best : Candidate, optional
        The method of least information loss whose releases from all fresh seeds pass the verdict, its audit included. None
        where no method qualifies.
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

    @property
    def verdict(self) -> Verdict:
        """Of `best`, else of the nearest: of each test the worst outcome over the fresh seeds."""
        if self.best is not None:
            return self.best.verdict
        return self.nearest[0].verdict if self.nearest else UNEXAMINED

    @property
    def headline(self) -> str:
        """The verdict and the method."""
        return f"{self.verdict.headline} {'No method qualifies.' if self.best is None else self.best.method}"

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
        """On attributable risk."""
        return self.limits.get("risk", LIMITS["risk"].values)[0]

    def choice(self, candidate: Candidate) -> str:
        """As what a candidate was chosen.

        Parameters
        ----------
        candidate : Candidate
            One of the candidates.

        Returns
        -------
        str
            "best", "second" or "nearest"; empty for another.
        """
        chosen = (("best", self.best), ("second", self.second), *(("nearest", each) for each in self.nearest))
        return next((name for name, each in chosen if each is candidate), "")

    def _view(self) -> View:
        shown = sorted(self.shortlist, key=lambda c: (CHOICES.index(self.choice(c)), c.loss))
        losses = [key for key in LOSSES if any(key in candidate.losses for candidate in self.candidates)]
        rows = [
            (self.choice(c), str(c.method), *map(c.losses.get, losses), c[ATTRIBUTABLE], c["dr"], c.verdict.status)
            for c in shown
        ]
        count = Count(len(self.candidates))
        return View(
            f"{count} {count:method|methods} tried; of the shortlist means over {len(self.seeds)} fresh seeds, per cent",
            ("choice", "method", *(LOSSES[key] for key in losses), "attributable", "DR", "verdict"),
            rows,
            self.reasons,
            words=2,
            lead=(self.headline,),
        )


def reasons(result: Recommendation) -> tuple[str, ...]:
    """Three to six sentences."""
    best, second, count = result.best, result.second, Count(len(result.candidates))
    tried = f"{count} {count:method|methods}"
    if best is None:
        sentences = [f"None of {tried} passes every test of the verdict.", *map(_near, result.nearest)]
        of_the_file = [test for each in result.nearest[:1] for test in tests_of(each, "hold") if test.key in FILE_TESTS]
        sentences += [f"The method does not change {test.key}: {test.reason}. {REMEDY}" for test in of_the_file[:1]]
    else:
        sentences = [
            f"Of {tried}, {best.method} loses the least information among those that pass: {_losses(best)}.",
            f"{_risk(best)}The attributable risk is {best[ATTRIBUTABLE]:.2f} points.",
            "No other method that passes has clearly less attributable risk at a similar loss."
            if second is None
            else f"{second.method} has less attributable risk, {second[ATTRIBUTABLE]:.2f} points, at {_losses(second)}.",
        ]
        if any(report.groups for report in best.reports):
            sentences.append(f"No mean within a group changes by more than {best.group_change:.2g} standard errors.")
        least = min(result.candidates, key=lambda candidate: candidate.loss)
        if least.loss < best.loss and (failed := tests_of(least, "hold")):
            sentences.append(f"{least.method} loses less, {_losses(least)}, but fails: {_named(failed)}.")
    seeds = f"one seed, {len(result.shortlist)} of them measured on {len(result.seeds)} fresh seeds"
    text = f"{tried} {count:was|were} tried on {seeds}, which the search did not use."
    last = f" {len(result.set_aside)} could not be used on this file." if result.set_aside else ""
    return tuple(map(one_line, (*sentences, text + last)))


def _near(candidate: Candidate) -> str:
    failed, missing = tests_of(candidate, "hold"), tests_of(candidate, "not examined")
    outcome = f"fails: {_named(failed)}" if failed else f"is not examined: {_named(missing)}"
    return f"{candidate.method}, {_losses(candidate)}, {outcome}."


def _named(tests: Sequence[Test]) -> str:
    return "; ".join(
        f"{test.key} {test.found_text} ({test.limit_text})" if test.found else f"{test.key} ({test.reason})"
        for test in tests
    )


def _losses(candidate: Candidate) -> str:
    return " and ".join(f"{LOSSES[key]} {_figure(candidate, key)}" for key in candidate.losses)


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

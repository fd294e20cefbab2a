"""What recommend() returns: the method to use, or the nearest ones and the tests that they fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..display import Shown, View, pictures
from ..errors import one_line
from ..evaluation.verdict import UNEXAMINED, Verdict
from ..plans.limits import LIMITS
from ..rstream import RStream
from ..rstream.stream import kept_start
from .candidates import ATTRIBUTABLE, Candidate
from .shown import map_rows, nondominated, on_map

if TYPE_CHECKING:
    import pandas as pd

CHOICES = ("best", "second", "nearest", "")


@dataclass(frozen=True, repr=False)
class Recommendation(Shown):
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
    shortlist : tuple of Candidate
        Those whose figures are of fresh seeds.
    set_aside : mapping of str to str
        Methods that could not be used, with the reason.
    seeds : tuple of int or RStream
        The fresh seeds, which repeat the releases of the shortlist. These are not for release.
    limits : mapping of str to tuple of float
        The limits that were changed or added.
    """

    best: Candidate | None
    second: Candidate | None
    nearest: tuple[Candidate, ...]
    reasons: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    shortlist: tuple[Candidate, ...] = ()
    set_aside: Mapping[str, str] = field(default_factory=dict)
    seeds: tuple[int | RStream, ...] = kept_start(())
    limits: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasons", tuple(map(one_line, self.reasons)))

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
        rows = []
        for one in self.candidates:
            verdict = one.verdict
            rows.append(
                {
                    "method": type(one.method).__name__,
                    "parameters": one.method.settings(),
                    **one.values,
                    "pil_sd": one.spread("pil"),
                    "attributable_sd": one.spread(ATTRIBUTABLE),
                    "seeds": len(one.reports) if any(one is each for each in self.shortlist) else 0,
                    "verdict": verdict.status,
                    "failed": ", ".join(test.key for test in verdict.tests if test.status == "hold"),
                    "choice": self._choice(one),
                }
            )
        return rows

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row a method, as `rows` has them.
        """
        import pandas as pd

        return pd.DataFrame(self.rows())

    def plot(self, title: str | None = None) -> Any:
        """Information loss against attributable disclosure risk, with its limit.

        Parameters
        ----------
        title : str, optional
            What stands above it.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.

        Raises
        ------
        MissingExtra
            Without matplotlib.
        """
        from ..plots import risk_utility_map

        shown = on_map(self.candidates, ATTRIBUTABLE)
        marks = nondominated(shown, ATTRIBUTABLE)
        return risk_utility_map(map_rows(shown, ATTRIBUTABLE), marks, title, ATTRIBUTABLE, limit=self._limit)

    @property
    def _limit(self) -> float:
        """On attributable risk."""
        return self.limits.get("risk", LIMITS["risk"].values)[0]

    def _choice(self, one: Candidate) -> str:
        """What a candidate was chosen as: one of CHOICES."""
        if one is self.best or one is self.second:
            return "best" if one is self.best else "second"
        return "nearest" if any(one is each for each in self.nearest) else ""

    def _view(self) -> View:
        shown = sorted(self.shortlist, key=lambda one: (CHOICES.index(self._choice(one)), one["pil"]))
        rows = [
            (self._choice(one), str(one.method), one["pil"], one[ATTRIBUTABLE], one.spread("pil"), one["dr"], one.verdict.status)
            for one in shown
        ]  # fmt: skip
        points = on_map(self.candidates, ATTRIBUTABLE)
        marks = nondominated(points, ATTRIBUTABLE)
        return View(
            f"{len(self.candidates)} methods tried; of the shortlist means over {len(self.seeds)} fresh seeds, per cent",
            ("choice", "method", "PIL", "attributable", "sd of PIL", "DR", "verdict"),
            rows,
            self.reasons,
            lambda: pictures.risk_map(
                map_rows(points, ATTRIBUTABLE), marks, "the risk-utility map", ATTRIBUTABLE, limit=self._limit
            ),
            words=2,
            lead=(self.headline,),
        )

"""synthpop (Nowok, Raab, Dibben 2016), where R has it, as a generator for pyfcrm.External: fit(frame) and sample(n)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyfcrm.rstream import RStream

from ..scripts import script
from .apart import run_r

if TYPE_CHECKING:
    import pandas as pd


class Synthpop:
    """synthpop's syn() in an R of its own.

    Parameters
    ----------
    stream : int or RStream, optional
        A seed for R's set.seed, or a stream, which is not moved; None leaves R its own seeding.
    **options : object
        Of syn(), by name: numbers, words, flags, arrays, lists of words, such as method="parametric".
    """

    def __init__(self, stream: int | RStream | None = None, **options: Any) -> None:
        self.stream, self.options = stream, options

    def fit(self, frame: pd.DataFrame) -> Synthpop:
        """Keep the frame: synthpop fits and draws in one."""
        self._frame = frame
        return self

    def sample(self, n: int) -> Any:
        """One synthesis of n records."""
        return run_r(
            self._frame,
            "synthesise",
            script("synthpop.R"),
            stream=self.stream,
            arguments={"records": n, **self.options},
        )

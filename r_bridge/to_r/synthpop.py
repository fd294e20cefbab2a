"""synthpop (Nowok, Raab, Dibben 2016), if R has it, as a generator for pyfcrm.External: fit(frame) and sample(n)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyfcrm.rstream import RStream

from ..scripts import script
from .process import run_r

if TYPE_CHECKING:
    import pandas as pd


class Synthpop:
    """synthpop's syn() in a separate R process.

    Parameters
    ----------
    stream : int or RStream, optional
        A seed for R's set.seed, or a stream whose own position does not change; None uses R's own seeding.
    **options : object
        Options of syn(), such as method="parametric": numbers, text, truth values, arrays, lists of text.
    """

    def __init__(self, stream: int | RStream | None = None, **options: Any) -> None:
        self.stream = stream
        self.options = options

    def fit(self, frame: pd.DataFrame) -> Synthpop:
        """Store the frame: synthpop fits and draws in one call."""
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

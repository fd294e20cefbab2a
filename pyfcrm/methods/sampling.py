"""Sampling: some of the records, as they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.roles import Roles
from ..errors import Note
from .facts import Facts
from .method import Method
from .parameter import param
from .work import CellRelease, CellWork, Run


@dataclass(frozen=True)
class Sampling(Method):
    """Release a simple random sample of the records, drawn without replacement, in file order.

    Parameters
    ----------
    fraction : float
        Share of the records released, above 0 and at most 1; at least one record is. A tenth where nothing is given,
        as in IPUMS International's sample of the Irish census of 2011 (McCaa et al. 2014).

    Notes
    -----
    A sampled record keeps its original values, so a continuous attribute that an intruder knows still identifies it.

    Draws: R's sample.int(n, size).

    Seed: undoes it. Together with the order of the file it identifies the sampled records.

    References
    ----------
    Willenborg and de Waal (2001).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> len(pf.protect(frame, pf.Sampling(0.3), roles).frame)
    30
    """

    fraction: float = param(
        0.1,
        above=0,
        high=1,
        help="how many of the records to release; a tenth as in census samples of IPUMS International",
        unit="share of the records",
    )

    about = "a random sample of the records, as they are"
    term = "sampling"
    source = "Willenborg and de Waal (2001)"
    group = "coarsen"

    def work(self, roles: Roles, records: int | None) -> CellWork:
        """See Method.work."""
        return CellWork((), self.release, takes="objects")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="keys",
            pairs="never",
            keeps="",
            averages=False,
            reissues_values=True,
            undone_by_seed=True,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(),
            seed_probe="release",
        )

    def release(self, columns: Mapping[str, Any], n: int, run: Run) -> CellRelease:
        """See CellWork.release."""
        size = max(1, round(self.fraction * n))
        rows = np.sort(run.stream.sample_int(n, size) - 1).astype(np.intp)
        wording = "{count} of {total} records {count:is released, with its|are released, with their} original values"
        run.note(Note.of("observed_values", wording, count=len(rows), total=n))
        return CellRelease(rows=rows)

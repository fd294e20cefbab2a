"""Linking the records of two files: all at once where they are few, by two blocks of them at a time where they are many,
on a cluster where there is one. The links are the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from ..data.blocks import most_records, pieces, small
from ..data.pairs import Pair
from ..engine import Engine, is_cluster, on_this_machine
from ..engine.threads import Watched
from ..errors import InvalidInput, Note
from ..numerics.design_by_blocks import location
from ..numerics.location import standardise
from ..progress import Progress, ProgressTracker, report_progress
from ..types import Array
from .agreement import AgreementInWidth
from .nearest import nearest_share
from .nearest_by_blocks import nearest_share_by_blocks
from .on_cluster import OnCluster
from .patterns_by_blocks import linkage_by_blocks
from .probabilistic import Linkage, probabilistic_linkage
from .with_gaps import groups, share_with_gaps


@dataclass(frozen=True)
class Linker:
    """How the records of one pair of files are linked. progress : told of two blocks at a time."""

    pair: Pair
    engine: Engine
    progress: Progress | None = None

    @property
    def at_once(self) -> bool:
        """Whether all records are linked at once. Raises InvalidInput for gaps in files beyond memory."""
        n, p = self.pair.n, 2 * self.pair.p
        if not self.pair.gaps:
            return small(n, p) or (is_cluster(self.engine) and n <= most_records(p))
        if not self.pair.in_memory and n > most_records(p):
            rule = "records with missing values are linked in memory only (judge strata, or columns without gaps)"
            raise InvalidInput("evaluate", rule, f"{n} records by blocks")
        return True

    def nearest(self) -> tuple[Array, int]:
        """(n,) what each original earns by distance, see nearest_share; and the number of blocks."""
        here = Watched(on_this_machine(self.engine), ProgressTracker("", progress=self.progress))
        if not self.at_once:
            return nearest_share_by_blocks(self.pair.rows, self._heard, here)
        near = OnCluster(self.engine).nearest if is_cluster(self.engine) else partial(nearest_share, engine=here)
        X, Z = self.pair.arrays()
        return share_with_gaps(X, Z, here) if self.pair.gaps else near(standardise(X), standardise(Z)), 1

    def chance(self) -> float:
        """What an original earns by distance, on average, if records pair at random."""
        if not self.pair.gaps:
            return 1 / self.pair.n
        X, _ = self.pair.arrays()
        return sum(len(group.rows) / len(group.candidates) for group in groups(X)) / self.pair.n

    def probabilistic(self, agreement: AgreementInWidth) -> tuple[Linkage, int]:
        """See probabilistic_linkage; and the number of blocks."""
        if not self.at_once:
            X, here = self.pair.X, on_this_machine(self.engine)
            sd = location(here, pieces(X, here), X.n, 0, X.p).sd
            return linkage_by_blocks(self.pair.rows, agreement.width(sd), self._heard)
        link = OnCluster(self.engine).probabilistic if is_cluster(self.engine) else probabilistic_linkage
        return link(*self.pair.arrays(), agreement), 1

    def _heard(self, done: int, most: int) -> None:
        report_progress(self.progress, done, most, "two blocks of records at a time")


def linked_by_blocks(key: str, blocks: int) -> tuple[Note, ...]:
    """The note on a measure whose records were linked by more than one block."""
    if blocks == 1:
        return ()
    said = (
        f"{key}: linked by {{count}} blocks of records, two at a time, with the links that all at once would give; "
        "where files are alike the time grows with the square of their length"
    )
    return (Note.of("by_blocks", said, count=blocks),)

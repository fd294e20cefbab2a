"""The registration of a release: compared with earlier ones, entered as pending, and confirmed once it has happened.

One lock spans the comparison, the pending entry, the naming of the release's files, and the confirmation. So of several
releases at once each but the first has another one before it. A pending entry whose process ended is treated as a release that may
have happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf, isinf
from typing import Any

from ...data import Frame
from ...errors import InvalidInput, Note
from ...files.paths import Path, path_text
from ...methods.noisy_sums import total_epsilon
from ..request import ProtectRequest
from .entry import Entry
from .file import locked, read, write

TOTAL_IN_BRIEF = "this and earlier releases of these records have epsilon {epsilon:.4g} in total at delta {delta:g}"
TOTAL = "with {earlier}, the releases of these records have epsilon {epsilon:.4g} in total at delta {delta:g}"
UNBOUNDED_IN_BRIEF = "one of this and earlier releases of the same records has no epsilon, so that there is no total"
UNBOUNDED = "of {earlier} and this release of the same records, one has no epsilon, so that there is no total"
CHANGED = "another release of these records was recorded after this one was judged (protect and judge it again)"


@dataclass(frozen=True)
class Registration:
    """A release that is compared with the releases of a ledger."""

    conflicts: tuple[str, ...]
    """Sentences on what this and earlier releases disclose together."""
    epsilon: float
    """The total of all releases of these records, at the release's delta; infinite where one has no epsilon."""
    notes: tuple[Note, ...] = ()
    """Notes on the conflicts and the total."""
    path: str = ""
    """The ledger's path; empty of a release in the past."""
    entry: Entry | None = None
    """What the ledger will record; None of a release in the past."""
    delta: float = 0.0
    """The delta of the release's guarantee; 0 without one."""

    @classmethod
    def of(cls, path: Path, frame: Frame, request: ProtectRequest) -> Registration:
        """The registration of the release of a frame. Raises InvalidInput for a damaged ledger."""
        name = path_text("ledger", path)
        with locked(name) as key:
            entries = read(name, key)
        privacy = request.facts.privacy
        delta = 0.0 if privacy is None else privacy.delta
        new = cls(conflicts=(), epsilon=inf, path=name, entry=Entry.of(frame, request, key), delta=delta)
        return new._compared(entries)

    def _compared(self, entries: Sequence[Entry]) -> Registration:
        """The registration with the conflicts and the total by the entries of the ledger."""
        assert self.entry is not None
        entry = self.entry
        overlapping = [earlier for earlier in entries if entry.overlap(earlier)[0]]
        conflicts = tuple(conflict for earlier in overlapping for conflict in entry.conflicts(earlier))
        notes = [Note.of("risk", "{conflict}", conflict=conflict) for conflict in conflicts]
        together = [earlier for earlier in entries if entry.shares_records(earlier)]
        epsilon = inf
        budgets = [release.rho for release in [entry, *together] if release.rho is not None]
        names = ", ".join(earlier.name for earlier in together)
        if entry.rho is not None and len(budgets) == 1 + len(together):
            # Budgets of zero-concentrated differential privacy add up: Bun and Steinke (2016).
            epsilon = total_epsilon(sum(budgets), self.delta)
            if together:
                notes.append(
                    Note.of("guarantee", TOTAL, earlier=names, epsilon=epsilon, delta=self.delta, brief=TOTAL_IN_BRIEF)
                )
        elif budgets:
            notes.append(Note.of("risk", UNBOUNDED, earlier=names, brief=UNBOUNDED_IN_BRIEF))
        return replace(self, conflicts=conflicts, epsilon=epsilon, notes=tuple(notes))

    def facts(self) -> dict[str, Any]:
        """The manifest's record: the conflicts, and epsilon, None for no bound."""
        return {"conflicts": list(self.conflicts), "epsilon": None if isinf(self.epsilon) else self.epsilon}

    @classmethod
    def recorded(cls, facts: Mapping[str, Any]) -> Registration:
        """The registration of a release in the past, by what `facts` gave. Raises InvalidInput for anything else."""
        conflicts, epsilon = facts.get("conflicts"), facts.get("epsilon")
        if not isinstance(conflicts, list) or not isinstance(epsilon, int | float | None):
            raise InvalidInput("manifest", "`ledger` must have conflicts and epsilon as pyfcrm wrote them", dict(facts))
        total = inf if epsilon is None else float(epsilon)
        return cls(tuple(map(str, conflicts)), total)

    @contextmanager
    def recording(self, happened: Callable[[], bool], *, judged: bool = False) -> Iterator[Registration]:
        """Around the moment in which the release happens: the registration by the ledger of this moment.

        happened : whether the release happened in part, after an error; then its entry stays, else it is taken back.
        judged : whether a verdict rests on the conflicts known so far; then others raise InvalidInput.
        """
        assert self.entry is not None
        with locked(self.path) as key:
            entries = read(self.path, key)
            final = self._compared(entries)
            if judged and final.facts() != self.facts():
                raise InvalidInput(self.path, CHANGED)
            pending = replace(self.entry, number=len(entries) + 1)
            write(self.path, key, [*entries, pending])
            try:
                yield final
            except BaseException:
                if not happened():
                    write(self.path, key, entries)
                raise
            write(self.path, key, [*entries, replace(pending, confirmed=True)])

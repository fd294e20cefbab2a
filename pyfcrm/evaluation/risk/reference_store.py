"""The references of one file, for many releases of it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from ...rstream import RStream
from .attributable import ReferenceMeasures
from .reference_releases import References, SampledRecords


@dataclass(frozen=True)
class StoredReferences:
    """The references of some records, and the measures of these references that were computed."""

    records: SampledRecords
    """The records."""
    references: References
    """Their reference releases."""
    measures: ReferenceMeasures = field(default_factory=ReferenceMeasures, repr=False)
    """The measures of the reference releases."""


class ReferenceStore:
    """References of samples of one file, drawn at their first use and remembered for other releases of the file.

    Releases by different methods have the same sample where the methods treat the same variables and drop no records.
    """

    def __init__(self) -> None:
        self._stored = list[StoredReferences]()
        self._panels = dict[Hashable, Any]()

    def of(self, records: SampledRecords, stream: RStream) -> StoredReferences:
        """The references of a sample; the stream is used where they are drawn now."""
        for stored in self._stored:
            if stored.records.same_as(records):
                return stored
        self._stored.append(StoredReferences(records, References.of(records, stream)))
        return self._stored[-1]

    def panel_of(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The utility panel of the file's original, computed at its first use. key : the columns of the panel."""
        if key not in self._panels:
            self._panels[key] = compute()
        return self._panels[key]

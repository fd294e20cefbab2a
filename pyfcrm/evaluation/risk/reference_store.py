"""The references of one file, for many releases of it."""

from dataclasses import dataclass, field

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

    def of(self, records: SampledRecords, stream: RStream) -> StoredReferences:
        """The references of a sample; the stream is used where they are drawn now."""
        for stored in self._stored:
            if stored.records.same_as(records):
                return stored
        self._stored.append(StoredReferences(records, References.of(records, stream)))
        return self._stored[-1]

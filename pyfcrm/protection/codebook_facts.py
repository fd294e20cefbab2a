"""What the formats of a codebook need of a released column beyond its words. Nothing of it depends on fewer than 10 records."""

from dataclasses import dataclass

from ..data import Frame
from .data_dictionary import Codebook, Variable
from .released_values import ReleasedValues, level_text, released_values, stated_gaps


@dataclass(frozen=True)
class ColumnFacts:
    """A column of a release as data, for the formats of a codebook."""

    variable: Variable
    """The column as the codebook describes it in words."""
    kind: str
    """As `Frame.kind`; of dates "date", "datetime", "time" or "duration"."""
    values: ReleasedValues
    """What may be stated of its values."""
    codes: tuple[str, ...]
    """Its declared codes of missing values, as texts."""
    complete: bool
    """Whether every record has a value."""
    records: int
    """Records of the release."""
    missing: int | None
    """Records without a value; None where the number may not be stated."""


def column_facts(book: Codebook, frame: Frame) -> list[ColumnFacts]:
    """The columns of a codebook in their order. frame : the release, opened, with gaps at declared codes."""
    columns = list[ColumnFacts]()
    for variable in book.variables:
        name = variable.name
        missing = int((frame.codes(name) < 0).sum())
        kind = frame.kind(name)
        columns.append(
            ColumnFacts(
                variable=variable,
                kind=frame.time_type(name) if kind == "date" else kind,
                values=released_values(frame, name) if variable.values else ReleasedValues(),
                codes=tuple(dict.fromkeys(map(level_text, frame.missing_codes(name)))),
                complete=missing == 0,
                records=frame.records,
                missing=stated_gaps(missing, frame.records),
            )
        )
    return columns

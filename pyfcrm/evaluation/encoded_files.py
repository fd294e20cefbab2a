"""Both files by the variables of the original: gaps at codes of missing values, dates as days, text numbers as numbers."""

from dataclasses import replace
from typing import Any

from ..data import Frame, open_data
from ..data.check import is_numeric
from ..data.encoded import EncodedFrame
from ..data.encoding import Declared, Encodings, encodings
from ..data.variable import NUMBERS, declared_variables
from ..errors import InvalidInput
from ..protection.protected import Protected, open_release


def encoded_original(owner: str, original: Frame, declared: Declared) -> Frame:
    """The original by its variables; unchanged where all of them are declared plain numbers.

    Raises InvalidInput or InvalidParameter for a declaration that does not fit the file.
    """
    if declared == NUMBERS or isinstance(original, EncodedFrame):
        return original
    return _encoded(original, encodings(owner, original, declared))


def encoded_release(original: Frame, release: Frame) -> Frame:
    """The release by the variables of its original, as encoded_original() has it.

    A column of another type, such as the classes of recoded numbers, is unchanged. Raises InvalidInput for numbers in place of dates.
    """
    if not isinstance(original, EncodedFrame):
        return release
    cells = original.original
    _require_times(cells, release, original.encodings)
    same = {name for name in original.encodings.variables if name in release.names and _same_type(cells, release, name)}
    by_name = {name: encoding for name, encoding in original.encodings.items() if name in same}
    categories = tuple(name for name in original.encodings.categories if name in same)
    missing_levels = {name: codes for name, codes in original.encodings.missing_levels.items() if name in same}
    encoded = replace(
        original.encodings, by_name=by_name, categories=categories, missing_levels=missing_levels, notes=()
    )
    return _encoded(release, encoded)


def opened_files(owner: str, original: Any, release: Any, variables: Any) -> tuple[Frame, Frame]:
    """Original and release, opened whole, by the variables of the original: those declared here, else of a result of protect().

    Raises InvalidInput for files that cannot be read, and InvalidInput or InvalidParameter as encoded_original().
    """
    encoded = encoded_original(
        owner, open_data(f"{owner}, original", original, whole=True), declarations(owner, variables, release)
    )
    return encoded, encoded_release(encoded, open_release(f"{owner}, protected", release, whole=True))


def declarations(owner: str, variables: Any, release: Any) -> Declared:
    """What is declared of the variables: by a caller, else for a result of protect(). Raises InvalidParameter."""
    if variables is None and isinstance(release, Protected):
        variables = release.options.variables
    declared: Declared = declared_variables(owner, variables)
    return declared


def plain_cells(frame: Frame) -> Frame:
    """The frame that was encoded."""
    return frame.original if isinstance(frame, EncodedFrame) else frame


def _encoded(frame: Frame, by: Encodings) -> EncodedFrame:
    """The frame by its variables, with the notes on how its text was read."""
    encoded = EncodedFrame(frame, by)
    encoded.notes = (*frame.notes, *by.notes)
    return encoded


def _require_times(original: Frame, release: Frame, encodings: Encodings) -> None:
    """Raises InvalidInput where a column of dates, times or durations holds numbers in the release, or another kind of these."""
    for name in encodings:
        if name not in release.names or original.kind(name) != "date":
            continue
        expected = original.time_type(name)
        is_time = release.kind(name) == "date"
        found = release.time_type(name) if is_time else f"a column of {release.kind(name)} numbers"
        if is_numeric(release, name) or (is_time and (found == "duration") != (expected == "duration")):
            rule = f"column `{name}` must be a {expected} as in the original (read both files in the same way)"
            raise InvalidInput("protected", rule, found)


def _same_type(original: Frame, release: Frame, name: str) -> bool:
    """Whether a column holds numbers in both files, or cells of one kind."""
    numeric = is_numeric(original, name)
    return numeric == is_numeric(release, name) and (numeric or original.kind(name) == release.kind(name))

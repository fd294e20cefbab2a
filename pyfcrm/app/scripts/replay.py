"""What a script must say to make a release again, in any language."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import PurePath
from typing import Any

from ... import __version__
from ...data import Roles
from ...errors import InvalidInput
from ...files.formats import RELEASED_AS
from ...methods import Method
from ...rstream import RStream
from ...rstream.stream import kept_start

HEAD = f"""\
# Makes a release of the pyfcrm studio again, the same to the last byte. Written by pyfcrm {__version__}.
# Keep it inside the agency: with the original it repeats the release, and with the seed or state it helps to undo it.
"""  # a comment in either language
TEXT_MAY_NOT_HOLD = "\0"


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """The arguments of protect() other than method, roles and seed."""

    missing: str = "refuse"
    constraints: str | None = None
    strata: tuple[str, ...] = ()
    weights: str | None = None
    preserve: tuple[str, ...] = ()

    @property
    def release_options(self) -> dict[str, Any]:
        """All options by name."""
        return {one.name: getattr(self, one.name) for one in fields(ReleaseOptions)}

    @property
    def options(self) -> dict[str, Any]:
        """The options that differ from their default."""
        return {
            name: value
            for name, value in self.release_options.items()
            if value and (name, value) != ("missing", "refuse")
        }


@dataclass(frozen=True)
class Replay(ReleaseOptions):
    """file : the original's name, without folders; embedded : the function of pyfcrm.datasets that makes it, None for a
    file; method, roles, seed : as protect_file() takes them; the seed a whole number, or the stream at its starting state,
    which the scripts then hold as R's .Random.seed."""

    file: str
    embedded: str | None
    method: Method
    roles: Roles
    seed: int | RStream = kept_start()  # noqa: RUF009 - a field

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | RStream):
            rule = "can replay a release only from a whole number or a stream"
            raise InvalidInput("a script", rule, type(self.seed).__name__)

    @property
    def state(self) -> list[str]:
        """The 626 whole numbers of the state; none where there is a seed."""
        start = self.seed
        return [str(word) for word in start.to_r_state()] if isinstance(start, RStream) else []

    @property
    def added(self) -> str:
        """What a release's name has after the original's stem."""
        return release_name(self.file).removeprefix(PurePath(self.file).stem)


def release_name(file: str) -> str:
    """What the release of a file is called: people.csv becomes people-protected.csv.

    The format stays where it is written here; else the release has one that the same programs read.
    """
    path = PurePath(file)
    other = RELEASED_AS.get(path.suffix.lower().lstrip("."))
    return f"{path.stem}-protected" + (path.suffix if other is None else f".{other}")


def lines_of(items: list[str], opening: str, closing: str, indent: int, width: int = 100) -> str:
    """Code items between brackets: on one line where they fit, else filled lines, indented; no item is cut."""
    whole = opening + ", ".join(items) + closing
    if indent + len(whole) <= width:
        return whole
    inner, lines, line = " " * (indent + 4), [], ""
    for k, item in enumerate(items):
        piece = item + ("," if k < len(items) - 1 else "")
        if line and len(inner) + len(line) + 1 + len(piece) > width:
            lines.append(inner + line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return "\n".join([opening, *lines, inner + line, " " * indent + closing])


def usable_text(text: str, language: str) -> str:
    """`text` if the language can say it in a string. Raises InvalidInput for a zero character or half a character."""
    if TEXT_MAY_NOT_HOLD in text or any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise InvalidInput("a script", f"needs names and texts that {language} can write", repr(text))
    return text

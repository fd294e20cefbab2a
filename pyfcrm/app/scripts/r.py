"""The script in R."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from string import Template
from typing import Any

from ...methods import Method
from .replay import HEAD, Replay, lines_of, release_name, usable_text

BEGAN = "# Where the random numbers began, as .Random.seed has it.\n"
FROM_FILE = Template("""\
#
#     Rscript {this file} [the original file]
#
# Without a path it takes the file of the same name in this folder. The release is written into this folder.

library(fcrm)

${state}if (length(commandArgs(TRUE))) {
  original <- commandArgs(TRUE)[1]
  release <- paste0(sub("[.][^.]*$$", "", basename(original)), $added)
} else {
  original <- $name
  release <- $release
}

$call
""")
FROM_DATASET = Template("""\
# The original is simulated by pyfcrm itself; the release is written into this folder.

library(fcrm)

${state}original <- dataset_file("$embedded", tempfile(fileext = ".csv"))
release <- $release

$call
unlink(original)
""")
PLAIN_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
LONG_BITS, DOUBLE_BITS = 64, 53
EXACT_POWERS = 22  # 10^22 is the last power of ten that a double holds exactly, where long doubles are none


def r_script(replay: Replay) -> str:
    """The text of an R file that makes the release again; ASCII only, so that no locale reads it differently.

    Raises InvalidInput for a name that no string can hold.
    """
    release = text(release_name(replay.file))
    if replay.embedded is not None:
        named = {"release": release, "embedded": replay.embedded, "call": _call(replay)}
        return HEAD + FROM_DATASET.substitute(named, state=_state(replay))
    named = {"name": text(replay.file), "added": text(replay.added), "release": release, "call": _call(replay)}
    return HEAD + FROM_FILE.substitute(named, state=_state(replay))


def _state(replay: Replay) -> str:
    """The state that the release began from, where it was no seed."""
    if not replay.state:
        return ""
    return BEGAN + lines_of(replay.state, "state <- c(", ")", 0) + "\n\n"


def _call(replay: Replay) -> str:
    """protect_file(...), an argument a line."""
    arguments = ["original", "release", literal(replay.method)]
    for role in ("independent", "dependent", "identifiers", "unknown"):
        names = [text(name) for name in getattr(replay.roles, role)]
        if names:
            arguments.append(f"{role} = " + (lines_of(names, "c(", ")", 2) if len(names) > 1 else names[0]))
    arguments.append("seed = state" if replay.state else f"seed = {literal(replay.seed)}")
    for name, value in replay.options.items():
        sentences = text(value) if isinstance(value, str) else f"c({', '.join(map(text, value))})"
        arguments.append(f"{name} = {sentences}")
    lines = [f"  {argument}," for argument in arguments]
    last = "  disarm = TRUE # text that a spreadsheet would run gets an apostrophe in front"
    return "\n".join(["protect_file(", *lines, last, ")"])


def literal(value: Any) -> str:
    """A parameter as R code that the package fcrm sends on as it was."""
    if isinstance(value, Method):
        received = ", ".join(f"{name} = {literal(one)}" for name, one in value.shown_parameters().items())
        return f"{type(value).__name__.lower()}({received})"
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        # Names by setNames(): as names of arguments they would go through the session's locale.
        return f"setNames(list({', '.join(map(literal, value.values()))}), c({', '.join(text(str(key)) for key in value)}))"
    if isinstance(value, Iterable):
        return _listed(value)
    raise TypeError(f"no R code for a parameter of type {type(value).__name__}")


def _listed(values: Iterable[Any]) -> str:
    """A vector of texts or of numbers, else a list; a vector of one would arrive as a single value."""
    values = list(values)
    alike = len(values) > 1 and (
        all(isinstance(v, str) for v in values) or all(type(v) in (int, float) for v in values)
    )
    return f"{'c' if alike else 'list'}({', '.join(map(literal, values))})"


def number(value: float) -> str:
    """A number in its shortest form where R reads that exactly, else in R's hexadecimal form."""
    shortest = repr(value).removesuffix(".0")
    return shortest if _read_exactly(shortest, value) else value.hex()


def _read_exactly(shortest: str, value: float) -> bool:
    """Whether R's own reading of decimals, in long doubles and then rounded once more, gives the number.

    R multiplies the digits up and divides by a power of ten; with 64 bits the second rounding may go astray.
    """
    digits, _, power = shortest.lower().lstrip("-").partition("e")
    whole, _, part = digits.partition(".")
    exponent = int(power or 0) - len(part)
    mantissa = int(whole + part)
    if mantissa >= 2**DOUBLE_BITS or abs(exponent) > EXACT_POWERS:
        return False
    exact = Fraction(mantissa) * Fraction(10) ** exponent
    return float(_rounded(exact, LONG_BITS)) == abs(value)


def _rounded(exact: Fraction, bits: int) -> Fraction:
    """To so many significant bits, halves to even."""
    if not exact:
        return exact
    scale = Fraction(2) ** (bits - exact.numerator.bit_length() + exact.denominator.bit_length())
    scaled = exact * scale
    while scaled >= 2**bits:
        scale /= 2
        scaled /= 2
    return Fraction(round(scaled)) / scale


def text(words: str) -> str:
    """A string in double quotes: whatever it holds is escaped, so that it stays a string."""
    return '"' + "".join(map(_escaped, usable_text(words, "R"))) + '"'


def _escaped(character: str) -> str:
    if character in PLAIN_ESCAPES:
        return PLAIN_ESCAPES[character]
    code = ord(character)
    if 32 <= code < 127:
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

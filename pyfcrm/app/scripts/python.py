"""The script in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Template
from typing import Any

from ...methods import Method
from .replay import HEAD, Replay, lines_of, release_name, usable_text

BEGAN = "# Where the random numbers began, as R's .Random.seed has it.\n"
FROM_FILE = Template("""\
#
#     python {this file} [the original file]
#
# Without a path it takes the file of the same name in this folder. The release is written into this folder.

import sys
from pathlib import Path

import pyfcrm as pf

${state}original = Path(sys.argv[1] if len(sys.argv) > 1 else $name)
release = original.stem + $added

$call
print(release)
""")
FROM_DATASET = Template("""\
# The original is simulated by pyfcrm itself; the release is written into this folder.

import tempfile
from pathlib import Path

import pyfcrm as pf

${state}release = $release

with tempfile.TemporaryDirectory() as folder:
    original = Path(folder) / "original.csv"
    pf.datasets.$embedded().to_csv(original, index=False, lineterminator="\\n")
    $call
print(release)
""")


def python_script(replay: Replay) -> str:
    """The text of a Python file that makes the release again.

    Raises InvalidInput for a name that no string can hold.
    """
    release = text(release_name(replay.file))
    if replay.embedded is not None:
        named = {"release": release, "embedded": replay.embedded, "call": _call(replay, 4)}
        return HEAD + FROM_DATASET.substitute(named, state=_state(replay))
    named = {"name": text(replay.file), "added": text(replay.added), "call": _call(replay, 0)}
    return HEAD + FROM_FILE.substitute(named, state=_state(replay))


def _state(replay: Replay) -> str:
    """The state that the release began from, where it was no seed."""
    if not replay.state:
        return ""
    return BEGAN + lines_of(replay.state, "state = [", "]", 0) + "\n\n"


def _call(replay: Replay, indent: int) -> str:
    """pf.protect_file(...), an argument a line."""
    inner = indent + 4
    arguments = ["original", "release", literal(replay.method), _roles(replay, inner), f"seed={_seed(replay)}"]
    arguments += [f"{name}={literal(value)}" for name, value in replay.options.items()]
    arguments.append("disarm=True")
    lines = [f"{' ' * inner}{argument}," for argument in arguments]
    lines[-1] += "  # text that a spreadsheet would run gets an apostrophe in front"
    return "\n".join(["pf.protect_file(", *lines, " " * indent + ")"])


def _seed(replay: Replay) -> str:
    return "pf.RStream.from_r_state(state)" if replay.state else str(replay.seed)


def _roles(replay: Replay, indent: int) -> str:
    roles, inner = replay.roles, indent + 4
    lines = []
    for role in ("independent", "dependent", "identifiers", "unknown"):
        names = getattr(roles, role)
        if names:
            lines.append(" " * inner + lines_of([text(name) for name in names], f"{role}=[", "]", inner) + ",")
    return "\n".join(["pf.Roles(", *lines, " " * indent + ")"])


def literal(value: Any) -> str:
    """A parameter as Python code that gives it back exactly."""
    if isinstance(value, Method):
        values = ", ".join(f"{name}={literal(one)}" for name, one in value.shown_parameters().items())
        return f"pf.{type(value).__name__}({values})"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(literal, value)) + "]"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise TypeError(f"no Python code for a parameter of type {type(value).__name__}")


def text(words: str) -> str:
    """A string in quotes: whatever it holds is escaped, so that it stays a string."""
    quoted = repr(str(usable_text(words, "Python")))
    return f'"{quoted[1:-1]}"' if quoted[0] == "'" and '"' not in quoted and "\\'" not in quoted else quoted

"""The reference, made of what is declared: a page a method, the measures, every public name, the commands, R's functions.

reference() gives each page's text by its path; nothing is written here. Method pages are of Method.declared(), measures of
their facts, names of their docstrings (by autodoc), commands of their options, R's functions of their help pages.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pyfcrm as pf
from pyfcrm.cli.catalogue import range_text
from pyfcrm.measures import DEFAULT, MEASURES
from pyfcrm.measures.measure import Measure
from pyfcrm.methods import METHODS
from pyfcrm.methods.parameter import Parameter

MAN = Path(__file__).resolve().parent.parent / "r_scripts" / "fcrm" / "man"
# By the room that a public name is built in: the page's title, and what is on it.
ROOMS = {
    "protection": ("Protecting a file", "From a frame or a file to its release."),
    "methods": ("Generators from elsewhere", "Any other program that makes a synthetic file, as a method."),
    "data": (
        "Columns and their roles",
        "What each column is for, what leaves as it came, and what holds between columns.",
    ),
    "constraints": ("Structure found in a file", "Sums, ratios and orders that hold and were not declared."),
    "evaluation": (
        "Judging a release",
        "Measures, audits, risk by keys, records at risk, changes, the analyst's regression.",
    ),
    "search": ("Choosing a method", "Many methods judged alike, and the search for the best within a limit."),
    "plans": ("Plans", "One reviewed file that describes one release."),
    "trust": ("Plans and proofs", "A reviewed file that says what is to be done, and the same bytes made again."),
    "files": ("Reading files", "Every format that goes in."),
    "fuzzy": ("Fuzzy clustering and regression", "The literature's two algorithms, on arrays."),
    "rstream": ("Random numbers", "R's random streams."),
    "datasets": ("Data to try things on", "Files simulated here, and the Census file where the user has it."),
    "errors": ("Errors and notes", "What is raised, and what is noted."),
}
KINDS = {
    "loss": ("Information loss", "What a release loses for those who work with it."),
    "risk": ("Disclosure risk", "What a release tells an intruder."),
    "score": ("Both in one number", "Loss and risk together."),
}
R_WORDS = {"None": "NULL", "True": "TRUE", "False": "FALSE"}
PLAIN = {"METHODS": "The methods by their names in lower case, as `--method` takes them."}


def reference() -> dict[str, str]:
    """Each page's text by its path below docs/."""
    pages = {f"reference/methods/{key}.rst": _method(key) for key in METHODS}
    pages["reference/methods/index.rst"] = _methods()
    pages["reference/measures.rst"] = _measures()
    pages["reference/commands.rst"] = _commands()
    pages["reference/r.rst"] = _r_functions()
    pages |= {f"reference/{room}.rst": _room(room, names) for room, names in rooms().items()}
    pages["reference/index.rst"] = _index()
    return pages


def rooms() -> dict[str, list[str]]:
    """The public names by the room they are built in; methods, which have pages of their own, are left out."""
    found: dict[str, list[str]] = {room: [] for room in ROOMS}
    for name in pf.__all__:
        value = getattr(pf, name)
        if isinstance(value, ModuleType):
            found[name] += _of_module(name, value)
        elif value not in METHODS.values() and name not in PLAIN:
            found[value.__module__.split(".")[1]].append(name)
    return found


def _of_module(name: str, module: ModuleType) -> list[str]:
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    classes = [key for key in own if inspect.isclass(getattr(module, key)) and not key.startswith("_")]
    return [f"{name}.{one}" for one in getattr(module, "__all__", classes) if callable(getattr(module, one))]


def _index() -> str:
    lists = ["methods/index", "measures", *rooms(), "commands", "r"]
    plain = [f"``pyfcrm.{name}``: {words}" for name, words in PLAIN.items()]
    lead = "Everything that has a name: made from what methods and measures declare, and from docstrings."
    return _page(
        "Reference", lead, "", ".. toctree::", "   :maxdepth: 2", "", *(f"   {one}" for one in lists), "", *plain
    )


def _room(room: str, names: Sequence[str]) -> str:
    title, lead = ROOMS[room]
    blocks = [line for name in names for line in ("", *_heading(name.rpartition(".")[2], "-"), "", *_auto(name))]
    return _page(title, lead, *blocks)


def _auto(name: str) -> Iterator[str]:
    value: Any = pf
    for part in name.split("."):
        value = getattr(value, part)
    yield f".. auto{'class' if inspect.isclass(value) else 'function'}:: pyfcrm.{name}"
    if inspect.isclass(value) and not issubclass(value, BaseException | str):
        yield "   :members:"


def _methods() -> str:
    rows = [(f":doc:`{one.__name__} <{key}>`", one.about, one.source) for key, one in METHODS.items()]
    lead = "What there is to protect with. In a shell ``pyfcrm methods`` says the same; in R each is a function in lower case."
    tree = ["", ".. toctree::", "   :hidden:", "", *(f"   {key}" for key in METHODS)]
    return _page("Methods", lead, "", *_table(("method", "what it does", "source"), rows), *tree)


def _method(key: str) -> str:
    method = METHODS[key]
    given = ", ".join(_given(one) for one in method.declared())
    required = "".join(f" --set {one.name}=..." for one in method.declared() if one.required)
    in_r = re.sub("None|True|False", lambda word: R_WORDS[word[0]], given)
    doors = [("Python", f"``pf.{method.__name__}({given})``"), ("R", f"``{key}({in_r})``")]
    doors.append(("a shell", f"``--method {key}{required}``"))
    rows = [(f"``{one.name}``", _accepts(one), f"``{_shown(one)}``", _help(one)) for one in method.declared()]
    table = _table(("parameter", "takes", "default", "what it is"), rows) if rows else ["It has no parameters."]
    full = ["", *_heading("In full", "-"), "", f".. autoclass:: pyfcrm.{method.__name__}"]
    return _page(
        method.__name__, f"{_sentence(method.about)}", "", f"Source: {method.source}", "", *_table(("", "written"), doors), "",
        *_heading("Parameters", "-"), "", *table, *full,
    )  # fmt: skip


def _given(one: Parameter) -> str:
    return one.name if one.required else f"{one.name}={_default(one)}"


def _default(one: Parameter) -> str:
    return str(one.default) if isinstance(one.default, int | float) or one.default is None else repr(one.default)


def _shown(one: Parameter) -> str:
    return "must be given" if one.required else _default(one)


def _accepts(one: Parameter) -> str:
    return one.accepts + (f"; {one.unit}" if one.unit else "")


def _help(one: Parameter) -> str:
    return _sentence(one.help) + (f" Only with ``{one.only[0]}`` {' or '.join(one.only[1])}." if one.only else "")


def _measures() -> str:
    every = [(f":ref:`{key} <measure-{key}>`", one.title, range_text(one)) for key, one in MEASURES.items()]
    lead = f"What there is to judge with. Not asked for any, ``evaluate`` gives {', '.join(DEFAULT)}."
    blocks = ["", *_table(("key", "measure", "range"), every)]
    for kind, (title, said) in KINDS.items():
        blocks += ["", *_heading(title, "-"), "", said]
        blocks += [line for one in MEASURES.values() if one.kind == kind for line in _measure(one)]
    return _page("Measures", lead, *blocks)


def _measure(one: Measure) -> Iterator[str]:
    """Heading, meaning, facts; then what the docstring of its function says: first line, value, notes."""
    yield from (
        "",
        f".. _measure-{one.key}:",
        "",
        *_heading(f"{one.key}: {one.title}", "~"),
        "",
        _literal(one.reading),
        "",
    )
    rows = [("range", f"{range_text(one)}; {one.better} is better")]
    if one.identity is not None:
        rows.append(("of the original itself", f"{one.identity:g}"))
    rows.append(("records", "each paired with its original" if one.paired else "need not be paired"))
    rows += (
        [("made of", ", ".join(f":ref:`{key} <measure-{key}>`" for key in one.components))] if one.components else []
    )
    rows += [("needs", "``keys``" + (" and ``targets``" if one.needs == "targets" else ""))] if one.needs_keys else []
    rows += [("needs", "``method``, what made the release")] if one.informed else []
    rows.append(("source", one.source))
    yield from _table(("", ""), rows)
    summary, *sections = re.split(r"\n\n(\w+)\n-+\n", inspect.getdoc(one.compute) or "")
    found = dict(zip(sections[::2], sections[1::2], strict=True))
    for text in (summary, found["Returns"].partition("\n")[2], found.get("Notes", "")):
        yield from ("", _literal(" ".join(text.split())))


def _commands() -> str:
    from pyfcrm.cli.commands import COMMANDS, command

    blocks: list[str] = []
    for name in COMMANDS:
        built = command(name)
        rows = [
            (f"``{_typed(one)}``", _literal(getattr(one, "help", None) or ""))
            for one in built.params
            if not getattr(one, "hidden", False)
        ]
        blocks += [
            "",
            *_heading(f"pyfcrm {name}", "-"),
            "",
            _literal(built.help or ""),
            "",
            *_table(("", "what it is"), rows),
        ]
    lead = (
        "What a shell takes. Exit status: 0 done, 1 a check did not hold, 2 bad input or arguments, told in one line."
    )
    return _page("Commands", lead, *blocks)


def _typed(one: Any) -> str:
    return (
        ", ".join([*one.opts, *one.secondary_opts])
        if one.param_type_name == "option"
        else str(one.metavar or one.name).upper()
    )


def _r_functions() -> str:
    blocks: list[str] = []
    for path in sorted(MAN.glob("*.Rd")):
        text = path.read_text(encoding="utf-8")
        usage = re.sub(r"\\method\{([\w.]+)\}\{[^}]*\}|\\([%{}])", r"\1\2", _braced(text, "usage")).strip()
        blocks += ["", *_heading(path.stem, "-"), "", _literal(_plain(_braced(text, "title"))), ""]
        blocks += [".. code-block:: r", "", *(f"   {line}" for line in usage.splitlines()), ""] if usage else []
        blocks += [_literal(" ".join(_plain(_braced(text, "description")).split()))]
    lead = "What ``library(fcrm)`` offers; each has its full page in R, by ``?name``."
    return _page("R", lead, *blocks)


def _braced(text: str, name: str) -> str:
    """What stands in the braces after a macro of an Rd file."""
    start = text.find(f"\\{name}{{")
    if start < 0:
        return ""
    begin = start + len(name) + 2
    depth, at = 1, begin
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0) if text[at - 1] != "\\" else 0
        at += 1
    return text[begin : at - 1]


def _plain(text: str) -> str:
    while re.search(r"\\\w+(\[[^]]*\])?\{", text):
        text = re.sub(r"\\\w+(?:\[[^]]*\])?\{([^{}]*)\}", r"\1", text)
    return text.replace("\\%", "%")


def _page(title: str, lead: str, *lines: str) -> str:
    return "\n".join([*_heading(title, "="), "", lead, *lines, ""])


def _heading(title: str, line: str) -> tuple[str, str]:
    return title, line * len(title)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A list-table, with a head where there is one to show."""
    made = [".. list-table::", *(["   :header-rows: 1"] if any(heads) else []), "   :class: facts", ""]
    for row in [*([heads] if any(heads) else []), *rows]:
        made += [f"   {'*' if j == 0 else ' '} - {cell}" for j, cell in enumerate(row)]
    return made


def _literal(text: str) -> str:
    """Words that are no markup, though they may look like it."""
    return re.sub(r"([*`|\\_])", r"\\\1", text)


def _sentence(text: str) -> str:
    text = _literal(text[:1].upper() + text[1:])
    return text if text.endswith((".", "?")) else f"{text}."

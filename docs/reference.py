"""The reference: a card for each method and measure, every public name, the commands, R's functions.

`reference()` gives the text of each page by its path. Cards join what methods and measures declare with cards.toml; names come from
docstrings (autodoc), commands from their options, R's functions from their help pages.
"""

from __future__ import annotations

import inspect
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import pyfcrm as pf
from pyfcrm.cli.catalogue import range_text
from pyfcrm.measures import DEFAULT, MEASURES
from pyfcrm.measures.measure import Measure
from pyfcrm.methods import METHODS, Method
from pyfcrm.methods.parameter import Parameter
from pyfcrm.methods.text import setting_texts
from r_bridge.from_r.words import call_in_r

DOCS = Path(__file__).resolve().parent
MAN = DOCS.parent / "r_scripts" / "fcrm" / "man"
CARDS = tomllib.loads((DOCS / "cards.toml").read_text(encoding="utf-8"))
# By the package of a public name: title and content of its page.
TOPICS = {
    "protection": ("Protecting a file", "From a frame or a file to its release."),
    "methods": ("Steps and third-party synthesizers", "Several methods in order; another program as a method."),
    "data": ("Columns and their roles", "What columns contain, roles, sample uniques, edit rules."),
    "constraints": (
        "Structure found in a file",
        "Sums, joint zeros, orders and signs that hold and were not declared.",
    ),
    "evaluation": (
        "Judging a release",
        "Measures, audits, risk by keys, records at risk, changes, an analyst's regression.",
    ),
    "search": ("Choosing a method", "Many methods compared, and the search for the best within the limits."),
    "plans": ("Plans", "One reviewed file that describes one release."),
    "trust": ("Plans and verification", "Carry out a plan; reproduce a release; examine an installation."),
    "files": ("Reading files", "Every input format."),
    "fuzzy": ("Fuzzy clustering and regression", "The two algorithms of the literature, on arrays."),
    "rstream": ("Random numbers", "R's random streams."),
    "datasets": ("Data for examples", "Simulated files, and the Census file where the user has it."),
    "errors": ("Errors and notes", "Exceptions, and notes on a release."),
}
KINDS = {
    "loss": ("Information loss", "What a release loses for its users."),
    "risk": ("Disclosure risk", "What a release discloses to an intruder."),
    "score": ("Scores", "Loss and risk in one number."),
}
PLAIN = {"METHODS": "The methods by their names in lower case, as `--method` takes them."}
FACTS = {
    "formula": "formula", "use": "when", "avoid": "when not", "keeps": "what it keeps", "seed": "its seed discloses", "cost": "cost",
}  # fmt: skip


def reference() -> dict[str, str]:
    """Each page's text by its path below docs/."""
    pages = {f"reference/methods/{key}.rst": _method(key) for key in METHODS}
    pages["reference/methods/index.rst"] = _methods()
    pages["reference/measures.rst"] = _measures()
    pages["reference/commands.rst"] = _commands()
    pages["reference/r.rst"] = _r_functions()
    pages |= {f"reference/{topic}.rst": _topic(topic, names) for topic, names in topics().items()}
    lists = ["methods/index", "measures", *TOPICS, "commands", "r"]
    plain = [f"``pyfcrm.{name}``: {words}" for name, words in PLAIN.items()]
    tree = [".. toctree::", "   :maxdepth: 2", "", *(f"   {page}" for page in lists), "", *plain]
    pages["reference/index.rst"] = _page(
        "Reference", "Every public name, generated from declarations and docstrings.", "", *tree
    )
    return pages


def topics() -> dict[str, list[str]]:
    """The public names by topic, without the methods, which have their own pages."""
    names: dict[str, list[str]] = {topic: [] for topic in TOPICS}
    for name in pf.__all__:
        value = getattr(pf, name)
        if isinstance(value, ModuleType):
            own = [
                key
                for key, member in vars(value).items()
                if inspect.isclass(member) and member.__module__ == value.__name__
            ]
            names[name] += [f"{name}.{key}" for key in getattr(value, "__all__", own) if callable(getattr(value, key))]
        elif value not in METHODS.values() and name not in PLAIN:
            names[_module(value).split(".")[1]].append(name)
    return names


def _module(value: Any) -> str:
    """The module by which a name has its topic: of the functions that take options, which stand together, that of the result."""
    if value.__module__ == "pyfcrm.interface":
        return get_type_hints(value)["return"].__module__
    return value.__module__


def _topic(topic: str, names: Sequence[str]) -> str:
    title, lead = TOPICS[topic]
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
    rows = [
        (f":doc:`{method.__name__} <{key}>`", method.about, CARDS["method"][key]["use"], method.source)
        for key, method in METHODS.items()
    ]
    lead = "All methods. ``pyfcrm methods`` prints the same; in R each is a function in lower case."
    tree = ["", ".. toctree::", "   :hidden:", "", *(f"   {key}" for key in METHODS)]
    return _page("Methods", lead, "", *_table(("method", "what it does", "when", "source"), rows), *tree)


def _method(key: str) -> str:
    method, card = METHODS[key], CARDS["method"][key]
    example = _built(card["python"])
    settings = "".join(f" --set {shlex.quote(text)}" for text in setting_texts(example))
    calls = (
        f"pf.protect(frame, pf.{card['python']}, roles)", f'protect(df, {call_in_r(example)}, roles, seed = "fresh")',
        f"pyfcrm protect in.csv -o out.csv --dependent wage --independent age \\\n    --method {key}{settings}",
    )  # fmt: skip
    rows = [(f"``{p.name}``", _accepts(p), f"``{_shown(p)}``", _help(p)) for p in method.declared()]
    table = _table(("parameter", "values", "default", "meaning"), rows) if rows else ["It has no parameters."]
    full = ["", *_heading("In full", "-"), "", f".. autoclass:: pyfcrm.{method.__name__}"]
    facts = [*((name, _literal(card[field])) for field, name in FACTS.items()), ("source", method.source)]
    return _page(
        method.__name__, _sentence(method.about), *_picture("method", key), "", *_table(("", ""), facts), *_calls(calls), "",
        *_heading("Parameters", "-"), "", *table, *full,
    )  # fmt: skip


def picture(kind: str, key: str) -> str:
    """The picture of a card as SVG: original and release of a method, or values of a measure by the width of rank swapping."""
    panels = (
        _releases(CARDS["method"][key]["python"])
        if kind == "method"
        else {f"{key} by {'amount of noise' if key == 'detection' else 'width of the window'}": _responses()[key]}
    )
    points = [point for panel in panels.values() for point in panel if point[1] == point[1]]
    if not points:
        return "<!-- no picture -->"
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*points, strict=True))
    marks: list[str] = []
    for k, (title, panel) in enumerate(panels.items()):
        x = [260 * k + 10 + 230 * (x - left) / (right - left) for x, _ in panel]
        at = [
            f"{across:.0f},{140 - 110 * (y - low) / ((high - low) or 1):.0f}"
            for across, (_, y) in zip(x, panel, strict=True)
            if y == y
        ]
        path = "".join(f"M{point}h0" for point in at) if kind == "method" else "M" + "L".join(at)
        marks.append(f'<text x="{260 * k + 10}" y="16">{title}</text><path d="{path}"/>')
    view = f'viewBox="0 0 {260 * len(panels)} 155" role="img" aria-label="{key}: {", ".join(panels)}"'
    return f'<svg class="{kind}" {view}>{"".join(marks)}</svg>'


def _built(call: str) -> Method:
    """The method of a constructor's call in cards.toml."""
    method: Method = eval(f"pf.{call}", {"pf": pf, "IPSO": pf.IPSO})
    return method


def _releases(call: str) -> dict[str, list[tuple[float, float]]]:
    """150 records, original and protected by the method of a call: two amounts, or a category by record; none of a generator."""
    method = _built(call)
    if method.makes_new_file():
        return {}
    if isinstance(method, pf.PRAM | pf.LocalSuppression):
        frame, roles = pf.datasets.survey(150).dropna(), pf.Roles(dependent=["region", "age"], identifiers="name")
        roles = pf.Roles(dependent="region", identifiers="name") if isinstance(method, pf.PRAM) else roles
    else:
        frame, roles = pf.datasets.accounts(150), pf.Roles(["AGE", "RISK"], ["DEPOSITS", "DEBT"])
    files = {"original": frame, "release": pf.protect(frame, method, roles, seed=1, allow_unprotected=True).frame}
    if "region" in frame:
        levels = sorted(frame["region"].unique())
        places = {
            name: [float(levels.index(region)) if region in levels else float("nan") for region in file["region"]]
            for name, file in files.items()
        }
        return {
            f"{name}: region by record": list(zip(map(float, range(150)), values, strict=False))
            for name, values in places.items()
        }
    return {title: list(zip(file["DEPOSITS"], file["DEBT"], strict=True)) for title, file in files.items()}


@cache
def _responses() -> dict[str, list[tuple[float, float]]]:
    """The value of each measure for rank swapping of all columns, by its window in per cent; detection for noise."""
    frame, values = pf.datasets.survey(300), dict[str, list[tuple[float, float]]]()
    columns, keys = ["wage", "rent", "tax"], ["age", "hours", "size", "stratum"]
    for p in (1, 5, 10, 20, 40, 80):
        method, roles = pf.RankSwapping(p), pf.Roles(dependent=[*columns, *keys], identifiers="name")
        release = pf.protect(frame, method, roles, seed=1, allow_unprotected=True).frame
        report = pf.evaluate(frame, release, columns, list(MEASURES), keys, targets=["rent"], method=method, guesses=0)
        noisy = pf.protect(frame, pf.Noise(amount=p), roles, seed=1, allow_unprotected=True).frame
        detection = pf.evaluate(frame, noisy, columns, "detection")["detection"]
        for key in MEASURES:
            values.setdefault(key, []).append((p, detection if key == "detection" else report[key]))
    return values


def _picture(kind: str, key: str) -> tuple[str, ...]:
    """A placeholder for a picture, which is drawn when pages are written."""
    return ("", ".. raw:: html", "", f"   PICTURE {kind} {key}")


def _calls(calls: Iterable[str]) -> Iterator[str]:
    for language, call in zip(("python", "r", "bash"), calls, strict=True):
        yield from ("", f".. code-block:: {language}", "", *(f"   {line}" for line in call.split("\n")))


def _default(parameter: Parameter) -> str:
    return (
        str(parameter.default)
        if isinstance(parameter.default, int | float) or parameter.default is None
        else repr(parameter.default)
    )


def _shown(parameter: Parameter) -> str:
    return "required" if parameter.required else _default(parameter)


def _accepts(parameter: Parameter) -> str:
    return parameter.accepts + (f"; {parameter.unit}" if parameter.unit else "")


def _help(parameter: Parameter) -> str:
    only = f" Only with ``{parameter.condition}``." if parameter.condition else ""
    return _sentence(parameter.help) + only


def _measures() -> str:
    every = [(f":ref:`{key} <measure-{key}>`", measure.title, range_text(measure)) for key, measure in MEASURES.items()]
    blocks = ["", *_table(("key", "measure", "range"), every)]
    for kind, (title, lead) in KINDS.items():
        blocks += ["", *_heading(title, "-"), "", lead]
        blocks += [line for measure in MEASURES.values() if measure.kind == kind for line in _measure(measure)]
    lead = (
        f"By default ``evaluate`` gives {', '.join(DEFAULT)}. Pictures: rank swapping of 300 records, by the width of its window; "
        "detection by the amount of noise."
    )
    return _page("Measures", lead, *blocks)


def _measure(measure: Measure) -> Iterator[str]:
    """Heading, meaning, picture, card, calls; then the value and the notes in the docstring of its function."""
    yield from (
        "",
        f".. _measure-{measure.key}:",
        "",
        *_heading(f"{measure.key}: {measure.title}", "~"),
        "",
        _literal(measure.reading),
    )
    yield from _picture("measure", measure.key)
    needs = ", keys=[...]" * measure.needs_keys + ", targets=[...]" * measure.needs_targets
    needs += ", method=method" * measure.informed
    options = {
        ", keys=[...]": " --keys age,region",
        ", keys=[...], targets=[...]": " --keys age,region --targets wage",
    }.get(needs, "")
    facts = {
        "range": f"{range_text(measure)}; {measure.better} is better",
        "records": "paired" if measure.paired else "need not be paired",
    }
    facts |= {"identity": f"{measure.identity:g}"} if measure.identity is not None else {}
    facts |= {"parts of": ", ".join(measure.components)} if measure.components else {}
    if measure.key not in CARDS["measure"]:
        raise SystemExit(f"docs/cards.toml: add a card [measure.{measure.key}]")
    card = CARDS["measure"][measure.key]
    rows = (
        [(FACTS[key], _literal(card[key])) for key in ("formula", "use", "avoid")]
        + list(facts.items())
        + [("source", measure.source)]
    )
    yield from ("", *_table(("", ""), rows))
    shell = " --manifest private.json" if measure.informed else options
    yield from _calls((
        f'pf.evaluate(frame, release, measures="{measure.key}"{needs})["{measure.key}"]',
        f'evaluate(df, release, measures = "{measure.key}"{re.sub(r"=", " = ", needs).replace("[...]", "c(...)")})',
        f"pyfcrm evaluate in.csv out.csv --measures {measure.key}{shell}",
    ))  # fmt: skip
    summary, *sections = re.split(r"\n\n(\w+)\n-+\n", inspect.getdoc(measure.compute) or "")
    texts = dict(zip(sections[::2], sections[1::2], strict=True))
    for text in (summary, texts["Returns"].partition("\n")[2], texts.get("Notes", "")):
        yield from ("", _literal(" ".join(text.split())))


def _commands() -> str:
    from pyfcrm.cli.commands import COMMANDS, command

    blocks: list[str] = []
    for name in COMMANDS:
        built = command(name)
        rows = [
            (f"``{_typed(option)}``", _literal(getattr(option, "help", None) or ""))
            for option in built.params
            if not getattr(option, "hidden", False)
        ]
        blocks += [
            "",
            *_heading(f"pyfcrm {name}", "-"),
            "",
            _literal(built.help or ""),
            "",
            *_table(("argument", "meaning"), rows),
        ]
    return _page("Commands", "All commands and options. Exit statuses: page Files and commands.", *blocks)


def _typed(option: Any) -> str:
    return (
        ", ".join([*option.opts, *option.secondary_opts])
        if option.param_type_name == "option"
        else str(option.metavar or option.name).upper()
    )


def _r_functions() -> str:
    blocks: list[str] = []
    for path in sorted(MAN.glob("*.Rd")):
        text = re.sub(r"\\method\{([\w.]+)\}\{[^}]*\}|\\([%{}])", r"\1\2", path.read_text(encoding="utf-8"))
        blocks += ["", *_heading(path.stem, "-"), "", _literal(re.findall(r"\\title\{(.*)\}", text)[0]), ""]
        for usage in re.findall(r"\\usage\{\n(.*?)\n\}\n", text, re.DOTALL):
            blocks += [".. code-block:: r", "", *(f"   {line}" for line in usage.splitlines())]
    return _page("R", "The functions of ``library(fcrm)``. Each has its full page in R: ``?name``.", *blocks)


def _page(title: str, lead: str, *lines: str) -> str:
    return "\n".join([*_heading(title, "="), "", lead, *lines, ""])


def _heading(title: str, line: str) -> tuple[str, str]:
    return title, line * len(title)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A list-table, with a header unless it is empty."""
    lines = [".. list-table::", *(["   :header-rows: 1"] if any(heads) else []), "   :class: facts", ""]
    for row in [*([heads] if any(heads) else []), *rows]:
        lines += [f"   {'*' if j == 0 else ' '} - {cell}" for j, cell in enumerate(row)]
    return lines


def _literal(text: str) -> str:
    """Text with escaped markup characters."""
    return re.sub(r"([*`|\\_])", r"\\\1", text)


def _sentence(text: str) -> str:
    text = _literal(text[:1].upper() + text[1:])
    return text if text.endswith((".", "?")) else f"{text}."

"""What callers may rely on: the public names, their parameters and defaults, and the methods and properties of results.

Oracle: public_names.json, what there was when it was last written. Identical: nothing in it is lost, moved or given another
default. What is new is written down with `python tests/contract/test_public_names.py`.
"""

import inspect
import json
import sys
from pathlib import Path
from types import ModuleType

if __name__ == "__main__":  # the tree of this file, not another one that is installed
    REPOSITORY = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from support.interfaces import parameters_of

import pyfcrm as pf
from pyfcrm.methods.method import Procedure

STORED = Path(__file__).with_name("public_names.json")
OF_METHODS = {"declared", "facts", "parameters", "protect"}  # the rest is how a method is built


def today():
    """Every public name with its parameters, as written; None for what cannot be called."""
    return dict(sorted(_names(pf, pf.__all__, "")))


def _names(module, names, prefix):
    for name in names:
        value, called = getattr(module, name), prefix + name
        if isinstance(value, ModuleType):
            yield from _names(value, getattr(value, "__all__", None) or _classes(value), f"{called}.")
        else:
            yield called, parameters(value) if callable(value) else None
        if isinstance(value, type):
            yield from _members(value, f"{called}.")


def _classes(module):
    return [
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and isinstance(value, type)
    ]


def _members(kind, prefix):
    """Public methods and properties, also those of a class of ours that it is made from."""
    for name, value in inspect.getmembers_static(kind):
        ours = any(name in vars(base) for base in kind.__mro__ if base.__module__.startswith("pyfcrm"))
        if name.startswith("_") or not ours or (issubclass(kind, Procedure) and name not in OF_METHODS):
            continue
        plain = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if inspect.isfunction(plain):
            yield prefix + name, parameters(plain)
        elif hasattr(plain, "__get__") or issubclass(kind, Procedure):
            yield prefix + name, None


def parameters(function):
    """`["frame", "c=2", "*", "seed=None"]`: in order, with defaults; a star before those given by name only."""
    try:
        found = parameters_of(function)
    except ValueError:
        return ["..."]
    stars = [k for k, one in enumerate(found) if one.kind is inspect.Parameter.KEYWORD_ONLY][:1]
    words = [_word(one) for one in found]
    return words if not stars else [*words[: stars[0]], "*", *words[stars[0] :]]


def _word(one):
    if one.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
        return ("*" if one.kind is inspect.Parameter.VAR_POSITIONAL else "**") + one.name
    if one.default is inspect.Parameter.empty:
        return one.name
    default = getattr(one.default, "__qualname__", repr(one.default))
    return f"{one.name}={'...' if ' at 0x' in default else default}"


def split(words):
    """Those by position, in order, and those by name only."""
    at = words.index("*") if "*" in words else len(words)
    return words[:at], set(words[at + 1 :])


def broken(was, now):
    """Whether a call that was right may be wrong now."""
    if was is None or now is None:
        return was is not now
    (before, named), (after, named_now) = split(was), split(now)
    grown = [word for word in after[len(before) :] if "=" not in word and not word.startswith("*")]
    return after[: len(before)] != before or not named <= named_now | set(after) or bool(grown)


def test_nothing_is_lost():
    stored, found = json.loads(STORED.read_text()), today()
    assert not sorted(set(stored) - set(found)), "public names that are gone"
    wrong = [f"{name}: {was} is now {found[name]}" for name, was in stored.items() if broken(was, found[name])]
    assert not wrong, "\n".join(wrong)


def test_every_public_name_is_written_down():
    new = sorted(set(today()) - set(json.loads(STORED.read_text())))
    assert not new, f"new, and welcome: run `python tests/{STORED.parent.name}/{Path(__file__).name}`: {new}"


def test_the_check_sees_what_breaks_a_call():
    """Identical: worked by hand."""
    was = ["frame", "c=2", "*", "seed=None"]
    assert not broken(was, ["frame", "c=2", "m=1.5", "*", "seed=None", "new=1"])
    assert not broken(was, ["frame", "c=2", "seed=None"])  # by name as before, and by position too
    for now in (
        ["frame", "*", "c=2", "seed=None"],
        ["frame", "c=3", "*", "seed=None"],
        ["c=2", "frame"],
        ["frame", "c=2"],
    ):
        assert broken(was, now)
    assert broken(was, ["frame", "c=2", "more", "*", "seed=None"])
    assert broken(was, None)
    assert broken(None, was)


def test_dir_lists_public_names_only():
    assert dir(pf) == sorted([*pf.__all__, "__version__"])


if __name__ == "__main__":
    STORED.write_text("{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in today().items()) + "\n}\n")

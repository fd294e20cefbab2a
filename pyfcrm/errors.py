"""Every exception of the package. A message names the owner, the rule and the value.

The pieces stay on the exception as attributes, so that a caller (the command line, R, the
app) can show them its own way without parsing text.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PyfcrmError(Exception):
    """The root: catch this to catch everything this package raises on purpose."""


class InvalidInput(PyfcrmError, ValueError):
    """The data cannot be used as they are.

    owner : what was asked for ("protect", "census.csv"); rule : what must hold;
    given : what was found instead, with where.
    """

    def __init__(self, owner: str, rule: str, given: object = None) -> None:
        self.owner, self.rule, self.given = owner, rule, given
        super().__init__(_sentence(owner, rule, given))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:  # pickled as made, so that worker processes can raise it
        return type(self), (self.owner, self.rule, self.given)


class InvalidParameter(PyfcrmError, ValueError):
    """A parameter breaks its rule.

    owner : the method or function; name : the parameter; rule : what must hold; value : what was given; allowed : the
    words that may be given, where there are only some.
    """

    def __init__(self, owner: str, name: str, rule: str, value: object, allowed: tuple[str, ...] = ()) -> None:
        self.owner, self.name, self.rule, self.value, self.allowed = owner, name, rule, value, allowed
        super().__init__(_sentence(owner, f"`{name}` {rule}", repr(value)))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.owner, self.name, self.rule, self.value, self.allowed)


class MissingExtra(PyfcrmError, ImportError):
    """An optional part is not installed; the message has the command that installs it."""

    def __init__(self, what: str, extra: str, package: str) -> None:
        self.what, self.extra, self.package = what, extra, package
        self.command = f"pip install 'pyfcrm[{extra}]'"
        super().__init__(f"{what} needs {package}, which is not installed; run: {self.command}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.what, self.extra, self.package)


class Cancelled(PyfcrmError):
    """Long work was stopped from its progress callback; nothing half-written is left."""

    def __init__(self, what: str = "the work was cancelled") -> None:
        super().__init__(what)


class ClusterLost(PyfcrmError, ConnectionError):
    """A cluster cannot be reached, or broke down in the middle of work; the message says which and why."""


def unknown_name(owner: str, kind: str, name: str, known: Iterable[str]) -> InvalidInput:
    """An InvalidInput for a name that is not there, with the nearest names that are."""
    known = [str(k) for k in known]
    folded = {k.casefold(): k for k in known}
    near = difflib.get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.6)
    hint = "did you mean " + " or ".join(f"`{folded[k]}`" for k in near) if near else f"there are {_listed(known)}"
    return InvalidInput(owner, f"no {kind} is called `{name}`; {hint}")


def _listed(names: list[str], most: int = 15) -> str:
    shown = ", ".join(f"`{n}`" for n in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "") if names else "none"


def _sentence(owner: str, rule: str, given: object) -> str:
    return f"{owner}: {rule}" if given is None else f"{owner}: {rule}; got {given}"

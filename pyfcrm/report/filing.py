"""What identifies a report, and how its release was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ..data import Roles
from ..methods import Method


@dataclass(frozen=True)
class Making:
    """How a release was made.

    method : with its parameters; facts : by name, such as the seed, for the internal form; name : of the trial.
    """

    method: Method
    roles: Roles = Roles()  # noqa: RUF009 - frozen
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Filing:
    """What identifies a report.

    original, release : name and SHA-256 of each file; version : of the software; preparer, contact : names; released :
    whether the release was written, None where that is still open; despite : reason and name, where the release was
    written without a verdict of "pass"; written : the day.
    """

    original: tuple[str, str] | None = None
    release: tuple[str, str] | None = None
    version: str = ""
    preparer: str = ""
    contact: str = ""
    released: bool | None = None
    despite: tuple[str, str] | None = None
    written: str = field(default_factory=lambda: date.today().isoformat())

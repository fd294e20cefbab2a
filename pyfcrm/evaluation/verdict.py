"""verdict(): whether a release may be shown in green, and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..methods import Method
from .report import Report

NOT_COUNTED = "It was not counted how many records are unique on the columns that leave as they came."
WEAK = "Its random numbers come from a generator of 32 bits: whoever tries all of them can undo the release."


@dataclass(frozen=True)
class Verdict:
    """green : whether nothing speaks against the release; against : what does, in sentences."""

    green: bool
    against: tuple[str, ...]


def verdict(report: Report, max_dr: float | None = None, against: Iterable[str] = ()) -> Verdict:
    """What the figures of one release say of it.

    Parameters
    ----------
    report : Report
        With `kept`, as evaluate(..., roles=roles) gives it: what is not known speaks against the release.
    max_dr : float, optional
        The limit on disclosure risk, per cent; without one there is nothing that a release could keep to.
    against : iterable of str
        What else speaks against it, in sentences, whatever the figures; see `weaknesses`.

    Returns
    -------
    Verdict
        Green only where DR keeps the limit, no more than 5 per cent of the records are unique on the columns that leave
        as they came, and nothing else speaks against it.
    """
    risk = report["dr"] if "dr" in report.results else math.nan
    said = list(against)
    if max_dr is None:
        said.append("No limit on DR is set.")
    elif not risk <= max_dr:
        said.append(f"DR is {'not known' if math.isnan(risk) else f'{risk:.1f} %'}, and the limit is {max_dr:g} %.")
    if report.kept is None:
        said.append(NOT_COUNTED)
    elif report.kept.too_many:
        said.append(report.kept.verdict())
    return Verdict(not said, tuple(said))


def weaknesses(method: Method) -> tuple[str, ...]:
    """What a method's own facts say against a green verdict, in sentences: that its generator is weak."""
    return (WEAK,) if getattr(method, "weak_generator", False) else ()

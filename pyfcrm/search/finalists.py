"""What audits of the best methods found, in sentences: the alarms, which are said before a method is named, and the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import Note
from ..evaluation.audit_result import Audit
from .candidates import Judged

MOST_AUDITS = 3  # methods


def membership_alarms(audit: Audit) -> tuple[Note, ...]:
    """The alarms of every attack but detection, the surest first: those of who tells that a record was in the file."""
    return tuple(one for one in audit.alarms if one.facts["attack"] != "detection")


def alarms_first(pick: Judged) -> tuple[str, ...]:
    """What has to be said before the method is named: the surest alarm on membership, how many more, and detection's."""
    if pick.audit is None:
        return ()
    first, *more = membership_alarms(pick.audit) or (None,)
    told = [] if first is None else [f"ALARM, {pick.method} tells whose records it was made of: {first}."]
    if more:
        others = "another attack" if len(more) == 1 else f"{len(more)} other attacks"
        told += [f"So do{'es' * (len(more) == 1)} {others}: audit() has them all."]
    detected = [one for one in pick.audit.alarms if one.facts["attack"] == "detection"]
    return (*told, *(f"ALARM, {one}." for one in detected))


def audit_words(pick: Judged, finalists: Sequence[Judged], unaudited: Mapping[str, str]) -> tuple[str, ...]:
    """What the pick's audit found; where it raised an alarm on membership, the first finalist whose audit raised none."""
    audit = pick.audit
    if audit is None:
        why = unaudited.get(str(pick.method))
        return ("It was not audited." if why is None else f"It could not be audited: {why}.",)
    said = (
        f"Audited on records it never saw, {audit.repeats} split{'s' * (audit.repeats > 1)}: detection {audit['detection']:.2f} "
        f"(control {audit['detection_control']:.2f}), membership {audit['membership']:.2f} (control "
        f"{audit['membership_control']:.2f}) per cent.",
    )
    if not membership_alarms(audit):
        return said
    looked = [one for one in finalists if one.audit is not None]
    quiet = next((one for one in looked if one.audit is not None and not membership_alarms(one.audit)), None)
    if quiet is None:
        return (*said, f"Of the {len(looked)} of least loss that were audited all raise such an alarm.")
    return (
        *said,
        f"The first whose audit raises none on membership is {quiet.method}, PIL {quiet['pil']:.2f} and DR {quiet['dr']:.2f}.",
    )


def unpaired_words(judged: Sequence[Judged]) -> tuple[str, ...]:
    """What is said of methods whose records do not pair, by the least loss: no limit on DR is kept or broken by them."""
    if not judged:
        return ()
    best = min(judged, key=lambda one: one["pil"])
    others = f", and {len(judged) - 1} more" if len(judged) > 1 else ""
    said = (
        f"{best.method}, PIL {best['pil']:.2f}{others}, cannot be picked: records that do not pair have no DR; audit() says what "
        "such a release tells."
    )
    return (said,)

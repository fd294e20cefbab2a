"""run(): what a plan says, done: protected, judged, audited; released where every threshold is met, else not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from ..arguments import whole_number
from ..data import Frame
from ..data.kept_totals import unsafe_in
from ..data.open import require_columns
from ..data.source import open_data
from ..engine import Local
from ..errors import InvalidInput, Note, PyfcrmError, lines
from ..evaluation.audit import audit
from ..evaluation.audit_result import KEYS, Audit
from ..evaluation.evaluate import evaluate
from ..evaluation.report import Report, Threshold
from ..files import check_output
from ..files.atomic import PRIVATE, PUBLIC, Pending, write_bytes
from ..files.manifest import digest, releasing
from ..files.paths import Path, check_new, copy_paths
from ..measures import DEFAULT, INFORMED, MEASURES
from ..progress import Progress
from ..protection.file import protect_file, record
from ..protection.protect import Protected
from ..protection.request import MOST_COPIES
from ..rstream import as_stream
from .again import accepted
from .plan import KEPT, Plan, read_plan
from .plan_text import place

if TYPE_CHECKING:
    from ..report import Filing

TOTALS = "strict_totals"  # in [keep]: how many totals kept exactly give a contribution away, none being allowed


@dataclass(frozen=True, repr=False)
class PlanRun:
    """What became of a plan; `ok` says it in a word, `str()` in sentences.

    Parameters
    ----------
    plan : Plan
        As it was read.
    thresholds : tuple of Threshold
        Each with its limit and the value measured.
    report : Report
        The judgement of the release.
    audit : Audit or None
        Of the method, where a threshold asks for it.
    notes : list of Note
        Of protection, judgement and audit.
    """

    plan: Plan
    thresholds: tuple[Threshold, ...]
    report: Report
    audit: Audit | None = None
    notes: list[Note] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every threshold is met, and so the release is written."""
        return all(one.met for one in self.thresholds)

    def sentences(self) -> list[str]:
        """The outcome in words.

        Returns
        -------
        list of str
            A sentence a threshold, then what was written, or that nothing was released.
        """
        release = str(self.plan.file("output", "release"))
        paths = ", ".join(str(path) for path in copy_paths(release, _copies(self.plan)))
        end = f"released: {paths}" if self.ok else "nothing is released: a threshold is not met"
        return [*map(str, self.thresholds), end]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    __repr__ = __str__


class _NotMet(Exception):
    """Ends the making of a release, so that neither it nor its manifest appears."""


def run(plan: Path | Plan, *, overwrite: bool = False, progress: Progress | None = None) -> PlanRun:
    """Do what a plan says: protect, judge, audit where a threshold asks for it, and release where all thresholds are met.

    Parameters
    ----------
    plan : path or Plan
        The plan's file, or what read_plan() made of it.
    overwrite : bool
        Whether outputs that exist are replaced (else they are refused before any work is done).
    progress : callable, optional
        As in `protect`.

    Returns
    -------
    PlanRun
        Its `ok` is True where the release was written. The internal report is written either way, and says which
        threshold is not met; the release, its manifest and the external report only where all are.

    Raises
    ------
    InvalidInput
        Where the plan, its file or an output breaks a rule.
    InvalidParameter
        Where an argument does.
    """
    asked = plan if isinstance(plan, Plan) else read_plan(plan)
    source, outputs = _paths(asked, overwrite)
    reading = asked.table("input")
    named = asked.table("keep").get("structure")
    with _told(asked, "keep", "structure"):
        structure = accepted(named if named == "find" else asked.file("keep", "structure"))
    with _told(asked, "input", "file"):
        door = open_data("run", source, None, reading.get("separator"), reading.get("decimal"))
    _require_columns(asked, door)
    if door.source is not None:
        raise InvalidInput(source, "the file of a plan must fit in memory: it is judged before it is released")
    try:
        copies = _copies(asked)
        with releasing(outputs["release"], outputs.get("manifest"), source, True, copies, door.stamp) as release:
            released = _protected(asked, door, structure, release.outputs, progress)
            options = _options(asked) | {"disarm": bool(asked.table("output").get("disarm")), "by_blocks": False}
            options |= {
                "separator": reading.get("separator"),
                "decimal": reading.get("decimal"),
                "threads": Local().most,
                "structure": structure,
                **_answers(asked),
                "allow_unprotected": bool(asked.table("keep").get("allow_unprotected")),
                "copies": copies if copies > 1 else None,
            }
            options["constraints"] = "; ".join(options["constraints"]) if options["constraints"] else None
            release.describe(record(released, source, outputs["release"], options))
            made = _judged(asked, door, released, progress)
            if not made.ok:
                raise _NotMet
            for path, page, mode in _pages(made, door, released, outputs, release.outputs):
                release.beside(path, page, mode)
    except _NotMet:
        for path, page, mode in _pages(made, door, released, outputs):
            write_bytes(path, page, mode=mode)
    return made


@contextmanager
def _told(plan: Plan, table: str, key: str) -> Iterator[None]:
    """What is wrong with a file that the plan names is told with the plan's line."""
    try:
        yield
    except PyfcrmError as error:
        raise InvalidInput(place(plan.path, plan.text, table, key), str(error)) from error


def _require_columns(plan: Plan, door: Frame) -> None:
    """Raises InvalidInput, with the plan's line, for a column that the file has not."""
    keep = plan.table("keep")
    named = [("roles", role, columns) for role, columns in asdict(plan.roles).items()]
    named += [
        ("keep", "strata", keep.get("strata") or ()),
        ("keep", "weights", [keep["weights"]] if "weights" in keep else ()),
    ]
    for table, key, columns in named:
        require_columns(place(plan.path, plan.text, table, key), door, columns)


def _paths(plan: Plan, overwrite: bool) -> tuple[str, dict[str, str]]:
    """The plan's input and outputs, found good before any work is done."""
    source = plan.file("input", "file")
    assert source is not None
    named = {key: plan.file("output", key) for key in ("release", "manifest", "report", "report_external")}
    outputs = {key: path for key, path in named.items() if path is not None}
    for key, path in outputs.items():
        pages = ("html", "htm") if key.startswith("report") else None
        others = [other for one, other in outputs.items() if one != key]
        for one in copy_paths(path, _copies(plan)) if key == "release" else [path]:
            if key == "release":
                check_output(one, [source, plan.path, *others])
            else:
                check_output(one, [source, plan.path, *others], extensions=pages)
            check_new(one, overwrite)
    return source, outputs


def _copies(plan: Plan) -> int:
    return whole_number("plan", "copies", plan.table("output").get("copies", 1), low=1, high=MOST_COPIES)


def _options(plan: Plan) -> dict[str, Any]:
    keep = plan.table("keep")
    strata = keep.get("strata") or None
    return {"constraints": keep.get("constraints"), "missing": keep.get("missing", "refuse"), "strata": strata}


def _answers(plan: Plan) -> dict[str, Any]:
    return {key: plan.table("keep").get(key) for key in ("weights", "preserve")}


def _protected(plan: Plan, door: Frame, structure: Any, output: Any, progress: Progress | None) -> Protected:
    more: Mapping[str, Any] = {
        "structure": structure,
        "disarm": bool(plan.table("output").get("disarm")),
        "allow_unprotected": bool(plan.table("keep").get("allow_unprotected")),
        **_answers(plan),
        "copies": _copies(plan),
    }
    seed = plan.table("random").get("seed")
    start = as_stream(None) if seed is None else seed
    return protect_file(
        door, output, plan.method, plan.roles, start, overwrite=True, progress=progress, **_options(plan), **more
    )


def _judged(plan: Plan, door: Frame, released: Protected, progress: Progress | None) -> PlanRun:
    """The release judged, and its method audited where a threshold asks for it."""
    original = door.frame
    limits, options = plan.table("thresholds"), _options(plan)
    measured = [key for key in limits if key in MEASURES and key not in (*DEFAULT, *INFORMED, *KEYS)]
    report = evaluate(
        original,
        released.frames,
        measures=[*DEFAULT, *measured],
        missing="complete",
        strata=options["strata"],
        roles=plan.roles,
        method=plan.method,
        progress=progress,
    )
    found = None
    if any(key in KEYS for key in limits):
        options |= {"copies": _copies(plan), **_answers(plan)}
        found = audit(original, plan.method, plan.roles, progress=progress, **options)
    thresholds = tuple(_threshold(key, float(limit), report, found) for key, limit in limits.items())
    if plan.table("keep").get(TOTALS):
        thresholds += (Threshold(TOTALS, 0, unsafe_in(released.notes)),)
    notes = [*released.notes, *report.notes, *(() if found is None else found.notes)]
    return PlanRun(plan, thresholds, report, found, lines(notes))


def _threshold(key: str, limit: float, report: Report, found: Audit | None) -> Threshold:
    if key == KEPT:
        return Threshold(key, limit, report.kept.share if report.kept is not None else float("nan"))
    if found is not None and key in KEYS:
        return Threshold(key, limit, found[key])
    return Threshold(key, limit, report[key], report.facts(key).better == "higher")


def _pages(
    made: PlanRun, door: Frame, released: Protected, outputs: Mapping[str, str], files: Sequence[Pending] = ()
) -> Iterator[tuple[str, bytes, int]]:
    """The reports asked for, where each goes and its mode: that for those inside in any case, that for those outside with
    the release only. files : the release's, which do not have their names yet.
    """
    from ..report import Making, report_page

    plan = made.plan
    original = door.frame
    making = Making(type(plan.method).__name__, plan.method.about, plan.method.parameters(), {}, tuple(released.notes))
    filing = _filing(made, files)
    for key, form, mode in (("report", "internal", PRIVATE), ("report_external", "external", PUBLIC)):
        if key not in outputs or (form == "external" and not made.ok):
            continue
        page = report_page(
            original,
            released.frames,
            made.report,
            form,
            making=making,
            missing="complete",
            audit=made.audit if form == "internal" else None,
            unknown=plan.roles.unknown,
            filing=filing,
        )
        yield outputs[key], page.encode("utf-8"), mode


def _filed(files: Sequence[Pending]) -> tuple[str, str]:
    """Name and SHA-256 of a release, or of its copies in their order."""
    names = ", ".join(os.path.basename(one.name) for one in files)
    return names, ", ".join(digest(one.temporary) for one in files)


def _filing(made: PlanRun, files: Sequence[Pending]) -> Filing:
    """The files by name and digest, the plan's thresholds, and what became of it."""
    from .. import __version__
    from ..report import Filing

    source = made.plan.file("input", "file")
    assert source is not None
    return Filing(
        (os.path.basename(source), digest(source)),
        _filed(files) if made.ok else None,
        f"Made by a plan on {date.today().isoformat()}, by pyfcrm {__version__}.",
        made.thresholds,
        made.ok,
    )

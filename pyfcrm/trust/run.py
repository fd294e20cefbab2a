"""run(): what a plan says, done: protected, audited, judged; released on the verdict "pass" only."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from ..arguments import whole_number
from ..data import Frame
from ..data.open import require_columns
from ..data.source import open_data
from ..engine import Local
from ..errors import InvalidInput, InvalidParameter, Note, PyfcrmError, lines
from ..evaluation.audit_result import Audit
from ..evaluation.evaluate import evaluate
from ..evaluation.release_facts import audit_of, release_facts
from ..evaluation.release_tests import FEW_RECORDS
from ..evaluation.report import Report
from ..evaluation.verdict import Verdict
from ..files import check_output
from ..files.atomic import PRIVATE, PUBLIC, Pending, write_bytes
from ..files.manifest import digest, releasing
from ..files.paths import Path, check_new, copy_paths
from ..progress import Progress
from ..protection.file import protect_file, record
from ..protection.protect import Protected
from ..protection.request import MOST_COPIES
from ..rstream import as_stream
from .again import accepted
from .plan import Plan, read_plan
from .plan_text import place

if TYPE_CHECKING:
    from ..report import Filing

NO_AUDIT = "the audit could not run: {reason}"


@dataclass(frozen=True, repr=False)
class PlanRun:
    """The outcome of a plan; `verdict` decides, `str()` says it in sentences.

    Parameters
    ----------
    plan : Plan
        As it was read.
    report : Report
        Of the release, with its verdict.
    audit : Audit or None
        Of the method, where it replaces every confidential value.
    notes : list of Note
        Of protection, evaluation and audit.
    despite_hold, by : str
        The reason why the release was written without a "pass", and the name of who answers for it; "" otherwise.
    """

    plan: Plan
    report: Report
    audit: Audit | None = None
    notes: list[Note] = field(default_factory=list)
    despite_hold: str = ""
    by: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the release."""
        return self.report.verdict

    @property
    def ok(self) -> bool:
        """Whether the release was written."""
        return self.verdict.ok or bool(self.despite_hold)

    def sentences(self) -> list[str]:
        """The outcome in words.

        Returns
        -------
        list of str
            The verdict, a line a test; then the files that were written, or that nothing was released.
        """
        if not self.ok:
            return [*self.verdict.lines(), f"nothing is released: the verdict is {self.verdict.status}"]
        release = str(self.plan.file("output", "release"))
        paths = ", ".join(str(path) for path in copy_paths(release, _copies(self.plan)))
        despite = [f"released despite this verdict by {self.by}: {self.despite_hold}"] if self.despite_hold else []
        return [*self.verdict.lines(), *despite, f"released: {paths}"]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    __repr__ = __str__


class _NotReleased(Exception):
    """Ends the making of a release, so that neither it nor its manifest appears."""


def run(
    plan: Path | Plan,
    *,
    overwrite: bool = False,
    despite_hold: str | None = None,
    by: str | None = None,
    progress: Progress | None = None,
) -> PlanRun:
    """Do what a plan says: protect, audit, evaluate, and release if the verdict is "pass".

    Parameters
    ----------
    plan : path or Plan
        The plan's file, or what read_plan() made of it.
    overwrite : bool
        Whether outputs that exist are replaced (else they are refused before any work is done).
    despite_hold, by : str, optional
        A reason and a name: the release is written whatever the verdict is, and both stand in the manifest and in the
        reports, with the verdict. They go before those of the plan's table [release].
    progress : callable, optional
        As in `protect`.

    Returns
    -------
    PlanRun
        Its `ok` is True where the release was written. The internal report is written either way; the release, its
        manifest and the external report only with the release.

    Raises
    ------
    InvalidInput
        Where the plan, its file or an output breaks a rule.
    InvalidParameter
        Where an argument does.
    """
    request = plan if isinstance(plan, Plan) else read_plan(plan)
    hold = _despite_hold(request, despite_hold, by)
    source, outputs = _paths(request, overwrite)
    reading = request.table("input")
    named = request.table("keep").get("structure")
    with _told(request, "keep", "structure"):
        structure = accepted(named if named == "find" else request.file("keep", "structure"))
    with _told(request, "input", "file"):
        door = open_data("run", source, None, reading.get("separator"), reading.get("decimal"))
    _require_columns(request, door)
    if door.source is not None:
        raise InvalidInput(source, "the file of a plan must fit in memory: it is judged before it is released")
    copies = _copies(request)
    try:
        with releasing(outputs["release"], outputs.get("manifest"), source, True, copies, door.stamp) as release:
            released = _protected(request, door, structure, release.outputs, progress)
            result = _evaluated(request, door, released, hold, progress)
            if not result.ok:
                raise _NotReleased
            options = _recorded(request, structure) | {"verdict": result.verdict.document()}
            if result.despite_hold:
                options["release"] = {"despite_hold": result.despite_hold, "by": result.by}
            release.describe(record(released, source, outputs["release"], options))
            for path, page, mode in _pages(result, door, released, outputs, release.outputs):
                release.beside(path, page, mode)
    except _NotReleased:
        for path, page, mode in _pages(result, door, released, outputs):
            write_bytes(path, page, mode=mode)
    return result


def _despite_hold(plan: Plan, reason: str | None, name: str | None) -> Mapping[str, str]:
    """`despite_hold` and `by`, of the call or else of the plan; empty without them. Raises InvalidParameter."""
    given = {"despite_hold": reason, "by": name}
    if reason is None and name is None:
        return plan.table("release")
    for key, value in given.items():
        if not isinstance(value, str) or not value.strip():
            raise InvalidParameter("run", key, "must be a text: despite_hold a reason, by a name", value)
    return {key: str(value) for key, value in given.items()}


def _recorded(plan: Plan, structure: Any) -> dict[str, Any]:
    """What the manifest has of a plan's options."""
    reading, options, copies = plan.table("input"), _options(plan), _copies(plan)
    constraints = options["constraints"]
    return {
        **options,
        "constraints": "; ".join(constraints) if constraints else None,
        "disarm": bool(plan.table("output").get("disarm")),
        "by_blocks": False,
        "separator": reading.get("separator"),
        "decimal": reading.get("decimal"),
        "threads": Local().most,
        "structure": structure,
        "allow_unprotected": bool(plan.table("keep").get("allow_unprotected")),
        "copies": copies if copies > 1 else None,
    }


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
    options = {key: keep.get(key) for key in ("constraints", "weights", "preserve")}
    return options | {"missing": keep.get("missing", "refuse"), "strata": keep.get("strata") or None}


def _protected(plan: Plan, door: Frame, structure: Any, output: Any, progress: Progress | None) -> Protected:
    flags = {key: bool(plan.table("keep").get(key)) for key in ("allow_unprotected", "strict_totals")}
    more: Mapping[str, Any] = {"structure": structure, "disarm": bool(plan.table("output").get("disarm")), **flags}
    seed = plan.table("random").get("seed")
    start = as_stream(None) if seed is None else seed
    return protect_file(
        door, output, plan.method, plan.roles, start, overwrite=True, progress=progress, copies=_copies(plan),
        **_options(plan), **more,
    )  # fmt: skip


def _evaluated(
    plan: Plan, door: Frame, released: Protected, hold: Mapping[str, str], progress: Progress | None
) -> PlanRun:
    """The release evaluated, and its method audited where it replaces every confidential value."""
    audit, said = None, list[Note]()
    if plan.method.masks == "values" and door.records >= FEW_RECORDS:
        try:
            audit = audit_of(True, door, release_facts(released, None, None, None), Local(), progress)
        except InvalidInput as error:
            said.append(Note.of("unreliable", NO_AUDIT, reason=str(error)))
    report = evaluate(
        door, released, missing="complete", strata=_options(plan)["strata"], limits=plan.limits, audit=audit,
        progress=progress,
    )  # fmt: skip
    notes = lines([*released.notes, *report.notes, *(() if audit is None else audit.notes), *said])
    result = PlanRun(plan, report, audit, notes)
    return result if result.ok or not hold else PlanRun(plan, report, audit, notes, hold["despite_hold"], hold["by"])


def _pages(
    result: PlanRun, door: Frame, released: Protected, outputs: Mapping[str, str], files: Sequence[Pending] = ()
) -> Iterator[tuple[str, bytes, int]]:
    """The reports asked for, where each goes and its mode: that for those inside in any case, that for those outside with
    the release only. files : the release's, which do not have their names yet.
    """
    from ..report import Making, report_page

    plan = result.plan
    original = door.frame
    making = Making(type(plan.method).__name__, plan.method.about, plan.method.parameters(), {}, tuple(released.notes))
    filing = _filing(result, files)
    for key, form, mode in (("report", "internal", PRIVATE), ("report_external", "external", PUBLIC)):
        if key not in outputs or (form == "external" and not result.ok):
            continue
        page = report_page(
            original,
            released.frames,
            result.report,
            form,
            making=making,
            missing="complete",
            audit=result.audit if form == "internal" else None,
            unknown=plan.roles.unknown,
            filing=filing,
        )
        yield outputs[key], page.encode("utf-8"), mode


def _filed(files: Sequence[Pending]) -> tuple[str, str]:
    """Name and SHA-256 of a release, or of its copies in their order."""
    names = ", ".join(os.path.basename(one.name) for one in files)
    return names, ", ".join(digest(one.temporary) for one in files)


def _filing(result: PlanRun, files: Sequence[Pending]) -> Filing:
    """The files by name and digest, the verdict, and what became of the release."""
    from .. import __version__
    from ..report import Filing

    source = result.plan.file("input", "file")
    assert source is not None
    return Filing(
        (os.path.basename(source), digest(source)),
        _filed(files) if result.ok else None,
        f"Made by a plan on {date.today().isoformat()}, by pyfcrm {__version__}.",
        result.verdict,
        result.ok,
        (result.despite_hold, result.by) if result.despite_hold else None,
    )

"""run(): carries out a plan: protects, audits, evaluates; releases only on a verdict of "pass"."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from ..data import Frame, open_data
from ..errors import InvalidInput, InvalidParameter, Note, lines
from ..evaluation.report import Report
from ..evaluation.verdict.decision import Verdict
from ..files import check_output
from ..files.atomic import PRIVATE, PUBLIC, Pending, write_bytes
from ..files.formats import WRITERS
from ..files.manifest import digest, file_digests, releasing
from ..files.paths import Path, check_ledger, check_new, copy_paths
from ..interface import evaluate
from ..plans.file import manifest_contents
from ..plans.plan import Plan, Release, options_of, read_plan
from ..progress import Progress
from ..protection.protect import Protected, recording, run_request
from ..protection.request import Destination, protect_request
from .board.document import dossier_paths

NEXT_STEPS = "next steps as tables of the plan:"
NO_REASON = "must be a text: despite_hold a reason, by a name"
PAGES = {"report": ("internal", PRIVATE), "report_external": ("external", PUBLIC)}
DOSSIER = "dossier"


@dataclass(frozen=True, repr=False)
class PlanRun:
    """The outcome of a plan; `verdict` decides, `str()` has it in sentences.

    Parameters
    ----------
    plan : Plan
        As it was read.
    report : Report
        Of the release, with its verdict.
    notes : list of Note
        Of protection, evaluation and audit.
    despite_hold, by : str
        The reason for a release without a "pass", and the name of the person responsible; "" otherwise.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyfcrm as pf
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = pf.datasets.example()
    >>> frame.to_csv(folder / "in.csv", index=False)
    >>> plan = folder / "plan.toml"
    >>> text = '[input]\\nfile = "in.csv"\\n[roles]\\nunknown = ["{}"]\\ndependent = ["{}"]\\n'.format(*frame)
    >>> text += '[method]\\nname = "topbottomcoding"\\ntop = 9\\n[output]\\nrelease = "out.csv"\\nmanifest = "private.json"'
    >>> _ = plan.write_text(text)
    >>> isinstance(pf.run(plan), pf.PlanRun)
    True
    """

    plan: Plan
    report: Report
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
            The verdict, a line for each test; then the files that were written, or that nothing was released, and the next steps
            as tables of the plan.
        """
        if not self.ok:
            nothing = f"nothing is released: the verdict is {self.verdict.status}"
            return [*self.report.lines(), nothing, *self._next_steps()]
        output = self.plan.output
        paths = ", ".join(str(path) for path in copy_paths(output.release, output.copies))
        despite = [f"released despite this verdict by {self.by}: {self.despite_hold}"] if self.despite_hold else []
        return [*self.report.lines(), *despite, f"released: {paths}"]

    def _next_steps(self) -> list[str]:
        """The next steps as tables of the plan, line by line; none where a plan can carry out none."""
        plans = dict.fromkeys(test.plan for test in self.verdict.applicable if test.plan)
        if not plans:
            return []
        return [NEXT_STEPS, *"\n".join(plans).splitlines()]

    def __repr__(self) -> str:
        return "\n".join(self.sentences())


class _NotReleased(Exception):
    """Ends a release, so that neither it nor its manifest appears."""


def run(
    plan: Path | Plan,
    *,
    overwrite: bool = False,
    despite_hold: str | None = None,
    by: str | None = None,
    progress: Progress | None = None,
) -> PlanRun:
    """Carry out a plan: protect, audit, evaluate, and release if the verdict is "pass".

    Parameters
    ----------
    plan : path or Plan
        The plan's file, or the result of read_plan().
    overwrite : bool
        Whether outputs that exist are replaced (else they are refused before any work is done).
    despite_hold, by : str, optional
        A reason and a name: the release is then written whatever the verdict is. Manifest and reports record both, with
        the verdict. They replace those of the plan's table [release].
    progress : callable, optional
        As in `protect`.

    Returns
    -------
    PlanRun
        Its `ok` is True where the release was written. The internal report and the dossier are written either way; the release,
        its manifest and the external report only with the release.

    Raises
    ------
    InvalidInput
        If the plan, its file or an output breaks a rule.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyfcrm as pf
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = pf.datasets.example()
    >>> frame.to_csv(folder / "in.csv", index=False)
    >>> plan = folder / "plan.toml"
    >>> text = '[input]\\nfile = "in.csv"\\n[roles]\\nunknown = ["{}"]\\ndependent = ["{}"]\\n'.format(*frame)
    >>> text += '[method]\\nname = "topbottomcoding"\\ntop = 9\\n[output]\\nrelease = "out.csv"\\nmanifest = "private.json"'
    >>> _ = plan.write_text(text)
    >>> pf.run(plan).ok in (True, False)
    True
    """
    inputs = [] if isinstance(plan, Plan) else [plan]
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    hold = plan.release
    if despite_hold is not None or by is not None:
        for name, text in {"despite_hold": despite_hold, "by": by}.items():
            if not isinstance(text, str) or not text.strip():
                raise InvalidParameter("run", name, NO_REASON, text)
        hold = Release(despite_hold=despite_hold, by=by)
    output, source = plan.output, plan.input.file
    _check_outputs(plan, [source, *inputs], overwrite)
    frame = open_data("run", source, None, plan.input.reading)
    if frame.source is not None:
        raise InvalidInput(source, "the file of a plan must fit in memory: it is evaluated before it is released")
    try:
        with (
            ExitStack() as recorded,
            releasing(
                output.release, output.manifest, source, overwrite=True, copies=output.copies, before=frame.stamp
            ) as (files, contents),
        ):
            request = protect_request(plan.method, plan.roles, plan.random.start, options_of(plan), progress)
            to = Destination(outputs=tuple(files), overwrite=True, disarm=output.disarm, ledger=output.ledger)
            released = run_request(frame, request, "local", to)
            result = _evaluated(plan, frame, released, hold, progress)
            if not result.ok:
                raise _NotReleased
            released = recorded.enter_context(recording(released, files, judged=True))
            used = plan.model_copy(update={"release": hold if result.despite_hold else None})
            contents |= manifest_contents(used, released, by_blocks=False) | {"verdict": result.verdict.document()}
            for path, page, mode in _pages(result, frame, released, tuple(files)):
                files.append(Pending(path, mode))
                files[-1].write(page)
    except _NotReleased:
        for path, page, mode in _pages(result, frame, released):
            write_bytes(path, page, mode=mode)
    return result


def _check_outputs(plan: Plan, inputs: Sequence[Path], overwrite: bool) -> None:
    """Raises InvalidInput for an output that cannot be written, before any work is done."""
    output = plan.output
    keys = ("release", "manifest", *PAGES, DOSSIER)
    paths = {key: path for key in keys if (path := getattr(output, key)) is not None}
    for key, path in paths.items():
        others = [*inputs, *(other for name, other in paths.items() if name != key)]
        files: Sequence[Path] = [path]
        if key == "release":
            files = copy_paths(path, output.copies)
        elif key == DOSSIER:
            files = dossier_paths("run", path)
        extensions = WRITERS if key == "release" else ("html", "htm") if key in PAGES else None
        for file in files:
            check_new(check_output(file, others, extensions), overwrite)
    if output.ledger is not None:
        check_ledger(output.ledger, [*inputs, *paths.values(), *copy_paths(output.release, output.copies)])


def _evaluated(
    plan: Plan, frame: Frame, released: Protected, hold: Release | None, progress: Progress | None
) -> PlanRun:
    """The release evaluated; a method that replaces every confidential value is audited."""
    audit = plan.method.facts(plan.roles).masks == "values"
    report = evaluate(frame, released, strata=plan.keep.strata, limits=plan.limits, audit=audit, progress=progress)
    notes = lines([*released.notes, *report.notes, *(() if report.audit is None else report.audit.notes)])
    reason = {} if report.verdict.ok or hold is None else dict(hold)
    return PlanRun(plan, report, notes, **reason)


def _pages(
    result: PlanRun, frame: Frame, released: Protected, files: Sequence[Pending] = ()
) -> Iterator[tuple[str, bytes, int]]:
    """The reports of the plan with path and mode: the external one with a release only, the internal one and the dossier in any case.

    files : of the release, before they have their names.
    """
    from ..report import Filing, report_page
    from .board.dossier import filed_dossier

    plan, ok = result.plan, result.ok
    source = plan.input.file
    filing = Filing(
        (os.path.basename(source), digest(source)),
        file_digests({file.name: file.temporary for file in files}) if ok else None,
        preparer=result.by,
        released=ok,
        despite=(result.despite_hold, result.by) if result.despite_hold else None,
    )
    for key, (form, mode) in PAGES.items():
        path = getattr(plan.output, key)
        if path is None or (form == "external" and not ok):
            continue
        page = report_page(
            frame.frame,
            released,
            result.report,
            form,
            filing=filing,
        )
        yield path, page.encode("utf-8"), mode
    output = plan.output
    if output.dossier is not None:
        board = filed_dossier(
            frame.frame,
            released,
            result.report,
            filing,
            purpose=output.purpose or "",
            recipients=output.recipients or "",
        )
        path, document = dossier_paths("run", output.dossier)
        yield path, board.to_html().encode("utf-8"), PRIVATE
        yield document, board.to_json().encode("utf-8"), PRIVATE

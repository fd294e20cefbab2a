"""What may be taken away of a trial, as bytes: the release, two reports, two scripts and the records at risk."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from .... import __version__
from ....errors import Count, InvalidInput
from ....files.csv_text import FORMULA_STARTS
from ....files.formats import format_of
from ....files.labelled import loses
from ....files.paths import extension
from ....protection.release import write_release
from ....report import Filing, Making, report_page
from ....rstream import RStream
from ...scripts import Replay, python_script, r_script, release_name
from ...visit import Visit
from ..bench import Trial
from .later import at_risk_csv
from .tried import all_tried

Trials = Sequence[Trial]
AGAIN = "Makes the same file again: holds the seed or the random state"
STATUS = {"hold": "ON-HOLD-", "not examined": "NOT-EXAMINED-"}
REASON = "gives out a release whose verdict is no pass for a reason and a name: type both above the button"
STATE_KEPT = "none: the whole state of the generator is in the scripts"


@dataclass(frozen=True)
class Thing:
    """key : its id on the page; label, title : of its button; added : what its name has after the file's stem, None for
    the release's own; content : its bytes; inside : whether it must stay inside the agency."""

    key: str
    label: str
    title: str
    added: str | None
    content: Callable[[Trial, Trials, Visit], bytes]
    inside: bool

    def name(self, trial: Trial) -> str:
        """What the download is called: after the file, never after method or seed; first the status where it is no pass."""
        verdict = trial.report.verdict
        status = "" if self.inside or verdict.ok else STATUS[verdict.status]
        if self.added is None:
            return status + release_name(trial.source.name)
        return status + PurePath(trial.source.name).stem + self.added


def unaudited(trial: Trial) -> bool:
    """Whether an audit is what the verdict lacks."""
    return any(test.key == "audit" and test.status == "not examined" for test in trial.report.verdict.tests)


def release_bytes(trial: Trial, visit: Visit) -> bytes:
    """The protected file, in the original's format and with its labels; text that a spreadsheet would run is disarmed.

    Raises InvalidInput, one sentence that names no folder, for a release that the format cannot hold, and for one without a
    pass, without a reason and a name.
    """
    verdict = trial.report.verdict
    if not (verdict.ok or all(trial.despite)):
        raise InvalidInput("studio", REASON, verdict.status)
    folder = Path(tempfile.mkdtemp(dir=visit.folder))
    try:
        target = folder / release_name(trial.source.name)
        write_release(trial.released.frame, trial.source.table, trial.released.roles, target, disarm=True)
        return target.read_bytes()
    except InvalidInput as error:
        raise InvalidInput(error.owner.replace(f"{folder}/", ""), error.rule, error.value) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def report_bytes(trial: Trial, form: str, tried: Trials = ()) -> bytes:
    """The report: form "internal", with the map of all that was tried as its last section, or "external"."""
    more = tuple(all_tried(tried)) if form == "internal" else ()
    page = report_page(
        trial.source.table.frame,
        trial.released.frame,
        trial.report,
        form,
        making=making(trial),
        more=more,
        audit=trial.audit if form == "internal" else None,
        filing=Filing(verdict=trial.report.verdict, despite=trial.despite if all(trial.despite) else None),
    )
    return page.encode("utf-8")


def making(trial: Trial) -> Making:
    """How the release was made; of this the external form says what the method does, and nothing else."""
    method, roles = trial.method, trial.released.roles
    facts = {f"{role} columns": getattr(roles, role) for role in ("independent", "dependent", "identifiers")}
    facts |= {"known to no intruder": roles.unknown}
    seed = trial.released.seed
    facts |= {
        "seed": STATE_KEPT if isinstance(seed, RStream) else seed,
        "constraints": trial.constraints,
        "missing values": trial.missing,
        "strata": trial.strata,
        "weights": trial.weights,
        "preserved": trial.preserve,
    }
    facts |= {"file": trial.source.name, "pyfcrm": __version__}
    kept = {name: value for name, value in facts.items() if value not in (None, (), "")}
    return Making(type(method).__name__, method.about, method.parameters(), kept, tuple(trial.released.notes))


def replay(trial: Trial) -> Replay:
    """What the scripts must say. Raises InvalidInput for a release that no script makes again."""
    source = trial.source
    if trial.method.generates:
        raise InvalidInput(
            "studio", "a script makes the same file again, which no generator from elsewhere does", trial.name
        )
    roles, seed = trial.released.roles, trial.released.seed
    return Replay(source.name, source.embedded, trial.method, roles, seed, **trial.release_options)


def sayings(trial: Trial) -> list[str]:
    """What whoever takes the release should know: columns that were not protected after all, labels that the format
    cannot keep, cells that were disarmed."""
    kind = extension(release_name(trial.source.name))
    same = unchanged(trial)
    sentences = [f"every value of {', '.join(same)} leaves as it came: look at this before release"] if same else []
    sentences += loses(kind, trial.source.table.labels)
    if kind != extension(trial.source.name):
        sentences.append(
            f"no .{extension(trial.source.name)} file is written here: the release is a .{kind} file, which the same programs read"
        )
    many = Count(disarmed_cells(trial) if format_of(f"x.{kind}") == "csv" else 0)
    if many:
        cells = f"{many} {many:cell of text begins|cells of text begin} like a formula"
        sentences.append(f"{cells}: an apostrophe in front keeps a spreadsheet from running it")
    return sentences


def unchanged(trial: Trial) -> list[str]:
    """The dependent columns that a release holds exactly as the original does, in all of its records."""
    before, after = trial.source.table.frame, trial.released.frame
    return [
        name
        for name in trial.released.roles.dependent
        if name in after.columns and after[name].equals(before[name].loc[after.index])
    ]


def disarmed_cells(trial: Trial) -> int:
    """How many names and cells of text of a CSV release begin as a formula does."""
    frame = trial.released.frame
    many = sum(str(name).startswith(FORMULA_STARTS) for name in frame.columns)
    for name in frame.columns:
        if frame[name].dtype.kind not in "iufb":
            present = frame[name].dropna().astype(str)
            many += int(present.str.startswith(FORMULA_STARTS).sum())
    return many


THINGS = (
    Thing(
        "release", "Protected file", "The release, in the original's format", None,
        lambda trial, tried, visit: release_bytes(trial, visit), False,
    ),
    Thing(
        "external", "Report for outside", "What the release lost; no seed, no parameter, no original value",
        "-report-external.html", lambda trial, tried, visit: report_bytes(trial, "external"), False,
    ),
    Thing(
        "internal", "Report for inside", "Everything, with seed and parameters", "-report-internal.html",
        lambda trial, tried, visit: report_bytes(trial, "internal", tried), True,
    ),
    Thing(
        "python", "Script in Python", AGAIN, "-replay.py",
        lambda trial, tried, visit: python_script(replay(trial)).encode("utf-8"), True,
    ),
    Thing(
        "r", "Script in R", AGAIN, "-replay.R",
        lambda trial, tried, visit: r_script(replay(trial)).encode("utf-8"), True,
    ),
    Thing(
        "linked", "Records at risk", "All records that are linked, with their values, as a table (CSV)", "-at-risk.csv",
        lambda trial, tried, visit: at_risk_csv(trial), True,
    ),
)  # fmt: skip

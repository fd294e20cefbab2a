"""What leaves the studio: the release and the external report; and what stays inside."""

import json
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from ..errors import InvalidInput
from ..evaluation.risk.linked_records import RecordsAtRisk
from ..files import write_table
from ..files.manifest import digest, releasing
from ..plans.file import manifest_contents
from ..plans.plan import Plan, Random, Release
from ..protection.protect import recording
from ..report import Filing, report_page
from ..trust.board.dossier import filed_dossier
from .state import Study, Trial

PREFIX = {"pass": "", "hold": "ON-HOLD-", "not examined": "NOT-EXAMINED-"}
PLAN = "plan.toml"
SNIPPETS = {
    "Python": """import pyfcrm as pf

plan = pf.read_plan({plan})
result = pf.run(plan)
print(result.verdict)
print(result.ok)""",
    "R": """library(fcrm)

result <- run_plan({plan})
print(result)
released <- read_table({release})
summary(released)""",
    "Shell": """ls {file} {plan}
pyfcrm run {plan}
pyfcrm verify {manifest} \\
    --original {file} \\
    --release {release}
sha256sum {release}""",
}
QUOTED: Mapping[str, Callable[[str], str]] = {
    "Python": json.dumps,
    "R": partial(json.dumps, ensure_ascii=False),
    "Shell": lambda name: shlex.quote(f"./{name}" if name.startswith("-") else name),  # else it would be an option
}


@dataclass(frozen=True)
class Download:
    """title, help : of its link; pattern : of its name; content : its bytes."""

    title: str
    help: str
    pattern: str
    content: Callable[[Study, Trial], bytes]
    public: bool = False

    def name(self, trial: Trial) -> str:
        """The file's name: after the file, never after method or seed; a release without a pass is marked."""
        original, mark = trial.source.name, PREFIX[trial.verdict.status]
        return self.pattern.format(
            original=original, stem=PurePath(original).stem, release=mark + trial.plan.output.release
        )


def full_plan(trial: Trial) -> Plan:
    """The plan that repeats a trial, with its random state and the decision."""
    release = None if trial.despite is None else Release(despite_hold=trial.despite[0], by=trial.despite[1])
    return trial.plan.model_copy(update={"release": release, "random": Random.of(trial.released.seed)})


def snippets(trial: Trial) -> dict[str, str]:
    """Code that repeats the release, by language."""
    output = trial.plan.output
    names = {"plan": PLAN, "release": output.release, "manifest": output.manifest, "file": trial.source.name}
    return {
        language: text.format(**{key: QUOTED[language](str(name)) for key, name in names.items()})
        for language, text in SNIPPETS.items()
    }


def require_decision(trial: Trial) -> None:
    """Raises InvalidInput for a release that may not leave yet."""
    if not trial.ready:
        raise InvalidInput(
            "studio", "a release without a verdict of pass needs a reason and a name", trial.verdict.status
        )


@contextmanager
def release_files(study: Study, trial: Trial) -> Iterator[tuple[Path, Path]]:
    """The release and its manifest, written now into the study's folder, and removed when the block ends."""
    require_decision(trial)
    with tempfile.TemporaryDirectory(dir=study.folder) as folder:
        target, manifest = Path(folder) / trial.plan.output.release, Path(folder) / "manifest.json"
        plan, source = full_plan(trial), trial.source
        with releasing(target, manifest, source.path, overwrite=True) as (files, contents):
            released, [rows] = trial.released.frame, trial.released.rows
            if rows is not None:  # by which the writer finds the records in the source
                released = released.set_axis(rows, axis=0)
            write_table(released, files[0], source.table, plan.roles.dependent, disarm=True)
            contents |= manifest_contents(plan, trial.released, by_blocks=False)
            contents["verdict"] = trial.verdict.document()
        yield target, manifest


def release_bytes(study: Study, trial: Trial) -> bytes:
    """The protected file; its first download is entered in the ledger."""
    with release_files(study, trial) as (target, _):
        data = target.read_bytes()
    entered = trial.released.registration
    if entered is not None and not trial.recorded:
        others = [other for other in study.work.trials if other.recorded >= trial.number]
        if others:
            raise InvalidInput(
                "studio", "run this trial again: its verdict does not know a later release", others[0].title
            )
        with recording(trial.released, [], judged=True):
            trial.recorded = study.count
    return data


def filing_of(study: Study, trial: Trial) -> Filing:
    """The identification of a report on a trial."""
    release = None
    if trial.ready:
        with release_files(study, trial) as (target, _):
            release = (trial.plan.output.release, digest(str(target)))
    return Filing(
        original=(trial.source.name, digest(str(trial.source.path))),
        release=release,
        preparer=trial.decision.get("by", ""),
        contact=trial.decision.get("contact", ""),
        released=release is not None,
        despite=trial.despite,
    )


def report_bytes(study: Study, trial: Trial, form: str) -> bytes:
    """A report of one form; the external one needs the release."""
    if form == "external":
        require_decision(trial)
    page = report_page(
        trial.source.frame,
        trial.released,
        trial.report,
        form,
        title=trial.decision.get("title", ""),
        at_risk=trial.at_risk,
        filing=filing_of(study, trial),
    )
    return page.encode("utf-8")


def dossier_bytes(study: Study, trial: Trial) -> bytes:
    """The dossier for the board: an archive of its page and its document."""
    board = filed_dossier(
        trial.source.frame,
        trial.released,
        trial.report,
        filing_of(study, trial),
        title=trial.decision.get("title", ""),
        purpose=trial.decision.get("purpose", ""),
        recipients=trial.decision.get("recipients", ""),
    )
    stem = f"{PurePath(trial.source.name).stem}-dossier"
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as files:
        files.writestr(f"{stem}.html", board.to_html())
        files.writestr(f"{stem}.json", board.to_json())
    return archive.getvalue()


def manifest_bytes(study: Study, trial: Trial) -> bytes:
    """The manifest of the release."""
    with release_files(study, trial) as (_, manifest):
        return manifest.read_bytes()


def numbered_at_risk(at_risk: RecordsAtRisk) -> Any:
    """The linked records, counted from 1: the first is that below the header."""
    frame = at_risk.to_frame()
    frame["record"] += 1
    return frame


def at_risk_bytes(study: Study, trial: Trial) -> bytes:
    """All linked records, as CSV."""
    if trial.at_risk is None:
        raise InvalidInput("studio", "records at risk are not known for this trial")
    text: str = numbered_at_risk(trial.at_risk).to_csv(index=False, lineterminator="\n")
    return text.encode("utf-8")


DOWNLOADS = {
    "release": Download("Protected file", "in the original's format", "{release}", release_bytes, True),
    "external": Download("External report", "no seed, no risk figure, no original value", "{stem}-external.html",
                         lambda study, trial: report_bytes(study, trial, "external"), True),
    "internal": Download("Internal report", "decision, tests, evidence", "{stem}-internal.html",
                         lambda study, trial: report_bytes(study, trial, "internal")),
    "dossier": Download("Dossier", "for the board that decides: a page to sign, and its facts as JSON", "{stem}-dossier.zip",
                        dossier_bytes),
    "manifest": Download("Manifest", "digests, versions, seed; for verify", "{stem}-manifest.json",
                         manifest_bytes),
    "plan": Download(PLAN, "repeats the release byte for byte; contains the seed or random state", PLAN,
                     lambda study, trial: full_plan(trial).text().encode("utf-8")),
    "risk": Download("Records at risk", "linked records, as CSV", "{stem}-at-risk.csv", at_risk_bytes),
    "original": Download("Original", "the unchanged original file", "{original}",
                         lambda study, trial: trial.source.path.read_bytes()),
}  # fmt: skip
"""By the last part of the address."""

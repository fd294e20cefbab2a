"""What one browser tab has: one Study, under a random key in its address; and all studies of a studio."""

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..data import Roles, SuggestedRoles
from ..data.roles import RESEARCH, SINGLE
from ..data.structure import Structure
from ..data.variable import Variable
from ..errors import InvalidInput
from ..evaluation.report import Report
from ..evaluation.risk.key_variables import KeyRisk
from ..evaluation.risk.linked_records import RecordsAtRisk
from ..evaluation.utility.changes import VariableChanges
from ..evaluation.utility.regression import Analysis
from ..evaluation.verdict.decision import Verdict
from ..methods.steps import Step
from ..plans.plan import Plan
from ..protection.protect import Protected
from ..search.candidates import Candidate
from ..search.recommendation import Recommendation
from .contents import Contents
from .files import UPLOAD_MB, Source
from .folders import PrivateFolder
from .jobs import Job, failure

IDLE = 30 * 60  # seconds until a study whose page is closed ends
MAX_STUDIES = 100
DISK_MB = 3 * UPLOAD_MB  # of the files of a study: its file, the one that undo brings back, and a new one
IDLE_TOO_LONG = f"No page of it was open for {IDLE // 60} minutes."
TOO_MANY = f"The studio keeps {MAX_STUDIES} studies, and this one was used longest ago."
PATIENCE = 1.0  # seconds for work that was cancelled to end with the studio
LINKED = 200_000  # records beyond which the records at risk are not listed

MB = 1024**2
STEPS = {"file": "File", "columns": "Columns", "method": "Method", "compare": "Compare", "take": "Take away"}

Draft = dict[str, list[str]]


@dataclass(eq=False)
class Trial:
    """A plan and its results."""

    number: int
    """From 1."""
    title: str
    """The name of its method."""
    source: Source
    """The file."""
    plan: Plan
    """Roles, method, options and limits."""
    form: "Work"
    """The work that it comes from."""
    released: Protected
    """The release."""
    report: Report
    """The evaluation of the release."""
    changes: VariableChanges | None = None
    """Each confidential variable before and after."""
    at_risk: RecordsAtRisk | None = None
    """The records that linkage finds."""
    audited: bool = False
    """Whether its audit ran or does not apply."""
    trouble: str = ""
    """Why the audit could not run."""
    decision: dict[str, str] = field(default_factory=dict)
    """What its owner entered."""
    recorded: int = 0
    """The number of the last trial when the release was entered in the ledger, 0 before."""

    @property
    def verdict(self) -> Verdict:
        """Of its report."""
        return self.report.verdict

    @property
    def point(self) -> Candidate:
        """The trial as a point of the map."""
        return Candidate(self.plan.method, (self.report,), ())

    @property
    def despite(self) -> tuple[str, str] | None:
        """Reason and name, where both were entered for a release without a pass."""
        reason, name = self.decision.get("reason", ""), self.decision.get("by", "")
        return (reason, name) if reason and name and not self.verdict.ok else None

    @property
    def ready(self) -> bool:
        """Whether the release may leave."""
        return self.verdict.ok or self.despite is not None


@dataclass(frozen=True, eq=False)
class Work:
    """Everything that undo brings back."""

    source: Source | None = None
    """The file."""
    product: str = RESEARCH
    """What the release is for, one of PRODUCTS."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """By column, confirmed by the user or only suggested."""
    replicates: Mapping[str, Any] = field(default_factory=dict)
    """How the replicate weights were made, as parameters of Roles."""
    confirmed: bool = False
    """Whether the user has confirmed the roles."""
    missing: str = ""
    """What is done with missing values."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """The answers to the questions about doubtful columns, by their keys."""
    variables: Mapping[str, Variable] = field(default_factory=dict)
    """What is declared by the answers, by column."""
    contents: Contents | None = None
    """The description and the picture of each column, by what is declared."""
    steps: tuple[Step, ...] = ()
    """Methods with their roles before the one of the form."""
    draft: Draft = field(default_factory=dict)
    """The values of the method's form, by field."""
    trials: tuple[Trial, ...] = ()
    """In order of their numbers."""
    candidates: tuple[Candidate, ...] = ()
    """Of the last search."""
    advice: Recommendation | None = None
    """Of recommend()."""
    selected: int = 0
    """The number of a trial."""
    key_risk: KeyRisk | None = None
    """Of the original."""
    structure: Structure | None = None
    """The proposed edit rules."""
    question: Draft = field(default_factory=dict)
    """The form of the user's own analysis."""
    analyses: Mapping[int, Analysis] = field(default_factory=dict)
    """The user's own analysis of a trial, by its number."""


@dataclass(eq=False)
class Study:
    """One tab."""

    key: str
    """Random; it stands in the address."""
    folder: Path
    """Private, for its files."""
    ledger: str | None = None
    """The path of a register of releases."""
    work: Work = field(default_factory=Work)
    """What undo brings back."""
    message: tuple[str, str] = ("", "")
    """Kind and sentence for the next page."""
    errors: dict[str, str] = field(default_factory=dict)
    """By field of the method's form."""
    undo: tuple[str, Work] | None = None
    """A title, and the work before it."""
    job: Job | None = None
    """Long work that the user waits for."""
    auditing: Job | None = None
    """An audit in the background."""
    used: float = field(default_factory=time.monotonic)
    """When a page was last loaded, in seconds."""
    count: int = 0
    """Of trials."""
    finished: int = 0
    """Of jobs; a page with an older number is out of date."""
    found: dict[str, Candidate] = field(default_factory=dict)
    """The candidates that a running search has found, by method."""
    sources: list[Source] = field(default_factory=list)
    """The files that are in its folder."""

    @property
    def trial(self) -> Trial | None:
        """The selected trial."""
        return self.numbered(self.work.selected)

    def numbered(self, number: int | str) -> Trial | None:
        """The trial of this number, perhaps one that an address or a form has."""
        return next((trial for trial in self.work.trials if str(trial.number) == str(number)), None)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Those of the running search, else of the last one."""
        return tuple(self.found.values()) or self.work.candidates

    def candidate(self, place: str) -> Candidate | None:
        """The candidate at this place, perhaps one that an address or a form has."""
        return {str(k): candidate for k, candidate in enumerate(self.candidates)}.get(place)

    def keep_found(self) -> None:
        """Keep what a search has found, where it was cancelled or failed."""
        if self.found:
            self.change(candidates=tuple(self.found.values()), advice=None)
            self.found = {}

    @property
    def source(self) -> Source:
        """The file. Raises InvalidInput without one."""
        if self.work.source is None:
            raise InvalidInput("studio", "choose a file first")
        return self.work.source

    def change(self, undo: str = "", **values: Any) -> None:
        """Replace parts of the work; undo : a title, where it can be undone."""
        if undo:
            self.undo = (undo, self.work)
        self.work = replace(self.work, **values)
        self.remove_unused()

    def remove_unused(self) -> None:
        """Remove the files that neither the work nor undo has."""
        works = [self.work] if self.undo is None else [self.work, self.undo[1]]
        kept = [work.source for work in works]
        for source in [source for source in self.sources if source not in kept]:
            self.sources.remove(source)
            shutil.rmtree(source.path.parent, ignore_errors=True)

    def require_disk(self, size: int) -> None:
        """Raises InvalidInput where a file of so many bytes would take the study's folder beyond its limit."""
        used = sum(os.path.getsize(path) for path in self.folder.rglob("*") if path.is_file())
        if used + size > DISK_MB * MB:
            rule = f"the files of a study may take {DISK_MB} MB: begin a new study for this one"
            raise InvalidInput("studio", rule, f"{(used + size) // MB} MB")

    def restore(self) -> None:
        """Undo the last change that can be undone."""
        if self.undo is not None:
            title, self.work = self.undo
            self.undo, self.message = None, ("done", f"Undone: {title}.")
            self.remove_unused()

    def require_idle(self) -> None:
        """Raises InvalidInput where work is running that the user waits for."""
        if self.job is not None:
            raise InvalidInput("studio", "a task is still running: wait for it, or cancel it")

    def start(self, title: str, work: Callable[..., Any], apply: Callable[[Any], object]) -> None:
        """Begin long work. Raises InvalidInput where other work is running."""
        self.require_idle()
        self.job = Job(title, work, apply)

    def cancel(self) -> None:
        """Cancel the work that the user waits for, else the audit in the background."""
        if self.job is not None:
            self.job.cancel()
            self.job, self.message = None, ("done", "Cancelled.")
            self.keep_found()
        elif self.auditing is not None:
            self.auditing.cancel()

    def settle(self) -> None:
        """Apply the results of work that has ended."""
        self.used = time.monotonic()
        for name in ("job", "auditing"):
            job = getattr(self, name)
            if job is None or job.alive:
                continue
            setattr(self, name, None)
            self.finished += 1
            if job.error is not None:
                self.message = ("error", failure(job.error))
                self.keep_found()
            else:
                self.found = {}
                job.apply(job.result)

    def roles(self) -> Roles:
        """The roles of the columns. Raises InvalidInput where two columns have a role that only one may have."""
        names: dict[str, Any] = {}
        for name, role in self.work.roles.items():
            if role in SINGLE and role in names:
                raise InvalidInput("studio", "only one column can have this role", f"{names[role]} and {name}")
            names[role] = name if role in SINGLE else [*names.get(role, ()), name]
        names.pop("leave", None)
        return Roles(**names, **self.work.replicates, product=self.work.product)

    @property
    def suggested(self) -> SuggestedRoles:
        """The suggested roles for the kind of product."""
        return self.source.suggestions[self.work.product]

    def end(self) -> None:
        """Cancel its work and remove its folder."""
        for job in (self.job, self.auditing):
            if job is not None:
                job.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)


class Studies:
    """The studies of a studio, by key; their folders are in one private folder, which `end` removes. ledger : its path."""

    def __init__(self, ledger: str | None = None) -> None:
        self.ledger = ledger
        self._studies = dict[str, Study]()
        self.ended = dict[str, str]()  # why, by key
        self.folder = PrivateFolder()

    def create(self) -> Study:
        """A new study; beyond the limit one ends: one without a file, else the one that was used longest ago."""
        self.end_idle()
        if len(self._studies) >= MAX_STUDIES:
            self._end(
                min(self._studies.values(), key=lambda study: (study.work.source is not None, study.used)), TOO_MANY
            )
        key = secrets.token_urlsafe(18)
        self._studies[key] = Study(key, Path(tempfile.mkdtemp(dir=self.folder.path)), self.ledger)
        return self._studies[key]

    def get(self, key: str) -> Study | None:
        """The study of this key, its finished work applied."""
        study = self._studies.get(key)
        if study is not None:
            study.settle()
        return study

    def end_idle(self) -> None:
        """End the studies that no page has used for 30 minutes."""
        now = time.monotonic()
        for study in list(self._studies.values()):
            busy = study.job is not None and study.job.alive
            if not busy and now - study.used > IDLE:
                self._end(study, IDLE_TOO_LONG)

    def _end(self, study: Study, reason: str) -> None:
        self._studies.pop(study.key).end()
        self.ended[study.key] = reason

    def end(self) -> None:
        """End all studies with their readers, and remove the folder."""
        jobs = [job for study in self._studies.values() for job in (study.job, study.auditing) if job is not None]
        for study in self._studies.values():
            study.end()
        last = time.monotonic() + PATIENCE
        for job in jobs:
            job.wait(max(last - time.monotonic(), 0))
        self.folder.remove()

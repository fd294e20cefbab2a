"""The actions of the pages' forms: each changes a study and names the step that is shown next."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..data import open_frame
from ..data.roles import PUBLIC
from ..errors import InvalidInput, PyfcrmError
from . import forms, takeaway, trials
from .contents import Contents
from .files import SIMULATED, file_name, read_source, simulate
from .jobs import failure
from .pages import open_questions, study_of
from .questions import declarations
from .state import STEPS, Draft, Study, Trial

ANSWER = "answer."  # before the key of a question, as the name of its field


async def upload(request: Request) -> Response:
    """Receives a file; it is read in the background."""
    study, target = study_of(request), "file"
    async with request.form(max_files=1, max_fields=2) as form:
        sent = form.get("file")
        try:
            if not isinstance(sent, UploadFile) or not sent.filename:
                raise InvalidInput("studio", "choose a file first")
            name = file_name(sent.filename)
            study.require_idle()
            study.require_disk(sent.size or 0)
            path = await asyncio.to_thread(_stored, study.folder, name, sent)
            try:
                _read(study, f"Reading {path.name}", lambda: path)
            except PyfcrmError:  # another task began meanwhile
                shutil.rmtree(path.parent)
                raise
            target = "columns"
        except (PyfcrmError, OSError) as error:
            study.message = ("error", failure(error))
    return RedirectResponse(f"/s/{study.key}/{target}", 303)


def _stored(folder: Path, name: str, sent: UploadFile) -> Path:
    """The uploaded file in a folder of its own, of which nothing is left if the disk is full."""
    own = Path(tempfile.mkdtemp(dir=folder))
    try:
        with (own / name).open("xb") as file:
            shutil.copyfileobj(sent.file, file)
    except OSError:
        shutil.rmtree(own, ignore_errors=True)
        raise
    return own / name


def _read(study: Study, title: str, path: Callable[[], Path]) -> None:
    study.start(
        title,
        lambda progress: read_source(path(), progress),
        lambda source: trials.put_source(study, source),
    )


async def act(request: Request) -> Response:
    """Carries out an action and shows the step that it leads to."""
    study, action = study_of(request), ACTIONS.get(request.path_params["action"])
    if action is None:
        raise HTTPException(404)
    async with request.form(max_fields=4000) as form:  # a role for each column
        draft = {key: [str(value) for value in form.getlist(key)] for key in form}
    target = forms.text_of(draft, "from")
    target = target if target in STEPS else "file"
    try:
        target = action(study, draft) or target
    except PyfcrmError as error:
        study.message, study.errors = ("error", str(error)), {forms.field_of(error): str(error)}
        if target == "method":
            study.change(draft=draft)
    return RedirectResponse(f"/s/{study.key}/{target}", 303)


def _simulate(study: Study, draft: Draft) -> str:
    which = forms.text_of(draft, "which")
    if which not in SIMULATED:
        raise InvalidInput("studio", "choose one of the simulated files")
    _read(study, "Simulating a file", lambda: simulate(study.folder, which))
    return "columns"


def _columns(study: Study, draft: Draft) -> str:
    roles = {name: forms.text_of(draft, f"role.{name}") for name in study.source.columns}
    if not forms.ROLES.keys() >= set(roles.values()):
        raise InvalidInput("studio", "each column must have one of the roles on the page")
    missing = forms.text_of(draft, "keep.missing") or study.work.missing
    answers = {key.removeprefix(ANSWER): forms.text_of(draft, key) for key in draft if key.startswith(ANSWER)}
    if answers != study.work.answers:
        _answer(study, answers)
    count = list(roles.values()).count("replicate_weights")
    study.change(roles=roles, confirmed=True, missing=missing, replicates=forms.replicates_of(draft, count))
    return "columns" if open_questions(study) else "method"


def _product(study: Study, draft: Draft) -> None:
    """Choose the kind of product, with the roles that are suggested for it; gaps of a public file are drawn."""
    product = forms.text_of(draft, "product")
    if product not in forms.PRODUCTS:
        raise InvalidInput("studio", "choose one of the kinds of product")
    if product == study.work.product:
        return
    suggested = study.source.suggestions[product]
    roles = {name: suggested.role_of(name) for name in study.source.columns}
    missing = "protect" if product == PUBLIC else ""
    # The limits are those of the product, unless the form names another one afterwards.
    own_draft = {path: values for path, values in study.work.draft.items() if path != "limits.product"}
    title = f"{forms.PRODUCTS[product][0]} chosen"
    study.change(title, product=product, roles=roles, replicates={}, confirmed=False, missing=missing, draft=own_draft)


def _answer(study: Study, answers: Mapping[str, str]) -> None:
    """Declare what follows from the answers about doubtful columns. Raises InvalidInput or InvalidParameter."""
    source = study.source
    variables = declarations(source.contents.variables, source.columns, answers)
    contents = Contents.of(open_frame("studio", source.frame), variables)
    study.change(answers=answers, variables=variables, contents=contents)


def _run(study: Study, draft: Draft) -> str:
    questions = open_questions(study)
    if questions:
        raise InvalidInput("studio", questions[0])
    trials.run_trial(study, draft)
    return "compare"


def _add_step(study: Study, draft: Draft) -> str:
    method = forms.method_from(draft)
    roles = replace(study.roles(), identifiers=())  # the last step drops them
    steps = (*study.work.steps, (method, roles))
    study.change(draft=draft, steps=steps, candidates=(), advice=None)
    study.message = ("done", "The step is in the list. Choose the roles of the next step, then its method.")
    return "columns"


def _remove_step(study: Study, draft: Draft) -> None:
    place = forms.text_of(draft, "step")
    steps = tuple(step for k, step in enumerate(study.work.steps, 1) if str(k) != place)
    study.change(f"step {place} removed", steps=steps, candidates=(), advice=None)


def _candidate(study: Study, draft: Draft) -> str:
    candidate = study.candidate(forms.text_of(draft, "candidate"))
    if candidate is None:
        raise InvalidInput("studio", "this candidate is no longer there")
    method = forms.last_step(candidate.method)
    trials.run_trial(study, forms.with_method(study.work.draft, method), method)
    return "compare"


def _trial(study: Study, draft: Draft) -> Trial:
    trial = study.numbered(forms.text_of(draft, "trial"))
    if trial is None:
        raise InvalidInput("studio", "this trial is no longer there")
    return trial


def _reuse(study: Study, draft: Draft) -> str:
    trial = _trial(study, draft)
    if trial.source is study.work.source:
        form = trial.form
        study.change(
            draft=form.draft,
            product=form.product,
            roles=form.roles,
            replicates=form.replicates,
            steps=form.steps,
            missing=form.missing,
            answers=form.answers,
            variables=form.variables,
            contents=form.contents,
        )
    return "method"


def _delete(study: Study, draft: Draft) -> None:
    deleted = _trial(study, draft)
    left = tuple(trial for trial in study.work.trials if trial is not deleted)
    selected = left[-1].number if left else 0
    study.change(f"trial {deleted.number} deleted", trials=left, selected=selected)


def _decide(study: Study, draft: Draft) -> None:
    trial = _trial(study, draft)
    trial.decision = {
        key: " ".join(forms.text_of(draft, key).split())[:300]
        for key in ("title", "by", "contact", "reason", "purpose", "recipients")
    }
    takeaway.require_decision(trial)
    study.message = ("done", "Saved: the downloads below contain it.")


ACTIONS: dict[str, Callable[[Study, Draft], str | None]] = {
    "simulate": _simulate,
    "product": _product,
    "columns": _columns,
    "key-risk": trials.run_key_risk,
    "structure": trials.run_structure,
    "accept": trials.accept_rules,
    "run": _run,
    "add-step": _add_step,
    "remove-step": _remove_step,
    "candidate": _candidate,
    "recommend": trials.run_recommend,
    "sweep": trials.run_sweep,
    "analyse": trials.run_analysis,
    "reuse": _reuse,
    "delete": _delete,
    "undo": lambda study, draft: study.restore(),
    "cancel": lambda study, draft: study.cancel(),
    "decide": _decide,
}

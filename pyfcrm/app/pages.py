"""The pages of the workspace: five steps, progress, pictures and downloads."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..display.view import cell
from ..errors import PyfcrmError, flagged
from ..plots.template import environment
from ..report import context
from ..search.candidates import ATTRIBUTABLE, PANEL_RMS, PIL
from . import compare, files, forms, state, takeaway
from .questions import questions as questions_about
from .state import STEPS, Studies, Study, Trial

FOLDER = Path(__file__).parent / "templates"
TEMPLATES = environment(FOLDER, number=cell, flagged=flagged, sentence=forms.sentence)
TEMPLATES.globals |= {
    "context": context, "compare": compare, "files": files, "forms": forms, "state": state, "takeaway": takeaway,
}  # fmt: skip


def page(template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A rendered template."""
    return HTMLResponse(TEMPLATES.get_template(template).render(**context), status)


def absent(request: Request, error: Exception | None = None) -> Response:
    """The page of an address that leads to nothing, or in place of the documentation where it was not built."""
    return page("absent.html", 404, docs=error is None)


def ended(request: Request, error: HTTPException) -> Response:
    """The page of a study that has ended."""
    return page("ended.html", 410, reason=error.detail)


def study_of(request: Request) -> Study:
    """The study of the address. Raises HTTPException."""
    studies: Studies = request.app.state.studies
    key = request.path_params["key"]
    study = studies.get(key)
    if study is None:
        raise HTTPException(410, studies.ended[key]) if key in studies.ended else HTTPException(404)
    return study


async def start(request: Request) -> Response:
    """A new study."""
    return RedirectResponse(f"/s/{request.app.state.studies.create().key}/file", 303)


def open_questions(study: Study) -> list[str]:
    """What must be decided at Columns before a method can run."""
    try:
        roles = study.roles()
    except PyfcrmError as error:
        return [str(error)]
    questions = [] if roles.dependent else ["No column is confidential: choose at least one."]
    doubtful = () if study.work.confirmed else study.suggested.doubtful
    if doubtful:
        questions.append(f"Look at these roles, then confirm them: {', '.join(doubtful)}.")
    if gaps(study) and study.work.missing not in ("protect", "drop"):
        questions.append("Records have missing values: choose what is done with them.")
    return questions


def gaps(study: Study) -> int:
    """How many records have a missing value in a confidential column or a predictor."""
    columns = [name for name, role in study.work.roles.items() if role in ("independent", "dependent")]
    return int(study.source.frame[columns].isna().any(axis=1).sum()) if columns else 0


async def step(request: Request) -> Response:
    """The page of a step."""
    study, name = study_of(request), request.path_params["step"]
    if name not in STEPS:
        raise HTTPException(404)
    if study.work.source is None and name != "file":
        if study.job is None:
            return RedirectResponse(f"/s/{study.key}/file", 303)
        name = "file"  # which waits for the file, and goes on to its columns
    query, facts = request.query_params, dict[str, Any]()
    questions = open_questions(study) if study.work.source is not None else []
    if name == "columns":
        source = study.source
        asked = questions_about(source.contents.variables, source.columns)
        facts = {"gaps": gaps(study), "asked": asked, "contents": study.work.contents}
    elif name == "method":
        if questions:
            return RedirectResponse(f"/s/{study.key}/columns", 303)
        chosen = query.get("name") or forms.text_of(study.work.draft, "method")
        if not forms.is_offered(chosen):
            if "name" in query:
                raise HTTPException(404)
            chosen = forms.FIRST_METHOD  # nothing was sent yet, or a form that no page of ours has
        facts = {"form": forms.method_form(study.work.draft, chosen)}
    elif name == "compare":
        facts = _compare(study, query) | {"here": f"compare?{request.url.query}"}
    elif name == "take" and study.trial is not None:
        facts = {"snippets": takeaway.snippets(study.trial)}
    response = page(f"{name}.html", study=study, step=name, questions=questions, **facts)
    study.message, study.errors = ("", ""), {}
    return response


def _compare(study: Study, query: Any) -> dict[str, Any]:
    """Selects what the address names; the pane's context."""
    trial = study.numbered(query.get("trial", ""))
    if trial is not None:
        study.change(selected=trial.number)
    view = query.get("view")
    if view not in compare.VIEWS:
        view = "pair" if "with" in query else "tests"
    axis = "dr" if query.get("axis") == "dr" else ATTRIBUTABLE
    loss = PIL if query.get("loss") == PIL else PANEL_RMS
    place = query.get("candidate", "")
    candidate = study.candidate(place)
    chosen = f"trial={study.work.selected}" if candidate is None else f"candidate={place}"
    drawn = compare.map_svg(study, axis, loss, chosen, f"/s/{study.key}")
    other = study.numbered(query.get("with", ""))
    return {
        "view": view,
        "axis": axis,
        "loss": loss,
        "candidate": candidate,
        "place": place,
        "map": drawn,
        "other": other,
    }


async def status(request: Request) -> Response:
    """The progress of work; the page is loaded again once its content is out of date."""
    study, query = study_of(request), request.query_params
    name, worked = query.get("step", ""), query.get("working") == "1"
    if name not in STEPS:
        raise HTTPException(404)
    if query.get("empty") == "1" and (study.work.trials or study.candidates):
        return Response(headers={"HX-Refresh": "true"})
    if study.job is None and query.get("seen") != str(study.finished) and (name != "method" or worked):
        return Response(headers={"HX-Refresh": "true"})
    return page("status.html", study=study, step=name)


def _numbered(request: Request) -> tuple[Study, Trial]:
    study = study_of(request)
    trial = study.numbered(request.path_params["number"])
    if trial is None:
        raise HTTPException(404)
    return study, trial


async def picture(request: Request) -> Response:
    """The distribution of a column, before and after."""
    _, trial = _numbered(request)
    columns, place = trial.report.columns, request.path_params["place"]
    if place >= len(columns):
        raise HTTPException(404)
    data = await run_in_threadpool(compare.distribution_png, trial, columns[place])
    return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=600"})


async def download(request: Request) -> Response:
    """A file to take away."""
    study, trial = _numbered(request)
    item = takeaway.DOWNLOADS.get(request.path_params["download"])
    if item is None:
        raise HTTPException(404)
    try:
        data = await run_in_threadpool(item.content, study, trial)
    except PyfcrmError as error:
        study.message = ("error", str(error).replace(f"{study.folder}/", ""))
        return RedirectResponse(f"/s/{study.key}/take", 303)
    name = quote(item.name(trial))
    return Response(
        data,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f"attachment; filename*=utf-8''{name}"},
    )

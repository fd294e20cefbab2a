"""Long work on a study: a trial, its audit, a recommendation, a sweep, key risk and proposed edit rules."""

from dataclasses import replace
from functools import partial
from typing import Any, cast

from ..constraints.structure import find_structure
from ..data.roles import RESEARCH
from ..errors import InvalidInput, PyfcrmError
from ..evaluation.analyse import analyse
from ..evaluation.key_risk import key_risk
from ..evaluation.records_at_risk import records_at_risk
from ..evaluation.report import Report
from ..evaluation.systematic_sample import POWER
from ..evaluation.utility.regression import FAMILIES, Family
from ..evaluation.variable_changes import variable_changes
from ..interface import evaluate, sweep
from ..methods import Procedure
from ..methods.text import make_candidates, value_of
from ..plans.plan import Plan, options_of
from ..progress import Progress, within
from ..protection.options import Options
from ..protection.protect import Protected, run_request
from ..protection.request import Destination, protect_request
from ..search.candidates import Candidate
from ..search.recommend import run_recommend as search_methods
from .files import Source
from .forms import SWEEP, items, method_title, plan_of, text_of
from .jobs import Job
from .state import LINKED, Draft, Study, Trial, Work


def run_trial(study: Study, draft: Draft, method: Procedure | None = None) -> None:
    """Protect the file and evaluate the release; the trial is then selected. method : as plan_of(). Raises PyfcrmError."""
    plan = plan_of(study, draft, method)
    source, title, form = study.source, method_title(plan.method), replace(study.work, draft=draft)

    def work(progress: Progress) -> Trial:
        part = within(progress, 0, 3, "protecting")
        request = protect_request(plan.method, plan.roles, plan.random.start, options_of(plan), part)
        released = run_request(source.frame, request, "local", Destination(ledger=study.ledger))
        report = evaluated(source, plan, released, within(progress, 1, 3))
        trial = Trial(number=0, title=title, source=source, plan=plan, form=form, released=released, report=report)
        trial.audited = plan.method.facts(plan.roles).masks != "values" or len(source.frame) < POWER
        if trial.report.results and len(source.frame) <= LINKED:
            columns = trial.report.columns
            trial.changes = variable_changes(source.frame, released, columns)
            if plan.method.pairs(plan.roles) == "always":
                part = within(progress, 2, 3, "records at risk")
                trial.at_risk = records_at_risk(source.frame, released, columns, progress=part)
        return trial

    def apply(trial: Trial) -> None:
        study.count += 1
        trial.number = study.count
        study.change(trials=(*study.work.trials, trial), selected=trial.number, draft=draft)
        audit_next(study)

    study.start(f"Running {title}", work, apply)


def evaluated(source: Source, plan: Plan, released: Protected, progress: Progress | None, audit: Any = None) -> Report:
    """The report of a release, as pf.run() has it."""
    return evaluate(source.frame, released, strata=plan.keep.strata, limits=plan.limits, audit=audit, progress=progress)


def audit_next(study: Study) -> None:
    """Start the audit of the newest trial that has none."""
    trial = next((trial for trial in reversed(study.work.trials) if not trial.audited), None)
    if study.auditing is not None or trial is None:
        return

    def work(progress: Progress) -> tuple[Report, str]:
        try:
            return evaluated(trial.source, trial.plan, trial.released, progress, True), ""
        except PyfcrmError as error:
            return trial.report, str(error)

    def apply(result: tuple[Report, str]) -> None:
        trial.report, trial.trouble = result
        trial.audited = True
        audit_next(study)

    study.auditing = Job(f"Auditing trial {trial.number}", work, apply)


def options(plan: Plan) -> dict[str, Any]:
    """Arguments that recommend() and sweep() share with protect()."""
    keys = ("constraints", "strata", "missing", "preserve")
    kept = {key: getattr(plan.keep, key) for key in keys}
    return {"seed": plan.random.start, "variables": plan.variables or None} | kept


def search_plans(study: Study, draft: Draft) -> list[Plan]:
    """The plan of each method of the form's sweep, with the steps before it. Raises PyfcrmError."""
    methods = make_candidates(text_of(draft, "sweep") or SWEEP)
    return [plan_of(study, draft, method) for method in methods]


def run_recommend(study: Study, draft: Draft) -> str:
    """Search for the best method; after other steps among those of the sweep. Raises PyfcrmError."""
    plans, source = search_plans(study, draft), study.source
    plan, candidates = plans[0], [each.method for each in plans] if study.work.steps else None
    own = options(plan)
    found = dict[str, Candidate]()  # of this search: another one may begin while it is being cancelled
    work = partial(
        search_methods, source.frame, plan.roles, own.pop("seed"), Options(**own), limits=plan.limits,
        candidates=candidates, found=lambda candidate: found.update({str(candidate.method): candidate}),
    )  # fmt: skip
    study.start("Searching for a method", work,
                lambda advice: study.change(advice=advice, candidates=advice.candidates, draft=draft))  # fmt: skip
    study.found = found
    return "compare"


def run_sweep(study: Study, draft: Draft) -> str:
    """Evaluate several methods as candidates. Raises PyfcrmError."""
    plans, source, found = search_plans(study, draft), study.source, dict[str, Candidate]()

    def work(progress: Progress) -> tuple[list[Candidate], list[str]]:
        refused = list[str]()
        for k, plan in enumerate(plans):
            title = method_title(plan.method)
            part = within(progress, k, len(plans), f"{k + 1} of {len(plans)}: {title}")
            try:
                [candidate] = sweep(source.frame, plan.roles, [plan.method], progress=part, **options(plan)).candidates
                found[str(plan.method)] = candidate
            except PyfcrmError as error:
                refused.append(f"{title}: {error}")
        return list(found.values()), refused

    def apply(result: tuple[list[Candidate], list[str]]) -> None:
        candidates, refused = result
        study.change(candidates=tuple(candidates), advice=None, draft=draft)
        if refused:
            study.message = ("error", f"{len(refused)} methods do not suit this file. {refused[0]}")

    study.start(f"Evaluating {len(plans)} methods", work, apply)
    study.found = found
    return "compare"


def run_analysis(study: Study, draft: Draft) -> str:
    """The user's own analysis of the original and of a trial's release. Raises PyfcrmError."""
    trial = study.numbered(text_of(draft, "trial"))
    formula = text_of(draft, "formula")
    if trial is None or not formula:
        raise InvalidInput("studio", "write a formula for a trial, such as wage ~ age + region")
    number, level = trial.number, text_of(draft, "quantile")
    work = partial(
        analyse,
        trial.source.frame,
        trial.released,
        formula,
        weights=text_of(draft, "weights") or None,
        family=cast(Family, text_of(draft, "family") or FAMILIES[0]),
        quantile=value_of(level) if level else None,
    )
    study.change(question=draft)
    study.start("Your analysis", lambda progress: work(),
                lambda result: study.change(analyses={**study.work.analyses, number: result}))  # fmt: skip
    return f"compare?trial={number}&view=analysis"


def run_key_risk(study: Study, draft: Draft) -> None:
    """The risk of the original's records by key variables. Raises PyfcrmError."""
    keys = draft.get("keys")
    if not keys:
        raise InvalidInput("studio, keys", "tick at least one key variable")
    roles = study.roles()
    work = partial(key_risk, study.source.frame, keys, roles.weight, household=roles.household)
    study.start("Key risk", work, lambda result: study.change(key_risk=result))


def run_structure(study: Study, draft: Draft) -> None:
    """Proposed edit rules. Raises PyfcrmError."""
    source, roles = study.source, study.roles()
    study.start("Looking for edit rules", lambda progress: find_structure(source.frame, roles),
                lambda result: study.change(structure=result))  # fmt: skip


def accept_rules(study: Study, draft: Draft) -> None:
    """Add the ticked proposals to the constraints of the method's form."""
    proposals = study.work.structure or ()
    ticked = [p for k, p in enumerate(proposals) if str(k) in draft.get("rule", ())]
    texts = [text for proposal in ticked for text in proposal.texts]
    constraints = "; ".join(dict.fromkeys([*items(study.work.draft, "keep.constraints"), *texts]))
    study.change(draft={**study.work.draft, "keep.constraints": [constraints]})


def put_source(study: Study, source: Source) -> None:
    """Work on another file; undo brings the former one back."""
    suggested = source.suggestions[RESEARCH]
    roles = {name: suggested.role_of(name) for name in source.columns}
    if study.work.source is not None:
        study.undo = (f"{study.work.source.name} replaced by {source.name}", study.work)
    study.cancel()  # an audit of the former one
    study.sources.append(source)
    study.work = Work(source=source, roles=roles, contents=source.contents)
    study.remove_unused()

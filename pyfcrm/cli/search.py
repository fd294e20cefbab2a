"""pyfcrm sweep, recommend and recode-search: many candidates on one file, and the one to choose."""

import os
from pathlib import Path
from typing import Any

from ..files import check_output, write_bytes, write_text
from ..files.formats import released_as
from ..interface import recommend as recommend_frame
from ..interface import sweep as sweep_file
from ..methods import Procedure
from ..methods.text import make_candidates
from ..plans.limits import all_limits
from ..plans.plan import KEPT, Input, Output, Plan
from ..protection.options import Options
from ..search.candidates import Frontier
from ..search.recode_search import recode_search as search_recoding
from .options import SHELL_METHODS, Request, check_folder, hierarchies_from, limits_from
from .show import document, notes, print_lines, progress, result

SWEEP = ("sweep.csv", "map.png")
RECOMMEND = ("recommend.csv", "map.png")


def sweep(request: Request) -> None:
    """Judge many methods on one file: the risk-utility map."""
    methods = make_candidates(request.candidates, SHELL_METHODS)
    roles, options = request.chosen_roles(), request.release_options("sweep")
    folder = check_folder(request.output, SWEEP, [request.source])
    original = request.opened("sweep")
    with progress("judging") as advance:
        frontier = sweep_file(original, roles, methods, request.seed, progress=advance, **options)
    remarks, best = _common_notes(frontier), frontier.best()
    paths = save(folder, SWEEP, frontier)
    if request.json:
        document({"candidates": frontier.rows(), "best": None if best is None else str(best.method),
                  "files": paths, "notes": remarks})  # fmt: skip
    else:
        notes(remarks)
        result(frontier)
        print_lines(f"files: {', '.join(map(str, paths))}")


def _common_notes(frontier: Frontier) -> list[str]:
    """Notes that every candidate has, such as on records left out."""
    first, *others = [c.notes for c in frontier.candidates]
    return [note for note in first if all(note in other for other in others)]


def save(folder: Path, names: tuple[str, str], outcome: Any) -> list[Path]:
    """Write the table and the map of a search into a folder. Returns their paths."""
    from ..plots import as_png

    folder.mkdir(parents=True, exist_ok=True)
    table, figure = (folder / name for name in names)
    write_text(table, outcome.to_frame().to_csv(index=False))
    write_bytes(figure, as_png(outcome.plot()))
    return [table, figure]


def recommend(request: Request) -> int:
    """Search for the method of which users lose least among those whose releases pass the verdict, and explain it."""
    methods = None if request.candidates is None else make_candidates(request.candidates, SHELL_METHODS)
    limits = limits_from(request.limits, request.limit)
    roles = request.chosen_roles()
    options = request.release_options("recommend")
    folder = None if request.output is None else check_folder(request.output, RECOMMEND, [request.source])
    if request.plan is not None:
        check_output(request.plan, extensions=("toml",))
    frame = request.opened("recommend", whole=True)
    with progress("searching") as advance:
        outcome = recommend_frame(
            frame,
            roles,
            limits,
            request.max_dr,
            seed=request.seed,
            candidates=methods,
            progress=advance,
            **options,
        )
    if request.json:
        document({
            "verdict": outcome.verdict.document(), "limits": outcome.limits, "reasons": outcome.reasons,
            "set_aside": outcome.set_aside, "methods": outcome.rows(), "notes": frame.notes,
        })  # fmt: skip
    else:
        notes(frame.notes)
        result(outcome, (outcome.headline, *outcome.verdict.lines()[1:], ""))
    if folder is not None:
        save(folder, RECOMMEND, outcome)
    if outcome.best is None:
        return 1
    if request.plan is not None:
        kept = {each.name: options[each.name] for each in KEPT if each.name in options}
        kept["constraints"] = request.constraints and [request.constraints]
        _write_plan(request, outcome.best.method, roles=roles, keep=Options(**kept), limits=all_limits(outcome.limits))
    return 0


def recode_search(request: Request) -> None:
    """Search levels of recoding for k-anonymity, l-diversity or t-closeness, with the loss of each step."""
    hierarchies = hierarchies_from(request.hierarchies)
    variables = request.declared_variables()
    if request.plan is not None:
        check_output(request.plan, extensions=("toml",))
    frame = request.opened("recode_search", whole=True)
    with progress("searching") as advance:
        outcome = search_recoding(
            frame,
            request.keys,
            hierarchies,
            request.k,
            l=request.l,
            t=request.t,
            targets=request.targets,
            loss=request.loss,
            max_suppressed=request.max_suppressed,
            roles=request.typed_roles(),
            variables=variables,
            progress=advance,
        )
    if request.json:
        document({
            "conditions": outcome.conditions, "levels": outcome.levels, "loss": outcome.loss,
            "suppressed": outcome.suppressed, "records": outcome.records, "rows": outcome.rows(), "notes": frame.notes,
        })  # fmt: skip
    else:
        notes(frame.notes)
        result(outcome)
    if request.plan is not None:
        _write_plan(request, outcome.steps, roles=outcome.steps.roles, variables=variables or {})


def _write_plan(request: Request, method: Procedure, **tables: Any) -> None:
    """Write a method as a plan for `pyfcrm run`. tables : further ones of the plan."""
    source = os.path.relpath(request.source, os.path.dirname(request.plan))
    plan = Plan(
        input=Input(file=source, **request.reading().table()),
        method=method,
        **tables,
        output=Output(release=f"{Path(request.plan).stem}-release.{released_as(request.source)}"),
    )
    write_text(request.plan, plan.text())
    if not request.json:
        print_lines(f"plan: {request.plan}")

"""pyfcrm recommend: one file in, the method that loses least among those that pass the verdict out."""

from __future__ import annotations

from typing import Any

from ..files import read_table, write_text
from ..files.formats import RELEASED_AS
from ..files.paths import extension
from ..methods.text import make_candidates
from ..search.recommend import recommend as recommend_frame
from ..search.recommendation import Recommendation
from .options import Request, check_folder, externals, limits_from, make_folder
from .planning import check_plan, write_plan
from .show import document, notes, print_line, progress, save_figure, table

SHOWN = ("pil", "attributable", "dr", "dr_informed", "dbrl", "prl", "id", "score")
HEADS = (
    "choice",
    "method",
    "parameters",
    "PIL",
    "attributable",
    "DR",
    "informed",
    "DBRL",
    "PRL",
    "ID",
    "SCORE",
    "verdict",
)
FILES = TABLE, MAP = ("recommend.csv", "map.png")


def run(request: Request) -> int:
    """Search for the method of least information loss whose releases pass the verdict, and explain it."""
    methods = None if request.candidates is None else make_candidates(request.candidates, externals(request.external))
    limits, roles, options = limits_from(request.limits, request.limit), request.roles(), request.protect_options()
    folder = None if request.output is None else check_folder(request.output, FILES, [request.source])
    check_plan(request, [request.source, *([] if folder is None else [str(folder / name) for name in FILES])])
    read = read_table(request.source, request.separator, request.decimal)
    with progress("searching") as advance:
        found = recommend_frame(
            read.frame,
            roles,
            limits,
            request.max_dr,
            seed=request.seed,
            candidates=methods,
            progress=advance,
            **options,
        )
    if request.json:
        document(_contents(found, read.notes))
    else:
        notes(read.notes)
        _show(
            found, f"{request.source}: {len(read.frame)} records; per cent; means over {len(found.seeds)} fresh seeds"
        )
    if folder is not None:
        make_folder(folder)
        write_text(folder / TABLE, found.to_frame().to_csv(index=False))
        save_figure(folder / MAP, found.plot())
    if found.best is None:
        return 1
    if request.plan is not None:
        kind = extension(request.source)
        release = f"{request.plan.removesuffix('.toml')}-release.{RELEASED_AS.get(kind, kind) or 'csv'}"
        write_plan(request, found.best.method, roles, found.limits, release=release)
    return 0


def _show(found: Recommendation, title: str) -> None:
    """The verdict of the best method or of the nearest, the shortlist, and the reasons."""
    for line in (found.headline, *found.verdict.lines()[1:]):
        print_line(line)
    print_line()
    rows = [
        (row["choice"], row["method"], row["parameters"], *(row[key] for key in SHOWN), row["verdict"])
        for row in found.rows()
        if row["seeds"]
    ]
    table(title, HEADS, rows, left=3)
    print_line("attributable: disclosure risk above that of a release without the record's own values")
    print_line()
    for reason in found.reasons:
        print_line(reason)


def _contents(found: Recommendation, said: Any) -> dict[str, Any]:
    """The outcome for a JSON document."""
    rows = found.rows()
    choices = {choice: [row for row in rows if row["choice"] == choice] for choice in ("best", "second", "nearest")}
    return {
        "verdict": found.verdict.document(),
        "best": next(iter(choices["best"]), None),
        "second": next(iter(choices["second"]), None),
        "nearest": choices["nearest"],
        "limits": dict(found.limits),
        "reasons": found.reasons,
        "methods": rows,
        "set_aside": found.set_aside,
        "notes": list(said),
    }

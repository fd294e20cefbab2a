"""Commands that give one result: of a file, of a method on a file, or of a file and its release."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..constraints.structure import find_structure
from ..data import Frame, Roles, is_numeric
from ..data.source import open_data
from ..data.suggest_roles import suggest_roles
from ..evaluation.at_risk import records_at_risk
from ..evaluation.audit import audit as audit_method
from ..evaluation.changes import variable_changes
from ..evaluation.dependence import dependence_test
from ..evaluation.key_risk import key_risk as key_risk_of
from ..evaluation.regression import analyse as analyse_files
from .options import Request, whole
from .release import open_pair
from .show import document, notes, print_lines, progress, result, table

DEFAULT_SEED = 1
DOUBTFUL = "? a doubtful role: confirm it, or choose another one"


def _opened(request: Request, owner: str, path: str) -> Frame:
    return open_data(owner, path, None, request.separator, request.decimal)


def _seed(request: Request) -> int:
    return DEFAULT_SEED if request.seed is None else int(request.seed)


def _give(request: Request, outcome: Any, remarks: Iterable[str], contents: Mapping[str, Any] | None = None) -> None:
    """A result as tables and sentences, or as JSON. contents : of the JSON document, beside rows and notes."""
    if request.json:
        document({**(contents or {}), "rows": outcome.rows(), "notes": [*remarks, *getattr(outcome, "notes", ())]})
    else:
        result(outcome)
        notes(remarks)


def roles(request: Request) -> None:
    """Propose a role for each column, with the reason; doubtful ones are marked."""
    frame = _opened(request, "suggest_roles", request.source)
    outcome = suggest_roles(frame)
    rows = outcome.to_frame().to_dict("records")
    if request.json:
        document({"rows": rows, "choice": outcome.choice, "notes": frame.notes})
        return
    cells = [(row["column"], row["role"], "?" if row["doubtful"] else "", row["reason"]) for row in rows]
    table(f"{request.source}: {frame.records:,} records", ("column", "role", "", "reason"), cells, left=4)
    print_lines(*filter(None, (DOUBTFUL if outcome.doubtful else "", outcome.choice)))
    notes(frame.notes)


def structure(request: Request) -> None:
    """Propose edit rules that hold in a file: sums, joint zeros, orders, signs; and habits of reporting."""
    frame = _opened(request, "structure", request.source)
    named = None if request.dependent is None else Roles(request.independent or (), request.dependent)
    outcome = find_structure(frame, named)
    if request.accept is not None:
        outcome = outcome.accept(*(whole(number, "--accept") for number in request.accept))
    _give(request, outcome, frame.notes)


def key_risk(request: Request) -> None:
    """The risk of each record by its keys: individual, household, SUDA and DIS."""
    frame = _opened(request, "key_risk", request.source)
    form = request.form or "approx"
    with progress("looking at keys") as advance:
        outcome = key_risk_of(frame, request.keys, request.weights, request.household, form, progress=advance)
    names = ("keys", "form", "expected", "global_risk", "global_household_risk")
    _give(request, outcome, frame.notes, {name: getattr(outcome, name) for name in names})


def audit(request: Request) -> None:
    """Attack releases of a random part of the records, with the other records as control."""
    method, named = request.chosen_method(), request.roles()
    options = request.protect_options() | {"copies": request.copies, "shadows": request.shadows}
    frame = _opened(request, "audit", request.source)
    with progress(f"auditing {method}") as advance:
        outcome = audit_method(
            frame, method, named, _seed(request), request.share, request.repeats, progress=advance, **options
        )
    _give(request, outcome, frame.notes, outcome.document())


def analyse(request: Request) -> None:
    """Fit one regression to both files: estimates, intervals, and how much of them is common."""
    _compare(
        request,
        "analyse",
        lambda before, after, _: analyse_files(before, after, request.formula, weights=request.weights),
    )


def changes(request: Request) -> None:
    """Compare each variable before and after: mean, sd, quartiles, values changed, rank correlation."""

    def compared(before: Frame, after: Frame, roles: Roles | None) -> Any:
        dependent = None if roles is None else [name for name in roles.dependent if is_numeric(before, name)]
        return variable_changes(before, after, request.columns or dependent)

    _compare(request, "variable_changes", compared)


def at_risk(request: Request) -> None:
    """List the records that an intruder links to their originals."""

    def compared(before: Frame, after: Frame, roles: Roles | None) -> Any:
        with progress("linking records") as advance:
            return records_at_risk(before, after, request.columns, progress=advance, roles=roles)

    _compare(request, "records_at_risk", compared)


def dependence(request: Request) -> None:
    """Test whether released records depend on their own original records beyond the predictors."""

    def compared(before: Frame, after: Frame, roles: Roles | None) -> Any:
        return dependence_test(before, after, roles or request.roles(), seed=_seed(request))

    _compare(request, "dependence_test", compared, ("p_value", "attribute", "kind", "records"))


def _compare(
    request: Request, owner: str, compared: Callable[[Frame, Frame, Roles | None], Any], names: tuple[str, ...] = ()
) -> None:
    """The result of two files; of a release with a manifest its roles are known. names : for the JSON document."""
    before, (after,), recorded = open_pair(request, owner)
    outcome = compared(before, after, None if recorded is None else recorded.roles)
    _give(request, outcome, (), {name: getattr(outcome, name) for name in names})

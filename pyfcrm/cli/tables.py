"""Commands that give one result: of a file, of a method on a file, or of a file and its release."""

from collections.abc import Iterable
from typing import Any

from ..constraints.structure import find_structure
from ..data import Frame, Roles, is_numeric
from ..data.describe import describe as describe_columns
from ..data.roles import RESEARCH
from ..data.suggest_roles import SuggestedRoles, suggest_roles
from ..evaluation.analyse import analyse as analyse_files
from ..evaluation.combine import combine as combine_copies
from ..evaluation.dependence_test import dependence_test
from ..evaluation.key_risk import key_risk as key_risk_of
from ..evaluation.options import AuditOptions
from ..evaluation.records_at_risk import records_at_risk
from ..evaluation.utility.sampling import design_roles
from ..evaluation.variable_changes import variable_changes
from ..interface import audit as audit_method
from ..methods.text import value_of
from ..protection.codebook import codebook as codebook_of
from ..trust.verify import recorded_release
from .options import Request
from .release import open_pair, release_paths
from .show import document, notes, print_lines, progress, result, table

DOUBTFUL = "? a doubtful role: confirm it, or choose another one"


def _pair(request: Request, owner: str) -> tuple[Frame, Frame, Roles | None, Any]:
    """A file, its release, the roles of a release with a manifest, and what is declared of the variables: typed, or there."""
    original, (protected,), recorded = open_pair(request, owner)
    variables = request.declared_variables()
    if recorded is None:
        return original, protected, None, variables
    return original, protected, recorded.roles, recorded.options.variables if variables is None else variables


def _give(request: Request, outcome: Any, remarks: Iterable[str] = (), facts: Iterable[str] = ()) -> None:
    """A result as tables and sentences, or as JSON. facts : its attributes that the JSON document has."""
    if request.json:
        contents = {name: getattr(outcome, name) for name in facts}
        document({**contents, "rows": outcome.rows(), "notes": [*remarks, *getattr(outcome, "notes", ())]})
    else:
        result(outcome)
        notes(remarks)


def roles(request: Request) -> None:
    """Propose a role for each column, with the reason; doubtful ones are marked."""
    frame = request.opened("suggest_roles")
    outcome = suggest_roles(frame, product=request.product or RESEARCH, variables=request.declared_variables())
    if request.json:
        rows = outcome.to_frame().to_dict("records")
        document({"product": outcome.product, "rows": rows, "choice": outcome.choice, "notes": frame.notes})
        return
    show_roles(request.source, frame, outcome)
    notes(frame.notes)


def show_roles(path: str, frame: Frame, suggested: SuggestedRoles, *, stderr: bool = False) -> None:
    """Print the roles that are suggested for a file, with their reasons."""
    columns = ["column", "role", "doubtful", "reason"]
    if suggested.labels:
        columns.insert(1, "label")
    rows = suggested.to_frame().to_dict("records")
    for row in rows:
        row["doubtful"] = "?" if row["doubtful"] else ""
    cells = [tuple(row[name] for name in columns) for row in rows]
    headings = ["" if name == "doubtful" else name for name in columns]
    table(f"{path}: {frame.records:,} records", headings, cells, left=len(columns), stderr=stderr)
    print_lines(*filter(None, (DOUBTFUL if suggested.doubtful else "", suggested.choice)), stderr=stderr)


def describe(request: Request) -> None:
    """Describe what each column may contain: kind, values, codes of missing values, decimals."""
    frame = request.opened("describe")
    outcome = describe_columns(frame, variables=request.declared_variables())
    if request.toml:
        print(outcome.to_toml(), end="")
        notes(frame.notes)
    else:
        _give(request, outcome, frame.notes)


def codebook(request: Request) -> None:
    """Describe the variables of a release for publication: labels, roles, treatments, released values."""
    released = recorded_release(request.manifest, release_paths(request))
    if request.format is not None:
        print(codebook_of(released, request.format), end="")
    elif request.json:
        print(codebook_of(released).to_json())
    else:
        result(codebook_of(released))


def structure(request: Request) -> None:
    """Propose edit rules that hold in a file: sums, joint zeros, orders, signs; and habits of reporting."""
    frame = request.opened("structure")
    chosen = request.chosen_roles() if request.dependent or request.roles else None
    outcome = find_structure(frame, chosen, variables=request.declared_variables())
    if request.accept is not None:
        outcome = outcome.accept(*map(value_of, request.accept))
    _give(request, outcome, frame.notes)


def key_risk(request: Request) -> None:
    """The risk of each record by its keys: individual, household, SUDA and DIS."""
    frame = request.opened("key_risk")
    with progress("looking at keys") as advance:
        outcome = key_risk_of(
            frame,
            request.keys,
            request.weight,
            request.household,
            request.form,
            variables=request.declared_variables(),
            progress=advance,
        )
    _give(request, outcome, frame.notes, ("keys", "form", "expected", "global_risk", "global_household_risk"))


def audit(request: Request) -> None:
    """Attack releases of a random part of the records, with the other records as control."""
    method, named = request.chosen_method(), request.chosen_roles()
    further = {each.name: getattr(request, each.name) for each in AuditOptions.declared()}
    options = request.release_options("audit") | further
    frame = request.opened("audit", whole=True)
    with progress(f"auditing {method}") as advance:
        outcome = audit_method(frame, method, named, request.seed, progress=advance, **options)
    if request.json:
        document(outcome.document() | {"notes": [*frame.notes, *outcome.notes]})
    else:
        _give(request, outcome, frame.notes)


def analyse(request: Request) -> None:
    """Fit one regression to both files, or find quantiles by class: estimates, intervals, and how much of them is common."""
    original, protected, recorded, variables = _pair(request, "analyse")
    typed = request.typed_roles()
    roles = typed if typed != Roles() else recorded
    outcome = analyse_files(
        original,
        protected,
        request.formula,
        weights=request.weights,
        family=request.family,
        quantile=request.quantile,
        variables=variables,
        roles=roles if roles is not None and (roles is typed or roles.has_sampling_design) else None,
    )
    _give(request, outcome)


def combine(request: Request) -> None:
    """Combine one regression of each copy of a release, with standard errors for the population."""
    paths = release_paths(request)
    recorded = None if request.manifest is None else recorded_release(request.manifest, paths)
    typed = request.typed_roles()
    roles = typed if typed != Roles() else design_roles("combine", None, recorded)
    frames = [request.opened("combine", str(path), whole=True) for path in paths]
    variables = request.declared_variables()
    if variables is None and recorded is not None:
        variables = recorded.options.variables
    outcome = combine_copies(frames, request.rule, formula=request.formula, roles=roles, variables=variables)
    _give(request, outcome)


def changes(request: Request) -> None:
    """Compare each variable before and after: mean, sd, quartiles, values changed, rank correlation."""
    original, protected, known, variables = _pair(request, "variable_changes")
    dependent = None if known is None else [name for name in known.dependent if is_numeric(original, name)]
    _give(request, variable_changes(original, protected, request.columns or dependent, variables=variables))


def at_risk(request: Request) -> None:
    """List the records that an intruder links to their originals."""
    original, protected, known, variables = _pair(request, "records_at_risk")
    with progress("linking records") as advance:
        outcome = records_at_risk(
            original, protected, request.columns, progress=advance, roles=known, variables=variables
        )
    _give(request, outcome)


def dependence(request: Request) -> None:
    """Test whether released records depend on their own original records beyond the predictors."""
    original, protected, known, variables = _pair(request, "dependence_test")
    roles = known or request.chosen_roles()
    outcome = dependence_test(original, protected, roles, seed=request.seed, variables=variables)
    _give(request, outcome, facts=("p_value", "attribute", "kind", "records"))

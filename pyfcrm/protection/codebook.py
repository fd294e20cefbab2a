"""The codebook of a release: what each variable is, how it was treated, and which analyses it supports. No original value."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from markupsafe import escape

from ..data import Frame, open_data
from ..data.predictors import is_categorical
from ..display import Result, View
from ..errors import InvalidParameter
from .protect import Protected

TREATMENTS = {
    "values": "synthetic, drawn from a model, given the unmodified predictors",
    "perturb": "masked, changed at random or averaged",
    "keys": "coarsened, recoded, sampled or suppressed",
}
NEW_IDS = "replaced by new numbers, equal ids by equal numbers"
MOMENTS = "means, covariances, and regressions on the unmodified predictors"
EXACT = {
    "average": "on average over draws: means, and regressions on the unmodified predictors",
    "fits": "means, and regressions on the unmodified predictors",
    "moments": MOMENTS,
}
NEAR = {"swaps": MOMENTS}
UNSUPPORTED = "single values; relations with variables that are not in the release or were no predictors; small groups"


@dataclass(frozen=True)
class Variable:
    """A variable of a release.

    Parameters
    ----------
    name, label, type : str
        The column, its variable label, and its kind: "integer", "float", "text", "category", "boolean" or "date".
    role, treatment : str
        Its role, and how it was treated.
    exact, near, unsupported : str
        The estimates that equal the original's up to rounding, those that are near, and those that are not to be used.
    missing : int
        Records without a value in the release.
    """

    name: str
    label: str
    type: str
    role: str
    treatment: str
    exact: str
    near: str
    unsupported: str
    missing: int


@dataclass(frozen=True, repr=False)
class Codebook(Result):
    """The data dictionary of a release. It may be published with the release.

    Parameters
    ----------
    method : str
        The name of the method, without its parameters.
    records : int
        How many records are released.
    variables : tuple of Variable
        The variables in the order of the file.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> [variable.name for variable in pf.codebook(released).variables][:2]
    ['AGE', 'INCOME']
    """

    method: str
    records: int
    variables: tuple[Variable, ...]

    def rows(self) -> list[dict[str, Any]]:
        """See Result.rows: one row for each variable."""
        return [asdict(variable) for variable in self.variables]

    def to_json(self) -> str:
        """The codebook as JSON.

        Returns
        -------
        str
            An object with method, records and variables.
        """
        return json.dumps(asdict(self), indent=2)

    def to_html(self) -> str:
        """The codebook as a page.

        Returns
        -------
        str
            A page without scripts or links.
        """
        head = "".join(f"<th>{escape(name)}</th>" for name in Variable.__dataclass_fields__)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(value)}</td>' for value in row.values())}</tr>" for row in self.rows()
        )
        title = escape(self._view().title)
        style = (
            "body{font:11pt sans-serif;margin:2em}table{border-collapse:collapse}"
            "td,th{border:1px solid #999;padding:.3em;text-align:left;vertical-align:top}"
        )
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{style}</style></head>'
            f"<body><h1>{title}</h1><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></body></html>\n"
        )

    def _view(self) -> View:
        rows = [(one.name, one.type, one.role, one.treatment, one.missing) for one in self.variables]
        title = f"Codebook: {self.records:,} records, protected by {self.method}"
        return View(title, ("variable", "type", "role", "treatment", "missing"), rows, words=4)


def codebook(released: Protected) -> Codebook:
    """The data dictionary of a release.

    Parameters
    ----------
    released : Protected
        A result of `protect`.

    Returns
    -------
    Codebook
        Label, type, role and treatment of each variable, and which estimates it supports. It has no original value.

    Raises
    ------
    InvalidParameter
        For what is no result of `protect`.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.census_like(100)
    >>> released = pf.protect(frame, pf.IPSO("C"), pf.Roles("AFNLWGT", ["AGI", "FEDTAX"]))
    >>> pf.codebook(released).variables[1].role
    'confidential variable'
    """
    if not isinstance(released, Protected):
        raise InvalidParameter("codebook", "released", "must be a result of protect()", type(released).__name__)
    frame = open_data("codebook", released.released)
    return Codebook(type(released.method).__name__, frame.records, describe_variables(frame, released))


def describe_variables(frame: Frame, released: Protected) -> tuple[Variable, ...]:
    """The variables of a release. frame : opened."""
    return tuple(_variable(frame, name, released) for name in frame.names)


def _variable(frame: Frame, name: str, released: Protected) -> Variable:
    """One variable of a release."""
    method = released.method
    roles = released.roles
    missing = int((frame.codes(name) < 0).sum())
    described = Variable(
        name=name,
        label=frame.column_labels.get(name) or released.labels.get(name, ""),
        type=frame.kind(name),
        role="no role",
        treatment="released unchanged",
        exact="",
        near="",
        unsupported="",
        missing=missing,
    )
    if method.makes_new_file():
        treatment = TREATMENTS["values"]
        return replace(described, role="synthetic variable", treatment=treatment, unsupported=UNSUPPORTED)
    treating = method.treating(name, roles)
    if treating is not None:
        facts = treating.facts(roles)
        keeps = "" if is_categorical(frame, name) else facts.keeps
        exact, near = EXACT.get(keeps, ""), NEAR.get(keeps, "")
        if missing:  # exact for the completed file
            exact, near = "", exact or near
        return replace(
            described,
            role="confidential variable",
            treatment=TREATMENTS[facts.masks],
            exact=exact,
            near=near,
            unsupported=UNSUPPORTED,
        )
    if name in roles.ids:
        return replace(described, role="id", treatment=NEW_IDS)
    names = {
        "survey weight": (roles.weight,),
        "replicate weight": roles.replicate_weights,
        "period": (roles.time,),
        "unmodified predictor": roles.independent,
    }
    role = next((role for role, columns in names.items() if name in columns), described.role)
    return replace(described, role=role, exact="all estimates from unmodified variables")

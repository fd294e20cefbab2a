"""The codebook of a release: what each variable is, how it was treated, and what its released values are. No original value."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from markupsafe import escape

from ..constraints.proposal import rounded_rule
from ..constraints.sampled_frame import sampled
from ..constraints.structure import structure_of
from ..data import Frame, open_data
from ..data.roles import RESEARCH
from ..display import Result, View
from ..errors import InvalidParameter
from .protect import Protected
from .released_values import gaps_text, values_text

TREATMENTS = {
    "values": "synthetic, drawn from a model, given the unmodified predictors",
    "perturb": "masked, changed at random or averaged",
    "keys": "coarsened, recoded, sampled or suppressed",
}
DIGITS = 3  # of the constants of a relation
RELATIONS = "Relations that nearly all released records keep"
NEW_IDS = "replaced by new numbers, equal ids by equal numbers"


@dataclass(frozen=True)
class Variable:
    """A variable of a release.

    Parameters
    ----------
    name, label, type : str
        The column, its variable label, and its kind: "integer", "float", "text", "category", "boolean" or "date".
    role, treatment : str
        Its role, and how it was treated.
    values : str
        Its released values: levels of at least 10 records with their shares, or percentiles with at least 10 records beyond.
    missing : str
        Records without a value in the release; "fewer than 10" for 1 to 9.
    """

    name: str
    label: str
    type: str
    role: str
    treatment: str
    values: str
    missing: str


@dataclass(frozen=True, repr=False)
class Codebook(Result):
    """The data dictionary of a release. It may be published with the release.

    Parameters
    ----------
    method : str
        The name of the method in the literature, without its parameters.
    records : int
        How many records are released.
    variables : tuple of Variable
        The variables in the order of the file.
    relations : tuple of str
        Rules between columns that nearly all released records keep, with constants to 3 digits.
    product : {"research", "public"}
        What the release is for, by its roles.

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
    relations: tuple[str, ...]
    product: str = RESEARCH

    def rows(self) -> list[dict[str, Any]]:
        """See Result.rows: one row for each variable."""
        return [asdict(variable) for variable in self.variables]

    def to_json(self) -> str:
        """The codebook as JSON.

        Returns
        -------
        str
            An object with method, records, variables, relations and product.
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
        relations = "".join(f"<li>{escape(relation)}</li>" for relation in self.relations)
        if relations:
            relations = f"<h2>{RELATIONS}</h2><ul>{relations}</ul>"
        style = (
            "body{font:11pt sans-serif;margin:2em}table{border-collapse:collapse}"
            "td,th{border:1px solid #999;padding:.3em;text-align:left;vertical-align:top}"
        )
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{style}</style></head>'
            f"<body><h1>{title}</h1><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"{relations}</body></html>\n"
        )

    def _view(self) -> View:
        rows = [(one.name, one.type, one.role, one.treatment, one.missing) for one in self.variables]
        what = "" if self.product == RESEARCH else f", product {self.product}"
        title = f"Codebook: {self.records:,} records, protected by {self.method}{what}"
        sentences = [f"{RELATIONS}: {'; '.join(self.relations)}"] if self.relations else []
        return View(title, ("variable", "type", "role", "treatment", "missing"), rows, sentences, words=4)


def codebook(released: Protected) -> Codebook:
    """The data dictionary of a release.

    Parameters
    ----------
    released : Protected
        A result of `protect`.

    Returns
    -------
    Codebook
        Label, type, role, treatment and released values of each variable, and the relations between them. It has no original
        value, and nothing that depends on fewer than 10 records.

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
    return Codebook(
        method=released.method.citation,
        records=frame.records,
        variables=describe_variables(frame, released),
        relations=released_relations(frame, released),
        product=released.roles.product,
    )


def describe_variables(frame: Frame, released: Protected) -> tuple[Variable, ...]:
    """The variables of a release. frame : opened."""
    return tuple(_variable(frame, name, released) for name in frame.names)


def released_relations(frame: Frame, released: Protected) -> tuple[str, ...]:
    """The rules that nearly all released records keep, without counts. frame : opened."""
    roles = released.roles
    columns = [*roles.independent, *roles.dependent]
    dependent: Sequence[str] = roles.dependent
    if released.method.makes_new_file():
        columns = frame.names
        dependent = frame.names
    present = [name for name in dict.fromkeys(columns) if name in frame.names]
    found = structure_of(sampled(frame), present, dependent, habits=False)
    return tuple(rounded_rule(one, DIGITS) for one in found if one.holds)


def _variable(frame: Frame, name: str, released: Protected) -> Variable:
    """One variable of a release."""
    method = released.method
    roles = released.roles
    codes = frame.codes(name)
    described = Variable(
        name=name,
        label=frame.column_labels.get(name) or released.labels.get(name, ""),
        type=frame.kind(name),
        role="no role",
        treatment="released unchanged",
        values=values_text(frame, name),
        missing=gaps_text(int((codes < 0).sum()), len(codes)),
    )
    if method.makes_new_file():
        return replace(described, role="synthetic variable", treatment=TREATMENTS["values"])
    treating = method.treating(name, roles)
    if treating is not None:
        facts = treating.facts(roles)
        return replace(described, role="confidential variable", treatment=TREATMENTS[facts.masks])
    if name in roles.ids:
        return replace(described, role="id", treatment=NEW_IDS, values="")
    names = {
        "survey weight": (roles.weight,),
        "replicate weight": roles.replicate_weights,
        "primary sampling unit": (roles.psu,),
        "stratum of the sampling design": (roles.sampling_stratum,),
        "period": (roles.time,),
        "unmodified predictor": roles.independent,
    }
    role = next((role for role, columns in names.items() if name in columns), described.role)
    return replace(described, role=role)

"""The codebook of a release: what each variable is, how it was treated, and what its released values are. No original value."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import overload

from ..arguments import choice
from ..constraints.proposal import rounded_rule
from ..constraints.sampled_frame import sampled
from ..constraints.structure import structure_of
from ..data import Frame, open_data
from ..data.declared import without_missing_codes
from .codebook_facts import column_facts
from .data_dictionary import Codebook, Variable
from .ddi_codebook import ddi_text
from .protected import Protected, require_protected
from .released_values import gaps_text, released_values
from .table_schema import table_schema_text

DDI = "ddi"
FRICTIONLESS = "frictionless"
FORMATS = (DDI, FRICTIONLESS)

TREATMENTS = {
    "values": "synthetic, drawn from a model, given the unmodified predictors",
    "perturb": "masked, changed at random or averaged",
    "keys": "coarsened, recoded, sampled or suppressed",
}
DIGITS = 3  # of the constants of a relation
NEW_IDS = "replaced by new numbers, equal ids by equal numbers"


@overload
def codebook(released: Protected, format: None = None) -> Codebook: ...
@overload
def codebook(released: Protected, format: str) -> str: ...
def codebook(released: Protected, format: str | None = None) -> Codebook | str:
    """The data dictionary of a release.

    Parameters
    ----------
    released : Protected
        A result of `protect`.
    format : {"ddi", "frictionless"}, optional
        "ddi": XML of DDI-Codebook 2.5, the standard of data archives. "frictionless": JSON of a Table Schema, which checks a CSV
        file of the release. None: a Codebook.

    Returns
    -------
    Codebook or str
        Label, type, role, treatment and released values of each variable, and the relations between them. It has no original
        value, and nothing that depends on fewer than 10 records. With a format, its document as text; a Table Schema has
        no relations.

    Raises
    ------
    InvalidParameter
        For what is no result of `protect`, and for another format.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.census_like(100)
    >>> released = pf.protect(frame, pf.IPSO("C"), pf.Roles("AFNLWGT", ["AGI", "FEDTAX"]))
    >>> pf.codebook(released).variables[1].role
    'confidential variable'
    >>> pf.codebook(released, "ddi")[:38]
    '<?xml version="1.0" encoding="UTF-8"?>'
    """
    require_protected("codebook", released)
    if format is not None:
        choice("codebook", "format", format, FORMATS)
    frame = open_data("codebook", released.released)
    book = Codebook(
        method=released.method.citation,
        records=frame.records,
        variables=describe_variables(frame, released),
        relations=released_relations(frame, released),
        product=released.roles.product,
    )
    if format is None:
        return book
    known = with_gaps(frame, released)
    columns = column_facts(book, known)
    return ddi_text(book, columns) if format == DDI else table_schema_text(known, columns)


def describe_variables(frame: Frame, released: Protected) -> tuple[Variable, ...]:
    """The variables of a release. frame : opened."""
    known = with_gaps(frame, released)
    return tuple(_variable(known, name, released) for name in frame.names)


def with_gaps(frame: Frame, released: Protected) -> Frame:
    """The release with gaps at the codes of missing values that were declared for `protect`. frame : opened."""
    declared = released.options.variables
    if isinstance(declared, Mapping):
        declared = {name: variable for name, variable in declared.items() if name in frame.names}
    return without_missing_codes("codebook", frame, declared)


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
        values=released_values(frame, name).text(),
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

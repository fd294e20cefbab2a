"""The results of `codebook`: the variables of a release and the document about them."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import escape

from ..data.roles import RESEARCH
from ..display import Result, View

RELATIONS = "Relations that nearly all released records keep"


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

"""Proposed edit rules of a file: `find_structure` proposes them and a person accepts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from ..arguments import whole_number
from ..display import Shown, View
from ..errors import InvalidInput
from .tally import is_nearly_all

if TYPE_CHECKING:
    import pandas as pd

NOT_ROWS = "must be proposals as `pyfcrm structure --json` writes them, some of them or all"
Kind = Literal["identity", "rounded", "zero_together", "zero_where", "nested", "at_most", "sign", "often", "round"]
HABITS: tuple[Kind, ...] = ("often", "round")  # that methods with a model of the values can have
HARD: tuple[Kind, ...] = ("identity", "rounded", "at_most", "sign")  # that constraints express
KEPT: tuple[Kind, ...] = ("identity", "rounded", "at_most", "zero_together", "zero_where", "nested")  # by default
TABLE = ("kind", "words", "columns", "count", "total", "exact", "constraint")


@dataclass(frozen=True)
class Proposal:
    """A proposed edit rule.

    Parameters
    ----------
    kind : str
        "identity", exact; "rounded", but for rounding; "zero_together"; "zero_where", a column that is zero where another
        is; "nested", codes each of which has one code of another column; "at_most"; "sign", columns that are nowhere below
        zero, or nowhere above; "often", equal in some of the records; "round", ends in zeros.
    columns : tuple of str
        Its columns: of an identity the total first, of "at_most" the first by the second, of "nested" the finer codes first.
    rule : str
        The rule in plain words, without its count.
    words : str
        The same with its count.
    texts : tuple of str
        Constraints for `protect`; empty for rules that are not linear.
    count, total : int
        Records that keep it, among those that have all its columns.
    terms : tuple of (str, float)
        Of an identity: the parts and their coefficients.
    constant : float
        Of an identity: what is added to the parts.
    within : float
        Of "rounded": the largest deviation among the records that keep it.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> found = pf.find_structure(pf.datasets.enterprises(200))
    >>> found[0].kind
    'identity'
    """

    kind: Kind
    columns: tuple[str, ...]
    rule: str
    words: str
    texts: tuple[str, ...]
    count: int
    total: int
    terms: tuple[tuple[str, float], ...] = ()
    constant: float = 0.0
    within: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether the rule is an identity, exact or but for rounding, an order or a sign that every record keeps."""
        return self.kind in HARD and self.count == self.total

    @property
    def holds(self) -> bool:
        """Whether a release keeps the rule by default: 99 per cent of the records, and all but 10, do, and it is no sign or habit."""
        return self.kind in KEPT and is_nearly_all(self.count, self.total)


PROPOSALS = TypeAdapter(tuple[Proposal, ...])


@dataclass(frozen=True, repr=False)
class Structure(Shown):
    """The rules that find_structure() proposes, in its order.

    Parameters
    ----------
    proposals : tuple of Proposal
        All of them.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> found = pf.find_structure(pf.datasets.enterprises(200))
    >>> len(found.accept(1))
    1
    """

    proposals: tuple[Proposal, ...]

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self.proposals)

    def __len__(self) -> int:
        return len(self.proposals)

    def __getitem__(self, place: int) -> Proposal:
        return self.proposals[place]

    @property
    def exact(self) -> Structure:
        """The identities, orders and signs that every record keeps."""
        return Structure(tuple(rule for rule in self if rule.exact))

    def accept(self, *numbers: int) -> Structure:
        """The proposals with these numbers, from 1 as they are printed.

        Parameters
        ----------
        *numbers : int
            Which to keep.

        Returns
        -------
        Structure
            The chosen proposals.

        Raises
        ------
        InvalidParameter
            For a number that no proposal has.
        """
        chosen = [whole_number("accept", "numbers", number, low=1, high=len(self)) for number in numbers]
        return Structure(tuple(self.proposals[number - 1] for number in dict.fromkeys(chosen)))

    def of_kind(self, *kinds: str) -> Structure:
        """The proposals of these kinds.

        Parameters
        ----------
        *kinds : str
            Kinds of a Proposal.

        Returns
        -------
        Structure
            The chosen proposals.
        """
        return Structure(tuple(rule for rule in self if rule.kind in kinds))

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Structure:
        """The proposals of rows, such as a file of some of them has: the inverse of `rows`.

        Parameters
        ----------
        rows : iterable of mapping
            Rows of `rows`, all or some.

        Returns
        -------
        Structure
            The proposals, in their order.

        Raises
        ------
        InvalidInput
            For a row that is none.
        """
        try:
            return cls(PROPOSALS.validate_python(list(rows)))
        except (TypeError, ValueError) as error:
            raise InvalidInput("structure", NOT_ROWS) from error

    def rows(self) -> list[dict[str, Any]]:
        """The proposals in JSON's own types: kind, columns, rule, words, texts, count, total, terms, constant, within.

        Returns
        -------
        list of dict
            One a proposal.
        """
        rows: list[dict[str, Any]] = PROPOSALS.dump_python(self.proposals, mode="json")
        return rows

    def to_frame(self) -> pd.DataFrame:
        """The proposals as a table.

        Returns
        -------
        pandas.DataFrame
            One row a proposal: kind, words, columns, count, total, exact, constraint.
        """
        import pandas as pd

        rows = [(r.kind, r.words, ", ".join(r.columns), r.count, r.total, r.exact, "; ".join(r.texts)) for r in self]
        return pd.DataFrame(rows, columns=list(TABLE))

    def describe(self) -> list[str]:
        """The proposals in words, numbered from 1; or a sentence that there is none.

        Returns
        -------
        list of str
            A sentence each.
        """
        if not self.proposals:
            return ["No structure was found between the columns."]
        return [f"{k}. {rule.words}" for k, rule in enumerate(self, 1)]

    def _view(self) -> View:
        return View("", sentences=self.describe())

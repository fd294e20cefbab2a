"""What holds between the columns of a file and was not declared, as `find_structure` proposes it and a person accepts it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arguments import whole_number
from ..display import Shown, View, pictures
from ..errors import InvalidInput, InvalidParameter

if TYPE_CHECKING:
    import pandas as pd

NOT_ROWS = "must be proposals as `pyfcrm structure --json` writes them, some of them or all"
KINDS = ("identity", "rounded", "zero_together", "at_most", "ratio")


@dataclass(frozen=True)
class Proposal:
    """Something that holds between columns.

    Parameters
    ----------
    kind : str
        "identity", exact; "rounded", but for rounding; "zero_together"; "at_most"; "ratio", nearly constant.
    columns : tuple of str
        What it is about: of an identity the total first, of "at_most" and "ratio" the first by the second.
    words : str
        It, in plain words, with its count.
    texts : tuple of str
        It as constraints that `protect` takes; empty for "zero_together", which is none.
    count, total : int
        In how many records it holds, of how many that have all its columns (of a ratio: neither zero).
    terms : tuple of (str, float)
        Of an identity: the parts and their coefficients.
    within : float
        Of "rounded": how far off it is at most where it holds.
    """

    kind: str
    columns: tuple[str, ...]
    words: str
    texts: tuple[str, ...]
    count: int
    total: int
    terms: tuple[tuple[str, float], ...] = ()
    within: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether it is an exact identity that every record keeps."""
        return self.kind == "identity" and self.count == self.total


@dataclass(frozen=True, repr=False)
class Structure(Shown):
    """What find_structure() proposes, in the order in which it says it.

    Parameters
    ----------
    proposals : tuple of Proposal
        All of them.
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
        """The exact identities that every record keeps."""
        return Structure(tuple(one for one in self if one.exact))

    def accept(self, *numbers: int) -> Structure:
        """Those of these numbers, from 1 as they are printed.

        Parameters
        ----------
        *numbers : int
            Which to keep.

        Returns
        -------
        Structure
            Those alone.

        Raises
        ------
        InvalidParameter
            For a number that no proposal has.
        """
        chosen = [whole_number("accept", "numbers", number, low=1) for number in numbers]
        for number in chosen:
            if number > len(self):
                raise InvalidParameter("accept", "numbers", f"must be from 1 to {len(self)}, as printed", number)
        return Structure(tuple(self.proposals[number - 1] for number in dict.fromkeys(chosen)))

    def of_kind(self, *kinds: str) -> Structure:
        """Those of these kinds.

        Parameters
        ----------
        *kinds : str
            Among "identity", "rounded", "zero_together", "at_most" and "ratio".

        Returns
        -------
        Structure
            Those alone.

        Raises
        ------
        InvalidParameter
            For another word.
        """
        for kind in kinds:
            if kind not in KINDS:
                raise InvalidParameter("of_kind", "kinds", "must be among " + ", ".join(KINDS), kind, KINDS)
        return Structure(tuple(one for one in self if one.kind in kinds))

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Structure:
        """The proposals of rows, such as a file of some of them has: the inverse of `rows`.

        Parameters
        ----------
        rows : iterable of mapping
            As `rows` gives them, fewer maybe.

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
            return cls(tuple(_proposal(row) for row in rows))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput("structure", NOT_ROWS) from error

    def rows(self) -> list[dict[str, Any]]:
        """The proposals in JSON's own types: kind, columns, words, texts, count, total, terms, within.

        Returns
        -------
        list of dict
            One a proposal.
        """
        return [
            vars(one)
            | {"columns": list(one.columns), "texts": list(one.texts), "terms": [list(term) for term in one.terms]}
            for one in self
        ]

    def to_frame(self) -> pd.DataFrame:
        """The proposals as a table.

        Returns
        -------
        pandas.DataFrame
            One row a proposal: kind, words, columns, count, total, exact, constraint.
        """
        import pandas as pd

        rows = [
            {
                "kind": one.kind,
                "words": one.words,
                "columns": ", ".join(one.columns),
                "count": one.count,
                "total": one.total,
                "exact": one.exact,
                "constraint": "; ".join(one.texts),
            }
            for one in self
        ]
        return pd.DataFrame(rows, columns=["kind", "words", "columns", "count", "total", "exact", "constraint"])

    def said(self) -> list[str]:
        """The proposals in words, numbered from 1; or that there is none.

        Returns
        -------
        list of str
            A sentence each.
        """
        if not self.proposals:
            return ["No structure was found between the columns."]
        return [f"{k}. {one.words}" for k, one in enumerate(self, 1)]

    def _view(self) -> View:
        drawn = [
            (f"{k}. {one.kind.replace('_', ' ')}", one.count / max(one.total, 1), None, f"{one.count:,}")
            for k, one in enumerate(self, 1)
        ]
        return View("", said=self.said(), picture=lambda: pictures.bars(drawn, "in how many records each holds"))


def _proposal(row: Mapping[str, Any]) -> Proposal:
    """Raises KeyError, TypeError or ValueError for what is no row of `Structure.rows`."""
    kind, columns, texts = row["kind"], tuple(row["columns"]), tuple(row["texts"])
    if kind not in KINDS or not columns or not all(isinstance(text, str) for text in (*columns, *texts, row["words"])):
        raise ValueError
    terms = tuple((str(name), float(factor)) for name, factor in row["terms"])
    return Proposal(
        kind, columns, row["words"], texts, int(row["count"]), int(row["total"]), terms, float(row["within"])
    )


def require_structure(owner: str, given: Any) -> None:
    """Raises InvalidParameter for what is neither accepted structure, nor "find", nor None."""
    if not (given is None or (isinstance(given, str) and given == "find") or isinstance(given, Structure)):
        raise InvalidParameter(owner, "structure", 'must be what find_structure() gives, "find", or None', given)

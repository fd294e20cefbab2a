"""variable_changes(): each variable in the original and in the release."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..data.pairs import two_files
from ..data.variable import Variable
from ..errors import Note
from .encoded_files import opened_files
from .measuring import gap_notes
from .utility.changes import VariableChanges, changes_of


def variable_changes(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    *,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
) -> VariableChanges:
    """Changes of each variable by the protection: mean, sd, quartiles and ends in both files, changes, rank correlation.

    Parameters
    ----------
    original, protected : DataFrame, Table, path or Protected
        Frames, or paths of files; records pair as in `evaluate`, and need not pair.
    columns : str or iterable of str, optional
        The variables; None for all numeric ones both have. Each is compared by the records that have it in both files.
    variables : mapping or "numbers", optional
        What columns of the original may contain, a Variable by name; the rest is inferred, as `describe` shows. Codes of missing values
        are gaps, dates are days. "numbers" takes numeric columns as they are. None: as the result of `protect` has it.

    Returns
    -------
    VariableChanges
        One row for each variable, in the variable's own units.

    Raises
    ------
    InvalidInput
        If the files cannot be compared.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> changes = pf.variable_changes(frame, released, roles.dependent)
    >>> "DEBT" in str(changes)
    True
    """
    owner = "variable_changes"
    original, protected = opened_files(owner, original, protected, variables)
    pair = two_files(owner, original, protected, columns)
    notes = (*original.notes, *protected.notes, *gap_notes(pair, ("pil",)))
    if pair.places is None:
        text = "records do not pair: which values changed, and rank correlations, are not known"
        notes += (Note.of("left_out", text),)
    return VariableChanges(tuple(changes_of(pair)), pair.Z.n, notes)

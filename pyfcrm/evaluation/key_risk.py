"""key_risk(): the risk that each record of a file is re-identified by its key variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..arguments import SOME_NAMES, choice, names, one_name
from ..data import Roles, open_data
from ..data.declared import without_missing_codes
from ..data.variable import Variable
from ..errors import InvalidParameter
from ..progress import Progress
from ..protection.protect import Protected
from .encoded_files import declarations
from .risk.key_variables import KeyRisk, risk_by_keys


def key_risk(
    frame: Any,
    keys: str | Iterable[str],
    weights: str | None = None,
    household: str | None = None,
    form: str = "approx",
    *,
    scoring: str = "elliot",
    roles: Roles | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    progress: Progress | None = None,
) -> KeyRisk:
    """The risk that each record of a file is re-identified by its key variables, as in sdcMicro.

    Parameters
    ----------
    frame : DataFrame, Table, path or Protected
        The file, in any form that `protect` takes; or a release.
    keys : str or iterable of str
        The key variables: columns of any type. A missing value agrees with anything in `fk` and `Fk`.
    weights : str, optional
        The column of survey weights. Without one the file is the population, and the risk 1 / fk.
    household : str, optional
        The column that says which records belong together; without one, or where it is missing, each is alone.
    form : {"approx", "exact"}
        Of the individual risk where three records or more agree: p / (fk - 1 + p), or the expectation of 1 / F itself.
    scoring : {"elliot", "ihsn"}
        How the SUDA score weighs small sets of keys; sdcMicro's original_scores = TRUE and FALSE.
    roles : Roles, optional
        Whose weight and household are used where these are not given; those of a release by default.
    variables : mapping or "numbers", optional
        What columns may contain, a Variable by name: codes of missing values are missing. None: as a result of `protect` has it.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.

    Returns
    -------
    KeyRisk
        By record, and for the whole file. No value is missing, and no risk above 1: a weight sum below the number of
        records counts as that number.

    Raises
    ------
    InvalidInput
        If a column is not there, a weight is missing or negative, or there are more than 16 keys.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> risk = pf.key_risk(pf.datasets.survey(100), ["region", "age"], weights="weight")
    >>> 0 < risk.global_risk < 1
    True
    """
    columns = names("key_risk", "keys", keys)
    if not columns:
        raise InvalidParameter("key_risk", "keys", SOME_NAMES, list(columns))
    choice("key_risk", "form", form, ("approx", "exact"))
    choice("key_risk", "scoring", scoring, ("elliot", "ihsn"))
    weights, household = one_name("key_risk", "weights", weights), one_name("key_risk", "household", household)
    declared = declarations("key_risk", variables, frame)
    if isinstance(frame, Protected):
        frame, roles = frame.released, roles or frame.roles
    if roles is not None:
        weights, household = weights or roles.weight, household or roles.household
    opened = without_missing_codes("key_risk", open_data("key_risk", frame), declared)
    return risk_by_keys(opened, columns, weights, household, form=form, scoring=scoring, progress=progress)

"""recode_search(): recoding and suppression of key variables for k-anonymity, l-diversity and t-closeness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

from ..arguments import SOME_NAMES, choice, names, real_number, whole_number
from ..data import Frame, Roles, is_numeric, open_data, plain_roles, require_columns
from ..data.codes import factorized
from ..data.declared import without_missing_codes
from ..data.variable import Variable, declared_variables
from ..errors import InvalidInput, InvalidParameter, unknown_name
from ..methods import LocalSuppression, Recoding, Steps
from ..numerics.group_conditions import TARGETS_RULE, Conditions, Target
from ..progress import Progress, ProgressTracker
from .greedy import Search
from .hierarchies import FORMS, OWNER, Hierarchy, hierarchy_of
from .lattice import Lattice, Node
from .recoding_search import RecodingSearch, RecodingStep

MOST_SUPPRESSED = 5.0  # per cent of the records
LOSSES = ("entropy", "discernibility")


def recode_search(
    frame: Any,
    keys: str | Iterable[str],
    hierarchies: Mapping[str, Any],
    k: int,
    *,
    l: int | None = None,  # noqa: E741 - the name of the literature
    t: float | None = None,
    targets: str | Iterable[str] | None = None,
    loss: str = "entropy",
    max_suppressed: float | None = None,
    roles: Roles | None = None,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
    progress: Progress | None = None,
) -> RecodingSearch:
    """Search levels of recoding for which a file is k-anonymous, and few records need suppression.

    Parameters
    ----------
    frame : DataFrame, Table or path
        The file, in any form that `protect` takes.
    keys : str or iterable of str
        The key variables: columns of any type. Missing is a value of its own at every level.
    hierarchies : mapping of str to object
        The levels of each key, from its values to the most general. Either a CSV file as ARX has it: semicolons, no header,
        a row for each value, with its groups from the finest to the coarsest; or such rows as lists. Or
        {"digits": [3, 2]}: so many digits or letters of codes (NACE, ISCO, NUTS) are kept. Or
        {"cuts": [[20, 40, 60], [40]]}: cut points of numbers. The last two end in one group of all values. A key
        without a hierarchy is not recoded.
    k : int
        The least number of records in a group of equal keys, at least 2.
    l : int, optional
        The least number of distinct values of each target in a group.
    t : float, optional
        The largest distance between a target's distribution in a group and in the file, above 0 and at most 1. It is the
        earth mover's distance: of ranks for numbers, else all values are equally far.
    targets : str or iterable of str, optional
        The confidential columns of `l` and `t`; missing is a value. Intruders do not know them: their role is `unknown`.
    loss : {"entropy", "discernibility"}
        What is kept small. Non-uniform entropy: bits of the keys that recoding and suppression remove. Discernibility: the
        sum of the squared sizes of groups.
    max_suppressed : float, optional
        At most so many per cent of the records are in groups that fail. None: 5.
    roles : Roles, optional
        Identifiers, weight and unknown columns of the release. `dependent` is replaced by the keys.
    variables : mapping or "numbers", optional
        What columns may contain, a Variable by name: codes of missing values are missing.
    progress : callable, optional
        Called with (done, of how many at most, what); where it raises (Cancelled), the work stops.

    Returns
    -------
    RecodingSearch
        The steps of a release, and the loss of each step of the search.

    Raises
    ------
    InvalidInput
        If a column is not there, a hierarchy does not fit its column, or no levels satisfy the conditions.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    Greedy: the next key is that which adds least loss for each record that no longer fails; then levels are exchanged while
    the loss falls. All records that fail count as empty. For k-anonymity that is an upper limit: local suppression
    empties fewer cells. With `l` or `t` it empties all keys of these records, and more if they fail as one group.

    References
    ----------
    Samarati and Sweeney (1998); Machanavajjhala et al. (2007); Li, Li and Venkatasubramanian (2007); de Waal and
    Willenborg (1999), non-uniform entropy; Prasser et al. (2020), ARX.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(200)
    >>> found = pf.recode_search(frame, ["age", "region"], {"age": {"cuts": [[30, 45, 60], [45]]}}, 3)
    >>> found.suppressed <= 10
    True
    """
    columns = names(OWNER, "keys", keys)
    if not columns:
        raise InvalidParameter(OWNER, "keys", SOME_NAMES, list(columns))
    confidential = names(OWNER, "targets", targets)
    conditions = _conditions(k, l, t, confidential)
    choice(OWNER, "loss", loss, LOSSES)
    share = MOST_SUPPRESSED
    if max_suppressed is not None:
        share = real_number(OWNER, "max_suppressed", max_suppressed, low=0, high=100)
    if roles is not None and not isinstance(roles, Roles):
        raise InvalidParameter(OWNER, "roles", "must be a Roles(identifiers=[...])", type(roles).__name__)
    release_roles = _release_roles(plain_roles(roles or Roles()), columns, confidential)
    opened = without_missing_codes(OWNER, open_data(OWNER, frame), declared_variables(OWNER, variables))
    require_columns(OWNER, opened, [*columns, *confidential])
    for name in confidential:
        if name in columns:
            raise InvalidParameter(OWNER, "targets", "must be no keys", name)
    levels = _hierarchies(opened, columns, hierarchies)
    lattice = Lattice(
        levels, conditions, [_target(opened, name) for name in confidential], by_entropy=loss == "entropy"
    )
    tracker = ProgressTracker("recoding", progress=progress)
    path = Search(lattice, share / 100 * opened.records, tracker.step).path()
    last = path[-1]
    if last.failing > share / 100 * opened.records:
        rule = f"no levels satisfy {_in_words(conditions)} with at most {share:g} % of the records suppressed"
        raise InvalidInput(OWNER, rule, f"{last.failing} of {opened.records} records fail at the coarsest levels")
    return RecodingSearch(
        steps=_steps(levels, last, _suppression(conditions, columns, confidential), release_roles),
        path=_described(columns, path),
        conditions=_in_words(conditions),
        records=opened.records,
    )


def _conditions(k: Any, l: Any, t: Any, targets: Sequence[str]) -> Conditions:  # noqa: E741
    """The checked conditions. Raises InvalidParameter."""
    conditions = Conditions(
        k=whole_number(OWNER, "k", k, low=2),
        l=None if l is None else whole_number(OWNER, "l", l, low=2),
        t=None if t is None else real_number(OWNER, "t", t, above=0, high=1),
    )
    with_targets = conditions.l is not None or conditions.t is not None
    if with_targets != bool(targets):
        raise InvalidParameter(OWNER, "targets", TARGETS_RULE, list(targets))
    return conditions


def _hierarchies(frame: Frame, keys: Sequence[str], forms: Any) -> list[Hierarchy]:
    """The hierarchy of each key. Raises InvalidInput or InvalidParameter."""
    if not isinstance(forms, Mapping) or not forms:
        raise InvalidParameter(OWNER, "hierarchies", f"must have, by key, {FORMS}", forms)
    for name in forms:
        if name not in keys:
            raise unknown_name(f"{OWNER}, hierarchies", "key", name, keys)
    return [hierarchy_of(frame, key, forms.get(key)) for key in keys]


def _target(frame: Frame, name: str) -> Target:
    """A target of the frame; numbers are ordered, and missing comes last."""
    ordered = is_numeric(frame, name)
    codes = factorized(frame.values(name), sort=True)[0] if ordered else frame.codes(name)
    codes[codes < 0] = codes.max() + 1
    return Target(codes, ordered)


def _in_words(conditions: Conditions) -> str:
    parts = [f"{conditions.k}-anonymity"]
    if conditions.l is not None:
        parts.append(f"{conditions.l}-diversity")
    if conditions.t is not None:
        parts.append(f"{conditions.t:g}-closeness")
    return ", ".join(parts)


def _release_roles(roles: Roles, keys: Sequence[str], targets: Sequence[str]) -> Roles:
    """The roles of a step that treats the keys."""
    independent = [name for name in roles.independent if name not in (*keys, *targets)]
    unknown = [name for name in dict.fromkeys((*roles.unknown, *targets)) if name not in keys]
    return replace(roles, dependent=tuple(keys), independent=tuple(independent), unknown=tuple(unknown))


def _suppression(conditions: Conditions, keys: Sequence[str], targets: Sequence[str]) -> LocalSuppression:
    """What empties the records that are left."""
    return LocalSuppression(conditions.k, keys=keys, l=conditions.l, t=conditions.t, targets=targets or None)


def _steps(hierarchies: Sequence[Hierarchy], node: Node, method: LocalSuppression, roles: Roles) -> Steps:
    """Recoding of the keys above level 0, and local suppression; the last step drops the identifiers."""
    breaks = {
        each.key: each.breaks[level - 1] for each, level in zip(hierarchies, node.levels, strict=True) if level > 0
    }
    suppression = (method, roles)
    if not breaks:
        return Steps([suppression])
    return Steps([(Recoding(breaks), replace(roles, dependent=tuple(breaks), identifiers=())), suppression])


def _described(keys: Sequence[str], path: Sequence[Node]) -> tuple[RecodingStep, ...]:
    """The nodes of a path, with what changed in words."""
    steps = [RecodingStep(dict(zip(keys, path[0].levels, strict=True)), "no recoding", path[0].loss, path[0].failing)]
    for before, after in pairwise(path):
        changed = ", ".join(
            f"{key} {old} to {new}"
            for key, old, new in zip(keys, before.levels, after.levels, strict=True)
            if old != new
        )
        steps.append(RecodingStep(dict(zip(keys, after.levels, strict=True)), changed, after.loss, after.failing))
    return tuple(steps)

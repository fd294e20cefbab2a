"""The reasons of a recommendation, in sentences that a statistician can check against the table and sign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import Roles, checked, open_frame
from ..errors import Count
from ..types import Array
from .candidates import Judged, Limit

MOST_NOTES = 6


@dataclass(frozen=True)
class Change:
    """The correlation of an independent with a dependent column that changed most, before and after."""

    independent: str
    dependent: str
    before: float
    after: float


def largest_change(frame: Any, released: Any, roles: Roles) -> Change | None:
    """Over the records complete in both; None without independent columns, or with fewer than two records.

    Rows are those of the frame, in its order. A column that does not vary has correlation 0.
    """
    if not roles.independent:
        return None
    wanted = [*roles.independent, *roles.dependent]
    A, B = (checked("recommend", open_frame("recommend", one), wanted) for one in (frame, released))
    rows = ~(np.isnan(A) | np.isnan(B)).any(axis=1)
    if rows.sum() < 2:
        return None
    s = len(roles.independent)
    before, after = (_between(C[rows][:, :s], C[rows][:, s:]) for C in (A, B))
    i, j = np.unravel_index(int(np.abs(after - before).argmax()), before.shape)
    return Change(roles.independent[int(i)], roles.dependent[int(j)], float(before[i, j]), float(after[i, j]))


def _between(X: Array, Y: Array) -> Array:
    """(s, t) correlations."""
    return np.asarray(_unit(X).T @ _unit(Y))


def _unit(A: Array) -> Array:
    centred = A - A.mean(axis=0)
    length = np.sqrt((centred * centred).sum(axis=0))
    there = length > 1e-13 * np.abs(A).max(axis=0, initial=0.0) * np.sqrt(len(A))
    return np.asarray(np.where(there, centred / np.where(there, length, 1.0), 0.0))


def reasons(
    pick: Judged | None,
    least: Judged,
    judged: list[Judged],
    *,
    limit: Limit,
    seeds: int,
    inference: Mapping[str, float],
    search: str,
    change: Change | None = None,
) -> tuple[str, ...]:
    """Sentences on the pick (None: there is none), what comes near it, what a higher limit buys, and the search.

    judged : all methods; inference : by key, the risk of a draw that leaves the record out, empty without X;
    change : what the pick does to the relations with X, None without X.
    """
    if pick is None:
        said = [*_none(least, judged, limit), *_on_the_leak(pick, judged, limit, inference)]
    else:
        said = [_chosen(pick, judged, limit), *_runner_up(pick, judged, limit), _risks(pick), _informed(pick)]
        said += [_inferred(pick, inference)] if inference else []
        said += _on_the_leak(pick, judged, limit, inference)
        said += [_related(change)] if change is not None else []
        said += _dearer(pick, judged, limit)
        said += [f"Of the release: {note}." for note in pick.notes[:MOST_NOTES]]
    single = Count(sum(len(one.reports) < seeds for one in judged))
    if single:
        were = f"{single} of the {len(judged)} methods {single:was|were} judged on fewer than {seeds} seeds"
        said.append(f"{were}: {single:it was|they were} not near the best.")
    return (*said, search)


def _chosen(pick: Judged, judged: list[Judged], limit: Limit) -> str:
    within = sum(map(limit.keeps, judged))
    return (
        f"{pick.method} is recommended: of {_counted(len(judged))} it loses the least information, PIL {_mean(pick, 'pil')}, "
        f"among the {within} whose {limit.words} stays at most {limit.most:g} per cent with every seed that was tried; "
        f"its own is {_mean(pick, limit.risk)}, at most {pick.worst(limit.risk):.2f}."
    )


def _none(least: Judged, judged: list[Judged], limit: Limit) -> list[str]:
    least_loss = min((one for one in judged), key=lambda one: one["pil"])
    return [
        f"No method is recommended: of {_counted(len(judged))} none keeps {limit.words} at most {limit.most:g} per cent "
        "with every seed.",
        f"The least is {_mean(least, limit.risk)}, at most {least.worst(limit.risk):.2f}, of {least.method}, whose PIL is "
        f"{_mean(least, 'pil')}.",
        f"The least information loss is PIL {_mean(least_loss, 'pil')}, of {least_loss.method}, at a risk of "
        f"{_mean(least_loss, limit.risk)}.",
        "Either the limit rises to what the least needs, or fewer columns are released.",
    ]


def _runner_up(pick: Judged, judged: list[Judged], limit: Limit) -> list[str]:
    others = [o for o in judged if o is not pick and limit.keeps(o) and len(o.reports) == len(pick.reports)]
    if not others:
        return []
    other = min(others, key=limit.order)
    gap, noise = other["pil"] - pick["pil"], max(pick.spread("pil"), other.spread("pil"))
    told = "more than the spread between seeds" if gap > noise else "no more than the spread between seeds: take either"
    if noise != noise:
        told = "from one seed each, so not to be told apart"
    return [
        f"Next comes {other.method}, PIL {_mean(other, 'pil')} and {limit.words} {_mean(other, limit.risk)}: {gap:.2f} more PIL, {told}."
    ]


def _risks(pick: Judged) -> str:
    return (
        f"Its DR is made of DBRL {pick['dbrl']:.2f}, PRL with exact agreement {pick['prl']:.2f} and interval disclosure "
        f"{pick['id']:.2f} per cent, by DR = (DBRL + PRL)/4 + ID/2."
    )


def _informed(pick: Judged) -> str:
    return (
        f"Who knows the method links {pick['linkage_informed']:.2f} per cent, {pick['certain']:.2f} per cent beyond doubt: "
        f"with the best of the linkages the risk is DR_INFORMED {_mean(pick, 'dr_informed')}."
    )


def _inferred(pick: Judged, inference: Mapping[str, float]) -> str:
    above = {key: pick.reports[0][key] - inference[key] for key in ("dbrl", "id")}
    both = [f"{key.upper()} {inference[key]:.2f}" for key in above]
    leaks = [f"{key.upper()} {value:+.2f}" for key, value in above.items()]
    return (
        f"What the independent columns tell anyone, by a model that has not seen the record, is {' and '.join(both)}; "
        f"the release of the first seed lies {' and '.join(leaks)} from that, and only what is above 0 is its own leak."
    )


def _on_the_leak(pick: Judged | None, judged: list[Judged], limit: Limit, inference: Mapping[str, float]) -> list[str]:
    """What the same limit allows where it is on DR less what the independent columns tell anyone, if that is another method."""
    if limit.risk != "dr" or "dr" not in inference:
        return []
    base = inference["dr"]
    found = min(
        (one for one in judged if one.worst("dr") - base <= limit.most), key=lambda one: one["pil"], default=None
    )
    if found is None or found is pick or (pick is not None and found["pil"] >= pick["pil"]):
        return []
    return [
        f"Of any DR, {base:.2f} is what the independent columns tell anyone, be it of zeros that most records share. Were the limit of "
        f"{limit.most:g} on what a release adds to it, {found.method} would lose least: PIL {_mean(found, 'pil')}, "
        f"DR {_mean(found, 'dr')}, {found['dr'] - base:+.2f} from it; a limit of {found.worst('dr'):.2f} on DR allows it."
    ]


def _related(change: Change) -> str:
    about = "PIL is about the dependent columns alone; of their correlations with the independent ones, "
    if abs(change.after - change.before) < 0.005:
        return f"{about}none changes by 0.01."
    return f"{about}that of {change.dependent} with {change.independent} changes most, from {change.before:.2f} to {change.after:.2f}."


def _dearer(pick: Judged, judged: list[Judged], limit: Limit) -> list[str]:
    better = [one for one in judged if one["pil"] < pick["pil"] and not limit.keeps(one)]
    if not better:
        return ["No method above the limit loses less information."]
    nearest = min(better, key=lambda one: one.worst(limit.risk))
    return [
        f"A limit of {nearest.worst(limit.risk):.2f} would allow {nearest.method}, with PIL {_mean(nearest, 'pil')} "
        f"and {limit.words} {_mean(nearest, limit.risk)}."
    ]


def _mean(one: Judged, key: str) -> str:
    spread = f" (sd {one.spread(key):.2f} over {len(one.reports)} seeds)" if len(one.reports) > 1 else " (one seed)"
    return f"{one[key]:.2f}{spread}"


def _counted(n: int) -> str:
    return f"{n} {Count(n):method|methods}"

"""Linkage by an intruder who knows the method: how many originals are linked, how many with certainty, and the disclosure
risk that counts them."""

from __future__ import annotations

from functools import partial

from ..data.pairs import Knowledge, Pair
from ..engine import Engine
from ..errors import Note
from ..linkage.informed import Attack, Found, linked
from ..progress import Progress, ProgressTracker, within
from ..types import Array
from .dbrl import dbrl
from .measure import Part, Parts, measure
from .prl import FLOORED

MOST_RECORDS = 20_000  # every pair is scored: some ten seconds
SOURCE = "Nin, Herranz and Torra (2008); Nin and Torra (2009); Domingo-Ferrer and Muralidhar (2016)"
BY_DISTANCE, CERTAIN_PART, INSIDE = "by distance alone", "one candidate", "own record among the candidates"


@measure(
    key="linkage_informed",
    title="Record linkage by who knows the method",
    reading="Share of records that are linked to their own by who knows the method and its parameters: what the best "
    "of all linkages finds.",
    kind="risk",
    paired=True,
    source=SOURCE,
    informed=True,
    needs="records",
    weighted=True,
)
def linkage_informed(
    pair: Pair, engine: Engine, progress: Progress | None = None, near: Parts | None = None
) -> Parts:
    """Share of originals linked to their own record by who knows the method, per cent, ties of t counting 1/t.

    Of two arrays, without the method, this is DBRL.

    Parameters
    ----------
    pair : Pair
        Original and protected records, paired by position, in memory or on disk.
        `knowledge` has the attacks that the method names, and the columns released unchanged; None leaves DBRL.
    engine : Engine
        Runs the sums.
    progress : callable, optional
        Called with (done, total, label).
    near : Parts, optional
        DBRL of the pair, where it is known.

    Returns
    -------
    Parts
        The share; what each attack finds; records with one candidate, which is their own; own records among the
        candidates, which with windows, blocks and groups of one attribute is 100. The baseline is what the kept columns
        tell anyone who has a model of such records, and at least chance, 100/n.

    References
    ----------
    Nin, Herranz and Torra (2008); Nin and Torra (2009); Domingo-Ferrer and Muralidhar (2016)
    """
    near = near or dbrl.compute(pair, engine, within(progress, 0, 3))
    chance, known = 100 / pair.n, pair.knowledge
    parts, notes = [Part(BY_DISTANCE, near.total, chance)], list(near.notes)
    if known is None:
        return Parts(near.total, tuple(parts), chance, tuple(notes))
    if pair.n > MOST_RECORDS:
        wording = "linkage_informed: only by distance; an attack that knows the method takes up to {total} records"
        return Parts(near.total, tuple(parts), chance, (*notes, Note.of("approximated", wording, total=MOST_RECORDS)))
    Y, Z = pair.arrays()
    X = known.columns()
    tracker = ProgressTracker("linkage that knows the method", progress=within(progress, 1, 3))
    found, alone = _attacked(X, Y, Z, known, tracker, without_release=not pair.only_totals)
    baseline = max(chance, alone)
    if not found:
        return Parts(near.total, tuple(parts), baseline, tuple(notes))
    best = max((one for _, one in found), key=lambda one: pair.share(one.share))
    parts += [Part(attack.words, 100 * pair.share(one.share), chance) for attack, one in found]
    single, sure = best.candidates == 1, best.inside & (best.candidates == 1)
    parts += [Part(CERTAIN_PART, 100 * pair.share(sure), 100 * pair.share(single) / pair.n)]
    parts += [Part(INSIDE, 100 * pair.share(best.inside), 100 * pair.share(best.candidates) / pair.n)]
    return Parts(max(near.total, 100 * pair.share(best.share)), tuple(parts), baseline, tuple(notes))


def _attacked(
    X: Array, Y: Array, Z: Array, known: Knowledge, tracker: ProgressTracker, *, without_release: bool
) -> tuple[list[tuple[Attack, Found]], float]:
    """What each attack finds, and per cent linked from X alone; 0 where that is not to be measured."""
    n, most = len(Y), len(known.attacks) + without_release

    def on_step(task: int, done: int, of: int) -> None:
        tracker.step(task * n + done, most * n)

    found = [(one, linked(one.scores(X, Y, Z), n, partial(on_step, k))) for k, one in enumerate(known.attacks)]
    if not without_release:
        return found, 0.0
    attack = max(found, key=lambda one: one[1].linked)[0] if found else Attack()
    return found, attack.baseline(X, Y, partial(on_step, most - 1))


@measure(
    key="certain",
    title="Records with one candidate, by who knows the method",
    reading="Share of records for which the method rules out all protected records but their own: linked beyond doubt.",
    kind="risk",
    paired=True,
    source=SOURCE,
    informed=True,
    needs="measures",
    components=("linkage_informed",),
    weighted=True,
)
def certain(informed: Parts) -> Parts:
    """Share of originals with one candidate only, which is their own: linked beyond doubt, per cent.

    0 where no attack is known. The baseline is chance: 1/n of the records with one candidate.

    Parameters
    ----------
    informed : Parts
        Of `linkage_informed`.

    Returns
    -------
    Parts
        The share.

    References
    ----------
    Nin, Herranz and Torra (2008); Nin and Torra (2009); Domingo-Ferrer and Muralidhar (2016)
    """
    part = next((one for one in informed.parts if one.name == CERTAIN_PART), Part(CERTAIN_PART, 0.0, 0.0))
    return Parts(part.value, baseline=part.baseline)


@measure(
    key="dr_informed",
    title="Disclosure risk by the best of the linkages",
    reading="Half interval disclosure, and half the best of the linkages, that of who knows the method among them.",
    kind="risk",
    paired=True,
    source="ours, after Domingo-Ferrer and Torra (2001)",
    informed=True,
    needs="measures",
    components=("dbrl", "prl", "linkage_informed", "id"),
    weighted=True,
)
def informed_risk(dbrl: Parts, prl: Parts, informed: Parts, interval: Parts) -> Parts:
    """0.5 max(DBRL, PRL, linkage that knows the method) + 0.5 ID, per cent; PRL's weights with m at least u.

    Parameters
    ----------
    dbrl, prl, informed, interval : Parts
        Of `dbrl`, `prl`, `linkage_informed` and `id`.

    Returns
    -------
    Parts
        The risk and its four parts; the baseline is made of theirs in the same way.

    References
    ----------
    Own design, after Domingo-Ferrer and Torra (2001)
    """
    prl = next((Parts(one.value, baseline=one.baseline) for one in prl.parts if one.name == FLOORED), prl)
    of = {"dbrl": dbrl, "prl": prl, "linkage_informed": informed, "id": interval}
    parts = tuple(Part(name, result.total, result.baseline) for name, result in of.items())
    links = (dbrl, prl, informed)
    total = 0.5 * max(one.total for one in links) + 0.5 * interval.total
    known = [one.baseline for one in links if one.baseline is not None]
    baseline = None if interval.baseline is None else 0.5 * max(known) + 0.5 * interval.baseline
    return Parts(total, parts, baseline)

"""Linkage by an intruder who knows the method: how many originals are linked, how many with certainty, and the disclosure
risk that counts them."""

from ..data.pairs import Knowledge, Pair
from ..engine import Engine
from ..errors import Note
from ..linkage.informed import Attack, Found, linked
from ..progress import Progress, ProgressTracker, within
from .dbrl import dbrl
from .measure import Part, Parts, combined_measure, method_measure
from .prl import FLOORED
from .score import combined

MOST_RECORDS = 20_000  # every pair is scored: some ten seconds
SOURCE = "Nin, Herranz and Torra (2008); Nin and Torra (2009); Domingo-Ferrer and Muralidhar (2016)"
# Names of parts.
BY_DISTANCE = "by distance alone"
CERTAIN_PART = "one candidate"
INSIDE = "own record among the candidates"


@method_measure(
    key="linkage_informed",
    title="Method-aware record linkage",
    reading="Share of records that an intruder who knows the method and its parameters links to their own, by the best "
    "of all linkages.",
    paired=True,
    source=SOURCE,
)
def linkage_informed(pair: Pair, engine: Engine, progress: Progress | None = None, near: Parts | None = None) -> Parts:
    """Share of originals linked to their own record by an intruder who knows the method, per cent; a tie of t counts 1/t.

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
        The share; that of each attack; records whose only candidate is their own; own records among the candidates, which
        with windows, blocks and groups of one attribute is 100. The baseline is the share linked by the unmodified columns
        and a model of such records, and at least chance, 100/n.

    References
    ----------
    Nin, Herranz and Torra (2008); Nin and Torra (2009); Domingo-Ferrer and Muralidhar (2016)
    """
    near = near or dbrl.compute(pair, engine, within(progress, 0, 3))
    chance = 100 / pair.n
    known = pair.knowledge
    value = near.total
    baseline = chance
    parts = [Part(BY_DISTANCE, value, chance)]
    notes = list(near.notes)
    if known is not None and pair.n > MOST_RECORDS:
        wording = "linkage_informed: only by distance; an attack that knows the method takes up to {total} records"
        notes.append(Note.of("approximated", wording, total=MOST_RECORDS))
    elif known is not None:
        tracker = ProgressTracker("linkage that knows the method", progress=within(progress, 1, 3))
        results, kept_columns = _attacked(pair, known, tracker)
        baseline = max(chance, kept_columns)
        parts += [Part(attack.words, 100 * pair.share(links.share), chance) for attack, links in results]
        if results:
            best = max((links for _, links in results), key=lambda links: pair.share(links.share))
            one_candidate = best.candidates == 1
            certain = best.inside & one_candidate
            # By chance, a record is among k candidates with probability k/n.
            parts += [Part(CERTAIN_PART, 100 * pair.share(certain), 100 * pair.share(one_candidate) / pair.n)]
            parts += [Part(INSIDE, 100 * pair.share(best.inside), 100 * pair.share(best.candidates) / pair.n)]
            value = max(value, 100 * pair.share(best.share))
    return Parts(value, tuple(parts), baseline, tuple(notes))


def _attacked(pair: Pair, known: Knowledge, tracker: ProgressTracker) -> tuple[list[tuple[Attack, Found]], float]:
    """The links of each attack, and per cent linked by the unmodified columns alone; 0 where only totals are requested."""
    X = known.given.read()
    Y, Z = pair.arrays()
    tasks = len(known.attacks) if pair.only_totals else len(known.attacks) + 1
    results = []
    for k, attack in enumerate(known.attacks):
        links = linked(attack.scores(X, Y, Z), pair.n, tracker.part(k, tasks).step)
        results.append((attack, links))
    if pair.only_totals:
        return results, 0.0
    # The baseline is that of the attack that links most.
    best_attack = max(results, key=lambda result: result[1].linked)[0] if results else Attack()
    return results, best_attack.baseline(X, Y, tracker.part(tasks - 1, tasks).step)


@combined_measure(
    key="certain",
    title="Records with one candidate for a method-aware intruder",
    reading="Share of records for which the method rules out all protected records but their own: linked beyond doubt.",
    paired=True,
    source=SOURCE,
    informed=True,
    components=("linkage_informed",),
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
    part = next((part for part in informed.parts if part.name == CERTAIN_PART), Part(CERTAIN_PART, 0.0, 0.0))
    return Parts(part.value, baseline=part.baseline)


@combined_measure(
    key="dr_informed",
    title="Disclosure risk by the best of the linkages",
    reading="Half interval disclosure, and half the best of the linkages, the method-aware one among them.",
    paired=True,
    source="ours, after Domingo-Ferrer and Torra (2001)",
    informed=True,
    components=("dbrl", "prl", "linkage_informed", "id"),
)
def informed_risk(dbrl: Parts, prl: Parts, informed: Parts, interval: Parts) -> Parts:
    """Disclosure risk 0.5 max(DBRL, PRL, method-aware linkage) + 0.5 ID, per cent; PRL's weights with m at least u.

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
    prl = next((Parts(part.value, baseline=part.baseline) for part in prl.parts if part.name == FLOORED), prl)
    results = {"dbrl": dbrl, "prl": prl, "linkage_informed": informed, "id": interval}
    return combined(results, lambda a, b, c, d: 0.5 * max(a, b, c) + 0.5 * d)

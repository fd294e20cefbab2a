"""The tests `seed` and `ledger`: what the origin of a release, and earlier releases, disclose."""

from ...methods.facts import NOT_EXAMINED
from ...plans.limits import EPSILON
from ...rstream import RStream
from .examined_release import ExaminedRelease
from .outcomes import NO_METHOD, PAIRS_UNKNOWN, Decided, Measured, NotApplicable, NotExamined, Outcome, Remedy

NO_START = "the seed is not known, from which the random order of the records was drawn"
NO_SEED = "whether the seed undoes this method has not been examined"


def seed(release: ExaminedRelease) -> Outcome:
    """Whether the release can be undone from its seed."""
    facts = release.facts
    start = release.request.seed
    if facts is None:
        return NotExamined(NO_METHOD)
    if facts.weak_generator:
        reason = "the method draws from a generator of 32 bits, all of which can be tried"
        return Decided(
            holds=True, reason=reason, remedies=(Remedy("choose a form that draws from this package's streams"),)
        )
    if release.pairs_unknown and not _is_found(release):
        return NotExamined(PAIRS_UNKNOWN)
    if facts.privacy is not None and release.shuffled:
        return Decided(holds=False, reason="the random order is drawn from fresh entropy")
    if not release.shuffled:
        if facts.undone_by_seed is NOT_EXAMINED:
            return NotExamined(NO_SEED)
        if not facts.undone_by_seed:
            return NotApplicable()
    if isinstance(start, RStream) and start.fresh:
        if facts.undone_by_seed is NOT_EXAMINED:  # of a shuffled release, the order of which is not undone
            return NotExamined(NO_SEED)
        return Decided(holds=False, reason="the release started from fresh entropy")
    if isinstance(start, RStream):
        reason = "the release started from a state of R or from a seed, which can be guessed"
        return Decided(holds=True, reason=reason)
    if start is not None:
        return Decided(holds=True, reason="the release started from an integer, which can be guessed")
    if not facts.undone_by_seed:
        return NotExamined(NO_START)
    if isinstance(release.seed_search, NotExamined):
        return release.seed_search
    if _is_found(release):
        return Decided(holds=True, reason="trying integers found the seed of the release")
    reason = f"no integer from 0 to {release.seed_search.tried - 1:,} reproduces the release"
    return Decided(holds=False, reason=reason)


def _is_found(release: ExaminedRelease) -> bool:
    """Whether an integer reproduces the release."""
    search = release.seed_search
    return not isinstance(search, NotExamined) and search.found is not None


def ledger(release: ExaminedRelease) -> Outcome:
    """Disclosure by the release together with earlier ones of a ledger, and whether their epsilon passes a stated total."""
    registration = release.request.registration
    total = release.request.limits.get(EPSILON)
    if registration is None:
        if total is None:
            return NotApplicable()
        return NotExamined("a total epsilon is stated: give ledger= to protect()")
    conflicts = registration.conflicts
    if total is not None and registration.epsilon > total[0]:
        conflicts += (f"the releases of these records have epsilon {registration.epsilon:.4g} in total",)
    reason = "; ".join(conflicts) or "no earlier release of the ledger adds to what this one discloses"
    return Measured((len(conflicts),), reason)

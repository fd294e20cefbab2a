"""The test `edits`: values that a variable may not have, and rules that more released than original records break."""

from collections.abc import Sequence
from functools import partial
from math import ceil

import numpy as np

from ...data.encoding import Encoding
from ...data.pairs import key_codes
from ...methods.method import NO_ROLES
from ...protection.request import keeps_signs
from ..encoded_files import plain_cells
from .edit_rules import EditRule
from .examined_release import ExaminedRelease
from .outcomes import Measured, NotApplicable, Outcome, Remedy
from .plan_changes import PlanChange
from .remedies import listed, possible_values

MAX_NAMED = 3  # variables or rules that a reason names


def edits(release: ExaminedRelease) -> Outcome:
    """Released values that the variables may not have, and records that break a rule, beyond as many as in the original."""
    categories = _categories(release)
    if not release.numbers and not categories:
        return NotApplicable()
    impossible = {name: _impossible_numbers(release, encoding) for name, encoding in release.encodings.items()}
    impossible |= _new_levels(release, categories)
    broken = {rule.words: _broken(release, rule) for rule in release.edit_rules}
    found = sum(impossible.values()) + sum(broken.values())
    reason = f"{_of_values(impossible)}; {_of_rules(broken)}"
    return Measured((found,), reason, partial(_remedies, release, impossible, broken))


def _remedies(release: ExaminedRelease, impossible: dict[str, int], broken: dict[str, int]) -> tuple[Remedy, ...]:
    """A method that keeps what variables may be, declarations of those variables, and what keeps the broken rules."""
    variables = [name for name in impossible if impossible[name]]
    rules = [rule for rule in release.edit_rules if broken[rule.words]]
    columns = {*variables}
    for rule in rules:
        columns |= {*rule.columns}
    confidential = [name for name in release.confidential if name in columns]
    remedies = [*possible_values(release, confidential)]
    finding = Remedy('protect with structure="find", which keeps the rules', PlanChange(keep={"structure": "find"}))
    finds = bool(rules) and not _looks_for_rules(release)
    if finds and not variables:
        return (finding,)
    # By default a method that keeps signs finds rules, too.
    finds_with_method = finds and release.request.options.structure is None
    if finds_with_method:
        remedies = [Remedy.together([*remedies, finding])]
    if variables:
        remedies.append(Remedy(f"declare in `variables` what {listed(variables[:MAX_NAMED])} may be"))
    if finds and not finds_with_method:
        remedies.append(finding)
    if rules and not remedies:
        remedies.append(Remedy(f"name in `constraints` that {rules[0].words}"))
    return tuple(remedies)


def _looks_for_rules(release: ExaminedRelease) -> bool:
    """Whether the release was to keep rules of the file, or cannot be: with a budget, or of cells and whole files."""
    method = release.method
    if method is None or release.facts is None or release.facts.privacy is not None:
        return True
    works_on_numbers = any(part.replaces_numbers() for part, _ in method.parts(release.roles or NO_ROLES))
    structure = release.request.options.structure
    if structure is None or not works_on_numbers:
        return not works_on_numbers
    return structure != "default" or keeps_signs(method, release.roles or NO_ROLES)


def _categories(release: ExaminedRelease) -> list[str]:
    """The confidential categories whose levels no step of the method changes by design."""
    others = [name for name in release.confidential if name not in release.numbers]
    return [name for name in others if not release.recoded(name)]


def _impossible_numbers(release: ExaminedRelease, encoding: Encoding) -> int:
    """How many released numbers a variable may not have: codes that no original has, and others beyond as many as in the original.

    A cell that cannot be read, such as a month 13 of dates, is such a number.
    """
    original = plain_cells(release.original)
    protected = plain_cells(release.protected)
    y = encoding.numbers(original)
    z = encoding.numbers(protected)
    not_permitted = ~encoding.permitted(z)
    if encoding.kind == "codes":
        return int((not_permitted & ~np.isin(z, y)).sum())
    released = int(not_permitted.sum()) + int(encoding.unreadable(protected).sum())
    in_original = int((~encoding.permitted(y)).sum()) + int(encoding.unreadable(original).sum())
    return _beyond(released, in_original, release)


def _new_levels(release: ExaminedRelease, names: Sequence[str]) -> dict[str, int]:
    """The number of released cells with a level that no original has, by category."""
    K, L = key_codes("evaluate", release.original, release.protected, names)
    counts = dict[str, int]()
    for name, original, released in zip(names, K.T, L.T, strict=True):
        is_new = (released >= 0) & ~np.isin(released, original)  # a missing cell has a code below 0
        counts[name] = int(is_new.sum())
    return counts


def _broken(release: ExaminedRelease, rule: EditRule) -> int:
    """How many released records break a rule, beyond as many as in the original."""
    original = release.original
    return _beyond(rule.broken(original, release.protected), rule.broken(original, original), release)


def _beyond(released: int, original: int, release: ExaminedRelease) -> int:
    """A count of the release less that of the original, in proportion where the release has more records; at least 0."""
    larger = max(release.protected.records / release.original.records, 1.0)
    return max(released - ceil(larger * original), 0)


def _of_values(impossible: dict[str, int]) -> str:
    """The values as words, with the variables that have most of them."""
    count = sum(impossible.values())
    worst = sorted((name for name in impossible if impossible[name]), key=lambda name: -impossible[name])
    text = f"{count:,} values that the variables may not have"
    if not worst:
        return text
    named = ", ".join(f"{impossible[name]:,} of `{name}`" for name in worst[:MAX_NAMED])
    others = ", ..." if len(worst) > MAX_NAMED else ""
    return f"{text} ({named}{others})"


def _of_rules(broken: dict[str, int]) -> str:
    """The rules as words, with those that most records break."""
    if not broken:
        return "no rule is known"
    worst = sorted((words for words in broken if broken[words]), key=lambda words: -broken[words])
    if not worst:
        return "1 rule holds" if len(broken) == 1 else f"{len(broken)} rules hold"
    named = ", ".join(f"{words} in {broken[words]:,} records" for words in worst[:MAX_NAMED])
    others = ", ..." if len(worst) > MAX_NAMED else ""
    verb = "is" if len(worst) == 1 else "are"
    return f"{len(worst)} of {len(broken)} rules {verb} broken: {named}{others}"

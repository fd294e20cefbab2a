"""The words and constraints of a proposed rule."""

from ..data.structure import Kind, Proposal
from .language import ticked

Terms = tuple[tuple[str, float], ...]
CONSTANT = ""  # the name, in a sum, of the part that is no column


def proposal(
    kind: Kind,
    columns: tuple[str, ...],
    count: int,
    total: int,
    *,
    terms: Terms = (),
    constant: float = 0.0,
    within: float = 0.0,
) -> Proposal:
    """A rule that `count` of `total` records keep.

    terms, constant, within : see Proposal; of signs, the columns and 1 or -1; of round
    numbers, what they are multiples of.
    """
    right = _linear(terms, constant)
    rule = _rule(kind, columns, terms, right, within)
    where = f"in all {total:,} records" if count == total else f"in {count:,} of {total:,} records"
    return Proposal(
        kind=kind,
        columns=columns,
        rule=rule,
        words=f"{rule}, {where}",
        texts=_texts(kind, columns, terms, right, within),
        count=count,
        total=total,
        terms=terms,
        constant=constant,
        within=within,
    )


def _rule(kind: Kind, columns: tuple[str, ...], terms: Terms, right: str, within: float) -> str:
    """A rule in plain words. right : the terms as text; the other arguments are those of proposal()."""
    first = ticked(columns[0])
    last = ticked(columns[-1])
    match kind:
        case "identity":
            return f"{first} == {right}"
        case "rounded":
            return f"{first} == {right} but for rounding (within {within:g})"
        case "zero_together":
            return f"{', '.join(map(ticked, columns[:-1]))} and {last} are zero together"
        case "zero_where":
            return f"{first} is zero where {last} is"
        case "nested":
            return f"{first} lies within {last}"
        case "at_most":
            return f"{first} is at most {last}"
        case "sign":
            side = "most" if terms[0][1] < 0 else "least"
            verb = "is" if len(columns) == 1 else "are"
            return f"{', '.join(map(ticked, columns))} {verb} at {side} 0"
        case "often":
            nearly = "" if terms[0][1] == 1 else " but for rounding"
            return f"{first} == {right}{nearly}, often"
        case "round":
            return f"{first} is a multiple of {terms[0][1]:g}, often"


def _texts(kind: Kind, columns: tuple[str, ...], terms: Terms, right: str, within: float) -> tuple[str, ...]:
    """A rule as constraints; none where it is not linear. The arguments are those of _rule()."""
    first = ticked(columns[0])
    match kind:
        case "identity":
            return (f"{first} == {right}",)
        case "rounded":
            off = f"{first} - ({right})"
            return (f"{off} <= {within:g}", f"{off} >= {-within:g}")
        case "at_most":
            return (f"{first} <= {ticked(columns[-1])}",)
        case "sign":
            sign = "<=" if terms[0][1] < 0 else ">="
            return tuple(f"{ticked(name)} {sign} 0" for name in columns)
    return ()


def rounded_rule(one: Proposal, digits: int) -> str:
    """A rule in plain words, with constants of so many digits."""

    def rounded(value: float) -> float:
        return float(f"{value:.{digits}g}")

    terms = tuple((name, rounded(c)) for name, c in one.terms)
    right = _linear(terms, rounded(one.constant))
    return _rule(one.kind, one.columns, terms, right, rounded(one.within))


def solved_for(one: Proposal, target: str) -> Proposal:
    """An identity written as another of its columns in terms of the rest."""
    whole = coefficients(one)
    lead = whole.pop(target)
    constant = -whole.pop(CONSTANT, 0.0) / lead
    terms = tuple((name, -c / lead) for name, c in sorted(whole.items(), key=lambda term: term[1] * lead > 0))
    within = one.within * (1 if abs(lead) >= 1 else 1 / abs(lead))
    return proposal(
        one.kind,
        (target, *(name for name, _ in terms)),
        one.count,
        total=one.total,
        terms=terms,
        constant=constant,
        within=within,
    )


def coefficients(one: Proposal) -> dict[str, float]:
    """An identity as a sum that is 0, with its constant if it has one."""
    whole = {one.columns[0]: -1.0, **dict(one.terms)}
    if one.constant:
        whole[CONSTANT] = one.constant
    return whole


def _linear(terms: Terms, constant: float = 0.0) -> str:
    """ "A + 2*B - C - 6"."""
    text = ""
    for name, c in terms:
        factor = "" if abs(c) == 1 else f"{abs(c):.12g}*"
        text += f" {'-' if c < 0 else '+'} {factor}{ticked(name)}"
    if constant:
        text += f" {'-' if constant < 0 else '+'} {abs(constant):.12g}"
    # The first term has its sign next to it, and no plus.
    return text.removeprefix(" + ") if not text.startswith(" - ") else "-" + text[3:]

"""The words and constraints of a proposed rule."""

from ..data.structure import Kind, Proposal
from .language import ticked

Terms = tuple[tuple[str, float], ...]


def proposal(
    kind: Kind, columns: tuple[str, ...], count: int, total: int, *, terms: Terms = (), within: float = 0.0
) -> Proposal:
    """A rule that `count` of `total` records keep.

    terms, within : see Proposal; of signs, the columns and 1 or -1; of round
    numbers, what they are multiples of.
    """
    rule = _rule(kind, columns, terms, within)
    where = f"in all {total:,} records" if count == total else f"in {count:,} of {total:,} records"
    return Proposal(
        kind=kind,
        columns=columns,
        words=f"{rule}, {where}",
        texts=_texts(kind, columns, terms, within),
        count=count,
        total=total,
        terms=terms,
        within=within,
    )


def _rule(kind: Kind, columns: tuple[str, ...], terms: Terms, within: float) -> str:
    """A rule in plain words. The arguments are those of proposal()."""
    first = ticked(columns[0])
    last = ticked(columns[-1])
    match kind:
        case "identity":
            return f"{first} == {_linear(terms)}"
        case "rounded":
            return f"{first} == {_linear(terms)} but for rounding (within {within:g})"
        case "zero_together":
            return f"{', '.join(map(ticked, columns[:-1]))} and {last} are zero together"
        case "at_most":
            return f"{first} is at most {last}"
        case "sign":
            side = "most" if terms[0][1] < 0 else "least"
            verb = "is" if len(columns) == 1 else "are"
            return f"{', '.join(map(ticked, columns))} {verb} at {side} 0"
        case "often":
            nearly = "" if terms[0][1] == 1 else " but for rounding"
            return f"{first} == {_linear(terms)}{nearly}, often"
        case "round":
            return f"{first} is a multiple of {terms[0][1]:g}, often"


def _texts(kind: Kind, columns: tuple[str, ...], terms: Terms, within: float) -> tuple[str, ...]:
    """A rule as constraints; none where it is not linear. The arguments are those of proposal()."""
    first = ticked(columns[0])
    match kind:
        case "identity":
            return (f"{first} == {_linear(terms)}",)
        case "rounded":
            off = f"{first} - ({_linear(terms)})"
            return (f"{off} <= {within:g}", f"{off} >= {-within:g}")
        case "at_most":
            return (f"{first} <= {ticked(columns[-1])}",)
        case "sign":
            sign = "<=" if terms[0][1] < 0 else ">="
            return tuple(f"{ticked(name)} {sign} 0" for name in columns)
    return ()


def solved_for(one: Proposal, target: str) -> Proposal:
    """An identity written as another of its columns in terms of the rest."""
    whole = coefficients(one)
    lead = whole.pop(target)
    terms = tuple((name, -c / lead) for name, c in sorted(whole.items(), key=lambda term: term[1] * lead > 0))
    within = one.within * (1 if abs(lead) >= 1 else 1 / abs(lead))
    return proposal(
        one.kind, (target, *(name for name, _ in terms)), one.count, total=one.total, terms=terms, within=within
    )


def coefficients(one: Proposal) -> dict[str, float]:
    """An identity as a sum that is 0."""
    return {one.columns[0]: -1.0, **dict(one.terms)}


def _linear(terms: Terms) -> str:
    """ "A + 2*B - C"."""
    text = ""
    for name, c in terms:
        factor = "" if abs(c) == 1 else f"{abs(c):.12g}*"
        text += f" {'-' if c < 0 else '+'} {factor}{ticked(name)}"
    # The first term has its sign next to it, and no plus.
    return text.removeprefix(" + ") if not text.startswith(" - ") else "-" + text[3:]

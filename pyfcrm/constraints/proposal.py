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
    first, last = ticked(columns[0]), ticked(columns[-1])
    texts: tuple[str, ...] = ()
    if kind in ("identity", "rounded"):
        words = f"{first} == {_linear(terms)}"
        texts = (words,)
        if within:
            words += f" but for rounding (within {within:g})"
            off = f"{first} - ({_linear(terms)})"
            texts = (f"{off} <= {within:g}", f"{off} >= {-within:g}")
    elif kind == "zero_together":
        words = f"{', '.join(map(ticked, columns[:-1]))} and {last} are zero together"
    elif kind == "at_most":
        words, texts = f"{first} is at most {last}", (f"{first} <= {last}",)
    elif kind == "sign":
        side, sign = ("most", "<=") if terms[0][1] < 0 else ("least", ">=")
        words = f"{', '.join(map(ticked, columns))} {'is' if len(columns) == 1 else 'are'} at {side} 0"
        texts = tuple(f"{ticked(name)} {sign} 0" for name in columns)
    elif kind == "often":
        words = f"{first} == {_linear(terms)}{' but for rounding' if terms[0][1] != 1 else ''}, often"
    else:
        words = f"{first} is a multiple of {terms[0][1]:g}, often"
    where = f"in all {total:,} records" if count == total else f"in {count:,} of {total:,} records"
    return Proposal(
        kind=kind,
        columns=columns,
        words=f"{words}, {where}",
        texts=texts,
        count=count,
        total=total,
        terms=terms,
        within=within,
    )


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
    for k, (name, c) in enumerate(terms):
        sign = ("- " if c < 0 else "+ ") if k else ("-" if c < 0 else "")
        factor = "" if abs(c) == 1 else f"{abs(c):.12g}*"
        text += f"{' ' if k else ''}{sign}{factor}{ticked(name)}"
    return text

"""What the name of a column says about its contents: identifiers, periods, survey weights, classifications, incomes."""

import re

# Words of names by what such columns hold. The codes are those of EU-SILC; perwt, hhwt and pwgtp stand in samples of censuses.
WORDS = {
    "identifier": "id|ident|identifier|key|ssn|nif|dni|uuid|guid|[dhrp]b030",
    "possible identifier": "code|nr|no|number|name",
    "period": "year|yr|time|period|wave|month|quarter|week|date|jahr|round|visit|occasion",
    "weight": (
        r"weights\w*|(sample|survey|design|person|household|hh|final)_?(weight|wt|w)|(hh|per|asec)wt|\w*wgtp?|pond\w*|poids|"
        r"gewicht\w*|fac_?exp\w*|db0[89]0|rb05[01]|rb06\d|rl070|pb0[4-8]0"
    ),
    "possible weight": "w|wt|weight",
    "height": "height|ht|bmi|stature",
    "classification": (
        "isco|isic|nace|naics|sic|nuts|zip|postcode|occupation|industry|race|ethnicity|religion|county|state|region"
    ),
}
NAMES = {kind: re.compile(rf"(^|_|\b)({words})($|_|\b|\d)", re.IGNORECASE) for kind, words in WORDS.items()}
_CAMEL = re.compile(r"[a-z](I[dD]|N[rR])$")
_AMOUNT = re.compile(
    r"income|earning|wage|salar|tax|wealth|debt|revenue|turnover|profit|expend|^[hp]y\d{3}[gn]$", re.IGNORECASE
)


def named_as(kind: str, name: str) -> bool:
    """Whether a column has the name of a kind of WORDS."""
    return bool(NAMES[kind].search(name))


def is_identifier_name(name: str, all_differ: bool) -> bool:
    """Whether a column has the name of an identifier; a weak name counts only where all of its values differ."""
    if named_as("identifier", name) or _CAMEL.search(name):
        return True
    return all_differ and named_as("possible identifier", name)


def is_amount_name(name: str) -> bool:
    """Whether a column has the name of an income or another amount, which is confidential."""
    return bool(_AMOUNT.search(name))

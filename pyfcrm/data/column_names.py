"""What the name of a column says about its contents: identifiers, periods, survey weights, classifications, incomes."""

import re

# Words of names by what such columns hold.
WORDS = {
    "identifier": "id|ident|identifier|key|ssn|nif|dni|uuid|guid|[dhrp]b030",
    "possible identifier": "code|nr|no|number|name",
    "period": "year|yr|time|period|wave|month|quarter|week|date|jahr|round|visit|occasion",
    "time of day": "time|hour|hhmm|clock|dep|departure|arr|arrival|uhrzeit|heure|hora",
    "classification": (
        "isco|isic|nace|naics|sic|nuts|zip|postcode|occupation|industry|race|ethnicity|religion|county|state|region|province|"
        "canton|district|municipality|status|gender|sex|sector|branch"
    ),
    "finite population": "fpc\\w*",
}
# Survey weights by programme. The names are whole, but for a number behind them.
PROGRAMMES = {
    "NHANES, NHIS, GSS": r"wt(mec|int|drd|dr2d|saf|sa|sb|sc|sog|fa|ia|ss|finl|pfqhh)\w*",
    "European Social Survey": "(d|psp|p|an)weight|(d|psp|p|an)wght",
    "Demographic and Health Surveys, MICS": "m?v005|h?v005|d005|hv028|(hh|wm|ch|mn)weight",
    "EU-SILC": r"db0[89]0|rb05[01]|rb06\d|rl070|pb0[4-8]0",
    "IPUMS and samples of censuses": r"(hh|per|asec|earn|sdat|sl|lab)wt\w*|p?wgtp",
    "Labour force surveys": r"extri\w*|coeff|fac_?exp\w*|factor_?exp\w*|factorel|fexp",
    "National Survey of Family Growth, CPS, Census": r"a?f(ina|n)?lwg?t\w*|finalwe?i?ght|p[wh]\w*wgt|hwhhwgt",
    "PISA, TIMSS, PIRLS": "w_fstuwt|(tot|hou|sen|sch|mat|sci|tch)wgt|spfwt0?",
    "BRFSS": "_?(llcpwt|finalwt)",
    "panels": r"\w+_x[wr]|x?wght|\w+_xwgt|[ph]hrf",
}
_SURE_WEIGHT = re.compile("|".join(f"(?:{words})" for words in PROGRAMMES.values()), re.IGNORECASE)
_SURVEY_WORD = (
    r"samp\w*|survey|design|person|ind|indiv\w*|household|hh|final|base|rake|trim|norm|calib\w*|pop|cross|long"
)
# A word for a survey beside one for a weight; or weights of many units.
_WEIGHT_WORDS = re.compile(
    rf"(^|_)(weights\w*|({_SURVEY_WORD})_?(weights?|wgh?ts?|wts?|w)|(weights?|wgh?ts?|wts?)_?({_SURVEY_WORD})|w_({_SURVEY_WORD})|"
    r"[afip]weight|\w+wgtp?|(coef|fac|factor)?_?pond(er\w*)?|hochrechnung\w*|gewichtung\w*|gewichtsfaktor\w*|"
    r"facteur_?(extrap|pond)\w*)\d*($|_)"
)
# Names that a survey weight shares with the weights of bodies and things.
_POSSIBLE_WEIGHT = re.compile(
    r"w\d*|(\w+_)?(wt|wgt|weight|wght|pw|pwt|sw|peso|poids|gewicht|gew|vikt|vaegt|paino)\d*(_\w+)?"
)
# Words of what is weighed, and units of mass.
_WEIGHED = re.compile(
    r"(^|_)(body|bod|bd|head|birth|baby|fetal|brain|heart|organ|mother\w*|father\w*|maternal|car|vehicle|curb|kerb|truck|ship|dry|wet|"
    r"fresh|seed|root|leaf|egg|tare|gross|net|loss|gain|change|diff|goal|ideal|actual|reported|molecular|atomic|kg|kgs|kilos?|g|gr|"
    r"grams?|lbs?|pounds?|stones?|oz|tons?|cwt|corporal|corporel|koerper|growth)\d*($|_)|"
    r"(body|birth|baby|brain|car|vehicle|curb|dry|wet|fresh)(weights?|wgh?t|wt)"
)
# Measurements of bodies and vehicles, beside which a column named `weight` is no survey weight.
_BODIES = re.compile(
    r"(^|_)(heights?|hgt|ht|stature|bmi|waist|girth|chest|hip|skull|flipper|wing|tail|mpg|horsepower|hp|engine|displacement|disp|"
    r"cyl|cylinders|wheelbase|headroom|altura|talla|taille|groesse)($|_)"
)
_SURVEY_LABEL = re.compile(
    r"(survey|sampl\w*|design|person\w*|individual|household|final|base|replicate|expansion|grossing|post-?stratification|population|"
    r"cross-?sectional|longitudinal|analysis|analytic\w*|interview|exam|calibrat\w*|normali[sz]ed)\b.*\bweights?\b|"
    r"\bweights?\b.*\b(factor|survey|sampl\w*|design)|ponderaci[oó]n|pond[ée]ration|gewichtungsfaktor|hochrechnung|"
    r"factor de expansi[oó]n|facteur d.extrapolation",
    re.IGNORECASE,
)
_REPLICATE = re.compile(
    r"(^|_)(\w*rep(l\w*|w\w*)?|brr\w*|jkn?\w*|jack\w*|boot\w*|bsw?|fay\w*|w|pw|rw|wr|w_fstr|\w*wgh?tp?|\w*wt|\w*weights?|pond\w*)$"
)
NAMES = {kind: re.compile(rf"(^|_|\b)({words})($|_|\b|\d)", re.IGNORECASE) for kind, words in WORDS.items()}
_CAMEL = re.compile(r"[a-z](I[dD]|N[rR])$")
_AMOUNT = re.compile(
    r"income|earning|wage|salar|tax|wealth|debt|revenue|turnover|profit|expend|^[hp]y\d{3}[gn]$", re.IGNORECASE
)
# Whole names of columns that say whose a record is. The plural is a count.
_UNIT = re.compile(
    r"(subject|subj|patient|person|respondent|participant|individual|child|pupil|student|teacher|prof|professor|doctor|school|class|"
    r"hospital|clinic|household|family|firm|company|enterprise|establishment|plant|farm|village|interviewer)\d*"
)


def named_as(kind: str, name: str) -> bool:
    """Whether a column has the name of a kind of WORDS."""
    return bool(NAMES[kind].search(name))


def is_identifier_name(name: str, all_differ: bool) -> bool:
    """Whether a column has the name of an identifier; a weak name counts only where all of its values differ."""
    if named_as("identifier", name) or _CAMEL.search(name):
        return True
    return all_differ and named_as("possible identifier", name)


def is_unit_name(name: str) -> bool:
    """Whether a column has the name of persons, households or firms, several records of which may stand together."""
    return bool(_UNIT.fullmatch(words_of(name)))


def is_amount_name(name: str) -> bool:
    """Whether a column has the name of an income or another amount, which is confidential."""
    return bool(_AMOUNT.search(name))


def words_of(name: str) -> str:
    """The words of a name in small letters with "_" between them: "BodyWgt" as "body_wgt", "weight.kg" as "weight_kg"."""
    apart = re.sub(r"([a-z\d])([A-Z])", r"\1_\2", name)
    return re.sub(r"\W+", "_", apart).strip("_").lower()


def weight_by_name(name: str, label: str, has_bodies: bool) -> str:
    """ "sure" or "possible" where name or label are those of a survey weight; else "".

    has_bodies : whether the file measures bodies or vehicles, whose weights have the same short names.
    """
    words = words_of(name)
    says_weight = re.search(r"\bweight", label, re.IGNORECASE) is not None
    if _WEIGHED.search(words) or (says_weight and _WEIGHED.search(words_of(label))):
        return ""
    bare = name.strip("_").lower()
    if _SURE_WEIGHT.fullmatch(bare) or _WEIGHT_WORDS.search(words) or _SURVEY_LABEL.search(label):
        return "sure"
    if has_bodies:
        return ""
    return "possible" if says_weight or _POSSIBLE_WEIGHT.fullmatch(words) else ""


def measures_bodies(name: str) -> bool:
    """Whether a column has the name of a measurement of bodies or vehicles other than their weight."""
    return bool(_BODIES.search(words_of(name)))


def is_replicate_stem(stem: str) -> bool:
    """Whether the names of replicate weights begin so, before their numbers."""
    return bool(_REPLICATE.search(words_of(stem)))

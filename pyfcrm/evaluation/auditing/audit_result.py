"""The result of audit(): each attack's value with its control, and the alarms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...display import Result, View
from ...errors import InvalidInput, Note, unknown_name
from ...methods import Procedure
from ...numerics.chance import FALSE_ALARMS
from .replicated import Replicated

# The attacks whose values an Audit has by key.
KEYS = ("detection", "membership", "tpr", "exact_copies", "attribute_hits")
COUNTS = ("records", "members", "repeats", "shadows")  # whole numbers of a document
# Of an alarm, over all attacks together. Releases that keep moments exactly disclose a little of who is in a file of 500 records:
# 3.5 per cent of the clean ones in benchmarks/studies/leaks.py have a p-value of .01 or less, 10 per cent one of .03 or less.
ALARM_LEVEL = FALSE_ALARMS["audit"]
NO_ALARM = f"No alarm: no attack is large and does better than chance would in {100 * ALARM_LEVEL:g} of 100 such files."
NO_AUDIT = "must be the document of an audit, as `pyfcrm audit --json` writes it"


@dataclass(frozen=True)
class Line:
    """The result of one attack."""

    attack: str
    """The attack; a key of the audit, or "membership: " and one of the attacks on membership."""
    value: float
    """How well it succeeds, per cent."""
    control: float
    """The same of its control, per cent."""
    lower: float
    """The lower end of the 95 per cent interval of the value, per cent."""
    upper: float
    """The upper end of this interval, per cent."""


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """Attacks on releases of a method, with controls: audit["detection"]; to_frame() has every attack.

    Parameters
    ----------
    lines : tuple of Line
        By attack, those of `keys()` first.
    method : Method, Steps or str
        The audited method; as text where the audit comes from a document.
    records, members, repeats : int
        How many records were attacked, how many of them were protected in each split, and how many splits there were.
    strongest : mapping of str to str
        The attacks that "membership" and "tpr" are of.
    alarms : tuple of Note
        A sentence each, the surest first; `facts` has attack, value, control and chance.
    notes : tuple of Note
        Remarks on the audit.
    shadows : int
        How many shadow releases trained an attack.
    digest : str
        Of the file, the roles, the method and the options that the audit belongs to; see
        `audit_digest`.
    p_value : float
        How likely chance alone makes any attack stand out as much as the surest one, from 0 to 1. An alarm has 0.01 or less
        and size: an AUC of 57 per cent with an interval above 54, 3 per cent of the members recognised, or 2 points more
        close values than chance gives.
    replicated : Replicated, optional
        The unique combinations of values that the releases replicate; None where no confidential column has kind category,
        codes, count or date.
    p_of_large : float
        As `p_value`, of the surest attack that has such a size; 1 without any.

    Notes
    -----
    detection : a measure of utility, not of disclosure, that raises no alarm: the area under the ROC curve (AUC) of separating
    the release from originals that were not protected; its control separates the protected originals from them. The line
    "detection, with features" is of a classifier that also has pairwise ratios, differences and last digits.
    membership : the largest AUC of separating members from others; its control is the mean of the largest under permuted
    labels. tpr : the largest share of members recognised while 1 per cent
    of others are taken for members. exact_copies : the share of members whose values, unique among the originals,
    occur in the release; its control is the same share of others. attribute_hits : by how many points more often members'
    values lie within 1 to 10 per cent of a standard deviation of the released record with the same X than others' lie
    near that with the nearest X; in its control a member's own released record does not count. The alarm "attribute
    disclosure" names a column, ratio or level. Its released values are nearer to the record's own than to those of
    other members near in X, in standard deviations under permutation.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> audit = pf.audit(frame, pf.IPSO("C"), roles, repeats=1, shadows=0)
    >>> 0 <= audit["membership"] <= 100
    True
    """

    lines: tuple[Line, ...]
    method: Procedure | str
    records: int
    members: int
    repeats: int
    strongest: Mapping[str, str] = field(default_factory=dict)
    alarms: tuple[Note, ...] = ()
    notes: tuple[Note, ...] = ()
    shadows: int = 0
    digest: str = ""
    p_value: float = 1.0
    replicated: Replicated | None = None
    p_of_large: float = 1.0

    @property
    def _values(self) -> dict[str, float]:
        """The values by key, then the controls."""
        lines = [line for line in self.lines if line.attack in KEYS]
        values = {line.attack: line.value for line in lines}
        controls = {f"{line.attack}_control": line.control for line in lines}
        return values | controls

    def __getitem__(self, key: str) -> float:
        values = self._values
        if not isinstance(key, str) or key not in values:
            raise unknown_name("Audit", "value", key, values)
        return values[key]

    def keys(self) -> list[str]:
        """The names of the values.

        Returns
        -------
        list of str
            "detection", "membership", "tpr", "exact_copies", with independent columns "attribute_hits", and each of
            these with "_control".
        """
        return list(self._values)

    def describe(self) -> list[str]:
        """The audit's outcome in words.

        Returns
        -------
        list of str
            The alarms, or that there is none; then which attacks are the strongest.
        """
        alarms = [f"ALARM {alarm}" for alarm in self.alarms] or [NO_ALARM]
        strongest = f"membership is of the attack by {self.strongest['membership']}, tpr by {self.strongest['tpr']}"
        return [*alarms, strongest]

    def rows(self) -> list[dict[str, Any]]:
        """Every attack.

        Returns
        -------
        list of dict
            attack, value, control, lower and upper, the last two the value's 95 per cent interval; per cent.
        """
        return [dict(vars(line)) for line in self.lines]

    def document(self) -> dict[str, Any]:
        """The audit in JSON's own types; `audit_from` reads it.

        Returns
        -------
        dict
            method, records, members, repeats, shadows, digest, strongest, rows, alarms, notes and replicated.
        """
        return {
            "method": str(self.method),
            "records": self.records,
            "members": self.members,
            "repeats": self.repeats,
            "shadows": self.shadows,
            "digest": self.digest,
            "p_value": self.p_value,
            "p_of_large": self.p_of_large,
            "strongest": dict(self.strongest),
            "rows": self.rows(),
            "alarms": [{**alarm.facts, "text": str(alarm)} for alarm in self.alarms],
            "notes": [str(note) for note in self.notes],
            "replicated": None if self.replicated is None else dict(vars(self.replicated)),
        }

    @property
    def title(self) -> str:
        """The method and the splits, in a line."""
        splits = "1 split" if self.repeats == 1 else f"the mean of {self.repeats} splits"
        return f"Audit of {self.method}: {self.members} of {self.records} records protected; {splits}; per cent"

    def _view(self) -> View:
        rows = []
        for line in self.lines:
            interval = f"{line.lower:.1f} to {line.upper:.1f}"
            rows.append((line.attack, line.value, line.control, interval))
        header = ("attack", "value", "control", "95 % interval")
        return View(self.title, header, rows, (*self.describe(), *self.notes))


def audit_from(document: Mapping[str, Any]) -> Audit:
    """The Audit of a document, with its method in words.

    Parameters
    ----------
    document : mapping
        As `Audit.document` gives it.

    Returns
    -------
    Audit
        The same lines, alarms, counts and digest.

    Raises
    ------
    InvalidInput
        For what is no such document.
    """
    try:
        counts = {key: int(document[key]) for key in COUNTS}
        return Audit(
            lines=tuple(Line(**row) for row in document["rows"]),
            method=str(document["method"]),
            strongest=dict(document["strongest"]),
            alarms=tuple(_alarm(row) for row in document["alarms"]),
            notes=tuple(Note.taken(text) for text in document["notes"]),
            digest=str(document["digest"]),
            p_value=float(document["p_value"]),
            p_of_large=float(document["p_of_large"]),
            replicated=_replicated(document["replicated"]),
            **counts,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput("audit", NO_AUDIT) from error


def _replicated(row: Mapping[str, Any] | None) -> Replicated | None:
    """The replicated uniques of a document, whose columns are a list there."""
    if row is None:
        return None
    fields = {**row, "columns": tuple(row["columns"])}
    return Replicated(**fields)


def _alarm(row: Mapping[str, Any]) -> Note:
    """An alarm of a document, with its facts."""
    facts = {key: value for key, value in row.items() if key != "text"}
    wording = row["text"].replace("{", "{{").replace("}", "}}")  # the text is complete: no braces are filled
    return Note.of("alarm", wording, **facts)

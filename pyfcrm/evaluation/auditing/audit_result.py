"""The result of audit(): each attack's value with its control, and the alarms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...display import Result, View
from ...errors import InvalidInput, Note, unknown_name
from ...methods import Procedure
from .replicated import Replicated

KEYS = ("detection", "membership", "tpr", "exact_copies", "attribute_hits")
COUNTS = ("records", "members", "repeats", "shadows")
NO_ALARM = "No alarm: no attack does better than chance would in 3 of 100 such files."
NO_AUDIT = "must be the document of an audit, as `pyfcrm audit --json` writes it"


@dataclass(frozen=True)
class Line:
    """One attack: value and control, per cent, and the 95 per cent interval of the value."""

    attack: str
    value: float
    control: float
    lower: float
    upper: float


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
        How likely chance alone makes any attack stand out as much as the surest one, from 0 to 1. An alarm has 0.01 or less;
        on members also size: an AUC of 57 per cent with an interval above 54, or 3 per cent of them recognised.
    replicated : Replicated, optional
        The unique combinations of values that the releases replicate; None where no confidential column has kind category,
        codes, count or date.

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

    @property
    def _values(self) -> dict[str, float]:
        """By key."""
        lines = [line for line in self.lines if line.attack in KEYS]
        controls = {f"{line.attack}_control": line.control for line in lines}
        return {line.attack: line.value for line in lines} | controls

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
        alarms = [f"ALARM {item}" for item in self.alarms] or [NO_ALARM]
        return [
            *alarms,
            f"membership is of the attack by {self.strongest['membership']}, tpr by {self.strongest['tpr']}",
        ]

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
            **{key: getattr(self, key) for key in (*COUNTS, "digest", "p_value")},
            "strongest": dict(self.strongest),
            "rows": self.rows(),
            "alarms": [{**alarm.facts, "text": str(alarm)} for alarm in self.alarms],
            "notes": list(map(str, self.notes)),
            "replicated": None if self.replicated is None else dict(vars(self.replicated)),
        }

    @property
    def title(self) -> str:
        """The method and the splits, in a line."""
        splits = "1 split" if self.repeats == 1 else f"the mean of {self.repeats} splits"
        return f"Audit of {self.method}: {self.members} of {self.records} records protected; {splits}; per cent"

    def _view(self) -> View:
        return View(
            self.title,
            ("attack", "value", "control", "95 % interval"),
            [(item.attack, item.value, item.control, f"{item.lower:.1f} to {item.upper:.1f}") for item in self.lines],
            (*self.describe(), *self.notes),
        )


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
        return Audit(
            lines=tuple(Line(**row) for row in document["rows"]),
            method=str(document["method"]),
            strongest=dict(document["strongest"]),
            alarms=tuple(map(_alarm, document["alarms"])),
            notes=tuple(map(Note.taken, document["notes"])),
            digest=str(document["digest"]),
            p_value=float(document["p_value"]),
            replicated=_replicated(document["replicated"]),
            **{key: int(document[key]) for key in COUNTS},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput("audit", NO_AUDIT) from error


def _replicated(row: Mapping[str, Any] | None) -> Replicated | None:
    """The replicated uniques of a document."""
    return None if row is None else Replicated(**{**row, "columns": tuple(row["columns"])})


def _alarm(row: Mapping[str, Any]) -> Note:
    """An alarm of a document, with its facts."""
    facts = {key: value for key, value in row.items() if key != "text"}
    return Note.of("alarm", row["text"].replace("{", "{{").replace("}", "}}"), **facts)

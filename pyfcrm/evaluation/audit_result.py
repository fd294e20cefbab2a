"""What audit() gives: each attack's value beside its control, and the alarms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..display import Shown, View, pictures
from ..errors import InvalidInput, Note, unknown_name
from ..methods import Method

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("detection", "membership", "tpr", "exact_copies", "attribute_hits")  # what can be asked for by name
COUNTS = ("records", "members", "repeats", "shadows")
NO_ALARM = "No alarm: no attack does better than chance would in 3 of 100 such files."
NOT_ONE = "must be the document of an audit, as `pyfcrm audit --json` writes it"


@dataclass(frozen=True)
class Line:
    """One attack: value and control, per cent, and the 95 per cent interval of the value."""

    attack: str
    value: float
    control: float
    lower: float
    upper: float


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """What a method's releases tell of the records they were made of: audit["detection"]; to_frame() has every attack.

    Parameters
    ----------
    lines : tuple of Line
        By attack, those of `keys()` first.
    method : Method or str
        What was audited; in words where the audit comes from a document.
    records, members, repeats : int
        How many records were attacked, how many of them were protected in each split, and how many splits there were.
    strongest : mapping of str to str
        The attacks that "membership" and "tpr" are of.
    alarms : tuple of Note
        A sentence each, the surest first; `facts` has attack, value, control and chance.
    notes : tuple of Note
        What was met.
    shadows : int
        How many shadow releases trained an attack.
    digest : str
        Of the file, the roles, the method and the options that the audit belongs to; see
        pyfcrm.evaluation.audit_digest.
    p_value : float
        How likely chance alone makes any attack stand out as much as the surest one, from 0 to 1; alarms are below 0.03.

    Notes
    -----
    detection : a measure of utility, not of disclosure, that raises no alarm: the area under the ROC curve (AUC) of telling
    the release from originals that were not protected; its control tells the protected originals from them.
    membership : the largest AUC of telling members from others; its control is the mean of the largest under permuted
    labels. tpr : the largest share of members told while 1 per cent
    of others are taken for members. exact_copies : the share of members whose values, unique among the originals,
    stand in the release; its control is the same share of others. attribute_hits : by how many points more often members'
    values lie within 1 to 10 per cent of a standard deviation of the released record with the same X than others' lie
    near that with the nearest X; its control is the same of a draw from what X tells anyone (see
    pyfcrm.evaluation.references), and no alarm is raised by it; with the own record excluded the control is by permuted
    labels, and it can alarm.
    """

    lines: tuple[Line, ...]
    method: Method | str
    records: int
    members: int
    repeats: int
    strongest: Mapping[str, str] = field(default_factory=dict)
    alarms: tuple[Note, ...] = ()
    notes: tuple[Note, ...] = ()
    shadows: int = 0
    digest: str = ""
    p_value: float = 1.0

    def __getitem__(self, key: str) -> float:
        values = self._values()
        if not isinstance(key, str) or key not in values:
            raise unknown_name("Audit", "value", key, values)
        return values[key]

    def _values(self) -> dict[str, float]:
        of_key = {line.attack: line for line in self.lines if line.attack in KEYS}
        controls = {f"{key}_control": line.control for key, line in of_key.items()}
        return {key: line.value for key, line in of_key.items()} | controls

    def keys(self) -> list[str]:
        """What can be asked for by name.

        Returns
        -------
        list of str
            "detection", "membership", "tpr", "exact_copies", with independent columns "attribute_hits", and each of
            these with "_control".
        """
        return list(self._values())

    def said(self) -> list[str]:
        """The audit's outcome in words.

        Returns
        -------
        list of str
            The alarms, or that there is none; then which attacks are the strongest.
        """
        alarms = [f"ALARM {one}" for one in self.alarms] or [NO_ALARM]
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
            method, records, members, repeats, shadows, digest, strongest, rows, alarms and notes.
        """
        counts = {key: getattr(self, key) for key in COUNTS}
        alarms = [{**one.facts, "said": str(one)} for one in self.alarms]
        more = {"strongest": dict(self.strongest), "rows": self.rows(), "alarms": alarms}
        return {
            "method": str(self.method),
            **counts,
            "digest": self.digest,
            "p_value": self.p_value,
            **more,
            "notes": list(map(str, self.notes)),
        }

    def to_frame(self) -> pd.DataFrame:
        """Every attack as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row an attack, as `rows`.
        """
        import pandas as pd

        return pd.DataFrame(self.rows())

    def plot(self, title: str | None = None) -> Any:
        """Each attack's value with its interval, and its control.

        Parameters
        ----------
        title : str, optional
            What stands above it.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.

        Raises
        ------
        MissingExtra
            Without matplotlib.
        """
        from ..plots import attacks

        return attacks(self.rows(), title or f"Audit of {self.method}")

    @property
    def title(self) -> str:
        """What was audited, in a line."""
        splits = "1 split" if self.repeats == 1 else f"the mean of {self.repeats} splits"
        return f"Audit of {self.method}: {self.members} of {self.records} records protected; {splits}; per cent"

    def _view(self) -> View:
        rows = [(one.attack, one.value, one.control, f"{one.lower:.1f} to {one.upper:.1f}") for one in self.lines]
        drawn = [(one.attack, one.value / 100, one.control / 100, f"{one.value:.1f}") for one in self.lines]
        return View(
            self.title,
            ("attack", "value", "control", "95 % interval"),
            rows,
            (*self.said(), *self.notes),
            lambda: pictures.bars(drawn, "the attacks' values, with their controls as marks"),
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
        lines = tuple(Line(**{key: row[key] for key in Line.__annotations__}) for row in document["rows"])
        alarms = tuple(_alarm(one) for one in document["alarms"])
        counts: dict[str, Any] = {key: int(document[key]) for key in COUNTS} | {"p_value": float(document["p_value"])}
        method, digest, strongest = str(document["method"]), str(document["digest"]), dict(document["strongest"])
        notes = tuple(map(Note.taken, document["notes"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput("audit", NOT_ONE) from error
    return Audit(lines, method, strongest=strongest, alarms=alarms, notes=notes, digest=digest, **counts)


def _alarm(row: Mapping[str, Any]) -> Note:
    """An alarm of a document, with its facts."""
    facts = {key: value for key, value in row.items() if key != "said"}
    return Note.of("alarm", row["said"].replace("{", "{{").replace("}", "}}"), **facts)

"""audit(): attacks on the release of a random part of the records, with the other records as control."""

from typing import Any, Unpack

from ..arguments import real_number, whole_number
from ..data import Roles, open_data
from ..data.index import without_index
from ..engine import Engine, chosen
from ..methods import Procedure
from ..methods.text import as_procedure
from ..progress import Progress, report_progress, within
from ..protection.request import ReleaseOptions, release_options, roles_of
from ..rstream import RStream, as_stream
from .auditing.attacks import Originals
from .auditing.audit_result import Audit
from .auditing.audit_statistics import audit_of_splits
from .auditing.audited_file import opened
from .auditing.digest import audit_digest
from .auditing.split_results import _result, _trained


def audit(
    frame: Any,
    method: Procedure,
    roles: Roles | None = None,
    seed: int | RStream | None = 1,
    share: float = 0.5,
    *,
    repeats: int = 3,
    shadows: int = 8,
    constraints: Any = None,
    engine: str | Engine = "local",
    copies: int = 1,
    progress: Progress | None = None,
    **options: Unpack[ReleaseOptions],
) -> Audit:
    """Attack releases of random parts of a file, with the other records as control.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Whose records must fit in memory; of more than 5,000 complete ones, a random sample of 5,000 is audited.
    method : Method or Steps
        Any that releases the dependent columns in their type, one that drops records or leaves gaps too. Categories are
        attacked as positions of their levels.
    roles : Roles, optional
        As in `protect`; those of Steps by default.
    seed : int or RStream, optional
        Starts the splits, the releases, and the draws of the evaluation; None takes the system's entropy.
    share : float
        Of the records, or of each stratum, that are protected: the members.
    repeats : int
        How many splits, each with a release of its own; values are their means.
    shadows : int
        How many further releases train the attack "shadow releases"; 0 leaves it out.
    constraints, engine : optional
        As in `protect`, for each release.
    copies : int
        The number of releases of the same members that the intruder has, as `copies` of `protect`: every attack is made
        on all copies together, and on their mean, in separate lines. Detection is of the first copy.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.
    missing : {"refuse", "protect", "drop"}
        As in `protect`; "protect" fills incomplete records in the releases, which are not attacked; "drop" leaves them
        out.
    round_integers, strata : optional
        As in `protect`, for each release.
    structure : Structure or "find", optional
        As in `protect`; "find" searches the members only, as their release would.
    weights, preserve : str or iterable of str, optional
        As in `protect`, for each release: what is preserved exactly is also disclosed.
    bounds, decimals : optional
        As in `protect`, for each release.

    Returns
    -------
    Audit
        Each attack with its control, and the alarms.

    Raises
    ------
    InvalidInput
        As `protect` does, where either part has fewer than 20 records, and for a method that makes categories of numbers.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    The attacks are those of pyfcrm.evaluation.auditing.attacks, on the dependent columns. The independent columns are
    released unchanged: a record that is unique on them is known to be in the file without any attack. Below 100 records
    an audit has no power, and a note reports it. Strata that are too small in a part of the file are merged. Attribute
    disclosure is tested by the statistics of `dependence_test` on the members. An alarm has a p-value of at most 1 per
    cent over all attacks on membership and attributes together, by permuted labels and records; 3.5 per cent of the clean
    releases in `benchmarks/studies/leaks.py` have one. Detection, by a
    classifier with three folds, measures utility and raises no alarm. An attack that is not among these may find more.
    Source: own; after El Emam, Mosquera and Fang (2022), Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Westfall and
    Young (1993), Holm (1979).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> audit = pf.audit(frame, pf.FCRM(8), roles, repeats=1, shadows=0)
    >>> audit["membership"] > audit["membership_control"]  # the published form discloses who is in the file
    True
    """
    share = real_number("audit", "share", share, above=0, below=1)
    repeats = whole_number("audit", "repeats", repeats, low=1, high=1000)
    shadows = whole_number("audit", "shadows", shadows, low=0, high=100)
    method = as_procedure("audit", method)
    roles, stream, steps = roles_of("audit", method, roles), as_stream(seed), repeats + 3
    checked = release_options("audit", roles, constraints, options)
    checked |= {"copies": copies, "allow_unprotected": True}  # an attacked half is not published
    source = open_data("audit", frame, whole=True)
    with chosen("audit", engine) as runs:
        attacked, _ = without_index("audit", source, roles)
        file, notes = opened(attacked, method, roles, stream=stream, share=share, options=checked | {"engine": runs})
        report_progress(progress, 0, steps, "the originals")
        originals = Originals.of(file.Y[file.complete])
        trained = _trained(file, originals, shadows, within(progress, 1, steps)) if shadows else None
        results = [
            _result(file, originals, within(progress, 2 + k, steps, f"split {k + 1} of {repeats}"), trained)
            for k in range(repeats)
        ]
        report_progress(progress, repeats + 2, steps, "permuted labels")
        result = audit_of_splits(
            method, results, stream, shadows=shadows, notes=tuple(dict.fromkeys(notes)),
            digest=audit_digest(source, roles, method, checked),
        )  # fmt: skip
    report_progress(progress, 1, 1, "done")
    return result

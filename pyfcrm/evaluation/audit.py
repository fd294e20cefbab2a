"""audit(): attacks on the release of a random part of the records, with the other records as control."""

from collections.abc import Sequence
from typing import Any

from ..data import Roles, open_data
from ..data.index import without_index
from ..engine import Engine, chosen
from ..methods import Procedure
from ..methods.text import as_procedure
from ..numerics.chance import FALSE_ALARMS
from ..progress import Progress, report_progress, within
from ..protection.options import Options
from ..protection.request import release_options, roles_of
from ..rstream import RStream, as_stream
from .auditing.attacker import Attacker
from .auditing.attacks import Originals
from .auditing.audit_result import Audit
from .auditing.audit_statistics import SplitResult, audit_of_splits, is_sure
from .auditing.audited_file import AuditFile, opened
from .auditing.digest import audit_digest
from .auditing.replicated import Replicated, replicated_of
from .auditing.split_results import _result, _trained
from .options import AuditOptions

AGAIN = 2  # times as many splits again, where the first ones found something


def run_audit(
    frame: Any,
    method: Procedure,
    roles: Roles | None,
    seed: int | RStream | None,
    options: Options,
    *,
    further: AuditOptions,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Audit:
    """The audit of a method on a file, as audit() has it. options : of each release. Raises InvalidInput or InvalidParameter.

    Where the default number of splits finds what would hold a release, and chance may have made it so large, twice as many again
    confirm it: values are means over all.
    """
    further = AuditOptions(**further.values("audit"))
    method = as_procedure("audit", method)
    roles = roles_of("audit", method, roles)
    stream = as_stream(seed)
    repeats = further.repeats
    confirms = repeats == AuditOptions().repeats
    most = (1 + AGAIN) * repeats if confirms else repeats
    steps = most + 3
    # An attacked half is not published.
    checked = release_options("audit", roles, options).changed(allow_unprotected=True)
    source = open_data("audit", frame, whole=True)
    with chosen("audit", engine) as runs:
        attacked, _ = without_index("audit", source, roles)
        file, notes = opened(attacked, method, roles, stream=stream, share=further.share, options=checked, engine=runs)
        report_progress(progress, 0, steps, "the originals")
        attacker = Attacker.of(Originals.of(file.Y[file.complete]), file.published_sums)
        if further.shadows:
            attacker = _trained(file, attacker, further.shadows, within(progress, 1, steps))
        results = list[SplitResult]()

        def judged(splits: int) -> Audit:
            """The audit of so many splits: those that are there, and further ones."""
            for k in range(len(results), splits):
                part = within(progress, 2 + k, steps, f"split {k + 1} of {splits}")
                results.append(_result(file, attacker, part))
            report_progress(progress, splits + 2, steps, "permuted labels")
            return audit_of_splits(
                method, results, stream, shadows=further.shadows, notes=tuple(dict.fromkeys(notes)),
                digest=audit_digest(source, roles, method, checked), replicated=_replicated(file, results),
            )  # fmt: skip

        result = judged(repeats)
        if confirms and _is_to_be_confirmed(result):
            result = judged(most)
    report_progress(progress, 1, 1, "done")
    return result


def _is_to_be_confirmed(found: Audit) -> bool:
    """Whether an audit of few splits found something that chance may have made so large.

    An area of three splits of 700 records has a standard error of 1.5 points. An attack whose interval is above the limit is sure.
    """
    if found.alarms:
        return not is_sure(found)
    replicated = found.replicated
    return replicated is not None and replicated.p_value <= FALSE_ALARMS["replicated"]


def _replicated(file: AuditFile, results: Sequence[SplitResult]) -> Replicated | None:
    """The uniques that the releases replicate; None where no confidential column has values that can be."""
    found = [split.replicated for split in results if split.replicated is not None]
    if file.keys is None or not found:
        return None
    return replicated_of(file.keys, found, [split.member for split in results])

"""The audit on which a verdict is based: that of the caller, or one that is run now."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, Roles
from ..data.strata import strata_codes
from ..data.units import unit_codes
from ..errors import InvalidInput, InvalidParameter
from ..progress import within
from ..protection.options import Options
from ..rstream import RStream
from .audit import run_audit
from .auditing.audit_result import Audit
from .auditing.digest import audit_digest
from .encoded_files import plain_cells
from .evaluate_request import NOT_RUN, EvaluateRequest
from .options import AuditOptions
from .systematic_sample import systematic_sample
from .verdict.outcomes import NotExamined

AUDIT_SEED = 1  # so that every interface prints the same audit
OF_ANOTHER = NotExamined("the audit is of another file, roles, method or options")


def audit_of(audit: Any, original: Frame, request: EvaluateRequest) -> Audit | NotExamined:
    """The audit of a release: a result that the caller has, or one that is run now.

    audit : as in `evaluate`. Returns the reason where there is no audit, or it could not run. A method that only coarsens
    key variables is not audited. Of a file that is read by blocks a random sample is.
    """
    if isinstance(audit, Audit):
        return _of_this_file(audit, original, request)
    if audit is None or audit is False:
        return NOT_RUN
    if audit is not True:
        raise InvalidParameter("evaluate", "audit", "must be a result of audit(), or True", audit)
    method, roles = request.method, request.roles
    if method is None or roles is None:
        raise InvalidParameter("evaluate", "audit", "needs method= and roles=", audit)
    if method.facts(roles).masks == "keys":
        return NOT_RUN
    part = within(request.progress, 0, 2, "audit")
    try:
        options = Options(**request.options.given("audit"))
        result = run_audit(
            _records_in_memory(original, roles, options),
            method,
            roles,
            AUDIT_SEED,
            options,
            further=AuditOptions(),
            engine=request.engine,
            progress=part,
        )
        # The audit belongs to the whole file, whichever records it attacked.
        return replace(result, digest=audit_digest(plain_cells(original), roles, method, options))
    except (InvalidInput, InvalidParameter) as error:
        return NotExamined(f"the audit could not run: {error}")


def _of_this_file(audit: Audit, original: Frame, request: EvaluateRequest) -> Audit | NotExamined:
    """An audit that the caller has, or the reason why it is of something else, where roles and method are known."""
    if request.roles is None or request.method is None:
        return audit
    digest = audit_digest(plain_cells(original), request.roles, request.method, request.options)
    return audit if audit.digest == digest else OF_ANOTHER


def _records_in_memory(original: Frame, roles: Roles, options: Options) -> Any:
    """The records to audit: the file, or a random sample of whole units, by strata, of one that is read by blocks."""
    plain = plain_cells(original)
    if plain.source is None:
        return original.frame
    stratum = strata_codes("evaluate, original", plain, tuple(options.strata or ()), "drop")
    units = unit_codes(plain, roles, np.arange(plain.records))
    rows = systematic_sample(stratum, units, RStream(AUDIT_SEED))
    return plain.source.taken(rows)

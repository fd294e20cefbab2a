"""The audit on which a verdict is based: that of the caller, or one that is run now."""

from typing import Any

from ..data import Frame
from ..errors import InvalidInput, InvalidParameter
from ..progress import within
from ..protection.options import Options
from .audit import run_audit
from .auditing.audit_result import Audit
from .evaluate_request import NOT_RUN, EvaluateRequest
from .options import AuditOptions
from .verdict.outcomes import NotExamined

AUDIT_SEED = 1  # so that every interface prints the same audit


def audit_of(audit: Any, original: Frame, request: EvaluateRequest) -> Audit | NotExamined:
    """The audit of a release: a result that the caller has, or one that is run now.

    audit : as in `evaluate`. Returns the reason where there is no audit, or it could not run. A method that only coarsens
    key variables is not audited.
    """
    if isinstance(audit, Audit):
        return audit
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
        return run_audit(
            original.frame,
            method,
            roles,
            AUDIT_SEED,
            options,
            further=AuditOptions(),
            engine=request.engine,
            progress=part,
        )
    except (InvalidInput, InvalidParameter) as error:
        return NotExamined(f"the audit could not run: {error}")

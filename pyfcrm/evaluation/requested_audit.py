"""The audit on which a verdict is based: that of the caller, or one that is run now."""

from typing import Any

from ..data import Frame
from ..errors import InvalidInput, InvalidParameter
from ..progress import within
from .audit import audit as run_audit
from .auditing.audit_result import Audit
from .auditing.digest import AUDITED
from .evaluate_request import EvaluateRequest

AUDIT_SEED = 1  # so that every interface prints the same audit


def audit_of(audit: Any, original: Frame, request: EvaluateRequest) -> Audit | str | None:
    """The audit of a release: a result that the caller has, or one that is run now unless the method only coarsens; the reason where
    it could not run."""
    if audit is None or audit is False or isinstance(audit, Audit):
        return audit or None
    if audit is not True:
        raise InvalidParameter("evaluate", "audit", "must be a result of audit(), or True", audit)
    method, roles = request.method, request.roles
    if method is None or roles is None:
        raise InvalidParameter("evaluate", "audit", "needs method= and roles=", audit)
    if method.masks == "keys":
        return None
    options = {key: request.options[key] for key in AUDITED if key in request.options}
    part = within(request.progress, 0, 2, "audit")
    try:
        return run_audit(original.frame, method, roles, AUDIT_SEED, engine=request.engine, progress=part, **options)
    except (InvalidInput, InvalidParameter) as error:
        return f"the audit could not run: {error}"

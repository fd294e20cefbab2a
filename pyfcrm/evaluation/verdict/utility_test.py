"""The test `utility`, made where the caller gives a limit: the share of estimates that differ by more than 3 standard errors."""

from dataclasses import replace

from ...plans.limits import UTILITY, Limits
from ..utility.panel.utility import Utility
from .decision import Test, test_of
from .outcomes import OTHER_METHOD, Remedy

NO_PANEL = "the utility panel needs roles, and a confidential column in its own form"


def utility_test(utility: Utility | None, limits: Limits) -> Test:
    """The per cent of the estimates of a panel that differ by more than 3 standard errors, against its limit."""
    if utility is None:
        return Test(UTILITY, "not examined", NO_PANEL)
    summary = utility.summary
    reason = f"of {summary.estimates:,} estimates{summary.reference_text}; worst: {summary.worst}"
    test = test_of(UTILITY, (summary.above,), limits, reason)
    return replace(test, remedies=(Remedy(OTHER_METHOD),)) if test.status == "hold" else test

"""--plan: the request as a plan, which `pyfcrm run` repeats."""

from __future__ import annotations

import os
from typing import Any

from ..data import Roles
from ..errors import InvalidParameter
from ..files import check_output, write_text
from ..methods import Method
from ..plans.limits import Limits, all_limits
from ..plans.plan import Input, Keep, Output, Plan, read_structure
from ..plans.tables import NONE
from .options import Request
from .show import print_line


def check_plan(request: Request, manifest: str | None = None) -> None:
    """Raises InvalidInput or InvalidParameter, before any work is done, if the plan cannot be written."""
    if request.plan is not None:
        check_output(request.plan, [manifest], extensions=("toml",))
        if getattr(request, "by_blocks", False):
            rule = "must fit in memory, to be evaluated before it is released"
            raise InvalidParameter("--plan", "file", rule, "--by-blocks")


def write_plan(request: Request, method: Method, roles: Roles, limits: Limits, **output: Any) -> None:
    """Write the plan of a request. output : as in a plan, its paths as they were typed."""
    if request.plan is None:
        return
    names = ("strata", "missing", "strict_totals", "allow_unprotected", "preserve")
    kept = {name: getattr(request, name) for name in names if hasattr(request, name)}
    kept |= {
        name: NONE if getattr(request, name) is None else getattr(request, name) for name in ("bounds", "decimals")
    }
    constraints = [request.constraints] if request.constraints else None
    paths = {key: _from_plan(request.plan, value) if isinstance(value, str) else value for key, value in output.items()}
    plan = Plan(
        input=Input(
            file=_from_plan(request.plan, request.source), separator=request.separator, decimal=request.decimal
        ),
        roles=roles,
        method=method,
        keep=Keep(constraints=constraints, structure=read_structure(request.structure), **kept),
        limits=all_limits(limits),
        output=Output(**paths),
    )
    write_text(request.plan, plan.text())
    if not getattr(request, "json", False):
        print_line(f"plan: {request.plan}")


def _from_plan(plan: str, path: str) -> str:
    """A path relative to the folder of the plan."""
    try:
        return os.path.relpath(os.path.abspath(path), os.path.dirname(os.path.abspath(plan)))
    except ValueError:  # on another drive
        return os.path.abspath(path)

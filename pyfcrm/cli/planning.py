"""--plan and --plan-seed: what was just done as a plan, which `pyfcrm run` repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..data import Roles
from ..errors import InvalidParameter
from ..files import check_output, write_text
from ..files.formats import RELEASED_AS
from ..files.paths import extension
from ..methods import Method
from ..plans.limits import Limits
from ..trust.plan_text import from_plan, limits_table, method_table, plan_text, roles_table
from .options import chosen
from .show import say


def check_plan(request: Any, inputs: Iterable[str | None]) -> None:
    """Raises InvalidInput or InvalidParameter, before any work is done, where the plan that is asked for cannot be written."""
    if request.plan is not None:
        check_output(request.plan, inputs, extensions=("toml",))
        if getattr(request, "by_blocks", False):
            raise InvalidParameter(
                "--plan", "file", "must fit in memory, to be judged before it is released", "--by-blocks"
            )
    if request.plan_seed and (request.plan is None or request.seed is None):
        raise InvalidParameter("--plan-seed", "seed", "must come with --plan and --seed", request.seed)


def write_plan(
    request: Any,
    method: Method,
    roles: Roles,
    output: Mapping[str, Any],
    *,
    seed: Any = None,
    limits: Limits | None = None,
) -> None:
    """The plan of a request, where one is asked for: what it says of the file, with the method that was used or picked.

    output : as in a plan, its paths as they were typed; seed : what the release started from; limits : of the verdict,
    changed from the default.
    """
    if request.plan is None:
        return
    structure = getattr(request, "structure", None)
    if structure not in (None, "find"):
        structure = from_plan(request.plan, structure)
    keep = {
        "constraints": [request.constraints] if request.constraints else None,
        "strata": chosen(request.strata, "--strata"),
        "missing": request.missing,
        "strict_totals": getattr(request, "strict_totals", None) or None,
        "allow_unprotected": getattr(request, "allow_unprotected", None) or None,
        "structure": structure,
        "weights": request.weights,
        "preserve": chosen(request.preserve, "--preserve"),
    }
    source = {
        "file": from_plan(request.plan, request.source),
        "separator": request.separator,
        "decimal": request.decimal,
    }
    paths = {key: from_plan(request.plan, value) if isinstance(value, str) else value for key, value in output.items()}
    tables = {"input": source, "roles": roles_table(roles), "method": method_table(method), "keep": keep}
    tables |= {"limits": limits_table(limits or {}), "output": paths}
    tables |= {"random": {"seed": seed if request.plan_seed else None}}
    write_text(request.plan, plan_text(tables))
    if not getattr(request, "as_json", False):
        say(f"plan: {request.plan}")


def beside(request: Any) -> dict[str, str]:
    """The release that the plan of a search names: beside the plan, in the format of the file."""
    kind = extension(request.source)
    kind = RELEASED_AS.get(kind, kind) or "csv"
    return {"release": request.plan.removesuffix(".toml") + f"-release.{kind}"} if request.plan else {}

"""pyfcrm dependence: whether released records depend on their own originals beyond the predictors."""

from __future__ import annotations

from ..data import Roles
from ..data.source import open_data
from ..evaluation.dependence import dependence_test
from .options import Request
from .show import document, print_line, table

DEFAULT_SEED, SHOWN = 1, 10


def run(request: Request) -> None:
    """Test whether released records depend on their own original records beyond the predictors."""
    before, after = (
        open_data("dependence_test", path, None, request.separator, request.decimal)
        for path in (request.original, request.protected)
    )
    roles = Roles(request.independent or (), request.dependent, unit=request.unit, household=request.household)
    seed = DEFAULT_SEED if request.seed is None else request.seed
    found = dependence_test(before, after, roles, seed=seed)
    if request.json:
        names = ("p_value", "attribute", "kind", "records")
        document({name: getattr(found, name) for name in names} | {"rows": found.rows()})
        return
    rows = sorted(found.lines, key=lambda line: (line[3], -line[2]))
    table(f"the {min(SHOWN, len(rows))} most significant statistics of {found.records:,} records",
          ("attribute", "kind", "statistic", "p value"), rows[:SHOWN], left=2)  # fmt: skip
    print_line(found.describe())

"""The thesis's small example: five linear groups in two dimensions (4.3, table 5)."""

from __future__ import annotations

from ..methods import FCRM
from .printed import TABLE_5
from .study import Case, Setting, Study

CASE = Case(independent=("x",), dependent=("y",))

STUDY = Study(
    key="example",
    title="Example: five linear groups, y on x",
    data="example",
    settings=tuple(Setting(f"FCRM c={c}", FCRM(c), (CASE,), printed, c) for c, printed in TABLE_5.items()),
    seeds=(1, 2, 3, 4, 5),
    remarks=(
        "Not a target: the thesis's points were clicked on a screen and are not given; these are simulated to look alike.",
    ),
)

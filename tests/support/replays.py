"""Trials whose scripts must give the studio's own download again: methods, kinds of parameters, kinds of files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyfcrm as pf
from pyfcrm.app.visit import Visit
from pyfcrm.app.workbench.bench import Trial
from pyfcrm.app.workbench.file import embedded
from pyfcrm.app.workbench.results.takeaway import release_bytes, replay

from .trials import ANSWERS, ODD, ROLES, file_source, odd_file, trial

WAGE, HOURS, OTHER = ODD
METHODS: dict[str, pf.methods.Method] = {
    "fcrm": pf.FCRM(c=3),
    "fcrm, every kind of parameter": pf.FCRM(
        2, m=1.7, tol=0.1 + 0.2, intercept=False, joint=True, basis="rbf", width=0.7
    ),
    "ipso": pf.IPSO("C", "thesis"),
    "gadp": pf.GADP(),
    "noise": pf.Noise("laplace", 100 / 7),
    "rank swapping": pf.RankSwapping(7.5),
    "microaggregation": pf.Microaggregation(3, scale=None, blocks=[([WAGE], 4)]),
    "permutation": pf.Permutation(5),
    "hybrid": pf.Hybrid("regression", 0.3),
    "dummy": pf.Dummy(),
    "sampling": pf.Sampling(1 / 3),
    "recoding": pf.Recoding({WAGE: [1000.5], OTHER: 4}),
    "recoding, means": pf.Recoding([100, 1000, 1500.25], labels=False),
    "top and bottom": pf.TopBottomCoding(top={WAGE: "90%", OTHER: 1200}, bottom="5%"),
    "suppression": pf.LocalSuppression(2, keys=["age", "remark"]),
    "suppression, one key": pf.LocalSuppression(2, keys=OTHER),
    "calibrated": pf.Calibrated(pf.Noise("linear", 20), point_mass=12),
    "calibrated draw": pf.Calibrated(pf.FCRM(2, release="draw", donors=9), moments=False, margins="original"),
}


def replays(folder: Path) -> dict[str, Trial]:
    """A trial of every method, on a file with odd names; then other files."""
    made = {name: trial(file_source(odd_file(folder)), method, ROLES, judged=()) for name, method in METHODS.items()}
    return made | _other_files(folder)


def _other_files(folder: Path) -> dict[str, Trial]:
    """Gaps, constraints, semicolons and decimal commas, an odd file name, and the embedded files."""
    gaps = folder / "gaps; $name.csv"
    gaps.write_text("a;b;c;note\n" + "".join(_line(k) for k in range(60)), encoding="utf-8", newline="")
    limits = "b >= 0; c <= 100\n"
    roles = pf.Roles("a", ["b", "c"])
    complete: dict[str, Any] = {"missing": "protect", "constraints": limits, "seed": -7, "judged": ()}
    made = {"gaps": trial(file_source(gaps), pf.Noise("correlated", 30), roles, **complete)}
    for name, given in {
        "accounts": pf.Roles(["AGE", "RISK"], ["DEPOSITS", "RETURN"]),
        "example": pf.Roles("x", "y"),
        "census_like": pf.Roles(["AGI", "POTHVAL"], ["FEDTAX", "TAXINC"]),
    }.items():
        made[name] = trial(embedded(name), pf.IPSO("C"), given, judged=())
    larger = file_source(odd_file(folder, "larger.csv", 600))
    made["answers"] = trial(larger, pf.IPSO("C"), ROLES, judged=(), **ANSWERS)
    made["no seed"] = trial(file_source(odd_file(folder)), pf.Noise("linear", 30), ROLES, seed=None, judged=())
    made["no seed, accounts"] = trial(
        made["accounts"].source, pf.RankSwapping(9), made["accounts"].released.roles, seed=None, judged=()
    )
    return made


def _line(k: int) -> str:
    gap = "NA" if k in (3, 40) else f"{(k * 37) % 60},5"
    return f'{k % 11};{gap};{(k * 53) % 101};"= a ""quoted"" = {k}"\n'


def download(one: Trial) -> bytes:
    """The release as the studio's button brings it."""
    visit = Visit()
    try:
        return release_bytes(replace(one, despite=("a test", "The tests")), visit)
    finally:
        visit.end()


__all__ = ["METHODS", "download", "replay", "replays"]

"""Trials of the studio's workbench, made without its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

import pyfcrm as pf
from pyfcrm.app.workbench.bench import Source, Trial
from pyfcrm.app.workbench.file import embedded
from pyfcrm.files import read_table

MEASURES = ("pil", "dbrl", "prl", "id", "dr", "score")
ODD = ('x"); system("touch pwned', "añ os, ½", "it's \\n {added} $call")  # names that would be code, or placeholders
ROLES = pf.Roles(independent=["age", ODD[1]], dependent=[ODD[0], ODD[2]], identifiers=["name"])
ANSWERS: dict[str, Any] = {"weights": ODD[1], "preserve": ("remark", f"`{ODD[0]}` ~ age")}  # 600 records have them


def odd_file(folder: Path, name: str = "in.csv", n: int = 90) -> Path:
    """A CSV file whose names are hard to quote; text, whole numbers, decimals, and cells that look like formulas."""
    stream = pf.RStream(7)
    age = (20 + 60 * stream.runif(n)).astype(int)
    hours = (10 + 30 * stream.runif(n)).round(3)
    frame = pd.DataFrame(
        {
            "name": [f"p{k}" for k in range(n)],
            "age": age,
            ODD[1]: hours,
            ODD[0]: (900 + 12 * age + 30 * hours + 200 * stream.rnorm(n)).round(2),
            ODD[2]: (40 * hours + 90 * stream.rnorm(n)).round().astype(int),
            "remark": ["=1+1" if k % 30 == 0 else "none" for k in range(n)],
        }
    )
    frame.to_csv(folder / name, index=False, encoding="utf-8")
    return folder / name


def file_source(path: Path) -> Source:
    """A file as the studio has it once it was dropped."""
    return Source(path.name, path, read_table(path))


def trial(
    source: Source,
    method: pf.methods.Method,
    roles: pf.Roles,
    number: int = 1,
    *,
    seed: int | None = 1,
    missing: str = "refuse",
    constraints: str | None = None,
    judged: Any = MEASURES,
    **answers: Any,
) -> Trial:
    """A method tried on a source, judged over the dependent columns; `judged` () leaves the report empty; answers : weights and
    preserve of protect()."""
    frame = source.table.frame
    released = pf.protect(frame, method, roles, seed, missing=missing, constraints=constraints, **answers)
    report = pf.Report({}, (), len(frame))
    if judged:
        report = pf.evaluate(frame, released, measures=judged)
    return Trial(number, source, method, released, report, 0.5, missing=missing, constraints=constraints, **answers)


def embedded_trials() -> tuple[Trial, ...]:
    """Three methods on the accounts."""
    source = embedded("accounts")
    roles = pf.Roles(["AGE", "INCOME", "RISK"], ["DEPOSITS", "DEBT", "FLOW"])
    methods = (pf.FCRM(c=3), pf.IPSO("C"), pf.Noise("uncorrelated", 5.0))
    return tuple(trial(source, method, roles, k) for k, method in enumerate(methods, 1))


__all__ = ["ANSWERS", "MEASURES", "ODD", "ROLES", "embedded_trials", "file_source", "odd_file", "trial"]

"""Figures that others published, beside ours: `make peers`. Exit status 1 if a row differs without a reason.

published.csv has their values, SOURCES where these are from. The Census file comes from $PYFCRM_CENSUS or an installed sdcMicro, Tarragona
and EIA from an installed sdcMicro; rows of a file that is not there are left out.
"""

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import pyfcrm as pf

HERE = Path(__file__).parent
SOURCES = {
    "MDAV": "information loss 100 SSE/SST: Solanas and Martinez-Balleste (2006), Lin et al. (2010); EIA with its column UTILITYID",
    "rank swapping": "per cent re-identified, metric l: Yancey, Winkler and Creecy (2002), RRS2002-01, table 2",
}
DIGITS = 0.00006  # the printed values have four decimals
EIA = [
    "UTILITYID",
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
]
EIA = [*EIA, "TOTREVENUE", "TOTSALES"]
WRITE = "suppressMessages(library(sdcMicro)); data(list = '{name}'); write.csv({name}, commandArgs(TRUE)[1], row.names = FALSE)"


@dataclass(frozen=True)
class Row:
    """A published figure and ours."""

    source: str
    file: str
    setting: str
    published: float
    ours: float

    @property
    def outcome(self) -> str:
        """Equal, explained by a computed reason, or differs."""
        if abs(self.ours - self.published) <= DIGITS:
            return "equal"
        if self.source == "rank swapping":
            return "explained: weights learned by EM link more" if self.ours > self.published - 3 else "differs"
        return "explained: relative difference below 1e-4" if abs(self.ours / self.published - 1) < 1e-4 else "differs"


@cache
def file(name: str) -> pd.DataFrame | None:
    """A file of the literature; None where it is not at hand."""
    if name == "census" and os.environ.get("PYFCRM_CENSUS"):
        return pf.datasets.census(os.environ["PYFCRM_CENSUS"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.csv")
        script = WRITE.format(name={"census": "CASCrefmicrodata", "tarragona": "Tarragona", "eia": "EIA"}[name])
        done = subprocess.run(["Rscript", "-e", script, str(path)], check=False, capture_output=True)
        if done.returncode:
            return None
        frame = pd.read_csv(path)
    return frame[EIA] if name == "eia" else frame.select_dtypes("number")


def released(frame: pd.DataFrame, method: pf.Microaggregation | pf.RankSwapping, seed: int) -> pd.DataFrame:
    """The file with every column masked, in its own order."""
    roles = pf.Roles(dependent=list(frame.columns))
    options = {"allow_unprotected": True, "shuffle": False, "variables": "numbers"}
    return pf.protect(frame.astype(float), method, roles, seed, **options).frame


def information_loss(frame: pd.DataFrame, k: int) -> float:
    """100 SSE/SST of MDAV's groups of k, every column divided by its standard deviation."""
    scale = frame.std().to_numpy(dtype=float)
    difference = (frame.to_numpy(dtype=float) - released(frame, pf.Microaggregation(k), 1).to_numpy()) / scale
    centred = (frame - frame.mean()).to_numpy(dtype=float) / scale
    return float(100 * (difference**2).sum() / (centred**2).sum())


def linked(frame: pd.DataFrame, form: str, p: float) -> float:
    """Mean prl_numeric, per cent, after rank swapping with three seeds."""
    method = pf.RankSwapping(p, form)
    values = [
        pf.evaluate(frame, released(frame, method, seed), measures="prl_numeric")["prl_numeric"] for seed in (1, 2, 3)
    ]
    return float(np.mean(values))


def rows() -> Iterator[Row]:
    """Every published figure whose file is at hand, with ours."""
    with (HERE / "published.csv").open() as stream:
        for line in csv.DictReader(stream):
            frame = file(line["file"])
            if frame is None:
                continue
            if line["source"] == "MDAV":
                ours = information_loss(frame, int(line["setting"]))
            else:
                form, p = line["setting"].split()
                ours = linked(frame, form, float(p))
            yield Row(line["source"], line["file"], line["setting"], float(line["published"]), ours)


def main() -> int:
    """Prints the table and the sources."""
    found = []
    print(f"{'source':14} {'file':10} {'setting':12} {'published':>10} {'ours':>10}")
    for row in rows():
        found.append(row)
        print(
            f"{row.source:14} {row.file:10} {row.setting:12} {row.published:10.4f} {row.ours:10.4f}  {row.outcome}",
            flush=True,
        )
    for name, words in SOURCES.items():
        print(f"{name}: {words}")
    outcomes = [row.outcome.partition(":")[0] for row in found]
    print(", ".join(f"{outcomes.count(each)} {each}" for each in ("equal", "explained", "differs")))
    return 0 if found and "differs" not in outcomes else 1


if __name__ == "__main__":
    sys.exit(main())

"""The files of the literature, where they are at hand.

The Census file comes from $PYFCRM_CENSUS or an installed sdcMicro; Tarragona, EIA, testdata and testdata2 from an installed
sdcMicro; Adult with its hierarchies from $PYFCRM_ARX, the folder `data` of ARX's repository.
"""

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pandas as pd

import pyfcrm as pf

OF_SDCMICRO = {
    "census": "CASCrefmicrodata",
    "tarragona": "Tarragona",
    "eia": "EIA",
    "testdata": "testdata",
    "testdata2": "testdata2",
}
EIA = ["UTILITYID", "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES"]
EIA = [*EIA, "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES"]
WRITE = "suppressMessages(library(sdcMicro)); data(list = '{name}'); write.csv({name}, commandArgs(TRUE)[1], row.names = FALSE)"
OTHERS = Path(__file__).parents[2] / "tests" / "golden" / "values" / "others"
"""Files of synthpop and RegSDC, with what these computed."""


@cache
def file(name: str) -> pd.DataFrame | None:
    """A file of the literature; None where it is not at hand."""
    if name == "census" and os.environ.get("PYFCRM_CENSUS"):
        return pf.datasets.census(os.environ["PYFCRM_CENSUS"])
    if name == "adult":
        folder = os.environ.get("PYFCRM_ARX")
        return None if folder is None else pd.read_csv(Path(folder, "adult.csv"), sep=";")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.csv")
        script = WRITE.format(name=OF_SDCMICRO[name])
        done = subprocess.run(["Rscript", "-e", script, str(path)], check=False, capture_output=True)
        frame = None if done.returncode else pd.read_csv(path)
    if frame is None or name.startswith("testdata"):
        return frame
    return frame[EIA] if name == "eia" else frame.select_dtypes("number")


def hierarchies(keys: list[str]) -> dict[str, str]:
    """The paths of ARX's hierarchies of Adult."""
    return {key: os.path.join(os.environ["PYFCRM_ARX"], f"adult_hierarchy_{key}.csv") for key in keys}

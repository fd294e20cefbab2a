"""The Census reference file itself, from where the user has it. It is not shipped and never downloaded."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidInput
from ..files import read_table
from .census_like import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

_OWNER = "datasets.census"
_ABSENT = (
    "the Census file is not shipped with pyfcrm: give its path, or set PYFCRM_CENSUS to its path, "
    "or install R with the package sdcMicro"
)
_SECONDS = 120
_R_CODE = (
    'if (!requireNamespace("sdcMicro", quietly = TRUE)) quit(status = 3); e <- new.env(); '
    'data("CASCrefmicrodata", package = "sdcMicro", envir = e); '
    "write.csv(e$CASCrefmicrodata, commandArgs(trailingOnly = TRUE)[1], row.names = FALSE)"
)


def census(path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """The CASC reference file "Census": 1080 records, 13 columns in file order.

    Parameters
    ----------
    path : path, optional
        A CSV file of it; else the file named by the environment variable PYFCRM_CENSUS; else `CASCrefmicrodata` of the
        R package sdcMicro, if Rscript and sdcMicro are installed.

    Returns
    -------
    pandas.DataFrame
        (1080, 13) of int64: dollars a year, except the weight AFNLWGT.

    Raises
    ------
    InvalidInput
        If there is none of the three, or if a column is missing or not of whole numbers.

    References
    ----------
    Brand, Domingo-Ferrer and Mateo-Sanz (2002), reference data sets of the CASC project.
    """
    import pandas as pd

    with tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
        path = path if path is not None else os.environ.get("PYFCRM_CENSUS") or _from_sdcmicro(folder)
        frame = read_table(path).frame
    if missing := [name for name in COLUMNS if name not in frame.columns]:
        rule = f"the file must have the Census file's {len(COLUMNS)} columns"
        raise InvalidInput(_OWNER, rule, f"{path} without {', '.join(missing)}")
    for name in COLUMNS:
        values = pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        if not (whole := np.isfinite(values) & (values == np.floor(values))).all():
            record = int(np.argmin(whole))
            value = f"{frame[name].iloc[record]!r} in {name}, record {record + 1} of {path}"
            raise InvalidInput(_OWNER, "every value of the Census file is a whole number", value)
    return frame[list(COLUMNS)].astype(np.int64)


def _from_sdcmicro(folder: str) -> str:
    """The path of the file that R with sdcMicro writes into the folder. Raises InvalidInput where there is none."""
    path = os.path.join(folder, "census.csv")
    command = ["Rscript", "--no-save", "--no-restore", "-e", _R_CODE, path]
    try:
        subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise InvalidInput(_OWNER, _ABSENT) from error
    return path

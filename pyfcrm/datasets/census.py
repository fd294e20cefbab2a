"""The Census reference file itself, from where the user has it. It is not shipped and never downloaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidInput, InvalidParameter
from .census_like import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

_OWNER = "datasets.census"
_VARIABLE = "PYFCRM_CENSUS"
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
    if path is not None:
        return _read(_path(path))
    named = os.environ.get(_VARIABLE)
    if named:
        return _read(named)
    return _from_sdcmicro()


def _path(path: object) -> str:
    if not isinstance(path, str | os.PathLike):
        raise InvalidParameter("census", "path", "must be the path of a CSV file", path)
    return os.fspath(path)


def _from_sdcmicro() -> pd.DataFrame:
    program = shutil.which("Rscript")
    if program is not None:
        with tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
            target = os.path.join(folder, "census.csv")
            command = [program, "--no-save", "--no-restore", "-e", _R_CODE, target]
            try:
                done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
            except (OSError, subprocess.TimeoutExpired):
                done = None
            if done is not None and done.returncode == 0 and os.path.isfile(target):
                return _read(target)
    rule = (
        f"the Census file is not shipped with pyfcrm: give its path, or set {_VARIABLE} to its path, "
        "or install R with the package sdcMicro"
    )
    raise InvalidInput(_OWNER, rule)


def _read(path: str) -> pd.DataFrame:
    import pandas as pd

    # Checked first: pandas would take a URL for a path and download it.
    if not os.path.isfile(path):
        raise InvalidInput(_OWNER, "the path must be a CSV file that exists", path)
    try:
        frame = pd.read_csv(path, compression=None)
    except (OSError, ValueError) as error:  # pandas' parser errors and Unicode errors are ValueErrors
        reason = str(error).splitlines()[0]
        raise InvalidInput(_OWNER, "the file must be readable as CSV", f"{path} ({reason})") from error
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        given = f"{path} without {', '.join(missing)}"
        raise InvalidInput(_OWNER, "the file must have the Census file's 13 columns", given)
    return pd.DataFrame({name: _whole(path, name, frame[name]) for name in COLUMNS})


def _whole(path: str, name: str, column: pd.Series) -> np.ndarray:
    """The column as int64; anything but whole numbers is refused."""
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values == np.floor(values))))
    if wrong.size:
        where = f"{column.iloc[int(wrong[0])]!r} in {name}, record {int(wrong[0]) + 1} of {path}"
        raise InvalidInput(_OWNER, "every value of the Census file is a whole number", where)
    return values.astype(np.int64)

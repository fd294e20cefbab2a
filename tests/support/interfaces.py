"""Files, methods and seeds on which R, Python and the command line must agree; and a release as something to compare.

A release is compared as plain numbers: which records, then for each protected column its type and its values.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd

import pyfcrm as pf
from pyfcrm.methods import METHODS
from r_bridge.from_r.words import literal_in_r

SEEDS = (1, -7, 2**31 - 1)
FEWER = (42,)  # with every setting of a method but its first
TYPES = {"double": 1, "integer": 2, "ordered": 3}


def parameters_of(function):
    """The parameters of a function, each option of `**options: Unpack[...]` as protect() has it, with its default."""
    of_protect, found = inspect.signature(pf.protect).parameters, []
    for one in inspect.signature(function).parameters.values():
        options = get_args(one.annotation) if one.kind is inspect.Parameter.VAR_KEYWORD else ()
        found += [of_protect[name] for kind in options for name in kind.__annotations__] or [one]
    return found


@dataclass(frozen=True, eq=False)
class File:
    """A frame with its roles; `kinds` of R by column; cells may be missing where `missing` is "protect"."""

    frame: pd.DataFrame
    roles: pf.Roles
    kinds: Mapping[str, str]
    missing: str = "refuse"


def files():
    """Whole numbers; two columns of decimals; and every kind of column, with gaps."""
    census = pf.datasets.census_like(n=150, seed=1)
    roles = pf.Roles(["AGI", "POTHVAL", "PEARNVAL"], ["FEDTAX", "TAXINC", "WSALVAL"])
    example = pf.datasets.example()
    return {
        "census_like": File(census, roles, dict.fromkeys(census.columns, "integer")),
        "example": File(example, pf.Roles(["x"], ["y"]), {"x": "double", "y": "double"}),
        "mixed": mixed(),
    }


def mixed(n=160):
    """Identifiers, text, a factor and dates that pass through; decimals and whole numbers with gaps."""
    stream = pf.RStream(5)
    age, hours = np.floor(20 + 60 * stream.runif(n)), 10 + 30 * stream.runif(n)
    wage = 900 + 12 * age + 30 * hours + 200 * stream.rnorm(n)
    tax = pd.array(np.rint(0.2 * wage + 50 * stream.rnorm(n)).astype(np.int64), dtype="Int64")
    wage[[3, 50, 51]], tax[[3, 77]] = np.nan, pd.NA
    words = ["plain", 'a "quote", a comma', "ésték", "x y"]
    frame = pd.DataFrame(
        {
            "name": [f"p{k:03d}" for k in range(n)],
            "age": age.astype(np.int64),
            "word": [words[k % 4] for k in range(n)],
            "hours": hours,
            "wage, gross": wage,
            "region": [("east", "west", "north")[k % 3] for k in range(n)],
            "tax": tax,
            "born": [f"19{50 + k % 50}-0{1 + k % 9}-11" for k in range(n)],
        }
    )
    kinds = ("character", "integer", "character", "double", "double", "factor", "integer", "Date")
    roles = pf.Roles(["age", "hours"], ["wage, gross", "tax"], ["name"])
    return File(frame, roles, dict(zip(frame.columns, kinds, strict=True)), "protect")


# Several settings for every method. One without a line here gets those of its example.
SETTINGS = {
    "fcrm": [
        {"c": 2},
        {"c": 3, "m": 1.8, "max_iter": 9, "joint": True},
        {"c": 2, "intercept": False, "tol": 1e-3},
        {"c": 2, "basis": "rbf"},
        {"c": 2, "basis": "rbf", "release": "draw"},
        {"c": 2, "release": "model"},
        {"c": None, "release": "model"},
    ],
    "calibrated": [
        {"method": pf.IPSO("B")},
        {"method": pf.FCRM(2, release="draw", donors=9), "margins": "original"},
        {"method": pf.IPSO("C"), "point_mass": 20},
        {"method": pf.Noise("linear", 20), "moments": False},
        {"method": pf.FCRM(2, release="model"), "margins": "smooth"},
    ],
    "ipso": [{"kind": kind, "variant": variant} for kind in "ABC" for variant in ("burridge", "thesis")],
    "noise": [
        {"kind": kind, "amount": 20}
        for kind in ("uncorrelated", "correlated", "linear", "nonlinear", "laplace", "multiplicative", "correlated2")
    ],
    "rankswapping": [{"p": 10}, {"p": 7.5, "form": "sdcmicro"}],
    "microaggregation": [
        *({"k": 4, "kind": kind} for kind in ("mdav", "vmdav", "individual", "zscores", "pca", "optimal")),
        {"k": 3, "scale": None},
    ],
    "permutation": [{"k": 6}],
    "hybrid": [{"kind": "linear", "alpha": 0.3}, {"kind": "regression"}, {"kind": "microaggregation", "k": 20}],
    "sequential": [{}, {"min_leaf": 9}],
    "sampling": [{"fraction": 0.4}],
    "recoding": [{"breaks": 4}, {"breaks": 3, "labels": False}],
    "topbottomcoding": [{"top": "95%"}, {"top": "90%", "bottom": "5%"}],
    "localsuppression": [{"k": 3}],
}


def settings(name):
    """The settings to try a method with."""
    declared = METHODS[name].declared()
    example = {parameter.name: parameter.example for parameter in declared if parameter.example is not None}
    listed = SETTINGS.get(name, [example])
    for value in listed:
        METHODS[name](**value)
    return listed


def seeds(k):
    """The seeds that setting number k of a method is tried with."""
    return SEEDS if k == 0 else FEWER


def r_call(name, values):
    """The R constructor's call, with these parameters."""
    arguments = ", ".join(f"{key} = {literal_in_r(value)}" for key, value in values.items())
    return f"{METHODS[name].r_name or name}({arguments})"


def quoted(names):
    """Column names as the command line takes them."""
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


def write_for_r(file, folder):
    """The file's columns for R: numbers as raw bytes, the rest as lines of text, names and kinds apart."""
    folder.mkdir()
    (folder / "names").write_text("\n".join(file.frame.columns) + "\n", encoding="utf-8")
    (folder / "kinds").write_text("\n".join(file.kinds[name] for name in file.frame.columns) + "\n", encoding="utf-8")
    for k, name in enumerate(file.frame.columns, 1):
        column, kind = file.frame[name], file.kinds[name]
        if kind == "double":
            data = column.to_numpy(dtype="<f8").tobytes()
        elif kind == "integer":
            data = column.to_numpy(dtype="<i4", na_value=-(2**31)).tobytes()
        else:
            data = ("\n".join(column) + "\n").encode()
        (folder / str(k)).write_bytes(data)


def as_numbers(frame, dependent, rows=None):
    """A release as numbers: how many records, which (from 1), then type and values (NaN: missing) of each column.

    rows : positions in the original of the released records, as Protected.rows has them; None for all in order.
    """
    if rows is None:
        rows = np.arange(len(frame))
    parts = [[float(len(frame))], np.asarray(rows, dtype=float) + 1]
    for name in dependent:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy(dtype=float)
            parts += [[TYPES["ordered"]], np.where(codes < 0, np.nan, codes + 1)]
        else:
            kind = "integer" if column.dtype.kind in "iu" else "double"
            parts += [[TYPES[kind]], column.to_numpy(dtype=float, na_value=np.nan)]
    return np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])


def rows_of(released):
    """The positions in the original of the records of a release of one copy; None for all in order."""
    return released.rows[0] if released.rows else None


def same_bits(ours, theirs):
    """Whether two lists of numbers are identical, to the last bit where they are not missing."""
    if ours.shape != theirs.shape:
        return False
    missing = np.isnan(ours)
    return bool(
        (missing == np.isnan(theirs)).all()
        and (ours[~missing].view(np.uint64) == theirs[~missing].view(np.uint64)).all()
    )


# R's side: reads what write_for_r wrote, protects, and writes each release in the same form.
R_SIDE = """
folders <- list.dirs(commandArgs(TRUE)[1], recursive = FALSE)
column <- function(path, kind) switch(kind,
  double = readBin(path, "double", file.size(path) / 8, endian = "little"),
  integer = readBin(path, "integer", file.size(path) / 4, size = 4, endian = "little"),
  character = readLines(path, encoding = "UTF-8"),
  factor = factor(readLines(path, encoding = "UTF-8")),
  Date = as.Date(readLines(path))
)
read <- function(folder) {
  kinds <- readLines(file.path(folder, "kinds"))
  df <- Map(column, file.path(folder, seq_along(kinds)), kinds)
  names(df) <- readLines(file.path(folder, "names"), encoding = "UTF-8")
  structure(df, row.names = .set_row_names(length(df[[1]])), class = "data.frame")
}
codes <- c(double = 1, integer = 2, ordered = 3)
kind <- function(x) if (is.ordered(x)) "ordered" else typeof(x)
# The session stores which records of the original a release has, unless it has all.
rows_of <- function(released) {
  rows <- fcrm:::stored_release(released)$rows
  if (is.null(rows)) seq_len(nrow(released)) else rows
}
write_numbers <- function(released, dependent, out) {
  rows <- rows_of(released)
  numbers <- c(length(rows), rows)
  for (name in dependent) numbers <- c(numbers, codes[[kind(released[[name]])]], as.double(released[[name]]))
  writeBin(as.double(c(length(numbers), numbers)), out, endian = "little")
}
untouched <- function(df, released, dependent, identifiers) {
  stopifnot(identical(names(released), setdiff(names(df), identifiers)))
  for (name in setdiff(names(released), dependent)) {
    stopifnot(identical(released[[name]], df[[name]][rows_of(released)]))
  }
}
run <- function(name, tries, independent, dependent, identifiers, missing) {
  df <- read(file.path(commandArgs(TRUE)[1], name))
  out <- file(file.path(commandArgs(TRUE)[1], paste0(name, ".released")), "wb")
  on.exit(close(out))
  for (one in tries) for (seed in one$seeds) {
    released <- suppressWarnings(suppressMessages(protect(
      df, one$method, independent, dependent, identifiers, seed = seed, missing = missing, allow_unprotected = TRUE
    )))
    untouched(df, released, dependent, identifiers)
    write_numbers(released, dependent, out)
  }
}
"""


def r_script(files, methods):
    """The R script of a whole batch."""
    tries = ", ".join(
        f"list(method = {r_call(name, value)}, seeds = c({', '.join(map(str, seeds(k)))}))"
        for name, listed in methods.items()
        for k, value in enumerate(listed)
    )
    lines = [R_SIDE, f"tries <- list({tries})"]
    for name, file in files.items():
        roles = (file.roles.independent, file.roles.dependent, file.roles.identifiers)
        vectors = ", ".join(f"c({', '.join(map(literal_in_r, names))})" for names in roles)
        lines.append(f"run({literal_in_r(name)}, tries, {vectors}, {literal_in_r(file.missing)})")
    return "\n".join(lines) + "\n"

"""R's describe() finds what Python finds: of the same columns, labels included.

Oracle: pf.describe of the same file. Grade: identical.
"""

import numpy as np
import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, pytest.mark.slow, requires_r_package]
# Of data sets of R, what a statistician would say of a column: package, data set, column, kind, doubtful.
KINDS = [
    ("MASS", "birthwt", "low", "codes", False), ("MASS", "birthwt", "bwt", "count", False), ("MASS", "Boston", "nox", "amount", False),
    ("MASS", "Cars93", "Make", "category", False), ("survival", "pbc", "id", "identifier", True),
    ("survival", "pbc", "status", "codes", False), ("survival", "pbc", "sex", "category", False),
    ("survival", "rhDNase", "entry.dt", "date", False), ("laeken", "eusilc", "rb030", "identifier", True),
    ("laeken", "eusilc", "hsize", "codes", False), ("laeken", "eusilc", "age", "amount", False),
    ("laeken", "eusilc", "py010n", "amount", False), ("laeken", "eusilc", "db040", "category", False),
    ("carData", "GSSvocab", "educ", "codes", False), ("carData", "SLID", "wages", "amount", False),
    ("carData", "WVS", "age", "count", False), ("carData", "Chile", "income", "codes", False),
    ("VIM", "sleep", "BodyWgt", "amount", False), ("VIM", "tao", "Latitude", "codes", False),
    ("datasets", "airquality", "Temp", "count", False),
]  # fmt: skip


def test_description_of_the_same_columns(tmp_path):
    frame = pf.datasets.survey().assign(
        wage=lambda f: np.where(f["age"] == 75, 99999, f["wage"]),
        month=lambda f: 199001 + np.arange(len(f)) % 12,
        paid=lambda f: [f"{value:,.2f}" for value in f["rent"]],
    )
    frame.to_csv(tmp_path / "in.csv", index=False)
    frame.attrs = {
        "column_labels": {"size": "Persons"},
        "variable_value_labels": {"stratum": {k: f"s{k}" for k in range(1, 6)}},
    }
    expected = pf.describe(frame)
    out = r_with_fcrm(
        """
        df <- read.csv(commandArgs(TRUE)[1], na.strings = "")
        attr(df$size, "label") <- "Persons"
        codes <- c(s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5)
        df$stratum <- structure(df$stratum, labels = codes, class = c("haven_labelled", "vctrs_vctr", "integer"))
        variables <- describe(df)
        stopifnot(is.data.frame(variables), identical(variables$column, names(df)))
        stopifnot(any(grepl("month", capture.output(print(variables)))))
        write.csv(variables, sub("in.csv", "out.csv", commandArgs(TRUE)[1], fixed = TRUE), row.names = FALSE)
        cat(attr(variables, "toml"))
        """,
        tmp_path / "in.csv",
    )
    assert out.strip() == expected.to_toml().strip()
    found = pd.read_csv(tmp_path / "out.csv", keep_default_na=False)
    table = expected.to_frame()
    for name in ("column", "label", "kind", "values", "proposed_missing_codes", "format", "reason"):
        assert found[name].astype(str).tolist() == table[name].tolist(), name
    assert found["doubtful"].tolist() == table["doubtful"].tolist()


def test_kinds_of_columns_of_rs_data_sets(tmp_path):
    """Packages that are not installed are left out; MASS and survival belong to R. `age` of eusilc is -1 in 64 records."""
    wanted = pd.DataFrame(KINDS, columns=["package", "data", "column", "kind", "doubtful"])
    wanted.to_csv(tmp_path / "wanted.csv", index=False)
    out = r_with_fcrm(
        """
        wanted <- read.csv(commandArgs(TRUE)[1])
        for (k in seq_len(nrow(wanted))) {
          row <- wanted[k, ]
          if (!requireNamespace(row$package, quietly = TRUE)) next
          place <- new.env()
          utils::data(list = row$data, package = row$package, envir = place)
          found <- describe(get(row$data, place)[row$column])
          cat(row$package, row$data, row$column, found$kind, found$doubtful, "\\n")
        }
        """,
        tmp_path / "wanted.csv",
    )
    found = [tuple(line.split()) for line in out.splitlines()]
    assert {row[0] for row in found} >= {"MASS", "survival"}
    expected = {tuple(map(str, row[:3])): (row[3], str(row[4]).upper()) for row in KINDS}
    assert {row[:3]: row[3:] for row in found} == {row[:3]: expected[row[:3]] for row in found}

"""Every type of R's columns, with missing values and without: a release by R against one by Python of the same file and seed.

Factors with another order of levels are text in Python; whole numbers that R can only hold as doubles are integers there.

Oracle: Python. Grade: identical, cell by cell, missing ones included.
"""

import datetime

import numpy as np
import pandas as pd
import pytest
from support.r_package import needs_r_packages, r_with_fcrm

import pyfcrm as pf

pytestmark = [pytest.mark.r, pytest.mark.slow, needs_r_packages("reticulate", "bit64", "haven", "hms")]

N = 400
CODES = {1.0: "low", 2.0: "middle", 3.0: "high"}

# By type of R's column: an expression of `number` (whole), `code` (1, 2, 3) and `gap`, and the same for Python.
LABELLED = 'structure({values}, labels = c(low = {a}, middle = {b}, high = {c}), class = c("haven_labelled", "vctrs_vctr", "{type}"))'
TYPES = {
    "logical": "code == 2",
    "integer": "as.integer(number)",
    "double": "number / 4",
    "integer64": "bit64::as.integer64(number)",
    "character": "text",
    "empty_text": "ifelse(code == 3, '', text)",
    "factor": "factor(text)",
    "ordered": "factor(text, ordered = TRUE)",
    "factor_reordered": "factor(text, levels = c('c', 'a', 'b'))",
    "ordered_reordered": "factor(text, levels = c('c', 'a', 'b'), ordered = TRUE)",
    "beyond_integers": "number * 1e7",
    "labelled_double": LABELLED.format(values="as.double(code)", a="1", b="2", c="3", type="double"),
    "labelled_integer": LABELLED.format(values="as.integer(code)", a="1L", b="2L", c="3L", type="integer"),
    "labelled_text": LABELLED.format(values="text", a="'a'", b="'b'", c="'c'", type="character"),
    "difftime": "as.difftime(number, units = 'days')",
    "whole_difftime": "as.difftime(as.integer(number), units = 'mins')",
    "hms": "hms::hms(28800 + 7 * number)",
    "hms_beyond_a_day": "hms::hms(120 * number)",
    "date": "as.Date('2000-01-01') + code",
    "time": "as.POSIXct('2000-01-01', tz = 'UTC') + 86400 * code",
    "time_of_parts": "as.POSIXlt(as.POSIXct('2000-01-01', tz = 'UTC') + 86400 * code)",
}

SCRIPT = """
invisible(loadNamespace("haven"))
base <- read.csv(commandArgs(TRUE)[1])
result <- file(commandArgs(TRUE)[2], "w", encoding = "UTF-8")
number <- base$number; code <- base$code; text <- c("a", "b", "c")[code]
types <- list({types})
text_of <- function(x) {{
  if (inherits(x, c("Date", "POSIXt"))) return(format(x, "%Y-%m-%d"))
  if (inherits(x, "integer64")) return(as.character(x))
  if (is.factor(x)) return(as.character(x))
  if (inherits(x, "difftime")) units(x) <- "secs"
  x <- as.vector(unclass(x))
  if (is.numeric(x)) ifelse(is.na(x), NA, sprintf("%.17g", x)) else as.character(x)
}}
for (name in names(types)) for (role in c("dependent", "independent")) for (gaps in c(TRUE, FALSE)) {{
  df <- base[c("age", "wage")]
  df$x <- types[[name]]
  if (gaps) is.na(df$x) <- which(base$gap == 1L)
  roles <- list(independent = "age", dependent = "wage")
  roles[[role]] <- c(roles[[role]], "x")
  released <- tryCatch(
    suppressMessages(protect(df, {method}, roles$independent, roles$dependent, missing = "protect", seed = 7, allow_unprotected = TRUE,
      variables = if (name == "beyond_integers") list(x = variable(decimals = "all", bounds = "none")))),
    fcrm_error = function(e) NULL
  )
  if (is.null(released)) next
  stopifnot(identical(attributes(released$x), attributes(df$x)), identical(typeof(released$x), typeof(df$x)))
  for (column in c("wage", "x")) {{
    cells <- text_of(released[[column]])
    cat(name, role, gaps, column, paste0(ifelse(is.na(cells), "NA", paste0("=", cells)), collapse = "\\t"), sep = "\\t", file = result)
    cat("\\n", file = result)
  }}
}}
close(result)
"""


def base():
    rng = np.random.default_rng(3)
    age = rng.integers(20, 70, N)
    number = np.rint(800 + 20 * age + rng.normal(0, 200, N)).astype(int)
    code = np.digitize(number + rng.normal(0, 200, N), [1500, 1900]) + 1
    wage = np.round(300 + 0.8 * number + 60 * code + rng.normal(0, 150, N), 2)
    gap = np.zeros(N, dtype=int)
    gap[rng.choice(N, N // 5, replace=False)] = 1
    return pd.DataFrame({"age": age, "wage": wage, "number": number, "code": code, "gap": gap})


def column(name, table):
    """The column of a type for Python, without gaps."""
    text = table.code.map({1: "a", 2: "b", 3: "c"}).astype(object)
    columns = {
        "logical": (table.code == 2).astype("boolean"),
        "integer": table.number.astype("Int32"),
        "double": table.number / 4,
        "integer64": table.number.astype("Int64"),
        "character": text,
        "empty_text": text.where(table.code != 3, ""),
        "factor": text.astype("category"),
        "ordered": text.astype(pd.CategoricalDtype(["a", "b", "c"], ordered=True)),
        "factor_reordered": text,
        "ordered_reordered": text,
        "beyond_integers": (table.number * 10**7).astype("Int64"),
        "labelled_double": table.code.astype(float),
        "labelled_integer": table.code.astype("Int32"),
        "labelled_text": text,
        "difftime": pd.to_timedelta(table.number, unit="D"),
        "whole_difftime": pd.to_timedelta(table.number, unit="min"),
        "hms": (pd.Timestamp("2000-01-01") + pd.to_timedelta(28800 + 7 * table.number, unit="s")).dt.time,
        "hms_beyond_a_day": pd.to_timedelta(120 * table.number, unit="s"),
        "date": pd.Timestamp("2000-01-01") + pd.to_timedelta(table.code, unit="D"),
        "time": pd.Timestamp("2000-01-01") + pd.to_timedelta(table.code, unit="D"),
        "time_of_parts": pd.Timestamp("2000-01-01") + pd.to_timedelta(table.code, unit="D"),
    }
    return columns[name]


def texts(cells):
    """Cells as R's script prints them."""
    out = []
    for cell in cells:
        if pd.isna(cell):
            out.append("NA")
        elif isinstance(cell, bool | np.bool_):
            out.append("=TRUE" if cell else "=FALSE")
        elif isinstance(cell, pd.Timestamp):
            out.append(f"={cell:%Y-%m-%d}")
        elif isinstance(cell, pd.Timedelta):
            out.append(f"={cell.total_seconds():.17g}")
        elif isinstance(cell, datetime.time):
            out.append(f"={3600 * cell.hour + 60 * cell.minute + cell.second + cell.microsecond / 1e6:.17g}")
        else:
            out.append(f"={cell}" if isinstance(cell, str) else f"={cell:.17g}")
    return out


@pytest.fixture(scope="module", params=["ipso", "sequential"])
def released_by_r(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("missing") / "base.csv"
    base().to_csv(path, index=False)
    types = ", ".join(f"{name} = {code}" for name, code in TYPES.items())
    method = {"ipso": 'ipso("C")', "sequential": "sequential_trees()"}[request.param]
    result = path.with_name("released.tsv")
    r_with_fcrm(SCRIPT.format(types=types, method=method), path, result)
    rows = [line.split("\t") for line in result.read_text(encoding="utf-8").splitlines()]
    cells = {
        (name, role, gaps == "TRUE", column): [v for v in values if v] for name, role, gaps, column, *values in rows
    }
    return pf.IPSO("C") if request.param == "ipso" else pf.Sequential(), cells


@pytest.mark.parametrize("gaps", [True, False], ids=["gaps", "complete"])
@pytest.mark.parametrize("role", ["dependent", "independent"])
@pytest.mark.parametrize("name", TYPES)
def test_a_release_by_r_is_the_one_by_python(released_by_r, name, role, gaps):
    method, by_r = released_by_r
    table = base()
    x = column(name, table)
    if gaps:
        x = x.mask(table.gap == 1)
    frame = table[["age", "wage"]].assign(x=x)
    if name in ("labelled_double", "labelled_integer"):
        frame.attrs["variable_value_labels"] = {"x": CODES}
    given = {"independent": ["age"], "dependent": ["wage"]}
    given[role].append("x")
    options = {"missing": "protect", "allow_unprotected": True}
    if name == "beyond_integers":
        options["variables"] = {"x": pf.Variable(decimals="all", bounds="none")}
    ours = pf.protect(frame, method, pf.Roles(**given), seed=7, **options).frame
    for key in ("wage", "x"):
        assert texts(ours[key]) == by_r[name, role, gaps, key], key
    missing = sum(cell == "NA" for cell in by_r[name, role, gaps, "x"])
    expected = N // 5 if gaps else 0
    assert missing == pytest.approx(expected, abs=3 * expected**0.5)  # drawn: Poisson at most


def test_drawn_gaps_do_not_mark_the_true_ones():
    """Codes that a file declares as missing: all released gaps have the only mark, or NA if there are several."""
    out = r_with_fcrm(
        """
        set.seed(1); n <- 600
        df <- data.frame(age = sample(20:69, n, TRUE))
        df$wage <- round(exp(6 + .02 * df$age + rnorm(n, 0, .3)), 2)
        CLASS <- c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double")
        spss <- function(x, codes) structure(x, labels = c(low = 1, high = 2), na_values = codes, class = CLASS)
        values <- ifelse(df$wage > median(df$wage), 2, 1)
        for (codes in list(-9, c(-9, -8))) {
          x <- values
          gaps <- sample(n, 100)
          x[gaps] <- rep_len(codes, 100)
          df$x <- spss(x, codes)
          released <- suppressMessages(protect(df, ipso("C"), "age", c("wage", "x"), missing = "protect", seed = 1))
          cells <- as.vector(unclass(released$x))
          drawn <- is.na(cells) | cells %in% codes
          cat(length(codes), sum(drawn) > 60 && sum(drawn) < 140, sum(drawn[gaps]) < 50, sort(unique(cells[drawn]), na.last = TRUE), "\\n")
        }
        df$x <- df$wage / 2
        df$x[1:4] <- c(NA, NaN, -9, -8)
        df$x <- spss(df$x, c(-9, -8))
        attr(df$x, "labels") <- NULL
        released <- suppressMessages(protect(df, ipso("C"), "age", c("wage", "x"), missing = "protect", seed = 1))
        print(as.vector(unclass(released$x))[1:4])
        """
    )
    one, several, numbers = out.splitlines()
    assert one.split() == ["1", "TRUE", "TRUE", "-9"]
    assert several.split() == ["2", "TRUE", "TRUE", "NA"]
    assert numbers.split()[1:] == ["NA", "NaN", "-9", "-8"]  # gaps of numbers are released where they are

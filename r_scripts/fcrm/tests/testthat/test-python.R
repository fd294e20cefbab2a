# Oracle: the message for a user without Python.

test_that("the doctor tells what is there", {
  found <- pyfcrm_doctor()
  expect_named(found, c("what", "found", "remedy"))
  expect_identical(found$found[found$what == "R"], as.character(getRversion()))
  expect_output(print(found), "reticulate")
  expect_identical(is.na(found$found[found$what == "pyfcrm"]), !pyfcrm_available())
})

test_that("environment variables are put back after looking for Python", {
  before <- Sys.getenv(c("RETICULATE_MINICONDA_ENABLED", "RETICULATE_USE_MANAGED_VENV"), unset = NA)
  pyfcrm_available()
  expect_identical(Sys.getenv(c("RETICULATE_MINICONDA_ENABLED", "RETICULATE_USE_MANAGED_VENV"), unset = NA), before)
})

test_that("the message without Python has the command", {
  e <- expect_error(stop_missing("no Python"), class = "fcrm_missing_python")
  expect_match(conditionMessage(e), "fcrm::install_pyfcrm(\"path/to/pyfcrm\")", fixed = TRUE)
  expect_match(conditionMessage(e), "RETICULATE_PYTHON", fixed = TRUE)
})

test_that("the Python to begin with is one that works, and each that does not is named with the reason", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  before <- Sys.getenv("PATH")
  on.exit(Sys.setenv(PATH = before))
  programs <- file.path(folder, c("python3", "python"))
  writeLines(c("#!/bin/sh", "exit 1"), programs[1L])
  Sys.chmod(programs[1L], "755")
  Sys.setenv(PATH = folder)
  expect_message(expect_error(starting_python(), "name one", class = "fcrm_missing_python"), "older than 3.11")
  writeLines(c("#!/bin/sh", "exit 0"), programs[2L])
  Sys.chmod(programs[2L], "755")
  expect_message(expect_identical(suppressMessages(starting_python()), programs[2L]), NA)
  expect_error(install_pyfcrm(wheelhouse = file.path(folder, "none")), "folder of wheels", class = "fcrm_invalid_parameter")
})

test_that("the checkout is found from its folders, and elsewhere the message has the argument", {
  folder <- normalizePath(tempfile(), mustWork = FALSE)
  inner <- file.path(folder, "docs", "figures")
  dir.create(inner, recursive = TRUE)
  expect_null(checkout_of(inner))
  writeLines(c("[project]", "name = \"another\""), file.path(folder, "docs", "pyproject.toml"))
  expect_null(checkout_of(inner))
  writeLines(c("[project]", "name = \"pyfcrm\""), file.path(folder, "pyproject.toml"))
  expect_identical(checkout_of(inner), folder)
  before <- setwd(inner)
  on.exit(setwd(before))
  expect_identical(package_to_install(NULL, NULL), folder)
  expect_identical(package_to_install(NULL, tempdir()), "pyfcrm")
  setwd(tempdir())
  e <- expect_error(install_pyfcrm(), class = "fcrm_invalid_parameter")
  expect_match(conditionMessage(e), "fcrm::install_pyfcrm(\"path/to/pyfcrm\")", fixed = TRUE)
})

test_that("a reticulate that converts arrays of NumPy 1 only has it installed, if it is to be had", {
  folder <- tempfile()
  dir.create(folder)
  expect_match(numpy_requirements(NULL, numeric_version("1.28"))[1L], "numpy<2", fixed = TRUE)
  expect_identical(numpy_requirements(NULL, numeric_version("1.39.0")), character())
  expect_identical(numpy_requirements(folder, numeric_version("1.28")), character())
  file.create(file.path(folder, "numpy-1.26.4-cp311-cp311-manylinux.whl"))
  expect_match(numpy_requirements(folder, numeric_version("1.28"))[1L], "numpy<2", fixed = TRUE)
  expect_false("--quiet" %in% pip_options("x", NULL, character(), character(), quiet = FALSE))
  options <- pip_options("x", folder, "--no-cache-dir", c("r", "app"), quiet = TRUE)
  expect_true(all(c("--quiet", "--no-index", "--no-cache-dir", shQuote("x[r,app]")) %in% options))
})

test_that("the doctor names arrays that reticulate does not convert", {
  expect_identical(numpy_row("1.26.4", numeric_version("1.28")), list(found = "1.26.4", remedy = ""))
  expect_identical(numpy_row("2.4.6", numeric_version("1.40")), list(found = "2.4.6", remedy = ""))
  row <- numpy_row("2.4.6", numeric_version("1.28"))
  expect_match(row$found, "2.4.6, whose arrays reticulate 1.28 does not convert", fixed = TRUE)
  expect_match(row$remedy, "reticulate")
  expect_identical(numpy_row(NA_character_, numeric_version("1.40"))$found, NA_character_)
})

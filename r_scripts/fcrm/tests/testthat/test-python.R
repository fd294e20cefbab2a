# Oracle: the message for a user without Python.

test_that("the doctor tells what is there", {
  found <- pyfcrm_doctor()
  expect_named(found, c("what", "found", "mend"))
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
  expect_match(conditionMessage(e), "install_pyfcrm()", fixed = TRUE)
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

# Oracle: what a user without Python must be told.

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

# Oracle: by hand: the class, the fields, and Python's sentence without its machinery.

fault <- function(code, class) {
  e <- expect_error(code, class = class)
  expect_s3_class(e, c(class, "fcrm_error", "error", "condition"), exact = TRUE)
  expect_false(grepl("Traceback|Error:|bytearray|\n", conditionMessage(e)))
  e
}

test_that("Python's errors are R's, with their fields", {
  skip_without_python()
  df <- households()
  e <- fault(protected(df, fcrm(c = 0)), "fcrm_invalid_parameter")
  expect_identical(conditionMessage(e), "fcrm: `c` must be a whole number, at least 1; got 0")
  expect_identical(e[c("owner", "parameter", "value")], list(owner = "FCRM", parameter = "c", value = "0"))
  e <- fault(quietly(df, ipso(), "age", "wge", seed = 1), "fcrm_invalid_input")
  expect_match(conditionMessage(e), "did you mean `wage`", fixed = TRUE)
  fault(quietly(df, ipso(), "age", "region", seed = 1), "fcrm_invalid_input")
  fault(quietly(df, ipso(), "age", "member", seed = 1), "fcrm_invalid_input")
  fault(quietly(df, ipso(), "age", "name", seed = 1), "fcrm_invalid_input")
  fault(quietly(df, ipso(), "age", "wage", identifiers = "nme", seed = 1), "fcrm_invalid_input")
  fault(quietly(df, ipso(), "age", "age", seed = 1), "fcrm_invalid_parameter")
  fault(quietly(df, ipso(), 2.5, "wage", seed = 1), "fcrm_invalid_parameter")
  fault(quietly(df, ipso(), "age", seed = 1), "fcrm_invalid_parameter")
  fault(quietly(df[0, ], ipso(), "age", "wage", seed = 1), "fcrm_invalid_input")
  fault(quietly(df[c(1, 2, 2)], ipso(), "age", "name", seed = 1), "fcrm_invalid_input")
  fault(protected(df, seed = "one"), "fcrm_invalid_parameter")
  fault(protected(df, seed = 1.5), "fcrm_invalid_parameter")
  fault(protected(df, seed = NA), "fcrm_invalid_parameter")
  fault(protected(df, ipso("D")), "fcrm_invalid_parameter")
  fault(protected(df, missing = "leave"), "fcrm_invalid_parameter")
  fault(protected(df, strict_totals = "yes"), "fcrm_invalid_parameter")
  fault(evaluate(df, df, "wge"), "fcrm_invalid_input")
  fault(evaluate(df, df, "wage", measures = "pill"), "fcrm_invalid_input")
  fault(evaluate(df, df[1:9, ], "wage"), "fcrm_invalid_input")
  fault(evaluate(df["region"], df["region"]), "fcrm_invalid_input")
  fault(sweep_methods(df, list(), "age", "wage", seed = 1), "fcrm_invalid_parameter")
})

test_that("columns of one name are refused", {
  skip_without_python()
  df <- households()
  names(df)[1] <- "seen"
  fault(protected(df), "fcrm_invalid_input")
})

test_that("what Python never sees is refused in the same manner", {
  df <- households()
  fault(protect(list(df), ipso(), NULL, "wage"), "fcrm_invalid_parameter")
  fault(protect(df, "ipso", NULL, "wage"), "fcrm_invalid_parameter")
  fault(sweep_methods(df, c("fcrm", "ipso"), NULL, "wage"), "fcrm_invalid_parameter")
  df$m <- matrix(1, nrow(df), 2)
  fault(protect(df, ipso(), NULL, "m", seed = 1), "fcrm_invalid_input")
  df$l <- as.list(df$wage)
  fault(protect(df, ipso(), NULL, "l", seed = 1), "fcrm_invalid_input")
})

test_that("notes are messages, warnings are R warnings, both with a class, and are stored", {
  skip_without_python()
  df <- households()
  call <- quote(protect(df, fcrm(c = 2), c("age", "hours"), c("wage", "tax"), seed = 1))
  messages <- warnings <- character()
  values <- list()
  released <- withCallingHandlers(eval(call), fcrm_note = function(m) {
    messages <<- c(messages, conditionMessage(m))
    invokeRestart("muffleMessage")
  }, fcrm_warning = function(w) {
    warnings <<- c(warnings, conditionMessage(w))
    values <<- c(values, list(w$value))
    invokeRestart("muffleWarning")
  })
  texts <- notes(released)
  is_warning <- startsWith(texts, "WARNING: ")
  expect_true(any(is_warning))
  expect_identical(messages, paste0("note: ", texts[!is_warning], "\n"))
  expect_identical(paste0("WARNING: ", warnings), texts[is_warning])
  expect_identical(values[[1]], released) # complete when the first warning is signalled
  caught <- tryCatch(suppressMessages(eval(call)), fcrm_warning = function(w) w$value)
  expect_identical(plain_release(caught), plain_release(released))
  expect_s3_class(tryCatch(suppressMessages(eval(call)), warning = identity), "fcrm_warning")
  before <- options(warn = 2)
  expect_error(suppressMessages(eval(call)), "converted from warning")
  options(before)
  expect_true("rounded, being integer columns: tax" %in% notes(released))
  expect_error(notes(df), "a release", class = "fcrm_invalid_parameter")
  expect_error(notes(1), class = "fcrm_invalid_parameter")
})

test_that("a hold is a warning that has the report", {
  skip_without_python()
  df <- households()
  released <- protected(df, identifiers = "name")
  expect_warning(report <- fcrm::evaluate(df, released), class = "fcrm_warning")
  expect_identical(report$verdict$status, "hold")
  caught <- tryCatch(fcrm::evaluate(df, released), fcrm_warning = identity)
  expect_identical(conditionMessage(caught), report$verdict$headline)
  expect_identical(caught$value, report)
  attr(released, "fcrm") <- NULL
  expect_warning(other <- fcrm::evaluate(df, released), NA) # not examined
  expect_identical(other$verdict$status, "not examined")
})

test_that("integer64 beyond the doubles is refused with the reason", {
  skip_without_python()
  skip_if_not_installed("bit64")
  df <- households()
  df$tax <- bit64::as.integer64("9007199254740993") + seq_len(nrow(df))
  expect_error(protect(df, ipso("C"), "age", "tax"), "2^53", class = "fcrm_invalid_input", fixed = TRUE)
})

test_that("a release has at most ten notes, and all_notes() has each one in full", {
  skip_without_python()
  df <- survey(200)
  released <- suppressMessages(suppressWarnings(
    protect(df, ipso("C"), c("age", "hours"), c("wage", "rent", "tax"), missing = "protect", seed = 1)
  ))
  expect_lte(length(notes(released)), 10L)
  expect_true(all(lengths(strsplit(sub("^WARNING: ", "", notes(released)), " ")) <= 25L))
  expect_gte(length(all_notes(released)), length(notes(released)))
  report <- evaluate(df, released, measures = "pil")
  expect_lte(length(notes(report)), 10L)
  expect_gte(length(all_notes(report)), length(notes(report)))
  expect_error(all_notes(df), "a release", class = "fcrm_invalid_parameter")
})

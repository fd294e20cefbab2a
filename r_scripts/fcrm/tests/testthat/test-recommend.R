# Oracle: R's own comparisons. That the figures are Python's is tested from Python.

found <- function(...) recommend(households(120)[c("age", "hours", "wage", "tax")], c("age", "hours"), c("wage", "tax"), seed = 1, ...)

test_that("a recommendation is plain R data, and its methods can be saved, printed and used", {
  skip_without_python()
  few <- list(ipso("C"), calibrated(ipso("C")))
  x <- found(candidates = few, limits = list(sample_uniques = 100))
  file <- tempfile()
  saveRDS(x, file)
  expect_identical(readRDS(file), x)
  expect_equal(lapply(x$candidates[1:2], `[[`, "method"), few)
  table <- as.data.frame(x)
  chosen <- if (is.null(x$best)) "nearest" else "best"
  expect_true(chosen %in% table$choice)
  expect_identical(x$verdict$status, table$verdict[match(chosen, table$choice)])
  expect_match(capture.output(print(x))[1L], "^Verdict: .*Limits changed: sample_uniques 100")
  expect_output(print(summary(x)), "All ")
  pdf(NULL)
  plot(x)
  method <- c(list(x$best), x$nearest)
  method <- Filter(Negate(is.null), method)[[1L]]$method
  expect_s3_class(protected(households(120), method, seed = x$seeds[1]), "data.frame")
})

test_that("without a pass no method is recommended, and the nearest are named", {
  skip_without_python()
  x <- found(candidates = fcrm(c = 2), max_dr = 0)
  expect_null(x$best)
  expect_identical(x$verdict$status, "hold")
  expect_false(any(as.data.frame(x)$choice == "best"))
  expect_output(print(x$nearest[[1L]]), "fcrm(c = ", fixed = TRUE)
})

test_that("the simulated files keep what their page says", {
  skip_without_python()
  a <- accounts(80)
  expect_identical(a$NET, a$DEPOSITS - a$DEBT)
  e <- enterprises(80, seed = 2)
  expect_identical(e$TURNOVER, e$PURCHASES + e$PAYROLL + e$SURPLUS)
  expect_identical(dim(census_like(30)), c(30L, 13L))
  expect_error(accounts("many"), class = "fcrm_invalid_parameter")
})

# Oracle: R's own comparisons. That the figures are Python's is tested from Python.

found <- function(...) {
  recommend(households(60), c("age", "hours"), c("wage", "tax"), seed = 1, seeds = 2, seconds = 600, ...)
}

test_that("a recommendation is plain R data, and its pick can be saved, printed and used", {
  skip_without_python()
  few <- list(ipso("C"), fcrm(c = 2), calibrated(ipso("C"), margins = "original"))
  x <- found(candidates = few, max_dr = 100)
  file <- tempfile()
  saveRDS(x, file)
  expect_identical(readRDS(file), x)
  expect_equal(lapply(x$candidates[1:3], `[[`, "method"), few)
  table <- as.data.frame(x)
  whole <- table$seeds == 2
  expect_identical(table$pil[table$pick], min(table$pil[whole]))
  expect_identical(x$least$values[["dr"]], min(table$dr))
  expect_identical(is.na(table$pil_sd), !whole)
  expect_output(print(x), "is recommended")
  expect_output(print(summary(x)), "All ")
  out <- protected(households(60), x$pick$method, seed = x$seeds[1])
  expect_s3_class(out, "data.frame")
})

test_that("the limit can be on the risk of who knows the method, and alarms come before a method is named", {
  skip_without_python()
  x <- found(candidates = list(fcrm(c = 8), ipso("C")), max_dr = 90, risk = "dr_informed")
  table <- as.data.frame(x)
  expect_identical(table$within, table$dr_informed_worst <= 90)
  expect_false(is.na(table$membership[table$pick]))
  named <- grep(" is recommended: of ", x$reasons, fixed = TRUE)
  expect_true(all(grep("^ALARM", x$reasons) < named))
  expect_output(print(x), "DR by who knows the method at most 90")
  expect_output(print(x), "dr_informed", fixed = TRUE)
  pdf(NULL)
  plot(x)
  expect_error(found(candidates = ipso("C"), risk = "prl"), "`risk` must be one of")
})

test_that("where nothing keeps the limit there is no pick, and the least risk is named", {
  skip_without_python()
  x <- found(candidates = fcrm(c = 2), max_dr = 0)
  expect_null(x$pick)
  expect_false(any(as.data.frame(x)$pick))
  expect_match(x$reasons[1], "No method is recommended")
  expect_output(print(x$least), "fcrm(c = ", fixed = TRUE)
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

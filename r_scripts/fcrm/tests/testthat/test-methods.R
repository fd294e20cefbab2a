# Oracle: by hand. Python is not needed to make or show a method.

test_that("a method shows what was set", {
  expect_identical(format(fcrm(c = 8)), "fcrm(c = 8)")
  expect_identical(format(fcrm(3, m = 2, joint = TRUE)), "fcrm(c = 3, m = 2, joint = TRUE)")
  expect_identical(format(ipso()), 'ipso(kind = "C")')
  expect_identical(format(ipso("C", "thesis")), 'ipso(variant = "thesis")')
  expect_output(print(fcrm(c = 8)), "fcrm(c = 8)", fixed = TRUE)
})

test_that("a required parameter is asked for", {
  e <- expect_error(fcrm(), class = "fcrm_invalid_parameter")
  expect_identical(e$parameter, "c")
})

test_that("names of a vector of columns do not matter", {
  expect_identical(localsuppression(3, keys = c(first = "region"))$parameters$keys, "region")
})

test_that("every argument of a constructor is packed, NULL too", {
  expect_identical(
    fcrm(c = 8)$parameters,
    list(c = 8, m = 1.5, tol = 1e-5, max_iter = 30, intercept = TRUE, joint = FALSE, basis = NULL,
         release = "predict", donors = 50)
  )
  expect_identical(topbottomcoding(top = "99%")$parameters, list(top = "99%", bottom = NULL))
  expect_identical(format(gadp()), "gadp()")
})

test_that("a method is a parameter of another", {
  expect_identical(format(calibrated(ipso("A"))), 'calibrated(method = ipso(kind = "A"))')
  expect_identical(plain_method(calibrated(dummy()))$parameters$method$method, "Dummy")
  expect_identical(calibrated(dummy(), margins = NULL)$parameters["margins"], list(margins = NULL))
  expect_identical(format(calibrated()), 'calibrated(method = sequential_trees(model = "cart"))')
})

test_that("a mapping crosses by its names", {
  packed <- plain_method(recoding(list(wage = c(1, 2), tax = 4)))$parameters$breaks
  expect_identical(packed, list(names = pack_texts(c("wage", "tax")), values = list(c(1, 2), 4)))
})

test_that("NA never becomes TRUE on the way", {
  e <- expect_error(plain_method(fcrm(c = 8, joint = NA)), class = "fcrm_invalid_parameter")
  expect_identical(e$parameter, "joint")
  expect_error(plain(NA_real_, "protect", "seed"), class = "fcrm_invalid_parameter")
  expect_identical(plain(NaN, "protect", "seed"), NaN)
})

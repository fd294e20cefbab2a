# Columns of other packages' classes. Oracle: the same values as plain numbers. Grade: identical.

test_that("a difftime is protected as its number, and stays one", {
  skip_without_python()
  df <- households()
  df$wage <- as.difftime(df$wage, units = "mins")
  released <- protected(df)
  expect_identical(attributes(released$wage), attributes(df$wage))
  expect_identical(as.double(released$wage), protected(households())$wage)
})

test_that("values that SPSS's users declare missing are missing, and stay the codes they were", {
  skip_without_python()
  df <- plain <- households()
  plain$wage[c(2, 9, 11)] <- NA
  df$wage[c(2, 9, 11)] <- c(-1, 99999, NA)
  df$wage <- structure(df$wage, na_values = -1, na_range = c(9e4, 1e5), class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"))
  expect_error(protected(df), "missing", class = "fcrm_invalid_input")
  released <- protected(df, missing = "complete")
  expect_identical(attributes(released$wage), attributes(df$wage))
  expect_identical(as.vector(unclass(released$wage))[c(2, 9, 11)], c(-1, 99999, NA))
  expect_identical(as.vector(unclass(released$wage))[-c(2, 9, 11)], protected(plain, missing = "complete")$wage[-c(2, 9, 11)])
  expect_equal(evaluate(df, released, "wage", missing = "complete")$pil, evaluate(plain, protected(plain, missing = "complete"), "wage", missing = "complete")$pil)
})

test_that("integer64 is protected where doubles are exact, and stays whole", {
  skip_without_python()
  skip_if_not_installed("bit64")
  df <- plain <- households()
  plain$wage <- round(1e9 * plain$wage)
  df$wage <- bit64::as.integer64(plain$wage)
  expect_message(protect(df, ipso("C"), wage ~ age, seed = 1), "being of class integer64: wage")
  released <- protected(df)
  expect_s3_class(released$wage, "integer64")
  expect_identical(bit64::as.double.integer64(released$wage), round(protected(plain)$wage))
  expect_identical(protected(df, round_integers = FALSE)$wage, protected(plain)$wage)
  df$wage <- df$wage * 1e6
  expect_error(protected(df), "column `wage`", class = "fcrm_invalid_input")
})

test_that("errors are in R's words", {
  expect_identical(in_r_words("True"), "TRUE")
  expect_identical(in_r_words("[1, 2]"), "c(1, 2)")
  expect_identical(in_r_words("('a', 'b')"), 'c("a", "b")')
  expect_identical(in_r_words("('a',)"), 'c("a")')
  skip_without_python()
  df <- households()
  expect_error(protected(df, seed = "one"), '^protect: `seed` .*got "one"$', class = "fcrm_invalid_parameter")
  e <- expect_error(quietly(df, ipso(), c(1, 2), "wage", seed = 1), "^protect: ", class = "fcrm_invalid_parameter")
  expect_match(conditionMessage(e), "1", fixed = TRUE)
  e <- expect_error(protected(df, round_integers = NULL), class = "fcrm_invalid_parameter")
  expect_match(conditionMessage(e), "got NULL", fixed = TRUE)
})

test_that("broom and ggplot2 have their methods, and a citation has its year", {
  expect_match(format(citation("fcrm"), style = "text"), "2026")
  skip_without_python()
  skip_if_not_installed("generics")
  skip_if_not_installed("ggplot2")
  df <- households()
  frontier <- sweep_methods(df, list(ipso("A"), ipso("C")), wage + tax ~ age + hours, seed = 1)
  report <- evaluate(df, protected(df), c("wage", "tax"))
  expect_identical(generics::tidy(frontier), as.data.frame(frontier))
  expect_identical(generics::tidy(report), as.data.frame(report))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (one in list(frontier, report)) expect_s3_class(print(ggplot2::autoplot(one)), "ggplot")
})

# Objects of other packages, by stand-ins of the same slots; sdcMicro's: see test-sdcmicro.R. Oracle: the same work on plain frames. Grade: identical.

setClass("dataObj", representation(data = "data.frame"))
setClass("simPopObj", representation(sample = "dataObj", pop = "dataObj"))

test_that("synthpop's and simPop's objects are judged", {
  skip_without_python()
  df <- households()
  plain <- protected(df)
  one <- structure(list(m = 1L, syn = plain), class = "synds")
  expect_equal(evaluate(df, one, c("wage", "tax")), evaluate(df, plain, c("wage", "tax")))
  two <- structure(list(m = 2L, syn = list(plain, protected(df, seed = 2))), class = "synds")
  reports <- evaluate(df, two, wage + tax ~ age + hours)
  expect_length(reports, 2L)
  expect_equal(reports[[2]], evaluate(df, two$syn[[2]], c("wage", "tax"), independent = c("age", "hours")))
  population <- df[rep(seq_len(120), 3), ]
  sim <- new("simPopObj", sample = new("dataObj", data = df), pop = new("dataObj", data = population))
  set.seed(4)
  drawn <- population[sort(sample.int(360, 120)), c("wage", "tax")]
  expect_equal(evaluate(sim, columns = c("wage", "tax"), seed = 4)$pil, evaluate(df, structure(drawn, row.names = 1:120))$pil)
  expect_false(is.na(evaluate(sim, columns = c("wage", "tax"), seed = 4)$id)) # not judged as a release of the drawing
  turned <- new("simPopObj", sample = sim@pop, pop = sim@sample)
  expect_error(evaluate(turned), "more records", class = "fcrm_invalid_input")
})

test_that("a matrix comes back a matrix", {
  skip_without_python()
  df <- households()
  x <- as.matrix(df[c("age", "hours", "wage", "tax")])
  out <- quietly(x, ipso("C"), wage + tax ~ age + hours, seed = 1)
  expect_true(is.matrix(out))
  expect_equal(seed_of(out), 1)
  expect_identical(dimnames(out), dimnames(x))
  expect_equal(out[, "wage"], protected(df)$wage)
  expect_identical(evaluate(x, out, c("wage", "tax"))$pil, evaluate(as.data.frame(x), as.data.frame(out), c("wage", "tax"))$pil)
  expect_error(protect(unname(x), ipso("C"), wage ~ age), "must have names", class = "fcrm_invalid_input")
})

test_that("a formula names the roles", {
  df <- data.frame(a = 1, `b c` = 2, d = 3, name = "p", check.names = FALSE)
  roles <- function(formula, ...) roles_of("protect", df, formula, NULL, ...)[c("independent", "dependent")]
  expect_identical(roles(d ~ a + `b c`), list(independent = c("a", "b c"), dependent = "d"))
  expect_identical(roles(d + a ~ ., "name"), list(independent = "b c", dependent = c("d", "a")))
  expect_identical(roles(d ~ 1), list(independent = character(), dependent = "d"))
  for (formula in list(log(d) ~ a, d ~ a * a, ~a, d ~ 2, . ~ a)) {
    expect_error(roles(formula), "formula", class = "fcrm_invalid_parameter")
  }
  expect_error(roles_of("protect", df, d ~ a, "d"), "with a formula", class = "fcrm_invalid_parameter")
})

test_that("a formula is the same as names, in every function", {
  skip_without_python()
  df <- households()
  formula <- wage + tax ~ age + hours
  expect_identical(plain_release(quietly(df, ipso("C"), formula, seed = 1)), plain_release(protected(df)))
  x <- sweep_methods(df, ipso("A"), formula, seed = 1)
  expect_identical(x, sweep_methods(df, ipso("A"), c("age", "hours"), c("wage", "tax"), seed = 1))
  expect_identical(find_structure(df, formula), find_structure(df, c("age", "hours"), c("wage", "tax")))
})

test_that("where nothing is masked, data are refused in a sentence", {
  expect_error(microaggregation(data.frame(x = 1)), "arguments of protect", class = "fcrm_invalid_parameter")
  expect_error(protect(1, ipso("C")), "must be a data.frame", class = "fcrm_invalid_parameter")
  expect_error(protect(data.frame(x = 1), ipso("C"), sede = 1), "no further argument; got sede", class = "fcrm_invalid_input")
})

test_that("estimates of a release are those of lm on it", {
  skip_without_python()
  df <- households()
  df$region <- factor(as.character(df$region), levels = c("west", "\u00e9st"))
  df$twice <- 2 * df$age
  released <- protected(df)
  for (formula in list(wage ~ region + age * hours, wage ~ age + twice + hours)) {
    result <- analyse(df, released, formula)
    fit <- stats::lm(formula, released)
    # Close: another order of sums and another decomposition.
    expect_equal(coef(result), coef(fit), tolerance = 1e-8)
    expect_equal(vcov(result), vcov(fit), tolerance = 1e-8)
    expect_equal(confint(result), confint(fit), tolerance = 1e-8)
    expect_equal(confint(result, "age", level = 0.9), confint(fit, "age", level = 0.9), tolerance = 1e-8)
  }
  weighted <- analyse(df, released, wage ~ age, weights = "hours")
  expect_equal(vcov(weighted), vcov(stats::lm(wage ~ age, released, weights = released$hours)), tolerance = 1e-8)
  # A factor of two levels as glm has it; close: both end the same iterations by the same rule.
  logit <- analyse(df, released, region ~ age + hours, family = binomial)
  expect_equal(coef(logit), coef(stats::glm(region ~ age + hours, binomial, released)), tolerance = 1e-6)
  medians <- analyse(df, released, wage ~ region, quantile = 0.5)
  expected <- tapply(released$wage, released$region, stats::quantile, 0.5, type = 1)
  expect_identical(unname(coef(medians)), as.numeric(expected))
  expect_identical(medians$term, paste0("region=", names(expected)))
  expect_error(analyse(df, released, wage ~ region, quantile = 2), class = "fcrm_invalid_parameter")
})

# Oracle: R's own generators, and one seed against another. Grade: identical.

test_that("a seed gives one release, and R's own state stays", {
  skip_without_python()
  df <- households()
  set.seed(99)
  before <- .Random.seed
  expect_identical(protected(df, seed = 4), protected(df, seed = 4L))
  expect_false(identical(protected(df, seed = 4), protected(df, seed = 5)))
  expect_identical(.Random.seed, before)
})

test_that("seed = NULL continues R's state and leaves it where its draws end", {
  skip_without_python()
  df <- households()
  set.seed(4)
  continued <- protected(df, seed = NULL)
  after <- .Random.seed
  expect_identical(continued, protected(df, seed = 4))
  set.seed(4)
  rnorm(2 * nrow(df)) # IPSO-C draws a block of normals, n by t
  expect_identical(.Random.seed, after)
  expect_false(identical(protected(df, seed = NULL), continued))
})

test_that("a session without a state gets one", {
  skip_without_python()
  if (exists(".Random.seed", globalenv(), inherits = FALSE)) rm(".Random.seed", envir = globalenv())
  protected(households(), seed = NULL)
  expect_true(exists(".Random.seed", globalenv(), inherits = FALSE))
})

test_that("other generators are refused, with the line that mends it, and nothing is drawn", {
  before <- RNGkind()
  on.exit(do.call(RNGkind, as.list(before)))
  suppressWarnings(RNGkind(sample.kind = "Rounding"))
  state <- .Random.seed
  e <- expect_error(protected(households(), seed = NULL), class = "fcrm_invalid_parameter")
  expect_match(conditionMessage(e), 'RNGkind("Mersenne-Twister", "Inversion", "Rejection")', fixed = TRUE)
  expect_identical(.Random.seed, state)
})

test_that("an error draws nothing", {
  skip_without_python()
  set.seed(4)
  before <- .Random.seed
  expect_error(protected(households(), fcrm(c = 0), seed = NULL), class = "fcrm_invalid_parameter")
  expect_identical(.Random.seed, before)
})

test_that("a sweep's seed repeats its candidates", {
  skip_without_python()
  df <- households()
  set.seed(2)
  frontier <- sweep_methods(df, list(ipso("C")), c("age", "hours"), c("wage", "tax"))
  released <- protected(df, seed = frontier$seed)
  report <- evaluate(df, released, c("wage", "tax"))
  expect_identical(report$pil, frontier$table$pil)
  set.seed(2)
  expect_identical(sample.int(.Machine$integer.max, 1L), frontier$seed)
})

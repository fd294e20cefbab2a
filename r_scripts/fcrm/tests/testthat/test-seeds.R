# Oracle: R's own generators, and one seed against another. Grade: identical.

test_that("a seed gives one release, and R's own state stays", {
  skip_without_python()
  df <- households()
  set.seed(99)
  before <- .Random.seed
  expect_identical(plain_release(protected(df, seed = 4)), plain_release(protected(df, seed = 4L)))
  expect_false(identical(plain_release(protected(df, seed = 4)), plain_release(protected(df, seed = 5))))
  expect_identical(.Random.seed, before)
})

test_that("seed = NULL continues R's state and leaves it where its draws end", {
  skip_without_python()
  df <- households()
  set.seed(4)
  continued <- protected(df, seed = NULL)
  after <- .Random.seed
  expect_identical(plain_release(continued), plain_release(protected(df, seed = 4)))
  set.seed(4)
  rnorm(2 * nrow(df)) # IPSO-C draws a block of normals, n by t
  expect_identical(.Random.seed, after)
  expect_false(identical(plain_release(protected(df, seed = NULL)), plain_release(continued)))
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

test_that("a fresh start is a whole state, leaves R's own alone, and makes the release again", {
  skip_without_python()
  df <- households()
  set.seed(99)
  before <- .Random.seed
  for (method in list(ipso("C"), noise(amount = 20), rankswapping(15), microaggregation(3))) {
    released <- protected(df, method, seed = "fresh")
    again <- function(seed) plain_release(protected(df, method, seed = seed))
    state <- seed_of(released)
    expect_identical(length(state), 626L)
    expect_identical(state[1:2], c(10403L, 624L))
    expect_identical(again(state), plain_release(released))
    expect_identical(again(as.numeric(state)), plain_release(released)) # as JSON gives it
    assign(".Random.seed", state, envir = globalenv())
    expect_identical(again(NULL), plain_release(released))
    assign(".Random.seed", before, envir = globalenv())
  }
  expect_false(identical(plain_release(protected(df, seed = "fresh")), plain_release(protected(df, seed = "fresh"))))
  expect_identical(.Random.seed, before)
})

test_that("no seed of R's leads to a fresh state", {
  skip_without_python()
  # R's seeding is linear: the next word is 69069 times this one, plus 1, modulo 2^32, exact in doubles.
  follows <- function(state) {
    word <- as.numeric(state[-(1:2)]) %% 2^32
    sum((word[-624] * 69069 + 1) %% 2^32 == word[-1])
  }
  set.seed(1)
  expect_identical(follows(.Random.seed), 623L)
  released <- protected(households(), seed = "fresh")
  expect_identical(follows(seed_of(released)), 0L)
})

test_that("a seed of 32 bits has a note", {
  skip_without_python()
  df <- households()
  notes_of <- function(...) notes(protected(df, ...))
  set.seed(1)
  expect_match(notes_of(noise(amount = 20), seed = NULL), "R's own seeding has 32 bits.*undone.*fresh", all = FALSE)
  own <- notes_of(ipso("C"), seed = NULL)
  expect_match(own, "R's own seeding has 32 bits", all = FALSE)
  expect_false(any(grepl("undone", own)))
  expect_false(any(grepl("32 bits", notes_of(microaggregation(3), seed = NULL)))) # draws nothing
  expect_match(notes_of(noise(amount = 20), seed = 1), "an intruder who finds the seed", all = FALSE)
  expect_false(any(grepl("seed", notes_of(ipso("C"), seed = 1))))
  expect_false(any(grepl("seed", notes_of(noise(amount = 20), seed = "fresh"))))
  expect_match(notes_of(rankswapping(15, form = "sdcmicro"), seed = "fresh"), "generator of 32 bits", all = FALSE)
})

test_that("seed_of knows the latest release, a file's too, and no other", {
  skip_without_python()
  df <- households()
  released <- protected(df, seed = 4)
  expect_equal(seed_of(released), 4)
  input <- tempfile(fileext = ".csv")
  output <- tempfile(fileext = ".csv")
  again <- tempfile(fileext = ".csv")
  write.csv(df[c("age", "hours", "wage")], input, row.names = FALSE)
  without_warnings(suppressMessages(protect_file(input, output, noise(amount = 20), "age", "wage", seed = "fresh")))
  state <- seed_of(output)
  expect_identical(length(state), 626L)
  without_warnings(suppressMessages(protect_file(input, again, noise(amount = 20), "age", "wage", seed = state)))
  expect_identical(readLines(again), readLines(output))
  expect_equal(seed_of(released), 4)
  expect_error(seed_of(df), class = "fcrm_invalid_parameter")
  expect_error(seed_of("nowhere.csv"), class = "fcrm_invalid_parameter")
})

test_that("a fresh sweep repeats its candidates, and a fresh recommendation its releases", {
  skip_without_python()
  df <- households()
  frontier <- sweep_methods(df, list(noise(amount = 20), ipso("C")), c("age", "hours"), c("wage", "tax"), seed = "fresh")
  expect_identical(length(seed_of(frontier)), 626L)
  for (k in 1:2) {
    released <- protected(df, frontier$candidates[[k]]$method, seed = frontier$seed)
    expect_identical(evaluate(df, released, c("wage", "tax"))$pil, frontier$table$pil[k])
  }
  found <- recommend(df, c("age", "hours"), c("wage", "tax"),
    seed = "fresh", candidates = list(ipso("C"))
  )
  expect_true(all(lengths(found$seeds) == 626L))
})

test_that("what is no state is refused, and nothing is drawn", {
  skip_without_python()
  set.seed(4)
  before <- .Random.seed
  for (bad in list(rep(0L, 626), replace(before, 2, 999L), replace(before, 1, 7L), "stale", 1:5)) {
    expect_error(protected(households(), seed = bad), class = "fcrm_invalid_parameter")
  }
  expect_identical(.Random.seed, before)
})

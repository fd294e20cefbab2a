# Oracle: the frame that came in. Grade: identical.

test_that("columns without a role leave identical, types and order stay", {
  skip_without_python()
  df <- households()
  before <- serialize(df, NULL)
  released <- protected(df, identifiers = "name")
  expect_identical(serialize(df, NULL), before)
  expect_identical(names(released), setdiff(names(df), "name"))
  for (name in setdiff(names(released), c("wage", "tax"))) expect_identical(released[[name]], df[[name]])
  expect_type(released$tax, "integer")
  expect_type(released$wage, "double")
  expect_false(any(released$wage == df$wage))
  expect_identical(class(released), class(df))
  expect_identical(attributes(released)$row.names, attributes(df)$row.names)
})

test_that("round_integers = FALSE gives doubles", {
  skip_without_python()
  df <- households()
  expect_type(protected(df, round_integers = FALSE)$tax, "double")
  expect_equal(round(protected(df, round_integers = FALSE)$tax), as.numeric(protected(df)$tax))
})

test_that("row names and column attributes stay; what is not the table goes", {
  skip_without_python()
  df <- households()
  row.names(df) <- df$name
  attr(df$wage, "label") <- "Wage, monthly"
  comment(df) <- "from /home/someone/secret.csv"
  released <- protected(df)
  expect_identical(row.names(released), df$name)
  expect_identical(attr(released$wage, "label"), "Wage, monthly")
  expect_setequal(names(attributes(released)), c("names", "class", "row.names", "fcrm"))
})

test_that("a release holds no seed", {
  skip_without_python()
  numbers <- function(seed) rapply(attr(protected(households(), seed = seed), "fcrm"), as.numeric, "numeric", how = "unlist")
  expect_false(any(numbers(271828182) %in% 271828182))
  expect_identical(attr(protected(households(), seed = "fresh"), "fcrm")$seed, "fresh")
  set.seed(1)
  expect_identical(attr(protected(households(), seed = NULL), "fcrm")$seed, "state")
})

test_that("a tibble comes back a tibble", {
  skip_without_python()
  skip_if_not_installed("tibble")
  df <- tibble::as_tibble(households())
  released <- protected(df)
  expect_s3_class(released, class(df), exact = TRUE)
  expect_identical(as.data.frame(released), protected(households()))
  expect_output(print(released), "tibble")
})

test_that("a data.table comes back a data.table of its own", {
  skip_without_python()
  skip_if_not_installed("data.table")
  df <- data.table::as.data.table(households())
  data.table::setkeyv(df, c("age", "wage"))
  released <- protected(df, identifiers = "name")
  expect_s3_class(released, class(df), exact = TRUE)
  expect_identical(data.table::key(released), "age")
  expect_warning(data.table::set(released, j = "new", value = 1L), NA)
  expect_true(data.table::truelength(released) > length(released))
  data.table::set(released, i = 1L, j = "hours", value = -1)
  expect_false(-1 %in% df$hours)
  plain <- protected(as.data.frame(df), identifiers = "name")
  data.table::set(released, j = "new", value = NULL)
  data.table::set(released, i = 1L, j = "hours", value = df$hours[1])
  expect_identical(as.list(as.data.frame(released)), as.list(plain))
})

test_that("a data.table without key has none afterwards", {
  skip_without_python()
  skip_if_not_installed("data.table")
  df <- data.table::as.data.table(households())
  expect_null(data.table::key(protected(df)))
})

test_that("a grouping column cannot be replaced under its groups", {
  skip_without_python()
  df <- structure(households(), groups = data.frame(tax = 1L, .rows = I(list(1L))))
  expect_error(protected(df), "ungroup", class = "fcrm_invalid_input")
})

test_that("missing values: refused, protected with their gaps, NA and NaN apart, or dropped", {
  skip_without_python()
  df <- households()
  df$wage[c(3, 7)] <- c(NA, NaN)
  df$tax[5] <- NA
  expect_error(protected(df), "missing", class = "fcrm_invalid_input")
  released <- protected(df, missing = "protect")
  gaps <- c(3, 5, 7)
  expect_identical(is.na(released[names(released)]), is.na(df[names(released)]))
  expect_false(any(released$wage == df$wage, na.rm = TRUE))
  expect_identical(is.nan(released$wage), is.nan(df$wage))
  expect_type(released$tax, "integer")
  expect_identical(rownames(protected(df, missing = "drop")), rownames(df)[-gaps])
})

test_that("names that are no R names, and factors as names", {
  skip_without_python()
  df <- households()
  names(df)[4:5] <- c("a; quit()", "\u00e9 `x`")
  released <- quietly(df, ipso("C"), factor(c("age", "hours")), names(df)[4:5], seed = 1)
  expect_identical(names(released), names(df))
  expect_identical(released[[4]], protected(households())$wage)
})

test_that("a labelled number is a number", {
  skip_without_python()
  df <- households()
  df$wage <- structure(df$wage, label = "w", class = c("haven_labelled", "vctrs_vctr", "double"))
  released <- protected(df)
  expect_identical(attributes(released$wage), attributes(df$wage))
  expect_identical(as.vector(unclass(released$wage)), protected(households())$wage)
})

test_that("a sample keeps the records' numbers, and can be judged by them", {
  skip_without_python()
  df <- households()
  released <- protected(df, sampling(0.3))
  rows <- attr(released, "row.names")
  expect_length(rows, 36)
  expect_identical(plain_release(released), df[rows, ])
  set.seed(1)
  expect_identical(rows, sort(sample.int(nrow(df), 36)))
  expect_identical(evaluate(df, plain_release(released), c("wage", "tax"))$id, 100)
  row.names(df) <- df$name
  expect_identical(row.names(protected(df, sampling(0.3))), df$name[rows])
  skip_if_not_installed("tibble")
  expect_identical(plain_release(protected(tibble::as_tibble(households()), sampling(0.3))), tibble::as_tibble(households())[rows, ])
})

test_that("recoding gives ordered factors, or means", {
  skip_without_python()
  df <- households()
  released <- protected(df, recoding(list(wage = c(2000, 2500), tax = 3)))
  cut <- cut(df$wage, c(-Inf, 2000, 2500, Inf), c("(-inf, 2000)", "[2000, 2500)", "[2500, inf)"), right = FALSE)
  expect_identical(released$wage, factor(cut, ordered = TRUE))
  expect_identical(nlevels(released$tax), 3L)
  expect_equal(mean(protected(df, recoding(4, labels = FALSE))$wage), mean(df$wage))
})

test_that("emptied cells are NA of the column's own type, in columns of any type", {
  skip_without_python()
  df <- households()
  keys <- c("region", "class", "member", "age", "born")
  released <- protected(df, localsuppression(k = 4, keys = keys))
  lost <- vapply(keys, function(name) sum(is.na(released[[name]])), 0L)
  expect_true(any(lost > 0L))
  for (name in names(df)) {
    expect_identical(attributes(released[[name]]), attributes(df[[name]]))
    present <- !is.na(released[[name]])
    expect_identical(released[[name]][present], df[[name]][present])
    expect_type(released[[name]], typeof(df[[name]]))
  }
  expect_identical(quietly(df, localsuppression(k = 4, keys = keys), seed = 1)[keys], released[keys])
  groups <- table(do.call(paste, released[keys]))
  expect_true(all(groups >= 4))
  expect_true(evaluate(df, released, measures = "k_anonymity", keys = keys)$k_anonymity >= 0)
  expect_identical(protected(df, localsuppression(2, keys = "wage"))$wage, rep(NA_real_, nrow(df)))
  texts <- capture_messages(protect(df, localsuppression(2, keys = "wage"), seed = 1))
  expect_false(any(grepl("declares", texts)))  # only new values can equal a declared code
})

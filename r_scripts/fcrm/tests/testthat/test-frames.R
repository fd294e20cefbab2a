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

test_that("variables = \"numbers\" gives doubles", {
  skip_without_python()
  df <- households()
  expect_type(protected(df, variables = "numbers")$tax, "double")
  expect_equal(round(protected(df, variables = "numbers")$tax), as.numeric(protected(df)$tax))
})

test_that("column attributes stay; what is not the table goes", {
  skip_without_python()
  df <- households()
  attr(df$wage, "label") <- "Wage, monthly"
  comment(df) <- "from /home/someone/secret.csv"
  released <- protected(df)
  expect_identical(attr(released$wage, "label"), "Wage, monthly")
  expect_setequal(names(attributes(released)), c("names", "class", "row.names", "fcrm"))
})

test_that("row names are not released", {
  skip_without_python()
  df <- households()
  named <- df
  row.names(named) <- named$name
  expect_error(protected(named), "rownames(df) <- NULL", class = "fcrm_invalid_input", fixed = TRUE)
  expect_error(protect(as.matrix(named[c("age", "hours", "wage")]), ipso("C"), "age", "wage"), "row names", class = "fcrm_invalid_input")
  for (part in list(df[df$age > 30, ], df[rev(seq_len(nrow(df))), ])) {
    expect_message(released <- protect(part, ipso("C"), "age", "wage", seed = 1, shuffle = FALSE), "row numbers")
    expect_identical(attr(released, "row.names"), seq_len(nrow(part)))
    expect_identical(released$born, part$born)
  }
  expect_silent(suppressWarnings(quietly(df, ipso("C"), "age", "wage", seed = 1)))
  row.names(df) <- as.character(seq_len(nrow(df)))
  expect_false(any(grepl("row numbers", notes(quietly(df, ipso("C"), "age", "wage", seed = 1)))))
})

test_that("a release carries roles, method and a random key only", {
  skip_without_python()
  df <- households()
  names(df)[1] <- "respondent"
  carried <- function(seed, ...) attr(protected(df, seed = seed, identifiers = "respondent", ...), "fcrm")
  one <- carried(271828182)
  expect_identical(names(one), c("roles", "method", "key"))
  expect_null(one$roles$identifiers)
  expect_false(one$key == carried(271828182)$key)
  limits <- list(wage = variable(bounds = c(123.456, 98765.4321)))
  for (seed in list(271828182, "fresh", NULL)) {
    if (is.null(seed)) set.seed(314159265)
    released <- protected(df, seed = seed, identifiers = "respondent", variables = limits, constraints = "tax <= 0.987654321*wage")
    path <- tempfile()
    saveRDS(released, path, compress = FALSE)
    stored <- list(readBin(path, "raw", file.size(path)), serialize(released, NULL), charToRaw(paste(deparse(released), collapse = "")))
    planted <- c(notes(released), "respondent", "p001", "271828182", "314159265", "0.987654321")
    numbers <- c(271828182, 314159265, 123.456, 98765.4321, seed_of(released)[seq_len(min(10L, length(seed_of(released))))])
    for (bytes in stored) {
      for (text in planted) expect_length(grepRaw(text, bytes, fixed = TRUE), 0)
      for (number in numbers) for (endian in c("big", "little")) {
        expect_length(grepRaw(writeBin(as.double(number), raw(), endian = endian), bytes, fixed = TRUE), 0)
      }
      # words 4 to 7 of a state; the first two are the same for every state
      words <- writeBin(as.integer(seed_of(released)[4:7]), raw(), endian = "big")
      if (length(seed_of(released)) > 1L) expect_length(grepRaw(words, bytes, fixed = TRUE), 0)
    }
    expect_length(notes(released), length(unique(notes(released))))
    unlink(path)
  }
})

test_that("in another session the notes and the seed are missed plainly, roles and method are known", {
  skip_without_python()
  df <- households()
  released <- protected(df)
  path <- tempfile()
  saveRDS(released, path)
  again <- readRDS(path)
  expect_identical(notes(again), notes(released))
  other <- again
  attr(other, "fcrm")$key <- "of another session"
  expect_error(notes(other), "another session", class = "fcrm_invalid_parameter")
  expect_error(seed_of(other), "another session", class = "fcrm_invalid_parameter")
  expect_error(codebook(other), "another session", class = "fcrm_invalid_parameter")
  expect_error(notes(df), "another frame", class = "fcrm_invalid_parameter")
  report <- evaluate(df, other)
  expect_identical(report$pil, evaluate(df, released)$pil)
  expect_true(any(grepl("own R session", notes(report))))
  expect_false(any(grepl("own R session", notes(evaluate(df, released)))))
})

test_that("a tibble comes back a tibble", {
  skip_without_python()
  skip_if_not_installed("tibble")
  df <- tibble::as_tibble(households())
  released <- protected(df)
  expect_s3_class(released, class(df), exact = TRUE)
  expect_identical(plain_release(as.data.frame(released)), plain_release(protected(households())))
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
  expect_identical(as.list(plain_release(as.data.frame(released))), as.list(plain_release(plain)))
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
  expect_identical(protected(df, missing = "drop")$name, df$name[-gaps])
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

test_that("the session knows which records a sample has, and it can be judged by them", {
  skip_without_python()
  df <- households()
  released <- protected(df, sampling(0.3))
  set.seed(1)
  rows <- sort(sample.int(nrow(df), 36))
  part <- function(df) {
    drawn <- df[rows, ]
    row.names(drawn) <- NULL
    drawn
  }
  expect_identical(plain_release(released), part(df))
  columns <- c("wage", "tax")
  expect_identical(evaluate(df, df[rows, ], columns)$id, 100)
  expect_error(evaluate(df, plain_release(released), columns, "id"), "pair", class = "fcrm_invalid_input")
  skip_if_not_installed("tibble")
  expect_identical(plain_release(protected(tibble::as_tibble(df), sampling(0.3))), tibble::as_tibble(part(df)))
  gaps <- df
  gaps$wage[c(3, 30, 70)] <- NA
  released <- protected(gaps, noise(amount = 1), missing = "drop")
  complete <- gaps[!is.na(gaps$wage), ]
  id <- function(released, df) evaluate(df, released, columns, "id")$id
  expect_gt(id(released, gaps), 90)
  expect_identical(id(released, gaps), id(plain_release(released), complete))
  expect_identical(id(released[released$age > 30, ], gaps), id(plain_release(released[released$age > 30, ]), complete[complete$age > 30, ]))
})

test_that("row names that one file has do not pair: position does", {
  skip_without_python()
  df <- households()[c("age", "hours", "wage", "tax")]
  df <- df[df$age > 30, ]
  released <- quietly(df, noise(amount = 1), c("age", "hours"), c("wage", "tax"), seed = 1)
  value <- function(released, original = df) evaluate(original, released, c("wage", "tax"), "dbrl")$dbrl
  expect_gt(value(released), 90)
  path <- tempfile(fileext = ".csv")
  write.csv(released, path, row.names = FALSE)
  expect_identical(value(read.csv(path)), value(released))
  plain <- plain_release(released)
  numbered <- named <- plain
  row.names(numbered) <- row.names(df) # as other packages keep them
  row.names(named) <- paste0("r", seq_len(nrow(df)))
  others <- list(numbered, named, as.matrix(plain), `rownames<-`(as.matrix(plain), seq_len(nrow(plain))))
  for (other in others) expect_identical(value(other), value(released))
  for (verb in list(records_at_risk, variable_changes)) expect_identical(as.data.frame(verb(df, plain)), as.data.frame(verb(df, released)))
  sorted <- order(plain$wage)
  expect_identical(value(numbered[sorted, ]), value(released)) # numbers of the original
  expect_identical(value(released[sorted, ]), value(released)) # numbers of the release
  original <- `row.names<-`(df, paste0("r", seq_len(nrow(df))))
  expect_identical(value(named[sorted, ], original), value(released)) # text that both have
  expect_identical(value(read.csv(path), original), value(released))
  skip_if_not_installed("tibble")
  expect_identical(value(tibble::as_tibble(plain)), value(released))
  expect_identical(value(tibble::as_tibble(released), tibble::as_tibble(df)), value(released))
})

test_that("levels and value labels that no released cell has are dropped", {
  skip_without_python()
  df <- households()
  df$job <- factor(c("only", rep(c("b", "a"), length.out = 119)), levels = c("never", "b", "only", "a"))
  contrasts(df$job) <- "contr.sum"
  df$code <- structure(c(9, rep(c(2, 1), length.out = 119)), labels = c(one = 1, two = 2, nine = 9, ten = 10), class = c("haven_labelled", "vctrs_vctr", "double"))
  na_with <- function(letter) readBin(c(as.raw(c(0xa2, 0x07, 0, 0)), charToRaw(letter), as.raw(c(0, 0xf0, 0x7f))), "double") # haven::tagged_na()
  df$tagged <- structure(c(na_with("a"), na_with("b"), rep(1, 118)), labels = c(one = 1, refused = na_with("a"), unknown = na_with("b")), class = class(df$code))
  df$wage[1] <- NA
  released <- protected(df, missing = "drop")
  expect_identical(levels(released$job), c("b", "a"))
  expect_identical(as.character(released$job), as.character(df$job)[-1])
  expect_null(attr(released$job, "contrasts"))
  expect_identical(attr(released$code, "labels"), c(one = 1, two = 2))
  expect_identical(class(released$code), class(df$code))
  expect_identical(names(attr(released$tagged, "labels")), c("one", "unknown"))
  bytes <- serialize(plain_release(released), NULL, ascii = TRUE)
  expect_false(any(vapply(c("never", "only", "nine", "ten", "refused"), function(word) length(grepRaw(word, bytes)) > 0L, NA)))
  suppressed <- quietly(df, localsuppression(k = 2, keys = "job"), seed = 1)
  expect_identical(levels(suppressed$job), c("b", "a"))
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
  texts <- capture_messages(protect(df, localsuppression(2, keys = "wage"), seed = 1, shuffle = FALSE))
  expect_false(any(grepl("declares", texts)))  # only new values can equal a declared code
})

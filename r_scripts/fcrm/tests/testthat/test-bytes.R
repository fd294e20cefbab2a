# Oracle: the values themselves, round trip; the format as it is written down. Grade: identical.

round_trip <- function(df) frame_from_bytes(bytes_from_frame(df))

test_that("every kind of column comes back as it went", {
  df <- data.frame(
    d = c(1.5, NA, NaN, Inf, -0), i = c(1L, NA, -5L, .Machine$integer.max, 0L), l = c(TRUE, NA, FALSE, TRUE, NA),
    s = c("plain", NA, "", "\u00e9\u0151\U1F600", "a \"quote\"\n"), stringsAsFactors = FALSE
  )
  df$f <- factor(c("b", NA, "\u00e9", "b", "a"), levels = c("b", "a", "\u00e9", "unused"))
  df$o <- factor(c("lo", "hi", NA, "lo", "hi"), levels = c("lo", "hi"), ordered = TRUE)
  df$day <- as.Date(c("1969-12-31", NA, "2024-02-29", "1970-01-01", "0001-01-01"))
  df$whole_day <- structure(c(1L, NA, 3L, 4L, 5L), class = "Date")
  df$utc <- as.POSIXct(c(0, NA, 1.25, -1e9, 1e9), origin = "1970-01-01", tz = "UTC")
  df$local <- structure(c(0, 1, 2, NA, 4), class = c("POSIXct", "POSIXt"))
  df$blank <- structure(c(0, 1, 2, NA, 4), class = c("POSIXct", "POSIXt"), tzone = "")
  names(df)[1:2] <- c("a; quit()", "\u00e9 `x`")
  expect_identical(round_trip(df), df)
  expect_identical(round_trip(df[1, ]), df[1, ])
  none <- round_trip(df[0, ])
  expect_identical(none, df[0, ])
})

test_that("NA and NaN keep their bits", {
  bits <- function(x) writeBin(x, raw(), endian = "little")
  x <- c(NA_real_, NaN, -NaN, -0)
  expect_identical(bits(round_trip(data.frame(x = x))$x), bits(x))
})

test_that("the format is the one written down", {
  column <- bytes_from_frame(data.frame(x = c(1L, NA)))[[1]]
  expect_identical(column, list("x", "integer", as.raw(c(1, 0, 0, 0, 0, 0, 0, 128)), raw(), ""))
  packed <- as.raw(c(3, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 2, 0, 0, 0, 0x61, 0xc3, 0xa9))
  expect_identical(pack_texts(c("a", NA, "\u00e9")), packed)
  expect_identical(unpack_texts(packed), c("a", NA, "\u00e9"))
})

test_that("text in another encoding crosses as UTF-8", {
  x <- "\xe9"
  Encoding(x) <- "latin1"
  expect_identical(unpack_texts(pack_texts(x)), "\u00e9")
  skip_if_not(l10n_info()[["UTF-8"]], "in other locales any bytes are valid")
  bad <- "\xff\xfe"
  expect_error(pack_texts(bad), "valid in its encoding", class = "fcrm_invalid_input")
})

test_that("labels around numbers are no hindrance, other classes are refused in a sentence", {
  labelled <- structure(c(1, 2), label = "Age", class = c("haven_labelled", "vctrs_vctr", "double"))
  expect_identical(column_to_bytes("x", labelled)[[2]], "double")
  odd <- list(as.difftime(1, units = "mins"), structure(1, class = "integer64"), list(1), 1i, matrix(1))
  for (x in odd) expect_error(column_to_bytes("x", x), "column `x` must be", class = "fcrm_invalid_input")
})

# Checks of ipso.R:  Rscript r_scripts/tests/test_ipso.R [path to an original listing] [path to census csv]
# With an original listing (one that defines IPSOabc for columns V1, V2, ...) ours is compared with it, draw for draw;
# without the files those checks are skipped, and it says so.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
source(file.path(dirname(script), "..", "ipso.R"))
arguments <- commandArgs(TRUE)

report <- function(...) cat(sprintf(...), "\n", sep = "")

# The largest difference, in units of the largest value of its column.
relative <- function(a, b) {
  a <- as.matrix(a)
  b <- as.matrix(b)
  max(abs(a - b) / rep(pmax(apply(abs(a), 2, max), 1e-300), each = nrow(a)))
}

fails_with <- function(expression, words) {
  message <- tryCatch({
    expression
    "no error"
  }, error = conditionMessage)
  grepl(words, message, fixed = TRUE)
}

# Three independent, three dependent columns with unlike scales, as V1 .. V6; V7 is neither.
simulated <- function(n = 200) {
  set.seed(7)
  X <- matrix(rnorm(3 * n), n)
  Y <- 1 + X %*% matrix(rnorm(9), 3) + matrix(rnorm(3 * n), n) %*% matrix(rnorm(9), 3)
  setNames(data.frame(100 + X, Y * rep(c(1, 50, 0.01), each = n), letters[1 + seq_len(n) %% 3]), paste0("V", 1:7))
}

# Grade: close, 1e-10 relative: the same algebra, a covariance solved there and a QR here. The stream: identical.
agrees_with_listing <- function(listing, data, Lxxx, Lsss, what) {
  ours <- data
  names(ours) <- paste0("a name; stop('evaluated') #", seq_along(data))
  for (kind in 1:3) {
    set.seed(kind)
    old <- listing(data, Lxxx, Lsss, kind)
    old_stream <- .Random.seed
    set.seed(kind)
    new <- IPSOabc(ours, Lxxx, Lsss, kind)
    numeric_columns <- sapply(data, is.numeric)
    gap <- relative(old[numeric_columns], new[numeric_columns])
    report("  %s, kind %d: largest relative difference from the listing %.1e", what, kind, gap)
    stopifnot(gap < 1e-10, identical(old_stream, .Random.seed), identical(names(new), names(ours)))
    stopifnot(identical(unname(as.list(new[-Lxxx])), unname(as.list(data[-Lxxx]))))
  }
}

# Oracle: the promise itself, on columns standardised by the original's mean and sd. Grade: close, 1e-10.
promises_hold <- function(data, Lxxx, Lsss, what) {
  centre <- colMeans(data)
  unit <- sapply(data, sd)
  standard <- function(d) sweep(sweep(as.matrix(d), 2, centre), 2, unit, "/")
  before <- standard(data)
  x <- before[, Lsss, drop = FALSE]
  used <- c(Lxxx, Lsss)
  fit <- function(d) lm.fit(cbind(1, x), d[, Lxxx, drop = FALSE])
  for (kind in 1:3) {
    set.seed(1)
    after <- standard(IPSOabc(data, Lxxx, Lsss, kind))
    means <- max(abs(colMeans(after)[Lxxx]))
    covariances <- max(abs(cov(after)[used, used] - cov(before)[used, used]))
    fitted <- max(abs(fitted(fit(after)) - fitted(fit(before))))
    coefficients <- relative(na.omit(as.matrix(coef(fit(before)))), na.omit(as.matrix(coef(fit(after)))))
    report("  %s, kind %d: means %.1e, covariances %.1e, fitted %.1e, coefficients %.1e", what, kind, means,
           covariances, fitted, coefficients)
    stopifnot(means < 1e-10, fitted < 1e-10, coefficients < 1e-10)
    stopifnot(if (kind == 3) covariances < 1e-10 else covariances > 1e-6)
    if (kind == 1) stopifnot(max(abs(after[, Lxxx] - fitted(fit(before)))) < 1e-10)
    if (kind == 3) stopifnot(max(abs(after[, Lxxx] - before[, Lxxx])) > 0.1) # and it did replace the values
  }
}

data <- simulated()
numbers <- data[1:6]

report("promises")
promises_hold(numbers, 4:6, 1:3, "full rank")
promises_hold(numbers, 5, 2, "one and one")
promises_hold(numbers[c(6, 1, 5, 2)], c(3, 1), c(4, 2), "any order")
promises_hold(cbind(numbers, sum = numbers$V1 - 2 * numbers$V3), 4:6, c(1:3, 7), "collinear X")
promises_hold(cbind(numbers, sum = numbers$V4 + numbers$V5), 4:7, 1:3, "collinear Y")
promises_hold(cbind(numbers, sum = numbers$V4 + numbers$V1), 4:7, 1:3, "Y collinear given X")
promises_hold(cbind(numbers, again = 3 * numbers$V4), c(7, 4:6), 1:3, "a repeated Y first")
promises_hold(cbind(numbers, far = 1e9 + numbers$V1 * numbers$V2), 4:6, c(7, 1:3), "a large mean")

report("collinear X changes nothing: the release is that of the columns without the redundant one")
for (kind in c(1, 3)) { # kind 2 and 3 both regress on the same space; the draws are the same
  set.seed(4)
  plain <- IPSOabc(numbers, 4:6, 1:3, kind)
  set.seed(4)
  extended <- IPSOabc(cbind(numbers, sum = numbers$V1 + numbers$V2), 4:6, c(1:3, 7), kind)
  stopifnot(relative(plain, extended[1:6]) < 1e-10)
}

report("names, lists and positions are the same request; a data frame of any names and integers will do")
set.seed(2)
by_position <- IPSOabc(data, 4:5, c(1, 2), 3)
set.seed(2)
by_name <- IPSOabc(data, c("V4", "V5"), list("V1", "V2"), 3)
stopifnot(identical(by_position, by_name), identical(by_name$V7, data$V7), identical(by_name$V6, data$V6))
whole <- transform(numbers, V4 = as.integer(round(10 * V4)))
stopifnot(is.double(IPSOabc(whole, 4, 1:3, 3)$V4), identical(row.names(IPSOabc(whole, 4, 1:3, 1)), row.names(whole)))

report("bad input gets one sentence; anything but 1, 2, 3 gives C and says so")
stopifnot(
  fails_with(IPSOabc(data, 7, 1:3, 1), "numeric"),
  fails_with(IPSOabc(data, "V44", 1:3, 1), "V44"),
  fails_with(IPSOabc(data, 12, 1:3, 1), "12"),
  fails_with(IPSOabc(data, c(4, 1), 1:3, 1), "either dependent or independent"),
  fails_with(IPSOabc(transform(data, V4 = NA_real_), 4, 1:3, 1), "V4"),
  fails_with(IPSOabc(data[1:9, ], 4:6, 1:3, 3), "1 + s + 2t = 10")
)
set.seed(3)
third <- IPSOabc(data[1:10, ], 4:6, 1:3, 3)
set.seed(3)
fourth <- withCallingHandlers(IPSOabc(data[1:10, ], 4:6, 1:3, 4), warning = function(w) {
  stopifnot(grepl("must be 1, 2 or 3", conditionMessage(w)))
  invokeRestart("muffleWarning")
})
stopifnot(identical(third, fourth))

has_listing <- length(arguments) >= 1 && file.exists(arguments[1])
has_census <- length(arguments) >= 2 && file.exists(arguments[2])
if (has_listing) {
  report("against the listing")
  original <- new.env()
  sys.source(arguments[1], original)
  agrees_with_listing(original$IPSOabc, data, 4:6, 1:3, "simulated")
  agrees_with_listing(original$IPSOabc, data, c(6, 4), c(5, 1), "simulated, any order")
  agrees_with_listing(original$IPSOabc, data, 5, 2, "simulated, one and one")
} else {
  report("skipped: no original listing given, nothing compared with it")
}
if (has_census) {
  census <- setNames(read.csv(arguments[2]), paste0("V", 1:13))
  S1 <- c(1, 3, 4, 6, 7, 9, 11, 12, 13)
  S2 <- c(4, 7, 12, 13)
  report("the Census file")
  promises_hold(census, S1, c(2, 8, 10), "S1 without v5")
  promises_hold(census, S1, c(2, 5, 8, 10), "S1 with v5")
  promises_hold(census, S2, setdiff(1:13, S2), "S2")
  promises_hold(census, c(S1, 5), c(2, 8, 10), "v5 among the dependent")
  if (has_listing) {
    agrees_with_listing(original$IPSOabc, census, S1, c(2, 8, 10), "S1 without v5")
    agrees_with_listing(original$IPSOabc, census, S2, setdiff(1:13, c(S2, 5)), "S2 without v5")
    stopifnot(fails_with(original$IPSOabc(census, S1, c(2, 5, 8, 10), 3), "singular"))
  }
} else {
  report("skipped: no census csv given, the Census scenarios were not run")
}
report("test_ipso.R: all checks held")

# Categorical predictors by model.matrix with contr.treatment. Levels of few records, and levels whose confidential totals
# disclose a contribution, are one level. Source of the rules on totals: Hundepool et al. (2012), chapter 4.

# X : a numeric matrix, returned unchanged, or a data frame of numbers, text, logicals and factors. Y (n, t) : the dependent
# columns, whose totals are preserved. Returns the columns of the design without the intercept, (n, s).
predictors <- function(X, Y) {
  if (!is.data.frame(X)) return(as.matrix(X))
  X[] <- lapply(X, function(x) if (is.numeric(x)) x else pooled(as_levels(x), as.matrix(Y)))
  explains <- vapply(X, function(x) is.numeric(x) || nlevels(x) > 1, NA)
  X <- X[explains]
  if (length(X) == 0) return(matrix(0, nrow(X), 0))
  categories <- Filter(is.factor, X)
  model.matrix(~ ., X, contrasts.arg = lapply(categories, function(x) "contr.treatment"))[, -1, drop = FALSE]
}

# A factor with the levels that occur, in code point order; the order that a factor declares does not count.
as_levels <- function(x) {
  x <- as.character(x)
  factor(x, sort(unique(x), method = "radix"))
}

# Which rules the total of contributions x violates; magnitudes count. A total of zeros alone violates none.
violated_rules <- function(x) {
  x <- sort(abs(x[x != 0]), decreasing = TRUE)
  contributors <- length(x)
  total <- sum(x)
  x <- c(x, 0, 0)
  violated <- c(
    contributors = contributors < 3,
    p_per_cent = total - x[1] - x[2] < 0.1 * x[1],
    dominance_1 = x[1] > 0.75 * total,
    dominance_2 = x[1] + x[2] > 0.85 * total
  )
  violated & contributors > 0
}

enough_records <- function(rows) sum(rows) >= 10

safe <- function(rows, Y) enough_records(rows) && !any(apply(Y[rows, , drop = FALSE], 2, violated_rules))

# For each level of a column, in order: whether it has too few records, then for each column of Y the rules that its total violates.
rules_by_level <- function(x, Y) {
  x <- as_levels(x)
  t(sapply(levels(x), function(level) c(!enough_records(x == level), apply(Y[x == level, , drop = FALSE], 2, violated_rules)))) + 0
}

# The factor x with its unsafe levels pooled into one level, with the smallest other levels that make the pool safe. The pool is
# the first level if it contains the reference, else the last.
pooled <- function(x, Y) {
  names <- levels(x)
  pool <- names[!vapply(names, function(level) safe(x == level, Y), NA)]
  others <- setdiff(names, pool)
  others <- others[order(table(x)[others])]
  while (length(pool) && length(others) && !safe(x %in% pool, Y)) {
    pool <- c(pool, others[1])
    others <- others[-1]
  }
  if (length(pool) == 0) return(x)
  own <- setdiff(names, pool)
  label <- paste(pool, collapse = " or ")
  factor(ifelse(x %in% pool, label, as.character(x)), if (names[1] %in% pool) c(label, own) else c(own, label))
}

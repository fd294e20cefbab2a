# Survey weights in a regression design, reference implementation.
# Source: this project's design: with the columns w and w x in the design, least squares of any y on (1, x), weighted by w or not,
# has the same normal equations for y and for its fitted values.

# X (n, s) the design without its intercept, w (n) the weights. Returns the columns x, w and w x, (n, 2 s + 1); equal weights add
# nothing to the design. The intercept's own column w makes weighted totals exact.
weighted_design <- function(X, w) {
  if (all(w == w[1])) return(X)
  weighted <- X
  for (j in seq_len(ncol(X))) weighted[, j] <- w * X[, j]
  cbind(X, w, weighted)
}

# D (n, k) of 0 and 1, the levels of a column, of which every record has one; w as above, or NULL. Returns the design with which
# the same holds within each level: the columns x and 1, weighted or not, each times each level.
design_within_levels <- function(X, w, D) {
  columns <- if (is.null(w)) X else weighted_design(X, w)
  design <- columns
  for (k in seq_len(ncol(D))) design <- cbind(design, D[, k], D[, k] * columns)
  design
}

# Levels of one column as 0 and 1, (n, k). Levels of fewer than `fewest` records are one level, with the smallest other levels
# (the first of equal size) while they have too few records together. Levels are in order of first appearance.
level_indicators <- function(column, fewest) {
  names <- unique(column)
  size <- vapply(names, function(name) sum(column == name), 0)
  joined <- size < fewest
  while (any(joined) && !all(joined) && sum(size[joined]) < fewest) {
    joined[which(!joined & size == min(size[!joined]))[1]] <- TRUE
  }
  D <- matrix(0, length(column), 0)
  for (name in names[!joined]) D <- cbind(D, column == name)
  if (any(joined)) D <- cbind(D, column %in% names[joined])
  D + 0
}

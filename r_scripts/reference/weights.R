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
# the same holds within each level: the columns x and 1, weighted or not, each times each level; in levels with means only 1 alone.
design_within_levels <- function(X, w, D, means_only) {
  columns <- if (is.null(w)) X else weighted_design(X, w)
  design <- columns
  for (k in seq_len(ncol(D))) {
    design <- cbind(design, D[, k])
    if (!means_only[k]) design <- cbind(design, D[, k] * columns)
    else if (!is.null(w)) design <- cbind(design, w * D[, k])
  }
  design
}

# Of each level whether only means are kept: t columns have a sum with each column of the design and with 1, and a level needs ten
# records for each sum. So do the levels with means only together, else the smallest other one joins them.
has_means_only <- function(X, w, D, t) {
  columns <- if (is.null(w)) X else weighted_design(X, w)
  has_few_sums <- function(rows) 10 * t * qr(cbind(1, columns[rows, , drop = FALSE]))$rank <= sum(rows)
  is_in <- D > 0
  means_only <- !apply(is_in, 2, has_few_sums)
  for (level in order(colSums(D))) {
    together <- rowSums(is_in[, means_only, drop = FALSE]) > 0
    if (!any(together) || has_few_sums(together)) break
    means_only[level] <- TRUE
  }
  means_only
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

# A release by strata, reference implementation: each stratum is a file of its own, and all draw from one stream.

# A synthesis is a function of X and Y that returns a matrix shaped like Y, such as ipso_burridge.

# X : predictors, see predictors.R, which is needed: categories are coded once, for the whole file. Y (n, t); strata : a data frame
# whose rows name the strata; w (n) : survey weights or NULL, see weights.R, which is needed. synthesis : the name of a function;
# ... : its further arguments. Strata are processed in the order of their first records. In a stratum of two records or more, an
# independent column with one value is not part of the design, and a dependent one is released unchanged.
by_strata <- function(X, Y, strata, w, synthesis, ...) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  key <- do.call(paste, c(unname(strata), sep = "\r"))
  released <- Y
  for (stratum in unique(key)) {
    rows <- which(key == stratum)
    x <- varying(X[rows, , drop = FALSE])
    if (!is.null(w)) x <- weighted_design(x, w[rows])
    dependent <- which(apply(Y[rows, , drop = FALSE], 2, varies))
    if (length(dependent) == 0) next
    released[rows, dependent] <- get(synthesis, mode = "function")(x, Y[rows, dependent, drop = FALSE], ...)
  }
  released
}

varies <- function(column) length(column) == 1 || any(column != column[1])

varying <- function(X) X[, apply(X, 2, varies), drop = FALSE]

# A release of the whole file with survey weights w (n).
with_weights <- function(X, Y, w, synthesis, ...) {
  Y <- as.matrix(Y)
  get(synthesis, mode = "function")(weighted_design(predictors(X, Y), w), Y, ...)
}

# With weights w (n) or NULL, and within each level of one column. A level needs 3 records for each column of its own design.
within_levels <- function(X, Y, w, column, synthesis, ...) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  fewest <- 3 * (1 + ncol(X)) * (if (is.null(w)) 1 else 2)
  D <- level_indicators(column, fewest)
  get(synthesis, mode = "function")(design_within_levels(X, w, D, has_means_only(X, w, D, ncol(Y))), Y, ...)
}

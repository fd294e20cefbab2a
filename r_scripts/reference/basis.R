# The flexible basis of numeric predictors by model.matrix and splines::ns. Needs predictors.R (rules of tables), and
# ipso_burridge.R and calibrated.R for the syntheses.

MOST_VALUES <- 20
FAR <- 10 # interquartile ranges from the median to the maximum

quartiles <- function(x) unname(quantile(x, 1:3 / 4, type = 1))

# A natural spline of x with knots at the quartiles, without those that are equal or at an end.
spline_of <- function(x) splines::ns(x, knots = setdiff(unique(quartiles(x)), range(x)))

# A factor of the values of x, of which the unsafe ones share a level, with the smallest others that make the pool safe. A pool has
# at least three values, since sums with x itself would separate two.
values_of <- function(x, Y) {
  f <- factor(x)
  names <- levels(f)
  pool <- names[!vapply(names, function(value) safe(f == value, Y), NA)]
  if (length(pool) == 0) return(f)
  others <- setdiff(names, pool)
  others <- others[order(table(f)[others])]
  while (length(others) && (length(pool) < 3 || !safe(f %in% pool, Y))) {
    pool <- c(pool, others[1])
    others <- others[-1]
  }
  levels(f)[names %in% pool] <- "pool"
  f
}

# The columns of numeric predictors X (n, s) and of their values and splines, without the intercept. Y (n, t) : the dependent
# columns. A predictor with at most 20 values has a column for each but one; any other a natural cubic spline; where its maximum is
# far above the median, it has one of its ranks over n, beside itself. None is left out, so that the sums must be few.
flexible_basis <- function(X, Y) {
  Y <- as.matrix(Y)
  columns <- lapply(seq_len(ncol(X)), function(j) {
    x <- X[, j]
    if (length(unique(x)) <= 2) return(x)
    if (length(unique(x)) <= MOST_VALUES) {
      f <- values_of(x, Y)
      if (nlevels(f) == 1) return(x)
      if (!"pool" %in% levels(f)) return(model.matrix(~f)[, -1])
      return(cbind(x, model.matrix(~f)[, -1]))
    }
    q <- quartiles(x)
    if (max(x) - q[2] <= FAR * (q[3] - q[1])) return(spline_of(x))
    cbind(x, spline_of(rank(x) / length(x)))
  })
  matrix(unlist(columns), nrow(X))
}

# ipso_burridge on the flexible basis.
ipso_flexible <- function(X, Y, kind) ipso_burridge(flexible_basis(X, Y), Y, kind)

# calibrated on the flexible basis, as the default of Calibrated has it.
calibrated_flexible <- function(X, Y, wrapped, ...) calibrated(flexible_basis(X, Y), Y, wrapped, ...)

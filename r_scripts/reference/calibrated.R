# Calibration of a release, reference implementation. Needs predictors.R.
# Source: Olkin and Pukelsheim (1982), Linear Algebra and its Applications 48:257-263, for the linear map; the rest is this project's.

# U (n, k), D (k) and V (p, k) of A = U D V', k the rank of A: smaller singular values are rounding.
full_rank_svd <- function(A) {
  parts <- svd(A)
  keep <- parts$d > RANK_TOL * max(parts$d, 0)
  list(U = parts$u[, keep, drop = FALSE], D = parts$d[keep], V = parts$v[, keep, drop = FALSE])
}

# The release Z (n, t) of Y (n, t) with Y's regression on (1, X) and Y's residual covariance: xB + E M. E are the residuals of Z on
# (1, X), R those of Y, and E M is the nearest to E of all E A with cross-products R'R, in units of the columns' sd. With E = U A and
# R = V B, U'U and V'V identities, E M = U W B, where W is the orthogonal factor of A B'. Neither E'E nor R'R is formed, since
# that would square the condition.
with_moments <- function(X, Y, Z) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  unit <- sqrt(colMeans(sweep(Y, 2, colMeans(Y))^2))
  y <- sweep(Y, 2, unit, "/")
  z <- sweep(Z, 2, unit, "/")
  x <- qr(cbind(1, sweep(X, 2, colMeans(X))), tol = RANK_TOL)
  R <- qr.resid(x, y)
  E <- qr.resid(x, sweep(z, 2, colMeans(z)))
  r <- full_rank_svd(R)
  e <- full_rank_svd(E)
  A <- e$D * t(e$V)
  B <- r$D * t(r$V)
  between <- svd(A %*% t(B))
  W <- between$u %*% t(between$v)
  sweep(y - R + e$U %*% W %*% B, 2, unit, "*")
}

# The release of a synthesis (the name of a function; ... : its further arguments) without margins, with the original's moments.
calibrated <- function(X, Y, wrapped, ...) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  with_moments(X, Y, get(wrapped, mode = "function")(X, Y, ...))
}

# The values of each column of Y, placed by the ranks of the synthesis. Equal values of the release are ranked in a random order of
# the records. Draws: those of the synthesis, then sample.int(n).
original_margins <- function(X, Y, wrapped, ...) {
  Y <- as.matrix(Y)
  Z <- get(wrapped, mode = "function")(X, Y, ...)
  records <- sample.int(nrow(Y))
  released <- Y
  for (j in seq_len(ncol(Y))) released[records[order(Z[records, j])], j] <- sort(Y[, j])
  released
}

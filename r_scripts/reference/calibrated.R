# Calibration of a release, reference implementation. Needs predictors.R.
# Source: Olkin and Pukelsheim (1982), Linear Algebra and its Applications 48:257-263, for the linear map; the rest is this project's.

# A power of a symmetric matrix that has no negative eigenvalue. Eigenvalues that are rounding count as 0, also for negative powers.
matrix_power <- function(A, power) {
  parts <- eigen(A, symmetric = TRUE)
  keep <- parts$values > 1e-13 * max(parts$values, 0)
  V <- parts$vectors[, keep, drop = FALSE]
  V %*% (parts$values[keep]^power * t(V))
}

# The release Z (n, t) of Y (n, t) with Y's regression on (1, X) and Y's residual covariance: xB + E M. E are the residuals of Z on
# (1, X) with cross-products T, S those of Y. M = T^-1/2 (T^1/2 S T^1/2)^1/2 T^-1/2 is symmetric, M T M = S, and E M is the nearest
# to E of all E A with these cross-products, in units of the columns' sd.
with_moments <- function(X, Y, Z) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  unit <- sqrt(colMeans(sweep(Y, 2, colMeans(Y))^2))
  y <- sweep(Y, 2, unit, "/")
  z <- sweep(Z, 2, unit, "/")
  x <- qr(cbind(1, sweep(X, 2, colMeans(X))), tol = RANK_TOL)
  R <- qr.resid(x, y)
  E <- qr.resid(x, sweep(z, 2, colMeans(z)))
  S <- crossprod(R)
  T <- crossprod(E)
  root <- matrix_power(T, 1 / 2)
  inverse_root <- matrix_power(T, -1 / 2)
  M <- inverse_root %*% matrix_power(root %*% S %*% root, 1 / 2) %*% inverse_root
  sweep(y - R + E %*% M, 2, unit, "*")
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

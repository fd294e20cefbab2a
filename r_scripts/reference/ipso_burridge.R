# IPSO by Burridge's formulas, reference implementation. Source: Burridge (2003), Statistics and Computing 13:321-327.

RANK_TOL <- 1e-10 # smallest residual on the columns before it, as a share of a column about its mean, of a column that is not collinear

# U (k, p), k the rank of A (n, p), with U'U = A'A: the Cholesky factor of A'A where A has full rank, else that of the
# first columns that have it, extended to the others. Taken from A itself, since forming A'A would square its condition.
# unit : the scale of each column's residual.
cholesky_of_crossprod <- function(A, unit) {
  Q <- matrix(0, nrow(A), 0)
  for (j in seq_len(ncol(A))) {
    left <- A[, j]
    for (again in 1:2) left <- left - Q %*% crossprod(Q, left) # twice, because of rounding
    length <- sqrt(sum(left^2))
    if (length > RANK_TOL * unit[j]) Q <- cbind(Q, left / length)
  }
  crossprod(Q, A)
}

# X (n, s) independent (see predictors.R, which is needed), Y (n, t) dependent, kind "A", "B" or "C". With x = (1, X), B = (x'x)^- x'y, R = y - xB and
# S = R'R/n, k the rank of R:
#   A: y' = xB
#   B: y' = xB + r U/sqrt(n), r the residuals on x of the first k columns of noise, U'U = R'R: covariance S on average
#   C: y' = xB + r L0^-1 U, L0'L0 = r'r: R'R exactly
# Draws for B and C one block of n t normals from R's current stream, filled by columns; for A nothing.
# Returns a matrix shaped like Y.
ipso_burridge <- function(X, Y, kind) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  n <- nrow(Y)
  t <- ncol(Y)
  x <- qr(cbind(1, sweep(X, 2, colMeans(X))), tol = RANK_TOL) # centred, (1, X) spans the same space
  unit <- sqrt(colMeans(sweep(Y, 2, colMeans(Y))^2))
  y <- sweep(Y, 2, unit, "/") # so that the rank test does not depend on units
  fitted <- qr.fitted(x, y)
  R <- y - fitted
  if (kind == "A") return(sweep(fitted, 2, unit, "*"))
  if (!kind %in% c("B", "C")) {
    stop("ipso_burridge: `kind` must be \"A\", \"B\" or \"C\"; got ", kind, call. = FALSE)
  }
  noise <- matrix(rnorm(n * t), n, t)
  U <- cholesky_of_crossprod(R, rep(sqrt(n), t))
  k <- nrow(U)
  r <- qr.resid(x, noise[, seq_len(k), drop = FALSE])
  if (kind == "B") {
    added <- r %*% (U / sqrt(n))
  } else {
    L0 <- cholesky_of_crossprod(r, sqrt(colSums(noise[, seq_len(k), drop = FALSE]^2)))
    if (nrow(L0) < k) stop("ipso_burridge: too few records for IPSO-C", call. = FALSE)
    added <- if (k) r %*% solve(L0) %*% U else 0
  }
  sweep(fitted + added, 2, unit, "*")
}

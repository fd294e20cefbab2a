# GADP, EGADP and hybrids, reference implementation. Needs predictors.R and ipso_burridge.R.
# Source: Muralidhar, Parsa and Sarathy (1999); Muralidhar and Sarathy (2005, 2008).

# The regression of Y (n, t) on (1, X): its fitted values, its residuals R, U (k, t) with U'U = R'R, and the normals, of
# which the first k columns are used. Columns of Y are in units of their sd. Draws one block of n t normals, by columns.
regressed <- function(X, Y) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  n <- nrow(Y)
  x <- qr(cbind(1, sweep(X, 2, colMeans(X))), tol = RANK_TOL)
  unit <- sqrt(colMeans(sweep(Y, 2, colMeans(Y))^2))
  y <- sweep(Y, 2, unit, "/")
  R <- qr.resid(x, y)
  U <- cholesky_of_crossprod(R, rep(sqrt(n), ncol(Y)))
  noise <- matrix(rnorm(length(Y)), n)[, seq_len(nrow(U)), drop = FALSE]
  list(fitted = y - R, R = R, U = U, noise = noise, X = X, unit = unit)
}

# y' = xB + e, e normal with covariance R'R/n.
gadp <- function(X, Y) {
  fit <- regressed(X, Y)
  sweep(fit$fitted + fit$noise %*% fit$U / sqrt(nrow(fit$R)), 2, fit$unit, "*")
}

# Noise uncorrelated with X and Y in the sample, with cross-products R'R: the residuals on (1, X, Y) of normals, multiplied by the
# triangular factor of their inverse cross-products.
exact_noise <- function(fit) {
  both <- cbind(fit$X, fit$R)
  E <- qr.resid(qr(cbind(1, sweep(both, 2, colMeans(both))), tol = RANK_TOL), fit$noise)
  if (ncol(E) == 0) return(0 * fit$R)
  E %*% t(chol(solve(crossprod(E)))) %*% fit$U
}

# y' = xB + own R + share e.
combined <- function(X, Y, own, share) {
  fit <- regressed(X, Y)
  sweep(fit$fitted + own * fit$R + share * exact_noise(fit), 2, fit$unit, "*")
}

egadp <- function(X, Y) combined(X, Y, own = 0, share = 1)

# alpha Y + (1 - alpha) S, S the EGADP file.
hybrid_linear <- function(X, Y, alpha) combined(X, Y, own = alpha, share = 1 - alpha)

# xB + alpha R + e, e of covariance (1 - alpha^2) R'R/n.
hybrid_regression <- function(X, Y, alpha) combined(X, Y, own = alpha, share = sqrt(1 - alpha^2))

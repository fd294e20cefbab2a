# IPSO as Burridge wrote it, slow and obvious. Source: Burridge (2003), Statistics and Computing 13:321-327.

# The triangle U with U'U = A'A and a positive diagonal: the Cholesky factor of A'A, taken from A itself, since forming
# A'A would square its condition.
cholesky_of_crossprod <- function(A) {
  parts <- qr(A, tol = 0)
  if (min(abs(diag(parts$qr))[seq_len(ncol(A))]) < 1e-10 * max(sqrt(colSums(A^2)))) {
    stop("ipso_burridge: covers dependent columns that are not collinear given the independent ones", call. = FALSE)
  }
  U <- qr.R(parts)
  U * sign(diag(U))
}

# X (n, s) independent, Y (n, t) dependent, kind "A", "B" or "C". With x = (1, X), B = (x'x)^- x'y, R = y - xB and
# S = R'R/n:
#   A: y' = xB
#   B: y' = xB + r, r the residuals on x of noise with covariance S
#   C: y' = xB + r L0^-T L', r the residuals on x of standard noise, L0 L0' = r'r, L L' = nS
# Draws for B and C one block of n t normals from R's current stream, filled by columns; for A nothing.
# Returns a matrix shaped like Y.
ipso_burridge <- function(X, Y, kind) {
  X <- as.matrix(X)
  Y <- as.matrix(Y)
  n <- nrow(Y)
  t <- ncol(Y)
  x <- qr(cbind(1, sweep(X, 2, colMeans(X))), tol = 1e-7) # centred, (1, X) spans the same space
  unit <- sqrt(colMeans(sweep(Y, 2, colMeans(Y))^2))
  y <- sweep(Y, 2, unit, "/") # so that the columns' units do not enter the rank test
  fitted <- qr.fitted(x, y)
  R <- y - fitted
  if (kind == "A") return(sweep(fitted, 2, unit, "*"))
  noise <- matrix(rnorm(n * t), n, t)
  if (kind == "B") {
    added <- qr.resid(x, noise %*% (cholesky_of_crossprod(R) / sqrt(n)))
  } else if (kind == "C") {
    r <- qr.resid(x, noise)
    added <- r %*% solve(cholesky_of_crossprod(r)) %*% cholesky_of_crossprod(R)
  } else {
    stop("ipso_burridge: `kind` must be \"A\", \"B\" or \"C\"; got ", kind, call. = FALSE)
  }
  sweep(fitted + added, 2, unit, "*")
}

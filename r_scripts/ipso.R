# IPSO (information preserving statistical obfuscation), the thesis's form, for any column names and any rank.
#
# Source: Burridge (2003), Statistics and Computing 13:321-327; the thesis's appendix A.1, whose steps, order of
# random draws and triangular factors are preserved, so that the same seed gives the same release.
# The thesis regresses its noise on the independent AND the dependent columns (which makes its C an EGADP); its B
# noise has standard deviation 1 in the data's own units.

#' Replace the dependent columns of a data frame by synthetic ones.
#'
#' data : a data frame; the columns named below are numeric and complete.
#' Lxxx : the dependent columns (replaced), as positions or names, vector or list.
#' Lsss : the independent columns (unmodified), likewise. They may be collinear.
#' IPSO : 1 is A (fitted values), 2 is B (A plus noise; preserves the regression coefficients), 3 is C (preserves means
#'        and covariances too). Other values give C with a warning; the thesis's code gives no warning.
#' Returns the data frame with the columns Lxxx replaced by doubles, and all others unchanged.
#' Draws 2 t n normals from R's current stream for every kind: B's t columns first, then C's.
IPSOabc <- function(data, Lxxx, Lsss, IPSO) {
  dependent <- ipso_positions(data, Lxxx, "Lxxx")
  independent <- ipso_positions(data, Lsss, "Lsss")
  if (any(dependent %in% independent)) {
    both <- names(data)[intersect(dependent, independent)]
    stop("IPSOabc: a column is either dependent or independent; in both lists: ", toString(both), call. = FALSE)
  }
  Y <- ipso_matrix(data, dependent)
  X <- ipso_matrix(data, independent)
  if (!IPSO %in% 1:3) warning("IPSOabc: `IPSO` must be 1, 2 or 3; IPSO-C is returned; got ", IPSO, call. = FALSE)

  noise_B <- ipso_noise(nrow(Y), ncol(Y))
  noise_C <- ipso_noise(nrow(Y), ncol(Y))

  R <- ipso_residuals(X, Y)
  fitted <- Y - R
  if (IPSO == 1) return(ipso_replace(data, dependent, fitted))
  if (IPSO == 2) return(ipso_replace(data, dependent, fitted + ipso_residuals(cbind(X, Y), noise_B)))

  root <- ipso_root(R, Y)
  r <- ipso_residuals(cbind(Y, X), noise_C)[, seq_len(nrow(root)), drop = FALSE]
  if (nrow(root) == 0) return(ipso_replace(data, dependent, fitted)) # X determines Y
  ipso_replace(data, dependent, fitted + ipso_whiten(r, ncol(X)) %*% root)
}

# Columns as positions; names are looked up, never evaluated.
ipso_positions <- function(data, columns, argument) {
  columns <- unlist(columns)
  at <- if (is.character(columns)) match(columns, names(data)) else columns
  wrong <- is.na(at) | !(at %in% seq_along(data)) | duplicated(at)
  if (any(wrong)) {
    stop("IPSOabc: `", argument, "` must name columns of the data, each once; got ", toString(columns[wrong]),
         call. = FALSE)
  }
  as.integer(at)
}

# The chosen columns as an (n, k) matrix of doubles without names.
ipso_matrix <- function(data, positions) {
  n <- nrow(data)
  M <- matrix(0, n, length(positions))
  for (k in seq_along(positions)) {
    values <- data[[positions[k]]]
    if (!is.numeric(values) || !all(is.finite(values))) {
      stop("IPSOabc: columns must be numeric, without missing or infinite values; got ",
           names(data)[positions[k]], call. = FALSE)
    }
    M[, k] <- as.double(values)
  }
  M
}

# (n, t) normals drawn column by column, each then given mean 0 and standard deviation 1.
ipso_noise <- function(n, t) {
  E <- matrix(0, n, t)
  for (k in seq_len(t)) {
    y <- rnorm(n)
    E[, k] <- (y - mean(y)) / sqrt(var(y))
  }
  E
}

# A column is collinear if its residual on the columns before it is below this share of it, about its mean: such a residual
# consists of rounding. Python uses the same share.
RANK_TOL <- 1e-10

# Residuals of the columns of Y on (1, X), by QR. Centring first means that a large mean cannot hide a small spread from
# the rank test.
ipso_residuals <- function(X, Y) {
  E <- sweep(Y, 2, colMeans(Y))
  if (ncol(X) == 0) return(E)
  R <- qr.resid(qr(sweep(X, 2, colMeans(X)), tol = RANK_TOL), E)
  sweep(R, 2, colMeans(R))
}

# Columns of r turned to covariance I by the triangular factor the thesis uses: U'U = cov(r)^-1.
ipso_whiten <- function(r, s) {
  t <- ncol(r)
  # The noise had standard deviation 1: its residual in a direction is either of that order or rounding.
  if (nrow(r) <= t || min(svd(r, 0, 0)$d) < 1e-7 * sqrt(nrow(r))) {
    stop("IPSOabc: too few records for IPSO-C; with ", t, " dependent and ", s, " independent columns 1 + s + 2t = ",
         1 + s + 2 * t, " are always enough; got ", nrow(r), call. = FALSE)
  }
  r %*% t(chol(solve(cov(r))))
}

# F (k, t), k the rank of R, with F'F = cov(R), the covariance of Y given X: cov(R) is cov(Y) - cov(Y, X) cov(X)^- cov(X, Y)
# for every generalised inverse. The Cholesky factor where Y is not collinear given X, as in the thesis; else that of the
# first columns that are not, extended to the others. Taken from R itself, since forming cov(R) would square its condition.
ipso_root <- function(R, Y) {
  size <- sqrt(colSums(sweep(Y, 2, colMeans(Y))^2))
  E <- sweep(R, 2, ifelse(size > 0, size, 1), "/")
  basis <- integer(0)
  for (j in seq_len(ncol(E))) {
    left <- if (length(basis)) qr.resid(qr(E[, basis, drop = FALSE], tol = 0), E[, j]) else E[, j]
    if (sqrt(sum(left^2)) > RANK_TOL) basis <- c(basis, j)
  }
  if (length(basis) == 0) return(matrix(0, 0, ncol(R)))
  decomposed <- qr(E[, basis, drop = FALSE], tol = 0)
  Q <- sweep(qr.Q(decomposed), 2, sign(diag(qr.R(decomposed))), "*")
  F <- crossprod(Q, E)
  F[, basis][lower.tri(F[, basis, drop = FALSE])] <- 0 # a triangle, to the letter
  sweep(F, 2, size, "*") / sqrt(nrow(R) - 1)
}

ipso_replace <- function(data, positions, values) {
  for (k in seq_along(positions)) data[[positions[k]]] <- values[, k]
  data
}

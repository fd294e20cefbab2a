# Fuzzy c-regression and its release, reference implementation. Needs fcm.R.
# Source: Hathaway and Bezdek (1993); thesis 4.1 and 4.2.

FLOOR <- 1e-100 # the smallest error, as in the paper: no record has distance 0 to a model

# An orthonormal basis Q (n, r) of the columns of X, and `back` (s, r) with X back = Q, by singular values. The columns are
# scaled to length 1 first, so that the rank does not depend on units; directions below 1e-10 of the largest are omitted.
basis_of <- function(X) {
  lengths <- sqrt(colSums(X^2))
  lengths[lengths == 0] <- 1
  parts <- svd(sweep(X, 2, lengths, "/"))
  keep <- parts$d > 1e-10 * max(parts$d)
  list(Q = parts$u[, keep, drop = FALSE], back = sweep(parts$v[, keep, drop = FALSE], 2, parts$d[keep], "/") / lengths)
}

# (X'WX)^- X'WY. A cluster without weight gets zeros.
weighted_coefficients <- function(X, Y, w) {
  basis <- basis_of(sqrt(w) * X)
  basis$back %*% crossprod(basis$Q, sqrt(w) * Y)
}

# The design: columns in units of their spread, about their mean if there is an intercept.
standardised_design <- function(X, intercept) {
  centre <- if (intercept) colMeans(X) else numeric(ncol(X))
  spread <- sqrt(colMeans(sweep(X, 2, centre)^2))
  largest <- apply(abs(X), 2, max)
  spread[spread <= 1e-14 * largest] <- 1 # constant, up to the rounding of its mean
  Z <- sweep(sweep(X, 2, centre), 2, spread, "/")
  list(Z = if (intercept) cbind(1, Z) else Z, centre = centre, spread = spread)
}

# Coefficients of the raw columns (intercept first) from those of the standardised design.
raw_coefficients <- function(B, design, intercept) {
  if (!intercept) return(B / design$spread)
  slopes <- B[-1, , drop = FALSE] / design$spread
  rbind(B[1, ] - colSums(slopes * design$centre), slopes)
}

# X (n, s), Y (n, t), U0 (n, c). Each round: beta_i from weights u^m, E_ik summed over the columns of Y and not below
# 1e-100, U' from E; the loop is that of fcm. Returns membership (n, c); coef (c, s + 1, t), or (c, s, t) without
# intercept; fitted (n, c, t), each cluster's prediction; objective, delta, iterations, converged as fcm.
fcrm <- function(X, Y, c, m = 1.5, tol = 1e-5, max_iter = 30, U0, intercept = TRUE) {
  X <- as.matrix(X)
  Y <- as.matrix(Y)
  design <- standardised_design(X, intercept)
  basis <- basis_of(design$Z) # the directions are determined once, for the whole file
  U <- U0
  coef <- array(0, c(c, ncol(design$Z), ncol(Y)))
  fitted <- array(0, c(nrow(Y), c, ncol(Y)))
  objective <- delta <- numeric(0)
  for (round in seq_len(max_iter)) {
    E <- matrix(0, nrow(Y), c)
    for (i in seq_len(c)) {
      B <- weighted_coefficients(basis$Q, Y, U[, i]^m)
      coef[i, , ] <- raw_coefficients(basis$back %*% B, design, intercept)
      fitted[, i, ] <- basis$Q %*% B
      for (j in seq_len(ncol(Y))) E[, i] <- E[, i] + (Y[, j] - fitted[, i, j])^2
    }
    E <- pmax(E, FLOOR)
    updated <- membership_of(E, m)
    objective[round] <- sum(updated^m * E)
    delta[round] <- max(abs(updated - U))
    U <- updated
    if (delta[round] < tol) break
  }
  list(membership = U, coef = coef, fitted = fitted, objective = objective, delta = delta,
       iterations = round, converged = delta[round] < tol)
}

# The release y' = x'beta of each record's own cluster, one dependent column at a time, in column order: a random
# membership from R's current stream (n c uniforms, also drawn with c = 1, where they have no effect), fuzzy c-means on
# (X, y) in raw units (m = 2, tol 1e-5, at most 100 rounds), then fcrm from its membership. The own cluster is that
# of the largest final membership, the first of ties. Needs predictors.R. Returns a matrix shaped like Y.
fcrm_protect <- function(X, Y, c, m = 1.5, tol = 1e-5, max_iter = 30) {
  Y <- as.matrix(Y)
  X <- predictors(X, Y)
  released <- Y
  for (j in seq_len(ncol(Y))) {
    start <- fcm(cbind(X, Y[, j]), c, m = 2, tol = 1e-5, max_iter = 100, U0 = random_membership(nrow(Y), c))
    fit <- fcrm(X, Y[, j], c, m, tol, max_iter, U0 = start$membership)
    for (k in seq_len(nrow(Y))) released[k, j] <- fit$fitted[k, which.max(fit$membership[k, ]), 1]
  }
  released
}

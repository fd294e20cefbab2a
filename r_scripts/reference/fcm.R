# Fuzzy c-means, reference implementation. Source: Bezdek (1981); thesis 2.7.

# An initial membership from R's current stream: n c uniforms, filled by columns, each row divided by its sum.
random_membership <- function(n, c) {
  U <- matrix(runif(n * c), n, c)
  U / rowSums(U)
}

# u_ik = [ sum_j (d_ik / d_jk)^(1/(m-1)) ]^-1 for squared distances d (n, c), through logarithms: the ratios overflow.
# A record at distance exactly 0 of some centres shares its membership equally among them.
membership_of <- function(d, m) {
  U <- matrix(0, nrow(d), ncol(d))
  for (i in seq_len(nrow(d))) {
    at_centre <- d[i, ] == 0
    if (any(at_centre)) {
      U[i, at_centre] <- 1 / sum(at_centre)
    } else {
      log_share <- -log(d[i, ]) / (m - 1)
      share <- exp(log_share - max(log_share))
      U[i, ] <- share / sum(share)
    }
  }
  U
}

# X (n, p) records, U0 (n, c) the initial membership, m > 1 the fuzzifier.
# Each round: centres from U, U' from the centres, delta = max |U' - U|, U <- U'; stops when delta < tol.
# Returns membership (n, c) and the centers (c, p) that gave it; objective (sum u'^m d with those centres) and delta,
# one per round; iterations; converged (TRUE only if delta < tol was met).
fcm <- function(X, c, m = 2, tol = 1e-5, max_iter = 100, U0) {
  X <- as.matrix(X)
  U <- U0
  objective <- delta <- numeric(0)
  for (round in seq_len(max_iter)) {
    centers <- matrix(0, c, ncol(X))
    d <- matrix(0, nrow(X), c)
    for (k in seq_len(c)) {
      w <- U[, k]^m
      if (sum(w) == 0) stop("fcm: every cluster needs a record with a membership above 0; got none in cluster ", k)
      for (a in seq_len(ncol(X))) centers[k, a] <- sum(w * X[, a]) / sum(w)
      d[, k] <- rowSums(sweep(X, 2, centers[k, ])^2)
    }
    updated <- membership_of(d, m)
    objective[round] <- sum(updated^m * d)
    delta[round] <- max(abs(updated - U))
    U <- updated
    if (delta[round] < tol) break
  }
  list(membership = U, centers = centers, objective = objective, delta = delta,
       iterations = round, converged = delta[round] < tol)
}

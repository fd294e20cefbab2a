# Probabilistic record linkage, slow and obvious. Source: Fellegi and Sunter (1969); Jaro (1989); thesis 2.4.2.

# For every pair (i, j) the pattern of agreeing attributes, as a number: bit a is set where x_ia agrees with z_ja.
# exact: equal values. tolerance: |x - z| <= 0.1 sd(x), n - 1.
agreement_patterns <- function(X, Z, agreement) {
  n <- nrow(X)
  pattern <- matrix(0, n, n)
  for (a in seq_len(ncol(X))) {
    for (i in seq_len(n)) {
      agrees <- switch(agreement,
        exact = X[i, a] == Z[, a],
        tolerance = abs(X[i, a] - Z[, a]) <= 0.1 * sd(X[, a]),
        stop("prl: `agreement` must be \"exact\" or \"tolerance\"; got ", agreement)
      )
      pattern[i, ] <- pattern[i, ] + 2^(a - 1) * agrees
    }
  }
  pattern
}

clamped <- function(p) pmin(pmax(p, 1e-12), 1 - 1e-12)

# Weight of each pattern: gamma (patterns, p) holds 0 and 1.
pattern_weights <- function(gamma, m, u) {
  w <- numeric(nrow(gamma))
  for (a in seq_along(m)) {
    w <- w + ifelse(gamma[, a] == 1, log(m[a] / u[a]), log((1 - m[a]) / (1 - u[a])))
  }
  w
}

# m = P(agree | match), u = P(agree | no match) and the prevalence of matches, from how many pairs show each pattern.
em <- function(gamma, counts, prevalence) {
  m <- rep(0.9, ncol(gamma))
  u <- rep(0.1, ncol(gamma))
  for (round in 1:10000) {
    matching <- plogis(qlogis(prevalence) + pattern_weights(gamma, m, u))
    match <- counts * matching
    other <- counts * (1 - matching)
    new_m <- if (sum(match) > 0) clamped(colSums(match * gamma) / sum(match)) else m
    new_u <- if (sum(other) > 0) clamped(colSums(other * gamma) / sum(other)) else u
    new_prevalence <- clamped(sum(match) / sum(counts))
    change <- max(abs(c(new_m - m, new_u - u, new_prevalence - prevalence)))
    m <- new_m
    u <- new_u
    prevalence <- new_prevalence
    if (change < 1e-10) break
  }
  list(m = m, u = u, prevalence = prevalence, iterations = round, converged = change < 1e-10)
}

# X, Z (n, p) original and protected. Each original is linked to the protected record of largest weight; t records
# at it (equal to 1e-12, relative) count 1/t. Returns value, in per cent, its baseline, the agreement used and the
# EM's m, u, prevalence, iterations, converged.
prl <- function(X, Z, agreement = "exact") {
  X <- as.matrix(X)
  Z <- as.matrix(Z)
  n <- nrow(X)
  pattern <- agreement_patterns(X, Z, agreement)
  seen <- sort(unique(c(pattern)))
  counts <- numeric(length(seen))
  for (k in seq_along(seen)) counts[k] <- sum(pattern == seen[k])
  gamma <- matrix(0, length(seen), ncol(X))
  for (a in seq_len(ncol(X))) gamma[, a] <- (seen %/% 2^(a - 1)) %% 2
  fit <- em(gamma, counts, clamped(1 / n))
  weights <- pattern_weights(gamma, fit$m, fit$u)
  linked <- 0
  for (i in seq_len(n)) {
    w <- weights[match(pattern[i, ], seen)]
    best <- w >= max(w) - 1e-12 * abs(max(w))
    if (best[i]) linked <- linked + 1 / sum(best)
  }
  c(list(value = 100 * linked / n, baseline = 100 / n, agreement = agreement), fit)
}

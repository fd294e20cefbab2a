# Probabilistic record linkage, reference implementation. Source: Fellegi and Sunter (1969); Jaro (1989); thesis 2.4.2.

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

# Weight of each pattern; gamma (patterns, p) contains 0 and 1. Weights of attributes are limited to `largest`: for m or u near
# 0 or 1 the likelihood is flat, and a larger weight would depend on the end of EM.
pattern_weights <- function(gamma, m, u, largest = Inf) {
  w <- numeric(nrow(gamma))
  for (a in seq_along(m)) {
    weight <- ifelse(gamma[, a] == 1, log(m[a] / u[a]), log((1 - m[a]) / (1 - u[a])))
    w <- w + pmin(pmax(weight, -largest), largest)
  }
  w
}

# One iteration of EM. theta : m = P(agree | match), u = P(agree | no match), and the prevalence of matches, in this
# order; counts : the number of pairs with each pattern.
em_round <- function(theta, gamma, counts) {
  p <- ncol(gamma)
  matching <- plogis(qlogis(theta[2 * p + 1]) + pattern_weights(gamma, theta[1:p], theta[p + 1:p]))
  match <- counts * matching
  other <- counts * (1 - matching)
  m <- if (sum(match) > 0) colSums(match * gamma) / sum(match) else theta[1:p]
  u <- if (sum(other) > 0) colSums(other * gamma) / sum(other) else theta[p + 1:p]
  clamped(c(m, u, sum(match) / sum(counts)))
}

# Mean log likelihood of the pairs' patterns.
em_likelihood <- function(theta, gamma, counts) {
  p <- ncol(gamma)
  chance <- function(q) exp(gamma %*% log(q) + (1 - gamma) %*% log1p(-q))
  f <- theta[2 * p + 1]
  sum(counts * log(f * chance(theta[1:p]) + (1 - f) * chance(theta[p + 1:p]))) / sum(counts)
}

# EM from m = 0.9, u = 0.1, until an iteration changes every estimate by less than 1e-10. After `plain` iterations it is accelerated:
# two iterations, a longer step in their direction and one iteration from there, used if the likelihood is not lower.
# Source: Varadhan and Roland (2008), SQUAREM, S3.
em <- function(gamma, counts, prevalence, plain = 1000, most = 100000) {
  p <- ncol(gamma)
  go <- function(theta) em_round(theta, gamma, counts)
  theta <- c(rep(0.9, p), rep(0.1, p), prevalence)
  converged <- FALSE
  rounds <- 0
  while (!converged && rounds < most) {
    one <- go(theta)
    converged <- max(abs(one - theta)) < 1e-10
    rounds <- rounds + 1
    if (!converged && rounds > plain) {
      two <- go(one)
      change <- one - theta
      bend <- (two - one) - change
      size <- sqrt(sum(bend^2))
      length <- if (size > 0) max(1, sqrt(sum(change^2)) / size) else 1
      leapt <- go(clamped(theta + 2 * length * change + length^2 * bend))
      one <- if (em_likelihood(leapt, gamma, counts) >= em_likelihood(two, gamma, counts)) leapt else two
      rounds <- rounds + 2
    }
    theta <- one
  }
  list(m = theta[1:p], u = theta[p + 1:p], prevalence = theta[2 * p + 1], iterations = rounds, converged = converged)
}

# X, Z (n, p) original and protected. Each original is linked to the protected record of largest weight; t records
# with that weight (equal to 1e-12, relative) count 1/t. Returns value, in per cent, its baseline, the agreement used, the
# weights of the patterns that occur, by their numbers, and the EM's m, u, prevalence, iterations (at most `most`, from the initial `prevalence`), converged.
prl <- function(X, Z, agreement = "exact", most = 100000, prevalence = 1 / NROW(X)) {
  X <- as.matrix(X)
  Z <- as.matrix(Z)
  n <- nrow(X)
  pattern <- agreement_patterns(X, Z, agreement)
  seen <- sort(unique(c(pattern)))
  counts <- numeric(length(seen))
  for (k in seq_along(seen)) counts[k] <- sum(pattern == seen[k])
  gamma <- matrix(0, length(seen), ncol(X))
  for (a in seq_len(ncol(X))) gamma[, a] <- (seen %/% 2^(a - 1)) %% 2
  fit <- em(gamma, counts, clamped(prevalence), most = most)
  weights <- pattern_weights(gamma, fit$m, fit$u, largest = log(1e6))
  linked <- 0
  for (i in seq_len(n)) {
    w <- weights[match(pattern[i, ], seen)]
    best <- w >= max(w) - 1e-12 * abs(max(w))
    if (best[i]) linked <- linked + 1 / sum(best)
  }
  c(list(value = 100 * linked / n, baseline = 100 / n, agreement = agreement, weights = weights), fit)
}

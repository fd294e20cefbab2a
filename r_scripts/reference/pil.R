# Probabilistic information loss, reference implementation.
# Source: Mateo-Sanz, Domingo-Ferrer and Sebe (2005), Data Mining and Knowledge Discovery 11:181-193.

NEGLIGIBLE <- 1e-12 # a sum below this share of its terms is rounding

# 2 Phi(|moved| / sqrt(variance)) - 1. Without variance: 0 if the statistic is unchanged, else 1.
# terms, size : magnitudes of the terms of the variance and of the statistic, which determine what is rounding.
probability_moved <- function(before, after, variance, terms, size) {
  moved <- abs(after - before)
  if (variance <= NEGLIGIBLE * terms) return(as.numeric(moved > NEGLIGIBLE * size))
  2 * pnorm(moved / sqrt(variance)) - 1
}

# Deviations from the mean; exactly 0 for a column that is constant up to the rounding of its mean.
deviations <- function(x) {
  e <- x - mean(x)
  if (max(abs(e)) <= 1e-14 * max(abs(x))) e <- 0 * e
  e
}

pil_mean <- function(x, z) {
  m2 <- mean(deviations(x)^2)
  probability_moved(mean(x), mean(z), m2 / length(x), terms = 0, size = max(abs(x), abs(z)))
}

pil_variance <- function(x, z) {
  m2 <- mean(deviations(x)^2)
  m4 <- mean(deviations(x)^4)
  after <- mean(deviations(z)^2)
  n <- length(x)
  probability_moved(m2, after, (m4 - m2^2) / n, terms = (m4 + m2^2) / n, size = max(m2, after))
}

# (x1, x2) and (z1, z2): the same two attributes before and after.
pil_covariance <- function(x1, x2, z1, z2) {
  e1 <- deviations(x1)
  e2 <- deviations(x2)
  f1 <- deviations(z1)
  f2 <- deviations(z2)
  m11 <- mean(e1 * e2)
  m22 <- mean(e1^2 * e2^2)
  n <- length(x1)
  size <- max(sqrt(mean(e1^2) * mean(e2^2)), sqrt(mean(f1^2) * mean(f2^2)))
  probability_moved(m11, mean(f1 * f2), (m22 - m11^2) / n, terms = (m22 + m11^2) / n, size = size)
}

# Deviations over the 1/n standard deviation; zeros if that is 0, so that r with a constant is 0.
standard_scores <- function(x) {
  e <- deviations(x)
  if (any(e != 0)) e / sqrt(mean(e^2)) else e
}

# With scores s and t all m20 and m02 are 1 and m11 is r; multiplied by r^2 the formula has no division.
pil_correlation <- function(x1, x2, z1, z2) {
  s <- standard_scores(x1)
  t <- standard_scores(x2)
  r <- mean(s * t)
  after <- mean(standard_scores(z1) * standard_scores(z2))
  m22 <- mean(s^2 * t^2)
  fourth <- r^2 / 4 * (mean(s^4) + mean(t^4) + 2 * m22)
  third <- r * (mean(s^3 * t) + mean(s * t^3))
  n <- length(x1)
  probability_moved(r, after, (m22 + fourth - third) / n, terms = (m22 + fourth + abs(third)) / n, size = 1)
}

# The mean over q = .05, .10 .. .95; the density is the full kernel sum, not the binned one of density().
pil_quantiles <- function(x, z) {
  n <- length(x)
  h <- bw.nrd0(x)
  losses <- numeric(0)
  for (q in (1:19) / 20) {
    before <- quantile(x, q, type = 7, names = FALSE)
    after <- quantile(z, q, type = 7, names = FALSE)
    f <- mean(dnorm((before - x) / h)) / h
    losses <- c(losses, 2 * pnorm(abs(after - before) / sqrt(q * (1 - q) / (n * f^2))) - 1)
  }
  mean(losses)
}

# X, Z (n, p) original and protected. Returns value, in per cent, and its parts (in per cent, each a mean over the
# attributes or over the pairs i < j); with one attribute the two parts of pairs are NA and not part of the mean.
pil <- function(X, Z) {
  X <- as.matrix(X)
  Z <- as.matrix(Z)
  each <- list(mean = numeric(0), variance = numeric(0), covariance = numeric(0), correlation = numeric(0),
               quantiles = numeric(0))
  for (a in seq_len(ncol(X))) {
    each$mean <- c(each$mean, pil_mean(X[, a], Z[, a]))
    each$variance <- c(each$variance, pil_variance(X[, a], Z[, a]))
    each$quantiles <- c(each$quantiles, pil_quantiles(X[, a], Z[, a]))
    for (b in seq_len(ncol(X))) {
      if (a < b) {
        each$covariance <- c(each$covariance, pil_covariance(X[, a], X[, b], Z[, a], Z[, b]))
        each$correlation <- c(each$correlation, pil_correlation(X[, a], X[, b], Z[, a], Z[, b]))
      }
    }
  }
  parts <- 100 * sapply(each, function(losses) if (length(losses)) mean(losses) else NA_real_)
  list(value = mean(parts, na.rm = TRUE), parts = parts)
}

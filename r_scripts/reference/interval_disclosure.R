# Interval disclosure, and the two aggregates that contain it, reference implementation. Source: thesis 2.4.2.

# Mean over attributes and over p = 1 .. 10 of inside(x, z, p), an (n, n) table of TRUE and FALSE: is original i in
# the interval around protected j? value is the mean of the diagonal, baseline that of all pairs; per cent.
interval_shares <- function(X, Z, inside) {
  X <- as.matrix(X)
  Z <- as.matrix(Z)
  value <- baseline <- numeric(0)
  for (a in seq_len(ncol(X))) {
    for (p in 1:10) {
      table <- inside(X[, a], Z[, a], p)
      value <- c(value, mean(diag(table)))
      baseline <- c(baseline, mean(table))
    }
  }
  list(value = 100 * mean(value), baseline = 100 * mean(baseline))
}

# |x - z| <= (p / 100) sd(x), sd of the original with n - 1. The disclosure risk contains this form.
interval_disclosure <- function(X, Z) {
  interval_shares(X, Z, function(x, z, p) {
    table <- matrix(FALSE, length(x), length(z))
    for (j in seq_along(z)) table[, j] <- abs(x - z[j]) <= p / 100 * sd(x)
    table
  })
}

# By ranks: from the protected value floor(p n / 100) places below the lowest place of z_j in the sorted protected column
# to the value as many places above its highest place; places outside 1 .. n are clipped; both ends are inside.
interval_disclosure_rank <- function(X, Z) {
  interval_shares(X, Z, function(x, z, p) {
    n <- length(z)
    width <- floor(p * n / 100)
    sorted <- sort(z)
    table <- matrix(FALSE, n, n)
    for (j in seq_len(n)) {
      places <- which(sorted == z[j])
      low <- sorted[max(1, min(places) - width)]
      high <- sorted[min(n, max(places) + width)]
      table[, j] <- low <= x & x <= high
    }
    table
  })
}

# All in per cent.
dr <- function(dbrl, prl, id) 0.5 * (dbrl + prl) / 2 + 0.5 * id

score <- function(pil, dr) 0.5 * pil + 0.5 * dr

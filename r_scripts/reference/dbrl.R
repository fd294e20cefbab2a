# Distance-based record linkage, reference implementation. Source: thesis 2.4.2; ties as in this project.

# Scores with the file's own mean and sd (n - 1).
own_scores <- function(x) (x - mean(x)) / sd(x)

# Whether a column is constant up to the rounding of its mean.
is_constant <- function(x) max(abs(x - mean(x))) <= 1e-14 * max(abs(x))

# X, Z (n, p) original and protected; record i of Z is the release of record i of X.
# Share of originals whose nearest protected record is their own, in per cent. t records at the smallest distance
# (equal to `tie`, relative) count 1/t. An attribute constant in either file adds 0 to every distance.
# Returns value and baseline, the expected value of a random pairing.
dbrl <- function(X, Z, tie = 1e-12) {
  X <- as.matrix(X)
  Z <- as.matrix(Z)
  n <- nrow(X)
  linked <- 0
  varies <- sapply(seq_len(ncol(X)), function(a) !is_constant(X[, a]) && !is_constant(Z[, a]))
  A <- B <- matrix(0, n, 0)
  for (a in which(varies)) {
    A <- cbind(A, own_scores(X[, a]))
    B <- cbind(B, own_scores(Z[, a]))
  }
  for (i in seq_len(n)) {
    d <- numeric(n)
    for (a in seq_len(ncol(A))) d <- d + (A[i, a] - B[, a])^2
    d <- sqrt(d)
    nearest <- d <= min(d) * (1 + tie)
    if (nearest[i]) linked <- linked + 1 / sum(nearest)
  }
  list(value = 100 * linked / n, baseline = 100 / n)
}

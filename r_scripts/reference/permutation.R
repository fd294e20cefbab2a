# Controlled permutation, reference implementation. Source: Muralidhar and Domingo-Ferrer (2023); the sample: Silverman (1986), 6.4.1.

# Y (n, t), each column separately: a sample of its kernel estimate, shrunk to its variance, assigned by rank (equal values at
# random), then permuted within blocks of k ranks; the last block contains the remaining ranks.
# Draws by column: n records with replacement, n normals, n uniforms for equal values, n for the permutation.
permutation <- function(Y, k) {
  Y <- as.matrix(Y)
  n <- nrow(Y)
  block <- pmin((seq_len(n) - 1) %/% k, max(n %/% k - 1, 0))
  for (j in seq_len(ncol(Y))) {
    y <- Y[, j]
    h <- bw.nrd0(y)
    s2 <- mean((y - mean(y))^2)
    chosen <- y[sample.int(n, n, replace = TRUE)]
    sampled <- mean(y) + (chosen - mean(y) + h * rnorm(n)) / sqrt(1 + h^2 / s2)
    by_rank <- order(y, runif(n))
    Y[by_rank, j] <- sort(sampled)[order(block, runif(n))]
  }
  Y
}

# The same as a synthesis, which is a function of X and Y.
permutation_synthesis <- function(X, Y, k) permutation(Y, k)

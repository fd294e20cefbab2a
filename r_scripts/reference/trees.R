# Columns drawn one after another from the leaves of regression trees, reference implementation.
# Source: Breiman, Friedman, Olshen and Stone (1984), 8.3 (trees); Reiter (2005) (synthesis).

# The cut of node y (n) by features F (n, p) that lowers the sum of squares most, with at least `fewest` records in each part; NULL if
# there is none. Of equal cuts the first. With D the sum of the first k deviations from the mean, in the order of a feature, the
# sum of squares is lower by n D^2 / (k (n - k)).
best_cut <- function(F, y, fewest) {
  n <- length(y)
  best <- NULL
  if (n < 2 * fewest) return(NULL)
  for (j in seq_len(ncol(F))) {
    by_feature <- order(F[, j])
    f <- F[by_feature, j]
    D <- cumsum(y[by_feature] - mean(y))
    k <- fewest:(n - fewest)
    k <- k[f[k] < f[k + 1]]
    if (length(k) == 0) next
    gains <- n * D[k]^2 / (k * (n - k))
    first <- which.max(gains)
    if (is.null(best) || gains[first] > best$gain) {
      best <- list(feature = j, at = (f[k[first]] + f[k[first] + 1]) / 2, gain = gains[first])
    }
  }
  best
}

# The leaf of each original, with features F (n, p), and of each released record, with features G (m, p), in a tree for y (n). A cut
# must lower the sum of squares of the file by the share `complexity`.
tree_leaves <- function(F, y, G, fewest, complexity) {
  original <- integer(nrow(F))
  released <- integer(nrow(G))
  number <- 0
  total <- sum((y - mean(y))^2)
  grow <- function(rows, released_rows) {
    cut <- best_cut(F[rows, , drop = FALSE], y[rows], fewest)
    if (total == 0 || is.null(cut) || cut$gain < complexity * total) {
      number <<- number + 1
      original[rows] <<- number
      released[released_rows] <<- number
      return(invisible())
    }
    low <- F[rows, cut$feature] <= cut$at
    released_low <- G[released_rows, cut$feature] <= cut$at
    grow(rows[low], released_rows[released_low])
    grow(rows[!low], released_rows[!released_low])
  }
  grow(seq_len(nrow(F)), seq_len(nrow(G)))
  list(original = original, released = released)
}

# The columns of Y (n, t), each from a donor of the record's leaf in a tree on X (n, s) and the columns before. Features are places among
# the different originals, and cuts lie halfway between two places. Draws by column: n uniforms; record i has the donor at place
# floor(u size) + 1 of its leaf, in the order of the file.
sequential_trees <- function(X, Y, min_leaf = 20, complexity = 1e-8) {
  X <- as.matrix(X)
  Y <- as.matrix(Y)
  place <- function(z, y) findInterval(z, sort(unique(y)), left.open = TRUE)
  F <- apply(X, 2, function(x) place(x, x))
  G <- F
  Z <- Y
  for (j in seq_len(ncol(Y))) {
    leaves <- tree_leaves(F, Y[, j], G, min_leaf, complexity)
    u <- runif(nrow(Y))
    for (i in seq_len(nrow(Y))) {
      donors <- which(leaves$original == leaves$released[i])
      Z[i, j] <- Y[donors[floor(u[i] * length(donors)) + 1], j]
    }
    F <- cbind(F, place(Y[, j], Y[, j]))
    G <- cbind(G, place(Z[, j], Y[, j]))
  }
  Z
}

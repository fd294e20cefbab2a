"""Mathematics for all modules: moments, quantiles, ranks, sorting, least squares, factors."""

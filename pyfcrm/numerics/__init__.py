"""Mathematics that every room uses: moments, quantiles, ranks, sorting, least squares, factors."""

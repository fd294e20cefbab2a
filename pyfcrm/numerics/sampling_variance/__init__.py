"""Variances of estimates from a sample with strata and clusters, or with replicate weights."""

"""Whether a release is acceptable: the tests of a verdict and the decision."""

"""The utility panel: estimates that users make, of the original and of a release, in standard errors."""

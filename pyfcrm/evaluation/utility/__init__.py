"""What an analyst finds in a release: regressions, combined estimates, changes by variable."""

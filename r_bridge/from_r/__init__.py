"""Functions that the R package in r_scripts/fcrm calls through reticulate."""

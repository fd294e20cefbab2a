"""The door that R calls through reticulate: the R package in r_scripts/fcrm, R to Python."""

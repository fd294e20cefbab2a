# What R's own generator gives, for `pyfcrm qualify` on machines without R.
# From the repository's root:  Rscript tests/golden/make_streams.R   (make golden). Writes pyfcrm/trust/values/streams.json:
# by seed, the last three of a thousand of each kind, drawn one kind after the other, and words of the state at the end.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
target <- file.path(dirname(normalizePath(script)), "..", "..", "pyfcrm", "trust", "values", "streams.json")

drawn <- function(seed) {
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  made <- list(
    runif = runif(1000), rnorm = rnorm(1000), sample = sample(1000), sample_int = sample.int(1e9, 1000, replace = TRUE)
  )
  c(lapply(made, tail, 3), list(state = .Random.seed[c(1, 2, 3, 626)]))
}

numbers <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
of_seed <- function(seed) {
  values <- drawn(seed)
  sprintf('  "%d": {\n%s\n  }', seed, paste0('    "', names(values), '": ', vapply(values, numbers, ""), collapse = ",\n"))
}
text <- paste(vapply(c(1L, 42L, -7L), of_seed, ""), collapse = ",\n")
writeLines(sprintf('{\n  "R": "%s",\n%s\n}', R.version.string, text), target)

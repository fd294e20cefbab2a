# Objects of other packages, read by their slots: these packages need not be installed. sdcMicro: see sdcmicro.R.

# simPop: a random part of the simulated population, of as many records as the sample, is evaluated against the sample.
evaluate.simPopObj <- function(df, released = NULL, columns = NULL, seed = NULL, ...) {
  sample <- as.data.frame(slot(slot(df, "sample"), "data"))
  population <- as.data.frame(if (is.null(released)) slot(slot(df, "pop"), "data") else releases_of(released))
  row.names(population) <- NULL
  if (is.null(columns)) columns <- numeric_in_both(sample, population)
  share <- nrow(sample) / nrow(population)
  if (share >= 1) stop_input("evaluate", "the population must have more records than the sample", nrow(population))
  drawn <- suppressMessages(protect(population, sampling(share), dependent = columns, seed = seed))
  drawn <- with_provenance(drawn, NULL)  # provenance of the sampling, not of the simulation
  evaluate(sample, drawn, columns, ...)
}

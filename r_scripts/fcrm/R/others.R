# Objects of other packages, read by their slots: these packages need not be installed.

# sdcMicro: the numerical key variables are protected, given the numeric categorical key variables and the sampling weight,
# which are released unchanged. Strata are those of the object.
protect.sdcMicroObj <- function(df, method, independent = NULL, dependent = NULL, ...) {
  frame <- frame_of_sdc(df)
  roles <- roles_of("protect", frame, independent, dependent)
  if (is.null(roles$dependent)) roles$dependent <- names(slot(df, "manipNumVars"))
  if (is.null(independent)) roles$independent <- sdc_predictors(df, frame, roles$dependent)
  options <- list(...)
  if (is.null(options$strata)) options$strata <- columns_of_sdc(df, "strataVar")
  others <- setdiff(roles$dependent, names(slot(df, "manipNumVars")))
  if (length(others)) stop_input("protect", "dependent columns must be numerical key variables of the object", others[1L])
  released <- do.call(protect, c(list(frame, method, roles$independent, roles$dependent), options))
  if (!identical(dim(released), dim(frame))) {
    stop_input("protect", "an sdcMicroObj must keep its records and columns: protect a data.frame", format(method))
  }
  emit_notes(paste("independent columns:", if (length(roles$independent)) toString(roles$independent) else "none"))
  `attr<-`(sdc_with(df, released), PROVENANCE, attr(released, PROVENANCE, exact = TRUE))
}

sdc_predictors <- function(sdc, frame, dependent) {
  keys <- setdiff(c(columns_of_sdc(sdc, "keyVars"), columns_of_sdc(sdc, "weightVar")), dependent)
  is_predictor <- function(x) kind_of(x) %in% c("double", "integer") && !anyNA(x) && any(x != x[1L])
  Filter(function(name) is_predictor(frame[[name]]), keys)
}

evaluate.sdcMicroObj <- function(df, released = NULL, columns = NULL, ...) {
  if (is.null(released)) released <- frame_of_sdc(df)
  if (isS4(released)) released <- frame_of_sdc(released)
  if (is.null(columns)) columns <- names(slot(df, "manipNumVars"))
  evaluate(slot(df, "origData"), released, columns, ...)
}

key_risk.sdcMicroObj <- function(df, keys = columns_of_sdc(df, "keyVars"), weights = columns_of_sdc(df, "weightVar"),
                                 household = columns_of_sdc(df, "hhId"), ...) {
  key_risk(frame_of_sdc(df), keys, weights, household, ...)
}

MANIPULATED <- c("manipKeyVars", "manipPramVars", "manipNumVars", "manipGhostVars")

# The current file of the object.
frame_of_sdc <- function(sdc) {
  frame <- slot(sdc, "origData")
  for (part in MANIPULATED) frame[names(slot(sdc, part))] <- slot(sdc, part)
  frame
}

columns_of_sdc <- function(sdc, part) {
  places <- slot(sdc, part)
  if (length(places)) names(slot(sdc, "origData"))[places]
}

# The object with the columns of a release, the previous state for undolast(), and new risk and utility.
sdc_with <- function(sdc, released) {
  package <- attr(class(sdc), "package")
  sdc_function <- function(name) if (isNamespaceLoaded(package)) get0(name, asNamespace(package), mode = "function", ifnotfound = identity) else identity
  sdc <- sdc_function("nextSdcObj")(sdc)
  for (part in MANIPULATED) {
    columns <- names(slot(sdc, part))
    if (length(columns)) slot(sdc, part) <- as.data.frame(released)[columns]
  }
  sdc_function("dUtility")(sdc_function("dRisk")(sdc))
}

# simPop: a random part of the simulated population, of as many records as the sample, is evaluated against the sample.
evaluate.simPopObj <- function(df, released = NULL, columns = NULL, seed = NULL, ...) {
  sample <- as.data.frame(slot(slot(df, "sample"), "data"))
  population <- as.data.frame(if (is.null(released)) slot(slot(df, "pop"), "data") else releases_of(released))
  row.names(population) <- NULL
  if (is.null(columns)) columns <- numeric_in_both(sample, population)
  share <- nrow(sample) / nrow(population)
  if (share >= 1) stop_input("evaluate", "the population must have more records than the sample", nrow(population))
  drawn <- suppressMessages(protect(population, sampling(share), dependent = columns, seed = seed))
  attr(drawn, PROVENANCE) <- NULL  # provenance of the sampling, not of the simulation
  evaluate(sample, drawn, columns, ...)
}

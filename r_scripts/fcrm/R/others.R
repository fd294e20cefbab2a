# Objects of other packages, read by their slots: none of these packages is needed here.

# sdcMicro: the numerical key variables are protected. Categorical key variables held as numbers and the sampling weight,
# which leave as they are, explain them; strata are those of the object.
protect.sdcMicroObj <- function(df, method, independent = NULL, dependent = NULL, ...) {
  frame <- frame_of_sdc(df)
  roles <- given_roles("protect", frame, independent, dependent)
  if (is.null(roles$dependent)) roles$dependent <- names(slot(df, "manipNumVars"))
  if (is.null(independent)) roles$independent <- explaining(df, frame, roles$dependent)
  given <- list(...)
  if (is.null(given$strata)) given$strata <- columns_of_sdc(df, "strataVar")
  others <- setdiff(roles$dependent, names(slot(df, "manipNumVars")))
  if (length(others)) stop_input("protect", "dependent columns must be numerical key variables of the object", others[1L])
  released <- do.call(protect, c(list(frame, method, roles$independent, roles$dependent), given))
  if (!identical(dim(released), dim(frame))) {
    stop_input("protect", "an sdcMicroObj must keep its records and columns: protect a data.frame", format(method))
  }
  tell(paste("the columns that explain the protected ones:", if (length(roles$independent)) toString(roles$independent) else "none"))
  `attr<-`(sdc_with(df, released), FACTS, attr(released, FACTS, exact = TRUE))
}

explaining <- function(sdc, frame, dependent) {
  keys <- setdiff(c(columns_of_sdc(sdc, "keyVars"), columns_of_sdc(sdc, "weightVar")), dependent)
  explains <- function(x) kind_of(x) %in% c("double", "integer") && !anyNA(x) && any(x != x[1L])
  Filter(function(name) explains(frame[[name]]), keys)
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

# The file as the object has it now.
frame_of_sdc <- function(sdc) {
  frame <- slot(sdc, "origData")
  for (part in MANIPULATED) frame[names(slot(sdc, part))] <- slot(sdc, part)
  frame
}

columns_of_sdc <- function(sdc, part) {
  places <- slot(sdc, part)
  if (length(places)) names(slot(sdc, "origData"))[places]
}

# The object with the columns of a release in it, the state before for undolast(), and its risk and utility anew.
sdc_with <- function(sdc, released) {
  home <- attr(class(sdc), "package")
  theirs <- function(name) if (isNamespaceLoaded(home)) get0(name, asNamespace(home), mode = "function", ifnotfound = identity) else identity
  sdc <- theirs("nextSdcObj")(sdc)
  for (part in MANIPULATED) {
    columns <- names(slot(sdc, part))
    if (length(columns)) slot(sdc, part) <- as.data.frame(released)[columns]
  }
  theirs("dUtility")(theirs("dRisk")(sdc))
}

# simPop: as many records of the simulated population as the sample has, drawn by the seed, against the sample.
evaluate.simPopObj <- function(df, released = NULL, columns = NULL, seed = NULL, ...) {
  sample <- as.data.frame(slot(slot(df, "sample"), "data"))
  population <- as.data.frame(if (is.null(released)) slot(slot(df, "pop"), "data") else releases_of(released))
  if (is.null(columns)) columns <- numeric_in_both(sample, population)
  share <- nrow(sample) / nrow(population)
  if (share >= 1) stop_input("evaluate", "the population must have more records than the sample", nrow(population))
  drawn <- suppressMessages(protect(population, sampling(share), dependent = columns, seed = seed))
  row.names(drawn) <- NULL
  attr(drawn, FACTS) <- NULL  # of the drawing, not of the simulation
  evaluate(sample, drawn, columns, ...)
}

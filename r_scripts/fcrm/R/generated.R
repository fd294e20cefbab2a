# Generated from what Python declares: python tests/support/generate.py. Not to be edited.

# The constructor of each method, by the name of its class in Python.
CONSTRUCTORS <- c(FCRM = "fcrm", IPSO = "ipso", GADP = "gadp", EGADP = "egadp", Noise = "noise",
                  RankSwapping = "rankswapping", Shuffling = "shuffling", Microaggregation = "microaggregation",
                  Permutation = "permutation", Hybrid = "hybrid", Sequential = "sequential_trees", ARF = "arf",
                  Dummy = "dummy", Sampling = "sampling", Recoding = "recoding", TopBottomCoding = "topbottomcoding",
                  LocalSuppression = "localsuppression", PRAM = "pram", Calibrated = "calibrated",
                  External = "external", Steps = "steps")

fcrm <- function(c, m = 1.5, tol = 1e-05, max_iter = 30, intercept = TRUE, joint = FALSE, basis = NULL,
                 release = "predict", donors = 50) {
  new_method("FCRM", environment())
}

ipso <- function(kind = "C", variant = "burridge", epsilon = NULL, delta = NULL, clip = NULL, max_leverage = NULL,
                 basis = NULL) {
  new_method("IPSO", environment())
}

gadp <- function(basis = NULL) {
  new_method("GADP", environment())
}

egadp <- function(basis = NULL) {
  new_method("EGADP", environment())
}

noise <- function(kind = "uncorrelated", amount = 10) {
  new_method("Noise", environment())
}

rankswapping <- function(p = 15, form = "argus") {
  new_method("RankSwapping", environment())
}

shuffling <- function() {
  new_method("Shuffling", environment())
}

microaggregation <- function(k, kind = "mdav", scale = "variance", blocks = NULL) {
  refuse_data_as_k(k)
  new_method("Microaggregation", environment())
}

permutation <- function(k = 50) {
  new_method("Permutation", environment())
}

hybrid <- function(kind = "linear", alpha = 0.5, k = 3) {
  new_method("Hybrid", environment())
}

sequential_trees <- function(model = "cart", order = NULL, min_leaf = 20, complexity = 1e-08, smooth = TRUE) {
  order <- unname(order)
  new_method("Sequential", environment())
}

arf <- function(trees = 30, delta = 0, rounds = 10, min_leaf = 20, point_mass = NULL, smooth = 0.5, relations = TRUE,
                records = NULL) {
  new_method("ARF", environment())
}

dummy <- function() {
  new_method("Dummy", environment())
}

sampling <- function(fraction = 0.1) {
  new_method("Sampling", environment())
}

recoding <- function(breaks, labels = TRUE) {
  new_method("Recoding", environment())
}

topbottomcoding <- function(top = NULL, bottom = NULL) {
  new_method("TopBottomCoding", environment())
}

localsuppression <- function(k = 2, keys = NULL, importance = NULL, combinations = NULL, missing = "level", l = NULL,
                             t = NULL, targets = NULL) {
  keys <- unname(keys)
  targets <- unname(targets)
  new_method("LocalSuppression", environment())
}

pram <- function(matrix = NULL, keep = 0.8, invariant = TRUE, alpha = 0.5) {
  refuse_data_as_matrix(matrix)
  new_method("PRAM", environment())
}

calibrated <- function(method = sequential_trees(model = "cart"), moments = TRUE, margins = "smooth", point_mass = NULL,
                       basis = "flexible") {
  new_method("Calibrated", environment())
}

# The kind of each option, which decides how its value is converted.
OPTION_KINDS <- c(constraints = "rules", strata = "names", missing = "choice", variables = "variables",
                  strict_totals = "flag", allow_unprotected = "flag", structure = "structure", weights = "name",
                  preserve = "names", copies = "whole", strict = "flag", shuffle = "yes_no", columns = "names",
                  measures = "names", keys = "names", independent = "names", targets = "names", target_groups = "whole",
                  key_groups = "whole", domains = "names", guesses = "whole", paired = "flag", limits = "limits",
                  share = "number", repeats = "whole", shadows = "whole")

# The options that an audit of the release has too.
AUDITED_OPTIONS <- c("constraints", "strata", "missing", "variables", "structure", "weights", "preserve", "copies")

protect.data.frame <- function(df, method, independent = NULL, dependent = NULL, identifiers = NULL, seed = NULL,
                               unknown = NULL, weight = NULL, household = NULL, unit = NULL, time = NULL, psu = NULL,
                               sampling_stratum = NULL, replicate_weights = NULL, replicate_type = NULL,
                               replicate_scale = NULL, replicate_rscales = NULL, product = NULL, constraints = NULL,
                               strata = NULL, missing = NULL, variables = NULL, strict_totals = FALSE,
                               allow_unprotected = FALSE, structure = "default", weights = NULL, preserve = NULL,
                               copies = 1, strict = FALSE, shuffle = NULL, ledger = NULL, ...) {
  refuse_further("protect", ...)
  columns <- list(independent = independent, dependent = dependent, identifiers = identifiers, unknown = unknown)
  more <- list(weight = weight, household = household, unit = unit, time = time, psu = psu,
               sampling_stratum = sampling_stratum, replicate_weights = replicate_weights,
               replicate_type = replicate_type, replicate_scale = replicate_scale,
               replicate_rscales = replicate_rscales, product = product)
  options <- list(constraints = constraints, strata = strata, missing = missing, variables = variables,
                  strict_totals = strict_totals, allow_unprotected = allow_unprotected, structure = structure,
                  weights = weights, preserve = preserve, copies = copies, strict = strict, shuffle = shuffle)
  protect_frame(df, method, columns, more, seed, options, ledger)
}

protect_file <- function(input, output, method, independent = NULL, dependent = NULL, identifiers = NULL, seed = NULL,
                         unknown = NULL, weight = NULL, household = NULL, unit = NULL, time = NULL, psu = NULL,
                         sampling_stratum = NULL, replicate_weights = NULL, replicate_type = NULL,
                         replicate_scale = NULL, replicate_rscales = NULL, product = NULL, separator = NULL,
                         decimal = NULL, thousands = NULL, encoding = NULL, missing_marks = NULL, sheet = NULL,
                         disarm = FALSE, overwrite = FALSE, constraints = NULL, strata = NULL, missing = NULL,
                         variables = NULL, strict_totals = FALSE, allow_unprotected = FALSE, structure = "default",
                         weights = NULL, preserve = NULL, copies = 1, strict = FALSE, shuffle = NULL, manifest = NULL,
                         ledger = NULL) {
  columns <- list(independent = independent, dependent = dependent, identifiers = identifiers, unknown = unknown)
  more <- list(weight = weight, household = household, unit = unit, time = time, psu = psu,
               sampling_stratum = sampling_stratum, replicate_weights = replicate_weights,
               replicate_type = replicate_type, replicate_scale = replicate_scale,
               replicate_rscales = replicate_rscales, product = product)
  options <- list(separator = separator, decimal = decimal, thousands = thousands, encoding = encoding,
                  missing_marks = missing_marks, sheet = sheet, disarm = disarm, overwrite = overwrite,
                  constraints = constraints, strata = strata, missing = missing, variables = variables,
                  strict_totals = strict_totals, allow_unprotected = allow_unprotected, structure = structure,
                  weights = weights, preserve = preserve, copies = copies, strict = strict, shuffle = shuffle)
  protect_path(input, output, method, columns, more, seed, options, manifest, ledger)
}

evaluate.data.frame <- function(df, released, columns = NULL, measures = NULL, keys = NULL, strata = NULL,
                                independent = NULL, targets = NULL, target_groups = 20, key_groups = NULL,
                                domains = NULL, guesses = 10000, weights = NULL, paired = FALSE, variables = NULL,
                                limits = NULL, unknown = NULL, method = NULL, audit = NULL, ...) {
  refuse_further("evaluate", ...)
  options <- list(columns = columns, measures = measures, keys = keys, strata = strata, independent = independent,
                  targets = targets, target_groups = target_groups, key_groups = key_groups, domains = domains,
                  guesses = guesses, weights = weights, paired = paired, variables = variables, limits = limits)
  evaluate_frame(df, released, options, unknown, method, audit)
}

audit <- function(df, method, independent = NULL, dependent = NULL, seed = 1, identifiers = NULL, unknown = NULL,
                  product = NULL, share = 0.5, repeats = 3, shadows = 8, constraints = NULL, strata = NULL,
                  missing = NULL, variables = NULL, structure = "default", weights = NULL, preserve = NULL,
                  copies = 1) {
  columns <- list(independent = independent, dependent = dependent, identifiers = identifiers, unknown = unknown,
                  product = product)
  options <- list(share = share, repeats = repeats, shadows = shadows, constraints = constraints, strata = strata,
                  missing = missing, variables = variables, structure = structure, weights = weights,
                  preserve = preserve, copies = copies)
  audit_frame(df, columns, options, method, seed)
}

sweep_methods <- function(df, methods, independent = NULL, dependent = NULL, seed = NULL, identifiers = NULL,
                          unknown = NULL, product = NULL, constraints = NULL, strata = NULL, missing = NULL,
                          variables = NULL, structure = "default", weights = NULL, preserve = NULL) {
  columns <- list(independent = independent, dependent = dependent, identifiers = identifiers, unknown = unknown,
                  product = product)
  options <- list(constraints = constraints, strata = strata, missing = missing, variables = variables,
                  structure = structure, weights = weights, preserve = preserve)
  sweep_frame(df, columns, options, methods, seed)
}

recommend <- function(df, independent = NULL, dependent = NULL, limits = NULL, max_dr = NULL, constraints = NULL,
                      seed = NULL, candidates = NULL, identifiers = NULL, unknown = NULL, product = NULL, strata = NULL,
                      missing = NULL, variables = NULL, structure = "default", weights = NULL, preserve = NULL) {
  columns <- list(independent = independent, dependent = dependent, identifiers = identifiers, unknown = unknown,
                  product = product)
  options <- list(constraints = constraints, strata = strata, missing = missing, variables = variables,
                  structure = structure, weights = weights, preserve = preserve)
  recommend_frame(df, columns, options, limits, max_dr, seed, candidates)
}

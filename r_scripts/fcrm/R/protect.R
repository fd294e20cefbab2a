# protect(): a data frame, and its protected version as a frame of the same class.

protect <- function(df, method, ...) UseMethod("protect")

protect.default <- function(df, method, ...) check_frame("protect", "df", df)

protect.data.frame <- function(df, method, independent = NULL, dependent = NULL, identifiers = NULL, seed = NULL,
                               missing = "refuse", round_integers = TRUE, constraints = NULL, strata = NULL,
                               unknown = NULL, strict_totals = FALSE, allow_unprotected = FALSE, structure = NULL, weights = NULL, preserve = NULL,
                               copies = 1, weight = NULL, household = NULL, unit = NULL, time = NULL,
                               bounds = "default", decimals = "default", ledger = NULL, ...) {
  refuse_further("protect", ...)
  check_frame("protect", "df", df)
  check_method("protect", method)
  check_row_names("protect", df)
  single <- list(weight = weight, household = household, unit = unit, time = time)
  roles <- roles_of("protect", df, independent, dependent, identifiers, unknown, single)
  identifiers <- c(roles$identifiers, step_columns(method, "identifiers"))
  if (is.null(roles$dependent)) roles$dependent <- method_keys(method)
  further <- list(method_keys(method), step_columns(method), constrained_columns(df, constraints), strata, preserve_columns(df, weights, preserve))
  requested <- c(roles[setdiff(names(roles), c("identifiers", "unknown"))], further)
  table <- packed_table("protect", df, if (is.null(ledger)) requested else list(names(df)))  # the ledger compares whole records
  options <- plain_options(
    "protect", missing = missing, round_integers = round_integers, constraints = unname(constraints), strata = unname(strata),
    strict_totals = strict_totals, allow_unprotected = allow_unprotected, structure = plain_structure("protect", structure),
    weights = weights, preserve = unname(preserve), copies = copies, bounds = bounds, decimals = decimals,
    ledger = if (!is.null(ledger)) plain_path(ledger, "ledger", "protect")
  )
  random <- seed_arguments("protect", seed)
  answer <- call_python("protect", table, plain_method(method), plain_roles("protect", roles), random$seed, random$state, options)
  set_random_state(random, answer[["state"]])
  notes <- c(as.character(answer[["notes"]]), if (is.integer(row_labels(df))) RENUMBERED)
  used <- list(
    missing = missing, round_integers = round_integers, constraints = unname(constraints), strata = strata,
    structure = structure, weights = weights, preserve = preserve, bounds = bounds, decimals = decimals
  )
  in_frame <- function(release) {
    whole <- isTRUE(round_integers) && is.null(method$parameters$epsilon)
    changes <- as_changes(release, requested_columns(df, requested), whole)
    store_release(
      release[["key"]], seed = as_seed(answer[["seed"]]), seed_kind = answer[["seed_kind"]], notes = notes,
      options = Filter(Negate(is.null), used), ledger = answer[["ledger"]], rows = changes$rows
    )
    released_frame(df, changes, as.character(identifiers), new_provenance(roles, method, release[["key"]]))
  }
  released <- in_frame(answer)
  if (length(answer[["copies"]])) released <- as_copies(c(list(released), lapply(answer[["copies"]], in_frame)))
  emit_notes(notes, released)
  released
}

# A matrix is protected as a frame; the release is a matrix.
protect.matrix <- function(df, method, ...) {
  released <- protect(frame_of_matrix("protect", df), method, ...)
  as_matrix <- function(frame) `attr<-`(as.matrix(frame), PROVENANCE, attr(frame, PROVENANCE))
  if (inherits(released, "fcrm_copies")) as_copies(lapply(released, as_matrix)) else as_matrix(released)
}

frame_of_matrix <- function(owner, x) {
  if (stats::is.ts(x)) stop_input(owner, "a time series must be converted to a data.frame with a column of times", "a ts")
  if (is.null(colnames(x))) stop_input(owner, "the columns of a matrix must have names", "none")
  `attr<-`(as.data.frame(x, optional = TRUE), PROVENANCE, attr(x, PROVENANCE, exact = TRUE))
}

# The changes of a release from Python: new columns by name, new gaps by column, the records in the release.
as_changes <- function(answer, columns, whole) {
  gaps <- lapply(answer[["gap_records"]], function(records) integers_from_bytes(as.raw(records)))
  names(gaps) <- columns[integers_from_bytes(as.raw(answer[["gap_columns"]]))]
  rows <- if (is.null(answer[["rows"]])) NULL else integers_from_bytes(as.raw(answer[["rows"]]))
  list(new = frame_from_bytes(answer[["columns"]]), gaps = gaps, rows = rows, whole = whole)
}

# protect(): a data frame, and its protected version as a frame of the same class.

protect <- function(df, method, ...) UseMethod("protect")

protect.default <- function(df, method, ...) check_frame("protect", "df", df)

# What protect.data.frame() does, whose formal arguments are in R/generated.R. columns, more : names by role; options : by name.
protect_frame <- function(df, method, columns, more, seed, options, ledger) {
  check_frame("protect", "df", df)
  check_method("protect", method)
  check_row_names("protect", df)
  roles <- roles_of("protect", df, columns$independent, columns$dependent, columns$identifiers, columns$unknown, more)
  identifiers <- c(roles$identifiers, step_columns(method, "identifiers"))
  if (is.null(roles$dependent)) roles$dependent <- method_keys(method)
  further <- list(
    method_keys(method), step_columns(method), constrained_columns(df, options$constraints), options$strata,
    preserve_columns(df, options$weights, options$preserve), declared_columns(df, options$variables)
  )
  requested <- c(roles[setdiff(names(roles), c("identifiers", "unknown", ROLE_VALUES))], further)
  # The ledger compares whole records; a public file must have no unmodified column.
  whole <- !is.null(ledger) || "public" %in% c(roles$product, step_products(method))
  table <- packed_table("protect", df, if (whole) list(names(df)) else requested)
  arguments <- converted_options("protect", options)
  if (!is.null(ledger)) arguments$ledger <- plain_path(ledger, "ledger", "protect")
  random <- seed_arguments("protect", seed)
  answer <- call_python("protect", table, plain_method(method), plain_roles("protect", roles), random$seed, random$state, arguments)
  set_random_state(random, answer[["state"]])
  renumbered <- if (is.integer(row_labels(df))) RENUMBERED
  all_notes <- c(as.character(answer[["all_notes"]]), renumbered)
  notes <- c(as.character(answer[["notes"]]), renumbered)
  if (length(notes) > MOST_NOTES) notes <- setdiff(notes, renumbered)
  used <- options[setdiff(AUDITED_OPTIONS, "copies")]
  used$constraints <- unname(used$constraints)
  in_frame <- function(release) {
    whole <- !identical(options$variables, "numbers") && is.null(method$parameters$epsilon)
    changes <- as_changes(release, requested_columns(df, requested), whole)
    store_release(
      release[["key"]], seed = as_seed(answer[["seed"]]), seed_kind = answer[["seed_kind"]], notes = notes,
      all_notes = all_notes,
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

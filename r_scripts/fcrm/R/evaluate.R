# evaluate(): how much information a release lost, and what it discloses.

evaluate <- function(df, released, ...) UseMethod("evaluate")

# Others have a function of this name, for other things.
evaluate.default <- function(df, released, ...) {
  theirs <- masked("evaluate")
  if (is.null(theirs)) check_frame("evaluate", "df", df)
  again(theirs, sys.call(-1L), parent.frame(2L), df)
}

evaluate.matrix <- function(df, released, ...) evaluate(frame_of_matrix("evaluate", df), released, ...)

evaluate.data.frame <- function(df, released, columns = NULL, measures = NULL, keys = NULL,
                                strata = NULL, independent = NULL, seed = NULL, unknown = NULL, targets = NULL,
                                target_groups = 20, key_groups = NULL, domains = NULL, method = NULL,
                                guesses = 10000, weights = NULL, ...) {
  no_more("evaluate", ...)
  if (is.character(released)) released <- files_released(released)
  given <- as.list(environment())
  copies <- if (inherits(released, "fcrm_copies")) lapply(released, releases_of)
  releases <- if (is.null(copies)) releases_of(released) else copies[[1L]]
  if (!is.data.frame(releases)) {
    return(lapply(releases, function(one) do.call(evaluate.data.frame, c(list(released = one), given[names(given) != "released"]))))
  }
  released <- releases
  if (inherits(columns, "formula")) {
    roles <- given_roles("evaluate", df, columns, NULL)
    columns <- roles$dependent
    independent <- roles$independent
  }
  if (!is.null(method)) check_method("evaluate", method)
  wanted <- if (is.null(columns)) numeric_in_both(df, released) else columns
  leaving <- unchanged_columns(df, released)
  options <- list(
    columns = plain_names(columns), measures = plain(measures, "evaluate", "measures"),
    keys = plain_names(keys),
    strata = plain_names(strata), independent = plain_names(independent),
    leaving = plain_names(leaving), unknown = plain_names(unknown), targets = plain_names(targets),
    target_groups = plain(target_groups, "evaluate", "target_groups"),
    key_groups = plain(key_groups, "evaluate", "key_groups"), domains = plain_names(domains),
    method = if (!is.null(method)) plain_method(method), guesses = plain(guesses, "evaluate", "guesses"),
    weights = plain(weights, "evaluate", "weights")
  )
  # Who knows the method uses what was kept: equal in both files.
  kept <- if (!is.null(method)) intersect(leaving, numeric_in_both(df, released))
  from_original <- list(wanted, keys, targets, strata, independent, domains, kept, weights)
  before <- c(crossing("evaluate, original", df, from_original), labels = list(record_labels(df)))
  sent <- function(one) {
    c(crossing("evaluate, protected", one, list(wanted, keys, targets, leaving)), labels = list(record_labels(one)))
  }
  after <- if (is.null(copies)) sent(released) else lapply(unname(copies), sent)
  # Only the inference baseline draws: without it R's own random state is left alone.
  start <- if (is.null(independent) && is.null(seed)) list(own = FALSE) else start_of("evaluate", seed)
  answer <- ask("evaluate", before, after, options, start$seed, start$state)
  keep_random_state(start, answer[["state"]])
  as_report(answer)
}

# A release that is a file, or several copies.
files_released <- function(paths) {
  frames <- lapply(paths, read_table)
  if (length(frames) == 1L) frames[[1L]] else as_copies(frames)
}

# The release that is to be judged, as a frame; of several syntheses a list of frames.
releases_of <- function(released) {
  if (is.matrix(released)) released <- frame_of_matrix("evaluate", released)
  if (inherits(released, "synds")) released <- released[["syn"]]
  if (!is.data.frame(released) && is.list(released) && length(released) && all(vapply(released, is.data.frame, NA))) {
    return(released)
  }
  check_frame("evaluate", "released", released)
  released
}

numeric_in_both <- function(df, released) {
  is_number <- function(x) kind_of(x) %in% c("double", "integer")
  numeric <- function(df) names(df)[vapply(seq_along(df), function(i) is_number(column_of(df, i)), NA)]
  intersect(numeric(df), numeric(released))
}

# Row names that say more than position pair the records, as a pandas index does; NULL where there are none.
record_labels <- function(df) {
  if (.row_names_info(df) <= 0L) NULL else column_to_bytes("row", attr(df, "row.names"))
}

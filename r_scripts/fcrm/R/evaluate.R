# evaluate(): how much information a release lost, and what it discloses.

evaluate <- function(df, released, ...) UseMethod("evaluate")

evaluate.default <- function(df, released, ...) check_frame("evaluate", "df", df)

evaluate.matrix <- function(df, released, ...) evaluate(frame_of_matrix("evaluate", df), released, ...)

evaluate.data.frame <- function(df, released, columns = NULL, measures = NULL, keys = NULL,
                                strata = NULL, independent = NULL, unknown = NULL, targets = NULL,
                                target_groups = 20, key_groups = NULL, domains = NULL, method = NULL,
                                guesses = 10000, weights = NULL, limits = NULL, audit = NULL, ...) {
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
  facts <- attr(released, FACTS, exact = TRUE)
  roles <- known_roles(facts, columns, independent, unknown)
  wanted <- if (is.null(columns) && is.null(roles) && is.null(facts)) numeric_in_both(df, released) else columns
  options <- list(
    columns = plain_names(wanted), measures = plain(measures, "evaluate", "measures"),
    keys = plain_names(keys),
    strata = plain_names(strata), independent = plain_names(independent), unknown = plain_names(unknown),
    targets = plain_names(targets), target_groups = plain(target_groups, "evaluate", "target_groups"),
    key_groups = plain(key_groups, "evaluate", "key_groups"), domains = plain_names(domains),
    guesses = plain(guesses, "evaluate", "guesses"), weights = plain(weights, "evaluate", "weights"),
    limits = plain_limits("evaluate", limits),
    audit = plain(audit, "evaluate", "audit")
  )
  made_with <- facts$options
  from_options <- list(made_with$strata, constrained_columns(df, made_with$constraints), answered_columns(df, made_with$weights, made_with$preserve))
  from_original <- c(list(wanted, roles$dependent, keys, targets, strata, independent, domains, weights), from_options)
  sent <- function(one, other, named, owner) {
    there <- Filter(function(name) !is.na(kind_of(column_of(one, name))), intersect(names(one), names(other)))
    c(crossing(owner, one, c(list(there), named)), labels = list(record_labels(one)))
  }
  after <- lapply(unname(if (is.null(copies)) list(released) else copies), sent, df, list(columns, keys, targets), "evaluate, protected")
  answer <- ask(
    "evaluate", sent(df, released, from_original, "evaluate, original"), if (is.null(copies)) after[[1L]] else after, options,
    if (!is.null(roles)) sent_roles("evaluate", roles), if (!is.null(method)) plain_method(method), sent_facts(facts)
  )
  as_report(answer)
}

# Limits of the verdict: a list by key, or the path of a TOML file.
plain_limits <- function(owner, limits) {
  if (is.character(limits)) plain_path(limits, "limits", owner) else plain(limits, owner, "limits")
}

# Roles from the arguments where both sides are given, else those of the release; NULL where they are not known.
known_roles <- function(facts, columns, independent, unknown) {
  roles <- facts$roles
  if (!is.null(columns) && !is.null(independent)) roles <- list(independent = independent, dependent = columns)
  if (!is.null(roles) && !is.null(unknown)) roles$unknown <- unknown
  if (length(roles$dependent)) roles # steps have roles of their own
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

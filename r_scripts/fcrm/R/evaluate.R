# evaluate(): information loss and disclosure risk of a release.

evaluate <- function(df, released, ...) UseMethod("evaluate")

evaluate.default <- function(df, released, ...) check_frame("evaluate", "df", df)

evaluate.matrix <- function(df, released, ...) evaluate(frame_of_matrix("evaluate", df), released, ...)

# What evaluate.data.frame() does, whose formal arguments are in R/generated.R. options : by name.
evaluate_frame <- function(df, released, options, unknown, method, audit) {
  if (is.character(released)) released <- files_released(released)
  copies <- if (inherits(released, "fcrm_copies")) lapply(released, releases_of)
  releases <- if (is.null(copies)) releases_of(released) else copies[[1L]]
  if (!is.data.frame(releases)) {
    return(lapply(releases, function(frame) evaluate_frame(df, frame, options, unknown, method, audit)))
  }
  released <- releases
  if (inherits(options$columns, "formula")) {
    roles <- roles_of("evaluate", df, options$columns, NULL)
    options["columns"] <- list(roles$dependent)
    options["independent"] <- list(roles$independent)
  }
  if (!is.null(method)) check_method("evaluate", method)
  provenance <- attr(released, PROVENANCE, exact = TRUE)
  stored <- stored_release(released)
  if (is.null(method) && is.null(stored)) method <- provenance$method
  columns <- options$columns
  independent <- options$independent
  roles <- known_roles(provenance, columns, independent, unknown)
  requested <- if (is.null(columns) && is.null(roles) && is.null(provenance)) numeric_in_both(df, released) else columns
  options["columns"] <- list(requested)
  arguments <- converted_options("evaluate", options)
  arguments[["unknown"]] <- plain(unname(unknown), "evaluate", "unknown")
  arguments[["audit"]] <- plain(audit, "evaluate", "audit")
  used <- stored$options
  from_options <- list(used$strata, constrained_columns(df, used$constraints), preserve_columns(df, used$weights, used$preserve))
  from_original <- c(
    list(requested, roles$dependent, independent), options[c("keys", "targets", "strata", "domains", "weights")], from_options
  )
  packed <- function(frame, other, named, owner, labels) {
    shared <- Filter(function(name) !is.na(kind_of(column_of(frame, name))), intersect(names(frame), names(other)))
    c(packed_table(owner, frame, c(list(shared), named)), labels = list(labels))
  }
  frames <- unname(if (is.null(copies)) list(released) else copies)
  labels <- paired_labels(df, released)
  protected <- lapply(frames, function(copy) {
    packed(copy, df, list(columns, options$keys, options$targets), "evaluate, protected", paired_labels(df, copy)$released)
  })
  original <- packed(df, released, from_original, "evaluate, original", labels$original)
  answer <- call_python(
    "evaluate", original, protected, arguments, if (!is.null(roles)) plain_roles("evaluate", roles),
    if (!is.null(method)) plain_method(method), plain_provenance(provenance, stored)
  )
  report <- as_report(answer)
  if (!is.null(provenance$method) && is.null(stored)) {
    for (which in c("notes", "all_notes")) attr(report, which) <- c(attr(report, which), KNOWN_IN_SESSION)
  }
  warn_of_hold(attr(report, "verdict"), report)
  report
}

# Limits of the verdict: a list by key, or the path of a TOML file.
plain_limits <- function(owner, limits) if (is.character(limits)) plain_path(limits, "limits", owner) else limits

# Roles from the arguments if both sides are given, else those of the release; NULL if unknown.
known_roles <- function(provenance, columns, independent, unknown) {
  roles <- provenance$roles
  if (!is.null(columns) && !is.null(independent)) roles <- list(independent = independent, dependent = columns)
  if (!is.null(roles) && !is.null(unknown)) roles$unknown <- unknown
  if (length(roles$dependent)) roles # steps have their own roles
}

# A release that is a file, or several copies.
files_released <- function(paths) {
  frames <- lapply(paths, read_table)
  if (length(frames) == 1L) frames[[1L]] else as_copies(frames)
}

# The release as a frame; several syntheses as a list of frames.
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

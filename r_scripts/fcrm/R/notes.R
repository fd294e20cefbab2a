# What was noted on the way. A release carries nothing but its table, so its notes are kept here, for the latest one.

latest <- new.env(parent = emptyenv())

remember <- function(released, notes) {
  latest$released <- released
  latest$notes <- notes
}

notes <- function(x, ...) UseMethod("notes")

notes.default <- function(x, ...) {
  stop_parameter("notes", "x", "must be a release, a report, a frontier or one of its candidates", class(x)[1L])
}

notes.data.frame <- function(x, ...) {
  if (!identical(x, latest$released)) {
    stop_parameter("notes", "x", "must be the latest release of this session, as protect() gave it", "another frame")
  }
  latest$notes
}

notes.fcrm_report <- function(x, ...) attr(x, "notes")

notes.fcrm_candidate <- function(x, ...) x$notes

notes.fcrm_frontier <- function(x, ...) setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))

# What was noted on the way, and what it started from. A release carries nothing but its table, so both are kept here, for
# the latest one: the frame of protect(), or the path of protect_file().

latest <- new.env(parent = emptyenv())

remember <- function(released, notes, start) {
  latest$released <- released
  latest$notes <- notes
  latest$start <- start
}

remember_file <- function(path, start) {
  latest$path <- path
  latest$file_start <- start
}

# The same release in another form.
remembered_as <- function(x) latest$released <- x

seed_of <- function(x) {
  if (inherits(x, "fcrm_frontier")) {
    return(x$seed)
  }
  if (is.character(x) && identical(x, latest$path)) {
    return(latest$file_start)
  }
  if (is.null(latest$released) || !identical(x, latest$released)) {
    rule <- "must be the latest release of this session, as protect() gave it or the path that protect_file() wrote"
    given <- if (is.character(x)) "another path" else if (is.data.frame(x)) "another frame" else class(x)[1L]
    stop_parameter("seed_of", "x", rule, given)
  }
  latest$start
}

notes <- function(x = latest$released, ...) UseMethod("notes")

notes.default <- function(x = latest$released, ...) {
  if (is.null(latest$released) || !identical(x, latest$released)) {
    rule <- "must be the latest release of this session, as protect() gave it, a report, a frontier or one of its candidates"
    stop_parameter("notes", "x", rule, if (is.data.frame(x)) "another frame" else class(x)[1L])
  }
  latest$notes
}

notes.fcrm_report <- function(x, ...) attr(x, "notes")

notes.fcrm_candidate <- function(x, ...) x$notes

notes.fcrm_frontier <- function(x, ...) setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))

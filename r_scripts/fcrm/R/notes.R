# What is known of how a release was made. Roles (identifiers apart), method, notes, kind of seed and options are an
# attribute of the release, which evaluate() reads; the seed is kept here, for the latest release only.

FACTS <- "fcrm"  # the attribute

release_facts <- function(roles, method, notes, seed, options) {
  roles <- roles[c("independent", "dependent", "unknown")]
  list(roles = roles, method = method, notes = notes, seed = seed, options = Filter(Negate(is.null), options))
}

# The same, to send.
sent_facts <- function(facts) {
  if (is.null(facts)) {
    return(NULL)
  }
  options <- facts$options
  structure <- plain_structure("evaluate", options$structure)
  sent <- lapply(options[names(options) != "structure"], plain, "evaluate", "options")
  list(roles = sent_roles("evaluate", facts$roles), method = plain_method(facts$method), seed = facts$seed,
       options = c(sent, if (!is.null(structure)) list(structure = structure)))
}

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
  if (!is.null(latest$released) && identical(x, latest$released)) {
    return(latest$notes)
  }
  facts <- attr(x, FACTS, exact = TRUE)
  if (is.null(facts)) {
    rule <- "must be a release, as protect() gave it, a report, a frontier or one of its candidates"
    stop_parameter("notes", "x", rule, if (is.data.frame(x)) "another frame" else class(x)[1L])
  }
  facts$notes
}

notes.fcrm_report <- function(x, ...) attr(x, "notes")

notes.fcrm_candidate <- function(x, ...) x$notes

notes.fcrm_frontier <- function(x, ...) setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))

# What is known of how a release was made. Roles (identifiers apart), method, notes, kind of seed and options are an
# attribute of the release, which evaluate() reads. The seed stays in the session.

FACTS <- "fcrm"  # the attribute

release_facts <- function(roles, method, notes, seed, options, digest, ledger = NULL) {
  roles <- Filter(Negate(is.null), roles[setdiff(names(roles), "identifiers")])
  list(roles = roles, method = method, notes = notes, seed = seed, options = Filter(Negate(is.null), options), digest = digest,
       ledger = ledger)
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
       options = c(sent, if (!is.null(structure)) list(structure = structure)), ledger = facts$ledger)
}

# What releases started from, for this session only: by the digest of a release, or by the paths of its files.
starts <- new.env(parent = emptyenv())

remember <- function(key, start) assign(paste(key, collapse = "\n"), list(start), envir = starts)

seed_of <- function(x) {
  if (inherits(x, "fcrm_frontier")) {
    return(x$seed)
  }
  key <- if (is.character(x)) x else facts_of(x)$digest
  start <- if (length(key)) get0(paste(key, collapse = "\n"), starts, inherits = FALSE)
  if (is.null(start)) {
    rule <- "must be a release of this session, as protect() returned it or the path that protect_file() wrote"
    stop_parameter("seed_of", "x", rule, if (is.character(x)) "another path" else paste("a", class(x)[1L]))
  }
  start[[1L]]
}

facts_of <- function(x) attr(if (inherits(x, "fcrm_copies")) x[[1L]] else x, FACTS, exact = TRUE)

notes <- function(x, ...) UseMethod("notes")

notes.default <- function(x, ...) {
  facts <- facts_of(x)
  if (is.null(facts)) {
    rule <- "must be a release, as protect() gave it, a report, a frontier or one of its candidates"
    stop_parameter("notes", "x", rule, if (is.data.frame(x)) "another frame" else class(x)[1L])
  }
  facts$notes
}

notes.fcrm_report <- function(x, ...) attr(x, "notes")

notes.fcrm_candidate <- function(x, ...) x$notes

notes.fcrm_frontier <- function(x, ...) setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))

# Provenance of a release: roles without identifiers, method, and a random key, in an attribute of the release. What discloses
# more is stored in the session under the key: seed, notes, options, and which records of the original it has.

PROVENANCE <- "fcrm"  # the attribute
KNOWN_IN_SESSION <- "the notes, the seed and the options of protect() are stored in its own R session, not in the release"

new_provenance <- function(roles, method, key) {
  roles <- Filter(Negate(is.null), roles[setdiff(names(roles), "identifiers")])
  list(roles = roles, method = method, key = key)
}

# Releases of this session, by key, and those that are files, by path: lists of seed, kind of seed, notes, options, ledger entry, rows.
releases <- new.env(parent = emptyenv())

store_release <- function(key, ...) assign(paste(key, collapse = "\n"), list(...), envir = releases)

# The stored list; NULL for a release of another session.
stored_release <- function(x) {
  key <- if (is.character(x)) x else provenance_of(x)$key
  if (length(key)) get0(paste(key, collapse = "\n"), releases, inherits = FALSE)
}

# The provenance as an argument for Python; NULL if this session does not know its options.
plain_provenance <- function(provenance, stored) {
  if (is.null(provenance) || is.null(stored)) {
    return(NULL)
  }
  options <- stored$options
  structure <- plain_structure("evaluate", options$structure)
  packed <- lapply(options[names(options) != "structure"], plain, "evaluate", "options")
  list(roles = plain_roles("evaluate", provenance$roles), method = plain_method(provenance$method), seed = stored$seed_kind,
       options = c(packed, if (!is.null(structure)) list(structure = structure)), ledger = stored$ledger)
}

seed_of <- function(x) {
  if (inherits(x, "fcrm_frontier")) {
    return(x$seed)
  }
  stored <- stored_release(x)
  if (is.null(stored)) {
    rule <- "must be a release of this session, as protect() returned it or the path that protect_file() wrote"
    stop_parameter("seed_of", "x", rule, described_release(x))
  }
  stored$seed
}

# The value of an argument that is no release of this session, in messages.
described_release <- function(x) {
  if (is.character(x)) {
    return("another path")
  }
  if (!is.null(provenance_of(x))) {
    return("a release of another session")
  }
  if (is.data.frame(x)) "another frame" else paste("a", class(x)[1L])
}

provenance_of <- function(x) attr(if (inherits(x, "fcrm_copies")) x[[1L]] else x, PROVENANCE, exact = TRUE)

notes <- function(x, ...) UseMethod("notes")

notes.default <- function(x, ...) {
  stored <- if (!is.character(x)) stored_release(x)
  if (is.null(stored)) {
    rule <- "must be a release of this session, as protect() returned it, a report, a frontier or one of its candidates"
    stop_parameter("notes", "x", rule, described_release(x))
  }
  stored$notes
}

notes.fcrm_report <- function(x, ...) attr(x, "notes")

notes.fcrm_candidate <- function(x, ...) x$notes

notes.fcrm_frontier <- function(x, ...) setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))

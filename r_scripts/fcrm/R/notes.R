# Provenance of a release: roles without identifiers, method, notes, kind of seed and options. It is an attribute of the release,
# which evaluate() reads. The seed itself is stored in the session only.

PROVENANCE <- "fcrm"  # the attribute

new_provenance <- function(roles, method, notes, seed, options, digest, ledger = NULL) {
  roles <- Filter(Negate(is.null), roles[setdiff(names(roles), "identifiers")])
  list(roles = roles, method = method, notes = notes, seed = seed, options = Filter(Negate(is.null), options), digest = digest,
       ledger = ledger)
}

# The provenance as an argument for Python.
plain_provenance <- function(provenance) {
  if (is.null(provenance)) {
    return(NULL)
  }
  options <- provenance$options
  structure <- plain_structure("evaluate", options$structure)
  packed <- lapply(options[names(options) != "structure"], plain, "evaluate", "options")
  list(roles = plain_roles("evaluate", provenance$roles), method = plain_method(provenance$method), seed = provenance$seed,
       options = c(packed, if (!is.null(structure)) list(structure = structure)), ledger = provenance$ledger)
}

# Seeds of the releases of this session, by the digest of a release or by the paths of its files.
seeds <- new.env(parent = emptyenv())

store_seed <- function(key, seed) assign(paste(key, collapse = "\n"), list(seed), envir = seeds)

seed_of <- function(x) {
  if (inherits(x, "fcrm_frontier")) {
    return(x$seed)
  }
  key <- if (is.character(x)) x else provenance_of(x)$digest
  seed <- if (length(key)) get0(paste(key, collapse = "\n"), seeds, inherits = FALSE)
  if (is.null(seed)) {
    rule <- "must be a release of this session, as protect() returned it or the path that protect_file() wrote"
    stop_parameter("seed_of", "x", rule, if (is.character(x)) "another path" else paste("a", class(x)[1L]))
  }
  seed[[1L]]
}

provenance_of <- function(x) attr(if (inherits(x, "fcrm_copies")) x[[1L]] else x, PROVENANCE, exact = TRUE)

notes <- function(x, ...) UseMethod("notes")

notes.default <- function(x, ...) {
  provenance <- provenance_of(x)
  if (is.null(provenance)) {
    rule <- "must be a release, as protect() gave it, a report, a frontier or one of its candidates"
    stop_parameter("notes", "x", rule, if (is.data.frame(x)) "another frame" else class(x)[1L])
  }
  provenance$notes
}

notes.fcrm_report <- function(x, ...) attr(x, "notes")

notes.fcrm_candidate <- function(x, ...) x$notes

notes.fcrm_frontier <- function(x, ...) setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))

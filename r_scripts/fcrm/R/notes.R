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

MOST_NOTES <- 10L  # of a release, as in Python; all_notes() has the others

store_release <- function(key, ...) assign(paste(key, collapse = "\n"), list(...), envir = releases)

# The stored list; NULL for a release of another session.
stored_release <- function(x) stored_under(if (is.character(x)) x else provenance_of(x)$key)

stored_under <- function(key) {
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

# The provenance of a release; of an sdcMicroObj where its method is known.
provenance_of <- function(x) {
  if (isS4(x)) {
    provenance <- sdc_provenance(x)
    return(if (!is.null(provenance$method)) provenance)
  }
  attr(if (inherits(x, "fcrm_copies")) x[[1L]] else x, PROVENANCE, exact = TRUE)
}

with_provenance <- function(released, provenance) {
  attr(released, PROVENANCE) <- provenance
  released
}

# The provenance of a release made from the release before: as that of steps(). Its key is the keys of both; notes and seed are those of the
# later one. Without the options of one of them, of another session, there are none of the whole.
joined_provenance <- function(before, after) {
  joined <- list(method = method_of_steps(c(steps_in(before), steps_in(after))), roles = list(), key = c(before$key, after$key))
  first <- stored_under(before$key)
  last <- stored_under(after$key)
  if (is.null(first) || is.null(last)) {
    return(joined)
  }
  different <- Filter(function(name) !identical(first$options[[name]], last$options[[name]]), OF_EVERY_STEP)
  if (length(different)) {
    return(list(reason = paste0("`", different[1L], "` differs between calls of protect() on this object")))
  }
  store_release(
    joined$key, seed = last$seed, notes = last$notes, all_notes = last$all_notes, options = joined_options(first$options, last$options),
    seed_kind = c(kinds_by_step(first$seed_kind, before), kinds_by_step(last$seed_kind, after)),
    ledger = if (is.null(last$ledger)) first$ledger else last$ledger
  )
  joined
}

# The kind of the seed of each step.
kinds_by_step <- function(kinds, provenance) rep_len(kinds, length(steps_in(provenance)))

OF_EVERY_STEP <- c("strata", "variables")  # options of protect() that steps() has once for all steps

# Options that one of the releases was given hold for the steps that they concern; of two, those of the later one.
joined_options <- function(before, after) {
  given <- Filter(Negate(is.null), after)
  before[names(given)] <- given
  before
}

# The steps of a release, as in the method of steps(): a list of a method and its roles for each.
steps_in <- function(provenance) {
  if (provenance$method$name == "Steps") provenance$method$parameters$steps else list(list(provenance$method, provenance$roles))
}

# The provenance with the roles of each step as `change` returns them.
with_changed_roles <- function(provenance, change) {
  if (is.null(provenance$method) || provenance$method$name != "Steps") {
    provenance$roles <- change(provenance$roles)
    return(provenance)
  }
  steps <- steps_in(provenance)
  provenance$method <- method_of_steps(lapply(steps, function(step) list(step[[1L]], change(step[[2L]]))))
  provenance
}

notes <- function(x, ...) UseMethod("notes")

notes.default <- function(x, ...) {
  stored <- if (!is.character(x)) stored_release(x)
  if (is.null(stored)) {
    rule <- "must be a release of this session, as protect() returned it, a report, a frontier or one of its candidates"
    stop_parameter("notes", "x", rule, described_release(x))
  }
  stored$notes
}

# Every note of a release or a report, in full; notes() has at most ten, in brief. x : a report, a release, or the path of one that
# protect_file() wrote.
all_notes <- function(x) {
  if (inherits(x, "fcrm_report")) return(attr(x, "all_notes"))
  stored <- stored_release(x)
  if (is.null(stored)) {
    rule <- "must be a release of this session, as protect() or protect_file() returned it, or a report"
    stop_parameter("all_notes", "x", rule, described_release(x))
  }
  stored$all_notes
}

notes.fcrm_report <- function(x, ...) attr(x, "notes")

notes.fcrm_candidate <- function(x, ...) x$notes

notes.fcrm_frontier <- function(x, ...) setNames(lapply(x$candidates, notes), vapply(x$candidates, format, ""))

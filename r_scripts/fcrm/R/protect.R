# protect(): a frame in, a protected frame of the same kind out.

protect <- function(df, method, ...) UseMethod("protect")

protect.default <- function(df, method, ...) check_frame("protect", "df", df)

protect.data.frame <- function(df, method, independent = NULL, dependent = NULL, identifiers = NULL, seed = NULL,
                               missing = "refuse", round_integers = TRUE, constraints = NULL, strata = NULL,
                               unknown = NULL, strict_totals = FALSE, allow_unprotected = FALSE, structure = NULL, weights = NULL, preserve = NULL,
                               copies = 1, weight = NULL, household = NULL, unit = NULL, time = NULL,
                               bounds = "default", decimals = "default", ledger = NULL, ...) {
  no_more("protect", ...)
  check_frame("protect", "df", df)
  check_method("protect", method)
  single <- list(weight = weight, household = household, unit = unit, time = time)
  roles <- given_roles("protect", df, independent, dependent, identifiers, unknown, single)
  identifiers <- c(roles$identifiers, step_columns(method, "identifiers"))
  if (is.null(roles$dependent)) roles$dependent <- method_keys(method)
  read <- list(method_keys(method), step_columns(method), constrained_columns(df, constraints), strata, answered_columns(df, weights, preserve))
  wanted <- c(roles[setdiff(names(roles), c("identifiers", "unknown"))], read)
  sent <- crossing("protect", df, if (is.null(ledger)) wanted else list(names(df)))  # the ledger compares whole records
  options <- list(
    missing = plain(missing, "protect", "missing"), round_integers = plain(round_integers, "protect", "round_integers"),
    constraints = plain(unname(constraints), "protect", "constraints"), strata = plain_names(strata),
    strict_totals = plain(strict_totals, "protect", "strict_totals"),
    allow_unprotected = plain(allow_unprotected, "protect", "allow_unprotected"), structure = plain_structure("protect", structure),
    weights = plain(weights, "protect", "weights"), preserve = plain_names(preserve, "protect", "preserve"),
    copies = plain(copies, "protect", "copies"), bounds = plain(bounds, "protect", "bounds"),
    decimals = plain(decimals, "protect", "decimals"),
    ledger = if (!is.null(ledger)) plain_path(ledger, "ledger", "protect")
  )
  start <- start_of("protect", seed)
  answer <- ask("protect", sent, plain_method(method), sent_roles("protect", roles), start$seed, start$state, options)
  keep_random_state(start, answer[["state"]])
  said <- as.character(answer[["notes"]])
  made_with <- list(
    missing = missing, round_integers = round_integers, constraints = unname(constraints), strata = strata,
    structure = structure, weights = weights, preserve = preserve, bounds = bounds, decimals = decimals
  )
  facts <- release_facts(roles, method, said, answer[["seed_kind"]], made_with, answer[["digest"]], answer[["ledger"]])
  in_frame <- function(told) {
    whole <- isTRUE(round_integers) && is.null(method$parameters$epsilon)
    changes <- as_changes(told, wanted_columns(df, wanted), whole)
    released_frame(df, changes, as.character(identifiers), facts)
  }
  released <- in_frame(answer)
  if (length(answer[["more"]])) released <- as_copies(c(list(released), lapply(answer[["more"]], in_frame)))
  remember(answer[["digest"]], as_start(answer[["start"]]))
  tell(said)
  released
}

# A matrix goes as a frame and comes back as a matrix.
protect.matrix <- function(df, method, ...) {
  released <- protect(frame_of_matrix("protect", df), method, ...)
  as_before <- function(one) `attr<-`(as.matrix(one), FACTS, attr(one, FACTS))
  if (inherits(released, "fcrm_copies")) as_copies(lapply(released, as_before)) else as_before(released)
}

frame_of_matrix <- function(owner, x) {
  if (stats::is.ts(x)) stop_input(owner, "a time series must come as a data.frame with a column of its times", "a ts")
  if (is.null(colnames(x))) stop_input(owner, "the columns of a matrix must have names", "none")
  `attr<-`(as.data.frame(x, optional = TRUE), FACTS, attr(x, FACTS, exact = TRUE))
}

# What Python answered, in R's terms: the new columns by name, the records emptied by column, the records released.
as_changes <- function(answer, sent, whole) {
  emptied <- lapply(answer[["cells"]], function(cells) integers_from_bytes(as.raw(cells)))
  names(emptied) <- sent[integers_from_bytes(as.raw(answer[["emptied"]]))]
  rows <- if (is.null(answer[["rows"]])) NULL else integers_from_bytes(as.raw(answer[["rows"]]))
  list(new = frame_from_bytes(answer[["columns"]]), emptied = emptied, rows = rows, whole = whole)
}

# protect(): a frame in, a protected frame of the same kind out.

protect <- function(df, method, independent = NULL, dependent = NULL, identifiers = NULL, seed = NULL,
                    missing = "refuse", round_integers = TRUE, constraints = NULL, strata = NULL,
                    unknown = NULL, strict_totals = FALSE) {
  check_frame("protect", "df", df)
  check_method("protect", method)
  wanted <- list(independent, dependent, method_keys(method), constrained_columns(df, constraints), strata)
  sent <- crossing("protect", df, wanted)
  roles <- list(
    independent = plain_names(independent), dependent = plain_names(dependent), identifiers = plain_names(identifiers),
    unknown = plain_names(unknown)
  )
  options <- list(
    missing = plain(missing, "protect", "missing"), round_integers = plain(round_integers, "protect", "round_integers"),
    constraints = plain(unname(constraints), "protect", "constraints"), strata = plain_names(strata),
    strict_totals = plain(strict_totals, "protect", "strict_totals")
  )
  start <- start_of("protect", seed)
  answer <- ask("protect", sent, plain_method(method), roles, start$seed, start$state, options)
  keep_random_state(start, answer[["state"]])
  released <- released_frame(df, as_changes(answer, wanted_columns(df, wanted)), as.character(identifiers))
  said <- as.character(answer[["notes"]])
  remember(released, said, as_start(answer[["start"]]))
  tell(said)
  released
}

# What Python answered, in R's terms: the new columns by name, the records emptied by column, the records released.
as_changes <- function(answer, sent) {
  emptied <- lapply(answer[["cells"]], function(cells) integers_from_bytes(as.raw(cells)))
  names(emptied) <- sent[integers_from_bytes(as.raw(answer[["emptied"]]))]
  rows <- if (is.null(answer[["rows"]])) NULL else integers_from_bytes(as.raw(answer[["rows"]]))
  list(new = frame_from_bytes(answer[["columns"]]), emptied = emptied, rows = rows)
}

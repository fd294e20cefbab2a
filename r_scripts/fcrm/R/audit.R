# audit(): a random part is protected and attacked, the rest judges. The values by name, with every attack in attributes.

audit <- function(df, method, independent = NULL, dependent = NULL, seed = 1, share = 0.5, repeats = 3, shadows = 8,
                  identifiers = NULL, missing = "refuse", constraints = NULL, strata = NULL, unknown = NULL,
                  copies = 1, weights = NULL, preserve = NULL, structure = NULL) {
  check_frame("audit", "df", df)
  check_method("audit", method)
  roles <- given_roles("audit", df, independent, dependent, identifiers, unknown)
  wanted <- list(roles$independent, roles$dependent, method_keys(method), constrained_columns(df, constraints), strata, answered_columns(df, weights, preserve))
  options <- list(
    share = plain(share, "audit", "share"), repeats = plain(repeats, "audit", "repeats"), shadows = plain(shadows, "audit", "shadows"),
    missing = plain(missing, "audit", "missing"), constraints = plain(unname(constraints), "audit", "constraints"),
    strata = plain_names(strata), copies = plain(copies, "audit", "copies"),
    weights = plain(weights, "audit", "weights"), preserve = plain_names(preserve, "audit", "preserve"),
    structure = plain_structure("audit", structure)
  )
  start <- start_of("audit", seed)
  answer <- ask("audit", crossing("audit", df, wanted), plain_method(method), sent_roles("audit", roles), start$seed, start$state, options)
  keep_random_state(start, answer[["state"]])
  ours <- function(words) with_methods(as.character(words), answer[["method"]], format(method))
  structure(
    setNames(as.list(as.numeric(answer[["values"]])), as.character(answer[["keys"]])),
    rows = frame_from_bytes(answer[["rows"]]), alarms = ours(answer[["alarms"]]), said = ours(answer[["said"]]),
    title = ours(answer[["title"]]), method = method, digest = as.character(answer[["digest"]]), notes = ours(answer[["notes"]]), class = "fcrm_audit"
  )
}

as.data.frame.fcrm_audit <- function(x, ...) attr(x, "rows")

notes.fcrm_audit <- function(x, ...) attr(x, "notes")

print.fcrm_audit <- function(x, ...) {
  cat(attr(x, "title"), "\n\n", sep = "")
  print_figures(attr(x, "rows"))
  cat("\n")
  print_said(attr(x, "said"))
  print_notes(attr(x, "notes"))
  invisible(x)
}

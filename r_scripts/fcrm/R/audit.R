# audit(): a random part of the records is protected and attacked; the other part is the control. Values by name; attacks in attributes.

audit <- function(df, method, independent = NULL, dependent = NULL, seed = 1, share = 0.5, repeats = 3, shadows = 8,
                  identifiers = NULL, missing = "refuse", constraints = NULL, strata = NULL, unknown = NULL,
                  copies = 1, weights = NULL, preserve = NULL, structure = NULL) {
  check_frame("audit", "df", df)
  check_method("audit", method)
  roles <- roles_of("audit", df, independent, dependent, identifiers, unknown)
  requested <- list(roles$independent, roles$dependent, method_keys(method), step_columns(method), constrained_columns(df, constraints), strata, preserve_columns(df, weights, preserve))
  options <- plain_options(
    "audit", share = share, repeats = repeats, shadows = shadows, missing = missing, constraints = unname(constraints),
    strata = unname(strata), copies = copies, weights = weights, preserve = unname(preserve), structure = plain_structure("audit", structure)
  )
  random <- seed_arguments("audit", seed)
  answer <- call_python("audit", packed_table("audit", df, requested), plain_method(method), plain_roles("audit", roles), random$seed, random$state, options)
  set_random_state(random, answer[["state"]])
  texts <- function(key) with_methods(as.character(answer[[key]]), answer[["method"]], format(method))
  structure(
    setNames(as.list(as.numeric(answer[["values"]])), as.character(answer[["keys"]])),
    rows = frame_from_bytes(answer[["rows"]]), alarms = texts("alarms"), sentences = texts("sentences"),
    title = texts("title"), method = method, digest = as.character(answer[["digest"]]), notes = texts("notes"), class = "fcrm_audit"
  )
}

as.data.frame.fcrm_audit <- function(x, ...) attr(x, "rows")

notes.fcrm_audit <- function(x, ...) attr(x, "notes")

print.fcrm_audit <- function(x, ...) {
  cat(attr(x, "title"), "\n\n", sep = "")
  print_figures(attr(x, "rows"))
  cat("\n")
  print_sentences(attr(x, "sentences"))
  print_notes(attr(x, "notes"))
  invisible(x)
}

# audit(): a random part of the records is protected and attacked; the other part is the control. Values by name; attacks in attributes.

# What audit() does, whose formal arguments are in R/generated.R. columns : names by role; options : by name.
audit_frame <- function(df, columns, options, method, seed) {
  check_frame("audit", "df", df)
  check_method("audit", method)
  roles <- roles_of(
    "audit", df, columns$independent, columns$dependent, columns$identifiers, columns$unknown, list(product = columns$product)
  )
  requested <- list(
    roles$independent, roles$dependent, method_keys(method), step_columns(method), constrained_columns(df, options$constraints),
    options$strata, preserve_columns(df, options$weights, options$preserve), declared_columns(df, options$variables)
  )
  # A public file must have no unmodified column.
  if ("public" %in% c(roles$product, step_products(method))) requested <- list(setdiff(names(df), roles$identifiers))
  arguments <- converted_options("audit", options)
  random <- seed_arguments("audit", seed)
  answer <- call_python("audit", packed_table("audit", df, requested), plain_method(method), plain_roles("audit", roles), random$seed, random$state, arguments)
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

# key_risk(): re-identification risk of each record by key variables. A data.frame, with figures of the whole file in attributes.

key_risk <- function(df, ...) UseMethod("key_risk")

key_risk.default <- function(df, ...) check_frame("key_risk", "df", df)

key_risk.data.frame <- function(df, keys, weights = NULL, household = NULL, form = "approx", scoring = "elliot",
                                variables = NULL, ...) {
  refuse_further("key_risk", ...)
  if (is.null(variables)) variables <- stored_release(df)$options$variables
  options <- plain_options(
    "key_risk", keys = unname(keys), weights = weights, household = household, form = form, scoring = scoring,
    variables = variables
  )
  columns <- c(keys, weights, household, declared_columns(df, variables))
  answer <- call_python("key_risk", packed_table("key_risk", df, list(columns)), options)
  rows <- frame_from_bytes(answer[["rows"]])
  row.names(rows) <- attr(df, "row.names")
  structure(rows,
    keys = as.character(keys), expected = answer[["expected"]], global_risk = answer[["global_risk"]],
    global_household_risk = answer[["global_household_risk"]], sentences = as.character(unlist(answer[["sentences"]])),
    class = c("fcrm_key_risk", "data.frame")
  )
}

print.fcrm_key_risk <- function(x, n = 10, ...) {
  print_sentences(attr(x, "sentences"))
  rows <- as.data.frame(unclass(x)[names(x)], row.names = attr(x, "row.names"))
  riskiest <- order(-rows$individual, -rows$dis)
  shown <- rows[riskiest[seq_len(min(n, nrow(rows)))], , drop = FALSE]
  cat("\nThe", nrow(shown), "records of the largest risk:\n\n")
  print(shown, digits = 4)
  invisible(x)
}

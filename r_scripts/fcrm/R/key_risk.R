# key_risk(): how easily each record is found by keys that an intruder knows. A data.frame, with the whole file in attributes.

key_risk <- function(df, ...) UseMethod("key_risk")

key_risk.default <- function(df, ...) check_frame("key_risk", "df", df)

key_risk.data.frame <- function(df, keys, weights = NULL, household = NULL, form = "approx", scoring = "elliot",
                                fraction = 0.01, ...) {
  no_more("key_risk", ...)
  options <- list(
    keys = plain_names(keys), weights = plain(weights, "key_risk", "weights"),
    household = plain(household, "key_risk", "household"), form = plain(form, "key_risk", "form"),
    scoring = plain(scoring, "key_risk", "scoring"), fraction = plain(fraction, "key_risk", "fraction")
  )
  answer <- ask("key_risk", crossing("key_risk", df, list(keys, weights, household)), options)
  rows <- frame_from_bytes(answer[["rows"]])
  row.names(rows) <- attr(df, "row.names")
  structure(rows,
    keys = as.character(keys), expected = answer[["expected"]], global_risk = answer[["global_risk"]],
    global_household_risk = answer[["global_household_risk"]], said = as.character(unlist(answer[["said"]])),
    class = c("fcrm_key_risk", "data.frame")
  )
}

print.fcrm_key_risk <- function(x, n = 10, ...) {
  print_said(attr(x, "said"))
  rows <- as.data.frame(unclass(x)[names(x)], row.names = attr(x, "row.names"))
  riskiest <- order(-rows$individual, -rows$dis)
  shown <- rows[riskiest[seq_len(min(n, nrow(rows)))], , drop = FALSE]
  cat("\nThe", nrow(shown), "records of the largest risk:\n\n")
  print(shown, digits = 4)
  invisible(x)
}

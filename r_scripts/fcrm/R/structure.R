# find_structure(): what holds between the columns of a file and was not declared. A data.frame, one row a proposal.

find_structure <- function(df, independent = NULL, dependent = NULL) {
  check_frame("find_structure", "df", df)
  if (is.null(dependent)) dependent <- setdiff(names(df)[vapply(df, is.numeric, NA)], independent)
  roles <- list(
    independent = plain_names(independent), dependent = plain_names(dependent), identifiers = NULL, unknown = NULL
  )
  answer <- ask("find_structure", crossing("find_structure", df, list(independent, dependent)), roles)
  rows <- frame_from_bytes(answer[["rows"]])
  structure(rows, class = c("fcrm_structure", "data.frame"))
}

print.fcrm_structure <- function(x, ...) {
  if (nrow(x) == 0L) {
    cat("No structure was found between the columns.\n")
  } else {
    cat(paste0(seq_len(nrow(x)), ". ", x$words, "\n"), sep = "")
  }
  invisible(x)
}

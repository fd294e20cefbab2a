# find_structure(): what holds between the columns of a file and was not declared. A data.frame, one row a proposal.

find_structure <- function(df, independent = NULL, dependent = NULL) {
  check_frame("find_structure", "df", df)
  roles <- given_roles("find_structure", df, independent, dependent)
  if (is.null(roles$dependent)) roles$dependent <- setdiff(names(df)[vapply(df, is.numeric, NA)], roles$independent)
  sent <- crossing("find_structure", df, list(roles$independent, roles$dependent))
  answer <- ask("find_structure", sent, sent_roles("find_structure", roles))
  rows <- frame_from_bytes(answer[["rows"]])
  structure(rows, class = c("fcrm_structure", "data.frame"))
}

# What was accepted, to send: "find", or each proposal as Python wrote it.
plain_structure <- function(owner, accepted) {
  if (is.null(accepted) || identical(accepted, "find")) {
    return(accepted)
  }
  if (!is.data.frame(accepted) || is.null(accepted$proposal)) {
    stop_parameter(owner, "structure", 'must be rows of what find_structure() gives, "find", or NULL', paste("a", class(accepted)[1L]))
  }
  if (nrow(accepted)) plain(accepted$proposal, owner, "structure")
}

print.fcrm_structure <- function(x, ...) {
  if (nrow(x) == 0L) {
    cat("No structure was found between the columns.\n")
  } else {
    cat(paste0(seq_len(nrow(x)), ". ", x$words, "\n"), sep = "")
  }
  invisible(x)
}

# find_structure(): proposed edit rules that hold in a file and were not declared. A data.frame, one row a proposal.

find_structure <- function(df, independent = NULL, dependent = NULL, variables = NULL) {
  check_frame("find_structure", "df", df)
  roles <- roles_of("find_structure", df, independent, dependent)
  if (is.null(roles$dependent)) roles$dependent <- setdiff(names(df)[vapply(df, is.numeric, NA)], roles$independent)
  columns <- c(roles$independent, roles$dependent, declared_columns(df, variables))
  table <- packed_table("find_structure", df, list(columns))
  options <- plain_options("find_structure", variables = variables)
  answer <- call_python("find_structure", table, plain_roles("find_structure", roles), options)
  rows <- frame_from_bytes(answer[["rows"]])
  structure(rows, class = c("fcrm_structure", "data.frame"))
}

# Accepted proposals as an argument for Python: "find", or the JSON of each proposal.
plain_structure <- function(owner, accepted) {
  if (is.null(accepted) || identical(accepted, "default") || identical(accepted, "find")) {
    return(accepted)
  }
  if (!is.data.frame(accepted) || is.null(accepted$proposal)) {
    stop_parameter(owner, "structure", 'must be rows of a result of find_structure(), "default", "find", or NULL', paste("a", class(accepted)[1L]))
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

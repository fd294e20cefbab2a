# What leaves as it came: which columns, and how many records are unique on them. Plain R data.

# The columns that a release holds as they came, by their roles; those that can cross to Python.
leaving_columns <- function(df, dependent, identifiers) {
  left <- setdiff(names(df), c(as.character(dependent), as.character(identifiers)))
  left[vapply(left, function(name) !is.na(kind_of(column_of(df, name))), NA)]
}

# Columns that are wanted, in the order of the frame's.
in_order <- function(df, wanted) list(intersect(names(df), unlist(lapply(wanted, as.character))))

# The columns of a release whose every cell, emptied ones apart, is its own record's in the original. Records pair as
# Python pairs them: by row names where those say more than position.
unchanged_columns <- function(df, released) {
  by_place <- is.null(record_labels(df)) && is.null(record_labels(released)) && nrow(df) == nrow(released)
  rows <- if (by_place) seq_len(nrow(df)) else match(row.names(released), row.names(df))
  if (anyNA(rows)) {
    return(character())
  }
  same <- function(name) {
    x <- column_of(df, name)
    z <- column_of(released, name)
    if (is.na(kind_of(x)) || is.na(kind_of(z)) || !identical(class(x), class(z))) {
      return(FALSE)
    }
    x <- if (is.factor(x)) as.character(x)[rows] else x[rows]
    z <- if (is.factor(z)) as.character(z) else z
    isTRUE(all(is.na(z) | (!is.na(x) & x == z))) && !all(is.na(z))
  }
  Filter(same, intersect(names(df), names(released)))
}

as_kept <- function(told) {
  columns <- as.character(unlist(told[["columns"]]))
  pairs <- lapply(told[["pairs"]], function(pair) {
    data.frame(first = pair[[1L]], second = pair[[2L]], unique = as.numeric(pair[[3L]]))
  })
  list(
    columns = columns, records = told[["records"]], alone = setNames(as.numeric(unlist(told[["alone"]])), columns),
    pairs = do.call(rbind, pairs), together = told[["together"]], share = told[["share"]],
    unknown = as.character(unlist(told[["unknown"]])), said = as.character(unlist(told[["said"]]))
  )
}

print_kept <- function(kept) {
  if (length(kept$said)) cat("\n")
  print_said(kept$said)
}

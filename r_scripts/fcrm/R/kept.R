# What leaves as it came: which columns, and how many records are unique on them. Plain R data.

# The columns that a release holds as they came, by their roles; those that can cross to Python.
leaving_columns <- function(df, dependent, identifiers) {
  left <- setdiff(names(df), c(as.character(dependent), as.character(identifiers)))
  left[vapply(left, function(name) !is.na(kind_of(column_of(df, name))), NA)]
}

# Columns that are wanted, in the order of the frame's.
in_order <- function(df, wanted) list(intersect(names(df), unlist(lapply(wanted, as.character))))

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

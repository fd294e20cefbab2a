# Unmodified columns of a release, and the records that are unique on them. Plain R data.

# Columns that are released unchanged, by their roles, and that Python supports.
unmodified_columns <- function(df, dependent, identifiers) {
  columns <- setdiff(names(df), c(as.character(dependent), as.character(identifiers)))
  columns[vapply(columns, function(name) !is.na(kind_of(column_of(df, name))), NA)]
}

# The requested columns in the order of the frame.
in_order <- function(df, requested) list(intersect(names(df), unlist(lapply(requested, as.character))))

as_uniques <- function(answer) {
  columns <- as.character(unlist(answer[["columns"]]))
  pairs <- lapply(answer[["pairs"]], function(pair) {
    data.frame(first = pair[[1L]], second = pair[[2L]], unique = as.numeric(pair[[3L]]))
  })
  list(
    columns = columns, records = answer[["records"]], alone = setNames(as.numeric(unlist(answer[["alone"]])), columns),
    pairs = do.call(rbind, pairs), together = answer[["together"]], share = answer[["share"]],
    unknown = as.character(unlist(answer[["unknown"]])), sentences = as.character(unlist(answer[["sentences"]]))
  )
}

print_uniques <- function(uniques) {
  if (length(uniques$sentences)) cat("\n")
  print_sentences(uniques$sentences)
}

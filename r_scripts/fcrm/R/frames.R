# Putting a release together in the kind of frame that came in.

# Only these attributes of a frame stay in a release. Others (comments, a reader's specification with the names of dropped
# columns, paths) are not part of the table.
STRUCTURE <- c("class", "row.names", "groups")

# df : what came in, not modified; changes : see as_changes; drop : names of columns to leave out; facts : see notes.R.
released_frame <- function(df, changes, drop, facts) {
  touched <- c(names(changes$new), names(changes$emptied), drop)
  check_groups(df, touched, changes$rows)
  columns <- setNames(lapply(seq_along(df), function(i) of_records(.subset2(df, i), changes$rows)), names(df))
  columns <- columns[setdiff(names(columns), drop)]
  for (name in names(changes$new)) columns[[name]] <- like_before(changes$new[[name]], columns, name, changes$whole)
  for (name in names(changes$emptied)) columns[[name]][changes$emptied[[name]]] <- NA
  kept <- attributes(df)[intersect(names(attributes(df)), STRUCTURE)]
  kept$row.names <- row_names(df, changes$rows)
  for (name in names(kept)) attr(columns, name) <- kept[[name]]
  attr(columns, FACTS) <- facts
  if (inherits(df, "data.table")) as_its_own_table(columns, attr(df, "sorted"), touched) else columns
}

of_records <- function(x, rows) {
  if (is.null(rows)) {
    return(x)
  }
  if (length(dim(x)) == 2L) x[rows, , drop = FALSE] else x[rows]
}

# A data.frame of some of the records keeps their numbers as row names; tibbles and data.tables have none.
row_names <- function(df, rows) {
  if (is.null(rows)) {
    return(.row_names_info(df, 0L))
  }
  if (inherits(df, c("tbl_df", "data.table"))) .set_row_names(length(rows)) else attr(df, "row.names")[rows]
}

# New values with the attributes of the old column, unless they are of a new kind; a missing value stays the one it was.
like_before <- function(new, columns, name, whole) {
  old <- columns[[name]]
  if (is.factor(new) || (inherits(old, "integer64") && !whole)) {
    return(new)
  }
  gone <- which(is.na(column_of(columns, name)))
  empty <- is.na(new)
  empty[gone] <- TRUE
  if (inherits(old, "integer64")) {
    new <- unclass(bit64::as.integer64(round(new)))
    tell(paste("rounded, being of class integer64:", name))
  }
  if (length(gone)) new[gone] <- as.vector(unclass(old))[gone]
  attributes(new) <- attributes(old)
  columns[[name]] <- new
  now <- sum(is.na(column_of(columns, name)) & !empty)
  if (now > 0L) tell(paste0("new values that the file declares to be missing ones, in ", now, " records of ", name))
  new
}

# := changes a data.table in place, so a release must share no column with the original. Its key holds only as far
# as its first columns are untouched.
as_its_own_table <- function(columns, key, touched) {
  whole <- cumsum(key %in% touched) == 0L
  if (any(whole)) attr(columns, "sorted") <- key[whole]
  if (requireNamespace("data.table", quietly = TRUE)) data.table::copy(columns) else columns
}

check_groups <- function(df, touched, rows) {
  groups <- setdiff(names(attr(df, "groups")), ".rows")
  if (length(groups) && (any(groups %in% touched) || !is.null(rows))) {
    stop_input("protect", "a grouped table must keep its records and its grouping columns (ungroup first)", groups[1L])
  }
}

# The release as a frame of the same class as the input.

# Attributes of a frame that a release keeps. Others (comments, a reader's specification with the names of dropped columns,
# paths) could disclose information.
STRUCTURE <- c("class", "row.names", "groups")

# df : the input, not modified; changes : see as_changes; drop : names of columns to remove; provenance : see notes.R.
released_frame <- function(df, changes, drop, provenance) {
  changed_columns <- c(names(changes$new), names(changes$gaps), drop)
  check_groups(df, changed_columns, changes$rows)
  columns <- setNames(lapply(seq_along(df), function(i) of_records(.subset2(df, i), changes$rows)), names(df))
  columns <- columns[setdiff(names(columns), drop)]
  for (name in names(changes$new)) columns[[name]] <- like_original(changes$new[[name]], columns, name, changes$whole)
  for (name in names(changes$gaps)) columns[[name]][changes$gaps[[name]]] <- NA
  structure <- attributes(df)[intersect(names(attributes(df)), STRUCTURE)]
  structure$row.names <- row_names(df, changes$rows)
  for (name in names(structure)) attr(columns, name) <- structure[[name]]
  attr(columns, PROVENANCE) <- provenance
  if (inherits(df, "data.table")) as_data_table(columns, attr(df, "sorted"), changed_columns) else columns
}

of_records <- function(x, rows) {
  if (is.null(rows)) {
    return(x)
  }
  if (length(dim(x)) == 2L) x[rows, , drop = FALSE] else x[rows]
}

# Row names of a data.frame number the input's records; tibbles and data.tables have none.
row_names <- function(df, rows) {
  if (is.null(rows)) {
    return(.row_names_info(df, 0L))
  }
  if (inherits(df, c("tbl_df", "data.table"))) .set_row_names(length(rows)) else attr(df, "row.names")[rows]
}

# New values with the attributes of the original column, unless their kind is new. Missing values are those of the original.
like_original <- function(new, columns, name, whole) {
  old <- columns[[name]]
  if (is.factor(new) || (inherits(old, "integer64") && !whole)) {
    return(new)
  }
  missing <- which(is.na(column_of(columns, name)))
  empty <- is.na(new)
  empty[missing] <- TRUE
  if (inherits(old, "integer64")) {
    new <- unclass(bit64::as.integer64(round(new)))
    emit_notes(paste("rounded, being of class integer64:", name))
  }
  if (length(missing)) new[missing] <- as.vector(unclass(old))[missing]
  attributes(new) <- attributes(old)
  columns[[name]] <- new
  declared <- sum(is.na(column_of(columns, name)) & !empty)
  if (declared > 0L) emit_notes(paste0("new values equal to a code that the file declares as missing, in ", declared, " records of ", name))
  new
}

# := changes a data.table in place, so a release must not share columns with the original. Its key is valid up to the first
# changed column.
as_data_table <- function(columns, key, changed_columns) {
  valid <- cumsum(key %in% changed_columns) == 0L
  if (any(valid)) attr(columns, "sorted") <- key[valid]
  if (requireNamespace("data.table", quietly = TRUE)) data.table::copy(columns) else columns
}

check_groups <- function(df, changed_columns, rows) {
  groups <- setdiff(names(attr(df, "groups")), ".rows")
  if (length(groups) && (any(groups %in% changed_columns) || !is.null(rows))) {
    stop_input("protect", "a grouped table must keep its records and its grouping columns (ungroup first)", groups[1L])
  }
}

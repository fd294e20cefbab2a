# The release as a frame of the same class as the input.

# Attributes of a frame that a release keeps; its records are numbered from 1. Others (comments, a reader's specification with the names of dropped columns,
# paths) could disclose information.
STRUCTURE <- c("class", "groups")

# Attributes of a column that a release keeps, for the same reason.
OF_COLUMNS <- c(
  "class", "levels", "contrasts", "tzone", "balanced", "units", "label", "labels", "na_values", "na_range",
  "format.spss", "format.stata", "format.sas", "display_width"
)

# df : the input, not modified; changes : see as_changes; drop : names of columns to remove; provenance : see notes.R.
released_frame <- function(df, changes, drop, provenance) {
  changed_columns <- c(names(changes$new), names(changes$gaps), drop)
  check_groups(df, changed_columns, changes$rows)
  columns <- setNames(lapply(seq_along(df), function(i) of_records(.subset2(df, i), changes$rows)), names(df))
  columns <- columns[setdiff(names(columns), drop)]
  for (name in names(changes$new)) columns[[name]] <- like_original(changes$new[[name]], columns, name, changes$whole)
  for (name in setdiff(names(changes$gaps), names(changes$new))) columns[[name]][changes$gaps[[name]]] <- NA
  columns[] <- lapply(columns, function(x) without_unused(with_known_attributes(x)))
  structure <- attributes(df)[intersect(names(attributes(df)), STRUCTURE)]
  records <- if (is.null(changes$rows)) nrow(df) else length(changes$rows)
  structure$row.names <- .set_row_names(records)
  for (name in names(structure)) attr(columns, name) <- structure[[name]]
  attr(columns, PROVENANCE) <- provenance
  if (inherits(df, "data.table")) as_data_table(columns, attr(df, "sorted"), changed_columns) else columns
}

# A column without attributes of which it is not known what they are: names of its cells, comments, other columns. A column of a class that
# Python does not get is left as it is.
with_known_attributes <- function(x) {
  if (is.na(kind_of(column_of(list(x = x), "x")))) {
    return(x)
  }
  known <- c(OF_COLUMNS, if (is.list(x)) "names") # those of the parts of a POSIXlt
  attributes(x) <- attributes(x)[names(attributes(x)) %in% known]
  x
}

# A column without levels and value labels that no cell has: they would disclose cells and records that were left out.
without_unused <- function(x) {
  attributes_of_x <- attributes(x)
  if (is.factor(x)) {
    used <- sort(unique(as.integer(x)))
    if (length(used) == nlevels(x)) {
      return(x)
    }
    attributes_of_x$levels <- levels(x)[used]
    attributes_of_x$contrasts <- NULL # a matrix with a row for each level
    x <- match(as.integer(x), used)
    attributes(x) <- attributes_of_x
    return(x)
  }
  if (is.numeric(x) || is.character(x)) {
    for (name in intersect(c("labels", "na_values"), names(attributes_of_x))) { # of haven
      values <- attributes_of_x[[name]]
      used <- has_values(x, values)
      attr(x, name) <- if (any(used)) values[used]
    }
  }
  x
}

# Which values a column has. Missing values of SAS and Stata have tags, in bits that == does not compare.
has_values <- function(x, values) {
  x <- as.vector(unclass(x))
  bits <- function(numbers) {
    words <- matrix(readBin(writeBin(as.double(numbers), raw()), "integer", 2L * length(numbers)), 2L)
    paste(words[1L, ], words[2L, ])
  }
  values <- as.vector(unclass(values))
  found <- values %in% x
  if (is.double(values)) found[is.na(values)] <- bits(values[is.na(values)]) %in% bits(x[is.na(x)])
  found
}

of_records <- function(x, rows) {
  if (is.null(rows)) {
    return(x)
  }
  if (length(dim(x)) == 2L) x[rows, , drop = FALSE] else x[rows]
}

# New values with the attributes of the original column, unless their kind is new. What is missing in the release is missing here.
like_original <- function(new, columns, name, whole) {
  old <- columns[[name]]
  if (inherits(old, "POSIXlt")) {
    columns[[name]] <- column_of(columns, name)
    parts <- as.POSIXlt(like_original(new, columns, name, whole))
    if (identical(attr(parts, "names"), attr(old, "names"))) attributes(parts) <- attributes(old) # in their order
    return(parts)
  }
  if (is.factor(new) || (inherits(old, "integer64") && !whole)) {
    return(new)
  }
  empty <- is.na(new)
  old_empty <- is.na(column_of(columns, name))
  if (inherits(old, "integer64")) {
    new <- unclass(bit64::as.integer64(round(new)))
    emit_notes(paste("rounded, being of class integer64:", name))
  }
  if (inherits(old, c("Date", "difftime")) && is.integer(unclass(old)) && all(empty | new == round(new))) new <- as.integer(new)
  cells <- as.vector(unclass(old))
  if (keeps_gaps(new, empty, old, old_empty)) {
    new[old_empty] <- cells[old_empty]
  } else {
    new[empty] <- common_mark(cells[old_empty])
  }
  attributes(new) <- attributes(old)
  columns[[name]] <- new
  declared <- sum(is.na(column_of(columns, name)) & !empty)
  if (declared > 0L) emit_notes(paste0("new values equal to a code that the file declares as missing, in ", declared, " records of ", name))
  new
}

# Whether the missing cells of the original are missing in the release because they are its gaps: numbers return to the records
# that have them, and suppression only adds gaps. Each cell then has its own mark again (NA, NaN, a tagged NA, a code that SPSS
# declares as missing). Gaps of categories are drawn: with its own mark, a true gap could be distinguished from a drawn one. Numbers with
# labels, of some values or of codes of missing values alone, may be categories: these are numbers if they have the original's gaps alone.
keeps_gaps <- function(new, empty, old, old_empty) {
  if (!all(empty[old_empty])) {
    return(FALSE)
  }
  is_number <- is.numeric(old) && (is.null(attr(old, "labels")) || all(empty == old_empty))
  is_number || identical(as.vector(new)[!empty], as.vector(unclass(old))[!empty])
}

# The mark of missing values if the original has only one, else NA.
common_mark <- function(marks) {
  bits <- if (is.double(marks)) vapply(marks, function(mark) paste(doubles_to_bytes(mark), collapse = ""), "") else marks
  if (length(unique(bits)) == 1L) marks[1L] else NA
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

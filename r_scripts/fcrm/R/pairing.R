# Row names: no release has them, and which records of a release and its original pair.

RENUMBERED <- "the release numbers its records from 1: the row numbers of the frame, which have gaps or another order, are not released"

# Row names that are not 1, 2, 3, ...: whole numbers, as a filter or a sort leaves them, or texts. NULL for all others.
row_labels <- function(df) {
  labels <- attr(df, "row.names")
  if (is.character(labels) && all(grepl("^[1-9][0-9]{0,8}$", labels))) labels <- as.integer(labels)
  if (!is.character(labels)) labels <- as.integer(labels)
  if (identical(labels, seq_along(labels))) NULL else labels
}

# Row names can be names of persons, and have no role.
check_row_names <- function(owner, df) {
  if (is.character(row_labels(df))) {
    rule <- paste(
      "row names would be released: remove them by rownames(df) <- NULL,",
      "or make them a column with a role, df$name <- rownames(df), and then remove them"
    )
    stop_input(owner, rule, "row names that are text")
  }
}

# Labels by which the records of `released` are found in `df`, packed: list(original, released). NULL for both: by position.
paired_labels <- function(df, released) {
  labels <- labels_of_pair(df, released)
  list(
    original = if (!is.null(labels$original)) column_to_bytes("row", labels$original),
    released = if (!is.null(labels$released)) column_to_bytes("row", labels$released)
  )
}

# Text pairs if both files have it. The row numbers of a release from protect() count its own records. Row numbers of another
# release are labels if the original has them all, or positions in the original if they cannot count the release's own records; if
# both are possible, position pairs. Labels of the release alone, as returned, are positions in the original.
labels_of_pair <- function(df, released) {
  n <- nrow(df)
  N <- nrow(released)
  old <- row_labels(df)
  new <- row_labels(released)
  if (is.character(old) && is.character(new)) {
    return(list(original = old, released = new))
  }
  if (!is.null(provenance_of(released))) {
    return(list(released = own_rows(released, new, n)))
  }
  if (!is.integer(new)) {
    return(NULL)
  }
  by_label <- is.integer(old) && all(new %in% old)
  by_place <- max(new) <= n && (N == n || max(new) > N)
  if (by_label == by_place) {
    return(NULL)
  }
  if (by_label) list(original = old, released = new) else list(released = new)
}

# Positions in the original of the records of a release, or of a part of it; NULL for all in order, or if they are not known.
own_rows <- function(released, numbers, n) {
  rows <- stored_release(released)$rows
  if (is.null(rows)) {
    return(if (is.integer(numbers) && max(numbers) <= n) numbers)
  }
  positions <- rows[if (is.integer(numbers)) numbers else seq_len(nrow(released))]
  if (!anyNA(positions)) positions
}

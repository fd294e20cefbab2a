# read_table(): a file of any format that goes in, as a data.frame, read by Python as protect_file() reads it. Labels of SPSS,
# Stata and SAS files are attributes, as haven has them.

read_table <- function(path, separator = NULL, decimal = NULL, ...) {
  # readr has a function of this name, for text in columns
  theirs <- if (!missing(path) && (...length() > 0L || !is_table(path))) masked("read_table")
  if (!is.null(theirs)) {
    return(again(theirs, sys.call(), parent.frame(), path))
  }
  no_more("read_table", ...)
  options <- list(separator = plain(separator, "read_table", "separator"), decimal = plain(decimal, "read_table", "decimal"))
  answer <- ask_of_files("read_table", list(path = plain_path(path, "path", "read_table")), options)
  frame <- frame_from_bytes(answer[["columns"]])
  for (pair in answer[["labels"]]) attr(frame[[pair[[1L]]]], "label") <- pair[[2L]]
  for (known in answer[["values"]]) frame[[known[[1L]]]] <- with_labels(frame[[known[[1L]]]], known[[2L]])
  tell(as.character(answer[["notes"]]))
  frame
}

# Whether it is a path that ends as a table does; white space between columns is not what Python reads.
is_table <- function(path) {
  is.character(path) && length(path) == 1L && grepl("[.](csv|tsv|parquet|pq|sav|zsav|por|dta|sas7bdat|xpt|xlsx)$", path, ignore.case = TRUE)
}

# pairs : a code and its label each.
with_labels <- function(x, pairs) {
  codes <- lapply(pairs, `[[`, 1L)
  numbers <- vapply(codes, is.numeric, NA)
  if (is.numeric(x) != all(numbers)) {
    return(x)
  }
  values <- setNames(unlist(codes), vapply(pairs, `[[`, "", 2L))
  storage.mode(values) <- storage.mode(x)
  structure(x, labels = values, class = c("haven_labelled", "vctrs_vctr", storage.mode(x)))
}

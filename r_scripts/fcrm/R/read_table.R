# read_table(): a file of any input format as a data.frame, read by Python as in protect_file(). Labels of SPSS, Stata and SAS
# files are attributes, as in haven.

read_table <- function(path, sheet = NULL, missing_marks = NULL, decimal = NULL, thousands = NULL, encoding = NULL,
                       separator = NULL, ...) {
  refuse_further("read_table", ...)
  options <- plain_options("read_table",
    sheet = sheet, missing_marks = missing_marks, decimal = decimal, thousands = thousands, encoding = encoding,
    separator = separator
  )
  answer <- call_files("read_table", list(path = plain_path(path, "path", "read_table")), options)
  frame <- frame_from_bytes(answer[["columns"]])
  for (pair in answer[["labels"]]) attr(frame[[pair[[1L]]]], "label") <- pair[[2L]]
  for (known in answer[["values"]]) frame[[known[[1L]]]] <- with_labels(frame[[known[[1L]]]], known[[2L]])
  for (pair in answer[["durations"]]) {
    class <- if (pair[[2L]] == "hms") c("hms", "difftime") else "difftime"
    seconds <- frame[[pair[[1L]]]]
    attributes(seconds) <- c(attributes(seconds), list(units = "secs", class = class))
    frame[[pair[[1L]]]] <- seconds
  }
  emit_notes(as.character(answer[["notes"]]), frame)
  frame
}

# pairs : codes with their labels.
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

# Data sets of installed R packages, one CSV file for each and one of the types of its columns.
# Rscript r_datasets.R FOLDER PACKAGE ...

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1L]

# Numbers, texts, dates, factors and truth values in columns that are vectors.
is_plain <- function(column) {
  is.null(dim(column)) && (is.numeric(column) || is.character(column) || is.factor(column) || is.logical(column) ||
                             inherits(column, c("Date", "POSIXct")))
}

type_of <- function(column) {
  if (is.factor(column)) return("category")
  if (is.logical(column)) return("boolean")
  if (inherits(column, c("Date", "POSIXct"))) return("date")
  if (is.integer(column)) return("integer")
  if (is.numeric(column)) "float" else "text"
}

# item : the name of an object, and in parentheses that of its file where it is another one: "apistrat (api)".
write_data <- function(package, item) {
  file <- sub("^.* \\((.*)\\)$", "\\1", item)
  place <- new.env()
  utils::data(list = file, package = package, envir = place)
  for (object in ls(place)) {
    frame <- place[[object]]
    if (!is.data.frame(frame) || nrow(frame) < 20L || anyDuplicated(names(frame))) next
    frame <- as.data.frame(frame)
    frame <- frame[vapply(frame, is_plain, NA)]
    if (ncol(frame) < 2L) next
    frame <- frame[seq_len(min(nrow(frame), 20000L)), , drop = FALSE]
    stem <- file.path(folder, paste(package, object, sep = "-"))
    types <- data.frame(column = names(frame), type = vapply(frame, type_of, ""))
    frame[] <- lapply(frame, function(x) if (inherits(x, "POSIXct")) format(x, "%Y-%m-%d %H:%M:%S") else x)
    write.csv(frame, paste0(stem, ".csv"), row.names = FALSE, na = "", fileEncoding = "UTF-8")
    write.csv(types, paste0(stem, ".types.csv"), row.names = FALSE, fileEncoding = "UTF-8")
  }
}

for (package in arguments[-1L]) {
  if (!requireNamespace(package, quietly = TRUE)) next
  items <- suppressWarnings(utils::data(package = package)$results[, "Item"])
  files <- !duplicated(sub("^.* \\((.*)\\)$", "\\1", items))
  for (item in items[files]) try(write_data(package, item), silent = TRUE)
}

# Columns as raw bytes, and back: the R side of the only conversion between R and Python. Python: r_bridge/columns.py.
# A column is a list of name, kind, data, labels, extra; numbers are little-endian, with the bits of NA and NaN. Text is packed:
# a count, the byte length of each string (-1 for NA), then the strings in UTF-8.
# r_bridge sources this file without the package: it uses conditions.R only.

NO_STRING <- -1L
NO_TIME_ZONE <- "\001" # a POSIXct without the attribute; the attribute can be ""

bytes_from_frame <- function(df) {
  lapply(seq_along(df), function(i) column_to_bytes(names(df)[i], .subset2(df, i)))
}

frame_from_bytes <- function(columns) {
  values <- lapply(columns, column_from_bytes)
  names(values) <- vapply(columns, function(column) column[[1L]], "")
  records <- if (length(values)) length(values[[1L]]) else 0L
  structure(values, row.names = .set_row_names(records), class = "data.frame")
}

column_to_bytes <- function(name, x) {
  kind <- kind_of(x)
  if (is.na(kind)) {
    rule <- paste0("column `", name, "` must be double, integer, logical, character, factor, Date or POSIXct")
    stop_input("bytes_from_frame", rule, class_text(x))
  }
  data <- switch(kind,
    integer = , logical = , factor = , ordered = integers_to_bytes(x),
    character = pack_texts(x, paste0("column `", name, "`")),
    doubles_to_bytes(x)
  )
  labels <- if (is.factor(x)) pack_texts(levels(x)) else raw()
  extra <- switch(kind,
    Date = if (is.integer(x)) "integer" else "",
    POSIXct = if (is.null(attr(x, "tzone"))) NO_TIME_ZONE else attr(x, "tzone")[1L],
    ""
  )
  list(enc2utf8(name), kind, data, labels, extra)
}

column_from_bytes <- function(column) {
  data <- as.raw(column[[3L]])
  extra <- column[[5L]]
  switch(column[[2L]],
    double = doubles_from_bytes(data),
    integer = integers_from_bytes(data),
    logical = as.logical(integers_from_bytes(data)),
    character = unpack_texts(data),
    factor = factor_of(data, column[[4L]], "factor"),
    ordered = factor_of(data, column[[4L]], c("ordered", "factor")),
    Date = date_of(doubles_from_bytes(data), extra),
    POSIXct = time_of(doubles_from_bytes(data), extra),
    stop_input("frame_from_bytes", "the kind of a column must be one of the eight", column[[2L]])
  )
}

# One of the eight kinds, or NA. Labels (haven, labelled) and I() do not change the kind.
kind_of <- function(x) {
  if (!is.null(dim(x))) {
    return(NA_character_)
  }
  known <- setdiff(oldClass(x), c("AsIs", "haven_labelled", "labelled", "vctrs_vctr", "integer", "double", "numeric", "character"))
  if (length(known) == 0L) {
    kind <- typeof(x)
    return(if (kind %in% c("double", "integer", "logical", "character")) kind else NA_character_)
  }
  if (is.factor(x)) {
    return(if (is.ordered(x)) "ordered" else "factor")
  }
  if (inherits(x, "POSIXct")) "POSIXct" else if (inherits(x, "Date")) "Date" else NA_character_
}

class_text <- function(x) {
  if (!is.null(dim(x))) paste("a", class(x)[1L], "of its own") else paste("a column of class", class(x)[1L])
}

doubles_to_bytes <- function(x) writeBin(as.double(unclass(x)), raw(), endian = "little")

doubles_from_bytes <- function(bytes) readBin(bytes, "double", length(bytes) %/% 8L, size = 8L, endian = "little")

factor_of <- function(data, labels, class) {
  structure(integers_from_bytes(data), levels = unpack_texts(as.raw(labels)), class = class)
}

date_of <- function(days, extra) structure(if (extra == "integer") as.integer(days) else days, class = "Date")

time_of <- function(seconds, extra) {
  structure(seconds, class = c("POSIXct", "POSIXt"), tzone = if (extra != NO_TIME_ZONE) extra)
}

pack_texts <- function(x, owner = "text") {
  x <- as.character(x)
  absent <- is.na(x)
  wrong <- which(!validEnc(x))
  if (length(wrong)) stop_input(owner, "text must be valid in its encoding", paste("bad bytes in entry", wrong[1L]))
  x <- enc2utf8(x)
  sizes <- nchar(x, "bytes")
  sizes[absent] <- NO_STRING
  c(integers_to_bytes(c(length(x), sizes)), charToRaw(paste(x[!absent], collapse = "")))
}

unpack_texts <- function(bytes) {
  count <- integers_from_bytes(bytes[1:4])
  head <- 4L + 4L * count
  sizes <- integers_from_bytes(bytes[seq_len(head)])[-1L]
  absent <- sizes == NO_STRING
  x <- rep(NA_character_, count)
  x[!absent] <- readChar(bytes[seq_along(bytes) > head], sizes[!absent], useBytes = TRUE)
  Encoding(x) <- "UTF-8"
  x
}

integers_to_bytes <- function(x) writeBin(as.integer(x), raw(), endian = "little")

integers_from_bytes <- function(bytes) readBin(bytes, "integer", length(bytes) %/% 4L, size = 4L, endian = "little")

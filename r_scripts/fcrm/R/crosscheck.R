# crosscheck(): Python against plain R, number by number, in a process of its own: two R's do not fit into one.

crosscheck <- function(df = NULL, independent = NULL, dependent = NULL, seed = 1, ipso_r = NULL, sdcmicro = FALSE, html = NULL) {
  folder <- tempfile("crosscheck")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  roles <- given_roles("crosscheck", if (is.data.frame(df)) df, independent, dependent)
  if (!is.numeric(seed) || length(seed) != 1L) stop_parameter("crosscheck", "seed", "must be a whole number", format(seed))
  words <- c("--json", "--seed", format(seed, scientific = FALSE), if (sdcmicro) "--sdcmicro")
  files <- list("--ipso-r" = ipso_r, "--html" = html, "--input" = input_of(df, file.path(folder, "input.csv"), unlist(roles)))
  columns <- list("--independent" = roles$independent, "--dependent" = roles$dependent)
  given <- c(files, lapply(columns, function(names) if (length(names)) paste(in_quotes(names), collapse = ",")))
  given <- unlist(given[!vapply(given, is.null, NA)])
  words <- c(words, as.vector(rbind(names(given), shQuote(given))))
  run_crosscheck(words, file.path(folder, c("told.json", "said.txt")))
}

# A path as it is; a frame as a file of its every digit.
input_of <- function(df, path, columns) {
  if (is.null(df) || is.character(df)) {
    return(df)
  }
  check_frame("crosscheck", "df", df)
  digits <- function(x) if (is.double(x)) formatC(x, digits = 17, format = "g", width = 1L, decimal.mark = ".") else x
  frame <- as.data.frame(lapply(unclass(df)[intersect(names(df), columns)], digits), optional = TRUE)
  words <- which(!vapply(frame, is.double, NA) & vapply(.subset(df, names(frame)), kind_of, "") %in% c("character", "factor", "ordered"))
  names(frame) <- in_quotes(names(frame))
  for (k in words) frame[[k]] <- in_quotes(frame[[k]])
  utils::write.table(frame, path, sep = ",", row.names = FALSE, quote = FALSE, fileEncoding = "UTF-8")
  path
}

# As a cell of a CSV file.
in_quotes <- function(x) paste0("\"", gsub("\"", "\"\"", x, fixed = TRUE), "\"")

run_crosscheck <- function(words, files) {
  door()
  if (is.null(reticulate::import("importlib.util", delay_load = FALSE)$find_spec("rpy2"))) {
    stop_fcrm("missing_extra", "crosscheck: needs rpy2; run install_pyfcrm(\"path/to/pyfcrm\", extras = \"r\") and restart R")
  }
  python <- reticulate::py_config()$python
  status <- system2(python, c("-m", "pyfcrm", "crosscheck", words), stdout = files[1L], stderr = files[2L])
  said <- sub("^(pyfcrm: )?(crosscheck: )?", "", utils::tail(readLines(files[2L], warn = FALSE), 1L))
  if (!status %in% c(0L, 1L) || file.size(files[1L]) == 0) {
    stop_input("crosscheck", if (length(said)) said else "ended without a result: the R code it ran must not quit")
  }
  json <- reticulate::import("json", delay_load = FALSE)
  told <- json$loads(paste(readLines(files[1L], encoding = "UTF-8", warn = FALSE), collapse = "\n"))
  rows <- do.call(rbind, lapply(told$rows, function(row) {
    row <- lapply(row, function(value) if (is.null(value)) NA else value)
    as.data.frame(row[lengths(row) == 1L], stringsAsFactors = FALSE)
  }))
  counts <- unlist(told[c("requested", "compared", "agree", "skipped", "disagree", "not_run")])
  facts <- list(counts = counts, nothing_compared = unlist(told$nothing_compared), python_only = unlist(told$python_only))
  structure(rows, versions = unlist(told$versions), passed = status == 0L, facts = facts, class = c("fcrm_crosscheck", "data.frame"))
}

print.fcrm_crosscheck <- function(x, ...) {
  apart <- x[startsWith(x$verdict, "FAIL"), , drop = FALSE]
  facts <- attr(x, "facts")
  cat(paste(facts$counts, names(facts$counts), collapse = ", "), "\n", sep = "")
  if (length(facts$nothing_compared)) cat("FAIL: nothing was compared of", toString(facts$nothing_compared), "\n")
  print_said(paste("Python only, called from R:", toString(facts$python_only)), indent = 2L)
  skipped <- x[x$verdict == "skipped", , drop = FALSE]
  print_said(paste0("skipped: ", skipped$what, ": ", skipped$reason, recycle0 = TRUE), indent = 2L)
  if (nrow(apart)) print(as.data.frame(unclass(apart)), row.names = FALSE)
  invisible(x)
}

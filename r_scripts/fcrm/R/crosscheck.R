# crosscheck(): Python against R, number by number, in a separate process: a process can have one R only.

crosscheck <- function(df = NULL, independent = NULL, dependent = NULL, seed = 1, ipso_r = NULL, sdcmicro = FALSE, html = NULL,
                       allow_undecided = FALSE) {
  folder <- tempfile("crosscheck")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  roles <- roles_of("crosscheck", if (is.data.frame(df)) df, independent, dependent)
  if (!is.numeric(seed) || length(seed) != 1L) stop_parameter("crosscheck", "seed", "must be a whole number", format(seed))
  arguments <- c("--json", "--seed", format(seed, scientific = FALSE), if (sdcmicro) "--sdcmicro",
                 if (allow_undecided) "--allow-undecided")
  files <- list("--ipso-r" = ipso_r, "--html" = html, "--input" = input_of(df, file.path(folder, "input.csv"), unlist(roles)))
  columns <- list("--independent" = roles$independent, "--dependent" = roles$dependent)
  options <- c(files, lapply(columns, function(names) if (length(names)) paste(in_quotes(names), collapse = ",")))
  options <- unlist(options[!vapply(options, is.null, NA)])
  arguments <- c(arguments, as.vector(rbind(names(options), shQuote(options))))
  run_crosscheck(arguments, file.path(folder, c("output.json", "errors.txt")))
}

# The path of the input; a frame is written to `path` with all digits.
input_of <- function(df, path, columns) {
  if (is.null(df) || is.character(df)) {
    return(df)
  }
  check_frame("crosscheck", "df", df)
  digits <- function(x) if (is.double(x)) formatC(x, digits = 17, format = "g", width = 1L, decimal.mark = ".") else x
  frame <- as.data.frame(lapply(unclass(df)[intersect(names(df), columns)], digits), optional = TRUE)
  texts <- which(!vapply(frame, is.double, NA) & vapply(.subset(df, names(frame)), kind_of, "") %in% c("character", "factor", "ordered"))
  names(frame) <- in_quotes(names(frame))
  for (k in texts) frame[[k]] <- in_quotes(frame[[k]])
  utils::write.table(frame, path, sep = ",", row.names = FALSE, quote = FALSE, fileEncoding = "UTF-8")
  path
}

# As a cell of a CSV file.
in_quotes <- function(x) paste0("\"", gsub("\"", "\"\"", x, fixed = TRUE), "\"")

run_crosscheck <- function(arguments, files) {
  python_module()
  if (is.null(reticulate::import("importlib.util", delay_load = FALSE)$find_spec("rpy2"))) {
    stop_fcrm("missing_extra", "crosscheck: needs rpy2; run fcrm::install_pyfcrm(\"path/to/pyfcrm\", extras = \"r\") and restart R")
  }
  python <- reticulate::py_config()$python
  status <- system2(python, c("-m", "pyfcrm", "crosscheck", arguments), stdout = files[1L], stderr = files[2L])
  error <- sub("^(pyfcrm: )?(crosscheck: )?", "", utils::tail(readLines(files[2L], warn = FALSE), 1L))
  if (!status %in% c(0L, 1L, 3L) || file.size(files[1L]) == 0) {
    stop_input("crosscheck", if (length(error)) error else "ended without a result: the R code must not call quit()")
  }
  json <- reticulate::import("json", delay_load = FALSE)
  document <- json$loads(paste(readLines(files[1L], encoding = "UTF-8", warn = FALSE), collapse = "\n"))
  rows <- do.call(rbind, lapply(document$rows, function(row) {
    row <- lapply(row, function(value) if (is.null(value)) NA else value)
    as.data.frame(row[lengths(row) == 1L], stringsAsFactors = FALSE)
  }))
  summary <- list(
    counts = unlist(document[c("agree", "undecided", "skipped", "disagree")]),
    undecided_by_family = unlist(document$undecided_by_family),
    nothing_compared = unlist(document$nothing_compared),
    python_only = names(document$python_only)
  )
  structure(
    rows,
    versions = unlist(document$versions), passed = status == 0L, status = status, summary = summary,
    class = c("fcrm_crosscheck", "data.frame")
  )
}

print.fcrm_crosscheck <- function(x, ...) {
  failed <- x[startsWith(x$verdict, "FAIL"), , drop = FALSE]
  summary <- attr(x, "summary")
  cat(paste(summary$counts, names(summary$counts), collapse = ", "), "\n", sep = "")
  if (length(summary$nothing_compared)) cat("FAIL: nothing was compared of", toString(summary$nothing_compared), "\n")
  print_sentences(paste("Python only, called from R:", toString(summary$python_only)), indent = 2L)
  open <- x[x$verdict %in% c("undecided", "skipped"), , drop = FALSE]
  print_sentences(paste0(open$verdict, ": ", open$what, ": ", open$reason, recycle0 = TRUE), indent = 2L)
  if (nrow(failed)) print(as.data.frame(unclass(failed)), row.names = FALSE)
  invisible(x)
}

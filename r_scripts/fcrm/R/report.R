# A report: the totals by key, in per cent, with the verdict, every part, range and baseline in attributes. Plain R data.

as_report <- function(answer) {
  rows <- frame_from_bytes(answer[["rows"]])
  totals <- rows[rows$part == "total", ]
  structure(
    as.list(setNames(totals$value, totals$measure)),
    rows = rows, titles = frame_from_bytes(answer[["titles"]]), columns = as.character(answer[["judged"]]),
    verdict = as_verdict(answer[["verdict"]]), records = answer[["records"]], kept = as_kept(answer[["kept"]]), notes = as.character(answer[["notes"]]), class = "fcrm_report"
  )
}

# status, headline, one row a test, and the lines that print it, as Python has them.
as_verdict <- function(answer) {
  tests <- if (!is.null(answer[["tests"]])) frame_from_bytes(answer[["tests"]])
  lines <- as.character(unlist(answer[["lines"]]))
  structure(list(status = answer[["status"]], headline = answer[["headline"]], tests = tests), lines = lines, class = "fcrm_verdict")
}

print.fcrm_verdict <- function(x, ...) {
  cat(paste0(attr(x, "lines"), "\n"), sep = "")
  invisible(x)
}

`$.fcrm_report` <- function(x, name) if (identical(name, "verdict")) attr(x, "verdict") else unclass(x)[[name]]

`[.fcrm_report` <- function(x, i) unlist(unclass(x)[i])

as.data.frame.fcrm_report <- function(x, ...) attr(x, "rows")

print.fcrm_report <- function(x, ...) {
  print(attr(x, "verdict"))
  cat("\nReport on ", attr(x, "records"), " records, ", columns_in_words(attr(x, "columns")), ". Per cent.\n\n", sep = "")
  rows <- attr(x, "rows")
  rows <- rows[rows$part == "total", ]
  titles <- attr(x, "titles")
  shown <- list(measure = rows$measure, value = rows$value, chance = rows$baseline)
  if (!all(is.na(rows$inference))) shown <- c(shown, list(inference = rows$inference, attributable = rows$attributable))
  words <- list(better = rows$better, " " = titles$title[match(rows$measure, titles$measure)])
  print_figures(as.data.frame(c(shown, words), optional = TRUE))
  print_kept(attr(x, "kept"))
  print_notes(attr(x, "notes"))
  invisible(x)
}

summary.fcrm_report <- function(object, ...) structure(list(report = object), class = "summary.fcrm_report")

print.summary.fcrm_report <- function(x, ...) {
  print(x$report)
  rows <- attr(x$report, "rows")
  rows <- rows[rows$part != "total", ]
  if (nrow(rows)) {
    cat("\nIts parts:\n\n")
    print_figures(data.frame(measure = rows$measure, part = rows$part, value = rows$value, chance = rows$baseline))
  }
  invisible(x)
}

# A table as text, never wrapped: figures to the right with two decimals, words to the left.
print_figures <- function(table) {
  cells <- Map(function(x, name) {
    figures <- is.numeric(x)
    words <- if (figures) ifelse(is.na(x), "", formatC(x, format = "f", digits = 2L)) else x
    format(c(name, words), justify = if (figures) "right" else "left")
  }, table, names(table))
  cat(paste0("  ", sub(" +$", "", do.call(paste, c(unname(cells), sep = "  "))), "\n"), sep = "")
}

print_notes <- function(notes) {
  if (length(notes)) cat("\n")
  print_said(as_note_line(notes), indent = 2L)
}

# Sentences, none wider than the session's lines.
print_said <- function(said, indent = 0L) {
  if (length(said)) cat(paste0(strwrap(said, getOption("width"), exdent = indent), "\n"), sep = "")
}

columns_in_words <- function(columns) {
  if (!length(columns)) return("by their keys")
  if (length(columns) == 1L) paste("column", columns) else paste(length(columns), "columns:", toString(columns))
}

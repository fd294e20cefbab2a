# A report: totals by key, in per cent; verdict, parts, ranges and baselines are attributes. Plain R data.

as_report <- function(answer) {
  rows <- frame_from_bytes(answer[["rows"]])
  totals <- rows[rows$part == "total", ]
  structure(
    as.list(setNames(totals$value, totals$measure)),
    rows = rows, titles = frame_from_bytes(answer[["titles"]]), columns = as.character(answer[["columns"]]), remarks = as.character(unlist(answer[["remarks"]])),
    verdict = as_verdict(answer[["verdict"]]), utility = as_utility(answer[["utility"]]), records = answer[["records"]], kept = as_uniques(answer[["unmodified"]]),
    notes = as.character(answer[["notes"]]), all_notes = as.character(answer[["all_notes"]]), class = "fcrm_report"
  )
}

# status, headline, one row a test, and the printed lines, from Python.
as_verdict <- function(answer) {
  tests <- if (!is.null(answer[["tests"]])) frame_from_bytes(answer[["tests"]])
  lines <- as.character(unlist(answer[["lines"]]))
  structure(list(status = answer[["status"]], headline = answer[["headline"]], tests = tests), lines = lines, class = "fcrm_verdict")
}

# The utility panel: one row for all estimates and one for each family, the estimates, one row for each confidential variable with
# what was measured, and the printed lines, from Python.
as_utility <- function(answer) {
  if (is.null(answer)) return(NULL)
  summaries <- frame_from_bytes(answer[["summary"]])
  structure(
    list(
      summary = summaries[1L, ], families = summaries[-1L, ], estimates = frame_from_bytes(answer[["estimates"]]),
      variables = frame_from_bytes(answer[["variables"]])
    ),
    lines = as.character(unlist(answer[["lines"]])), remarks = as.character(unlist(answer[["remarks"]])), class = "fcrm_utility"
  )
}

print.fcrm_utility <- function(x, ...) {
  cat(paste0(attr(x, "lines"), "\n"), sep = "")
  print_sentences(attr(x, "remarks"))
  invisible(x)
}

as.data.frame.fcrm_utility <- function(x, ...) x$estimates

print.fcrm_verdict <- function(x, ...) {
  cat(paste0(attr(x, "lines"), "\n"), sep = "")
  invisible(x)
}

`$.fcrm_report` <- function(x, name) if (name %in% c("verdict", "utility")) attr(x, name) else unclass(x)[[name]]

`[.fcrm_report` <- function(x, i) unlist(unclass(x)[i])

as.data.frame.fcrm_report <- function(x, ...) attr(x, "rows")

print.fcrm_report <- function(x, ...) {
  # The line of utility stands below the headline of the verdict.
  lines <- attr(attr(x, "verdict"), "lines")
  cat(paste0(c(lines[1L], attr(attr(x, "utility"), "lines"), lines[-1L]), "\n"), sep = "")
  cat("\nReport on ", attr(x, "records"), " records, ", columns_in_words(attr(x, "columns")), ". Per cent.\n\n", sep = "")
  rows <- attr(x, "rows")
  rows <- rows[rows$part == "total", ]
  titles <- attr(x, "titles")
  shown <- list(measure = rows$measure, value = rows$value, chance = rows$baseline)
  if (!all(is.na(rows$inference))) shown <- c(shown, list(inference = rows$inference, attributable = rows$attributable))
  texts <- list(better = rows$better, " " = titles$title[match(rows$measure, titles$measure)])
  print_figures(as.data.frame(c(shown, texts), optional = TRUE))
  print_sentences(attr(x, "remarks"))
  print_uniques(attr(x, "kept"))
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

# A table as text without wrapping: numbers to the right with two decimals, text to the left.
print_figures <- function(table) {
  cells <- Map(function(x, name) {
    numeric <- is.numeric(x)
    texts <- if (numeric) ifelse(is.na(x), "", formatC(x, format = "f", digits = 2L)) else x
    format(c(name, texts), justify = if (numeric) "right" else "left")
  }, table, names(table))
  cat(paste0("  ", sub(" +$", "", do.call(paste, c(unname(cells), sep = "  "))), "\n"), sep = "")
}

print_notes <- function(notes) {
  if (length(notes)) cat("\n")
  print_sentences(as_note_line(notes), indent = 2L)
}

# Sentences, wrapped at the width of the session.
print_sentences <- function(texts, indent = 0L) {
  if (length(texts)) cat(paste0(strwrap(texts, getOption("width"), exdent = indent), "\n"), sep = "")
}

columns_in_words <- function(columns) {
  if (!length(columns)) return("by their keys")
  if (length(columns) == 1L) paste("column", columns) else paste(length(columns), "columns:", toString(columns))
}
